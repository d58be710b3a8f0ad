"""The OpenAI protocol: the assistant as a chat model, its citations in the text and as a field beside it."""

import re
import time
from contextlib import aclosing
from typing import Annotated
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from assistant.documents import Json, citation_documents, dump
from assistant.domain import Answer, Turn
from assistant.errors import QuestionError
from assistant.phrasing import SOURCES, write_text
from assistant.serving.problems import Problem, find_problem
from assistant.serving.replies import STILL_THERE, Events, Pieces, reply, reply_with_stream
from assistant.serving.service import Service
from assistant.text.terms import words

MODEL = "paper-assistant"
MOST_MESSAGES = 200
_PIECES = re.compile(r"\s*\S+(?:\s+\S+){0,7}")


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str = ""


class Message(BaseModel):
    """One message of a conversation; what a system says is not followed."""

    role: str
    content: str | list[Part] | None = None

    def read(self) -> str:
        """Return the text."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream has beside the text."""

    include_usage: bool = False


class Completion(BaseModel):
    """A request of the OpenAI protocol; temperature and whatever else a client sends has no effect."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}]}
    )

    model: str
    messages: Annotated[list[Message], Field(min_length=1, max_length=MOST_MESSAGES)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Annotated[int | None, Field(ge=1, le=1)] = 1

    def read_question(self) -> str:
        """Return the question: the last message, which must be a user's."""
        if self.messages[-1].role != "user":
            raise QuestionError("The last message must be the user's question.")
        return self.messages[-1].read()

    def read_history(self) -> tuple[Turn, ...]:
        """Return the conversation before the question, without the lists of sources."""
        turns: list[Turn] = []
        for message in self.messages[:-1]:
            if message.role == "user":
                turns.append(Turn("user", message.read()))
            elif message.role == "assistant":
                turns.append(Turn("assistant", message.read().partition(f"\n\n{SOURCES}\n")[0]))
        return tuple(turns)

    def count_words(self) -> int:
        """Return how many words were sent."""
        return sum(len(words(message.read())) for message in self.messages)


def create_completions(service: Service) -> FastAPI:
    """Return the application that speaks the OpenAI protocol, below /v1."""
    app = FastAPI(title="Paper Assistant, OpenAI protocol", docs_url=None, redoc_url=None, redirect_slashes=False)
    for error in (RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(error, _tell)

    @app.get("/models")
    def list_models() -> Response:
        """List the one model."""
        return reply({"object": "list", "data": [_model_document()]})

    @app.get("/models/{model}")
    def get_model(model: str) -> Response:
        """Show the one model."""
        _check_model(model)
        return reply(_model_document())

    @app.post("/chat/completions")
    async def complete(asked: Completion) -> Response:
        """Answer the last message; what was said before is the conversation."""
        _check_model(asked.model)
        events = service.stream(asked.read_question(), asked.read_history())
        if not asked.stream:
            async with aclosing(events):
                answers = [event async for event in events if isinstance(event, Answer)]
            return reply(_completion_document(asked, answers[-1]))
        first = await anext(events)
        return reply_with_stream(_write_chunks(asked, events, first if isinstance(first, Answer) else None))

    return app


async def _write_chunks(asked: Completion, events: Events, answer: Answer | None) -> Pieces:
    """Write the text once it is checked: what has been sent cannot be taken back."""
    head = _head("chat.completion.chunk")
    yield _write_chunk(head, {"role": "assistant", "content": ""})
    async with aclosing(events):
        try:
            async for event in events:
                answer = event if isinstance(event, Answer) else answer
                yield STILL_THERE
        except Exception as error:
            yield f"data: {dump(_error_document(find_problem(error)))}\n\n"
            return
    if answer is not None:
        for piece in _PIECES.findall(write_text(answer)):
            yield _write_chunk(head, {"content": piece})
        yield _write_chunk(head, {"citations": citation_documents(answer)}, _reason(answer))
        if asked.stream_options and asked.stream_options.include_usage:
            yield f"data: {dump({**head, 'choices': [], 'usage': _usage(asked, write_text(answer))})}\n\n"
    yield "data: [DONE]\n\n"


def _write_chunk(head: dict[str, Json], delta: Json, reason: str | None = None) -> str:
    return f"data: {dump({**head, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': reason}]})}\n\n"


def _completion_document(asked: Completion, answer: Answer) -> Json:
    text = write_text(answer)
    message: Json = {"role": "assistant", "content": text, "citations": citation_documents(answer)}
    choice: Json = {"index": 0, "message": message, "finish_reason": _reason(answer)}
    return {**_head("chat.completion"), "choices": [choice], "usage": _usage(asked, text)}


def _head(kind: str) -> dict[str, Json]:
    return {"id": f"chatcmpl-{uuid4().hex}", "object": kind, "created": int(time.time()), "model": MODEL}


def _reason(answer: Answer) -> str:
    return "length" if answer.incomplete else "stop"


def _usage(asked: Completion, text: str) -> Json:
    """Return what was sent and written in words: which tokens a model made of them is not known here."""
    sent, written = asked.count_words(), len(words(text))
    return {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}


def _model_document() -> Json:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}


def _check_model(model: str) -> None:
    if model != MODEL:
        raise HTTPException(404, f"There is one model here: {MODEL}.")


async def _tell(request: Request, error: Exception) -> Response:
    problem = find_problem(error)
    # Clients of this protocol know 400 for whatever was sent wrongly.
    status = 400 if problem.status == 422 else problem.status
    response = reply(_error_document(problem), status)
    response.headers.update(problem.headers)
    return response


def _error_document(problem: Problem) -> Json:
    kind = "invalid_request_error" if problem.status < 500 else "server_error"
    code = "model_not_found" if problem.status == 404 else None
    return {"error": {"message": problem.detail, "type": kind, "param": None, "code": code}}
