"""The routes that answer questions and search."""

from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response

from assistant.documents import answer_document, evidence_document
from assistant.serving.descriptions import AnswerDescription, EvidenceDescription
from assistant.serving.forms import Ask, Search
from assistant.serving.replies import EVENT_STREAM, reply, reply_with_events
from assistant.serving.service import Service

EXAMPLE_OF_A_STREAM = """event: step
data: {"text": "searching"}

event: sentence
data: {"text": "It halves the memory of training. [1]", "numbers": [1], "verdict": "supported"}

event: answer
data: {"question": "What does Sparrow do?", "answer": "It halves the memory of training. [1]"}
"""
EVENT = {
    "type": "object",
    "description": "One event of the stream; the data is JSON.",
    "properties": {
        "event": {"enum": ["step", "draft", "sentence", "answer", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}


def make_question_routes(service: Service) -> APIRouter:
    """Return the routes that ask and search."""
    router = APIRouter(tags=["questions"])
    stream = {EVENT_STREAM: {"schema": EVENT, "example": EXAMPLE_OF_A_STREAM}}

    @router.post("/ask", responses={200: {"model": AnswerDescription, "content": stream}}, operation_id="ask")
    async def ask(asked: Ask, accept: Annotated[str, Header(include_in_schema=False)] = "") -> Response:
        """Answer a question, every claim cited to the exact words of an abstract.

        Asked for a stream, it sends the events `step`, `draft` (provisional text), `sentence`, and last `answer`,
        which is what counts and the same document as without a stream; or `error` instead of it.
        """
        looked_at = (asked.question, asked.read_history(), asked.k, asked.filters.read())
        if asked.stream or EVENT_STREAM in accept:
            return await reply_with_events(service.stream(*looked_at))
        return reply(answer_document(await service.ask(*looked_at)))

    @router.post("/search", responses={200: {"model": EvidenceDescription}}, operation_id="search")
    async def search(wanted: Search) -> Response:
        """Find papers by words and by meaning, best first, with their sentences scored."""
        return reply(evidence_document(await service.search(wanted.question, wanted.k, wanted.filters.read())))

    return router
