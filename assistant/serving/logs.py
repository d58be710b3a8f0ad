"""The log of a server: a line of JSON for each event, without keys, questions and what an error says of them."""

import json
import logging
import sys
import time
import traceback
from pathlib import Path

from starlette.routing import Route
from starlette.types import Scope

from assistant.documents import Json

LOG = logging.getLogger("assistant.serving")
REQUESTS = logging.getLogger("assistant.serving.requests")
QUESTIONS = logging.getLogger("assistant.serving.questions")
FRAMES = 8
OURS = "assistant"


class JsonLines(logging.Formatter):
    """Writes a record as one line; of an exception its kind and place, never its words."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        # What other libraries say may hold anything.
        event = record.getMessage() if record.name.startswith(OURS) else f"a message of {record.name}"
        document: dict[str, Json] = {"time": _stamp(record.created), "level": record.levelname.lower(), "event": event}
        document |= getattr(record, "facts", {})
        if record.exc_info and record.exc_info[1]:
            document["error"] = type(record.exc_info[1]).__name__
            document["at"] = _locate(record.exc_info[1])
        return json.dumps(document)


def start_log(questions: bool) -> None:
    """Write the log to stderr from now on; questions only where that is asked for."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(logging.INFO)
    QUESTIONS.disabled = not questions


def log_request(scope: Scope, status: int, seconds: float) -> None:
    """Log what was asked for, not in which words: no query, no id."""
    route = scope.get("route")
    facts = {
        "method": scope["method"],
        "path": scope.get("root_path", "") + route.path if isinstance(route, Route) else _first_part(scope["path"]),
        "status": status,
        "ms": round(seconds * 1000),
        "client": scope["client"][0] if scope.get("client") else "",
    }
    REQUESTS.info("request", extra={"facts": facts})


def log_question(question: str) -> None:
    """Log a question, where that was asked for."""
    QUESTIONS.info("question", extra={"facts": {"question": question}})


def _first_part(path: str) -> str:
    return "/" + path.lstrip("/").partition("/")[0][:40]


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _locate(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
