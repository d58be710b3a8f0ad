"""What went wrong as a client is told it: a status, one line, nothing of the inside."""

import logging
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from assistant.documents import Json, dump
from assistant.errors import AssistantError, ModelError, PaperMissing, QuestionError, ServerBusy, StoreBusy, StoreError
from assistant.text.invisible import remove_invisible

LOG = logging.getLogger("assistant.serving")
MEDIA_TYPE = "application/problem+json"
SOON = 2
"""Seconds after which a client that was told "busy" may try again."""
LONGEST_DETAIL = 500
UNEXPECTED = "Something went wrong inside the assistant; its log has the details."
STORE = "The papers cannot be reached or changed now; the log of the server says why."
WRITING = "Another process is changing the papers: try again when it has finished."
NOT_JSON = "The body is not JSON, or too deep."
MODEL = "The model did not answer; the log of the server says why."


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request failed: the status, a line for the client, and after how many seconds to try again (0: never).

    `allow` names the methods that there are, where another one was used.
    """

    status: int
    detail: str
    retry_after: int = 0
    allow: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that go with it."""
        headers = {"Retry-After": str(self.retry_after) if self.retry_after else "", "Allow": self.allow}
        return {name: value for name, value in headers.items() if value}


def find_problem(error: Exception) -> Problem:
    """Return what a client is told of an error; what it is not told is logged."""
    match error:
        case QuestionError() | PaperMissing():
            return Problem(422 if isinstance(error, QuestionError) else 404, _tidy(str(error)))
        case ServerBusy():
            return Problem(503, str(error), SOON)
        case RequestValidationError():
            return _describe_validation(error)
        case HTTPException():
            detail = NOT_JSON if error.status_code == 400 else _tidy(error.detail)
            return Problem(error.status_code, detail, allow=(error.headers or {}).get("Allow", ""))
        case _:
            return _describe_inside(error)


def make_response(problem: Problem) -> Response:
    """Return a problem as RFC 9457 writes it."""
    document: dict[str, Json] = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
    }
    return Response(dump(document), problem.status, problem.headers, MEDIA_TYPE)


def busy_for(seconds: float) -> Problem:
    """Return what a client is told that sends too much."""
    return Problem(429, "Too many requests: send fewer a minute.", max(1, ceil(seconds)))


def _describe_inside(error: Exception) -> Problem:
    if not isinstance(error, AssistantError):
        LOG.error("failed", exc_info=error)
        return Problem(500, UNEXPECTED)
    LOG.error("refused: %s", error)
    if isinstance(error, StoreBusy):
        return Problem(503, WRITING, SOON)
    if isinstance(error, StoreError):
        return Problem(503, STORE, SOON)
    return Problem(503, MODEL, SOON) if isinstance(error, ModelError) else Problem(500, UNEXPECTED)


def _describe_validation(error: RequestValidationError) -> Problem:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return Problem(400, NOT_JSON)
    if isinstance(first.get("input"), bytes):
        return Problem(415, "Send the body as JSON, with the header `Content-Type: application/json`.")
    # The first part says where it was found: the body, the path, the query.
    place = ".".join(str(part) for part in first["loc"][1:])
    return Problem(422, _tidy(f"{place}: {first['msg']}." if place else f"{first['msg']}."))


def _tidy(text: str) -> str:
    return " ".join(remove_invisible(text).split())[:LONGEST_DETAIL]
