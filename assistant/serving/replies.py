"""Documents and events as responses of HTTP."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from assistant.documents import Json, dump, event_document
from assistant.domain import Answer, AnswerSentence, Draft, Event, Step
from assistant.serving.problems import find_problem, make_response

Events = AsyncGenerator[Event | None, None]
Pieces = AsyncGenerator[str, None]
EVENT_STREAM = "text/event-stream"
STILL_THERE = ": still at work\n\n"
"""A comment, sent in silence: so that proxies keep the connection, and a client that has gone is noticed."""


def reply(document: Json, status: int = 200) -> Response:
    """Return a document as a response."""
    return Response(dump(document), status, {"Cache-Control": "no-store"}, media_type="application/json")


async def reply_with_events(events: Events) -> Response:
    """Return a stream of server-sent events; what goes wrong before the first one is a problem and no stream."""
    try:
        first = await anext(events)
    except Exception as error:
        return make_response(find_problem(error))
    return reply_with_stream(_write_events(first, events))


def reply_with_stream(pieces: Pieces) -> Response:
    """Return text as it comes, which no proxy is to keep back."""
    return ClosingStream(pieces)


class ClosingStream(StreamingResponse):
    """Closes its source at its end, also where the client went while something was on its way to it."""

    def __init__(self, pieces: Pieces) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(pieces, headers=headers, media_type=EVENT_STREAM)
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the pieces."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._pieces.aclose()


async def _write_events(first: Event | None, events: Events) -> Pieces:
    async with aclosing(events):
        yield _write_event(first)
        try:
            async for event in events:
                yield _write_event(event)
        except Exception as error:
            problem = find_problem(error)
            yield write_event("error", {"status": problem.status, "detail": problem.detail})


def _write_event(event: Event | None) -> str:
    return STILL_THERE if event is None else write_event(_name(event), event_document(event))


def write_event(name: str, document: Json) -> str:
    """Return a server-sent event."""
    return f"event: {name}\ndata: {dump(document)}\n\n"


def _name(event: Event) -> str:
    match event:
        case Step():
            return "step"
        case Draft():
            return "draft"
        case AnswerSentence():
            return "sentence"
        case Answer():
            return "answer"
