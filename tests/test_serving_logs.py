"""What a server writes to its log, and what it never writes."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from assistant import Assistant
from assistant.serving.logs import QUESTIONS, start_log
from assistant.serving.server import Terms
from assistant.settings import Settings
from tests.servers import GatedAnswerer, served

TOKEN = "canary-token-0123456789"
QUESTION = "What is TabFlex?"


def read_log(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def quiet() -> Iterator[None]:
    """Leave logging as it was."""
    root = logging.getLogger()
    kept, level = list(root.handlers), root.level
    yield
    root.handlers, QUESTIONS.disabled = kept, False
    root.setLevel(level)
    logging.getLogger("assistant").setLevel(logging.NOTSET)


@pytest.mark.parametrize("questions", [False, True])
def test_the_log_has_a_line_a_request_and_questions_only_when_asked_for(
    quiet: None, questions: bool, seeds_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start_log(questions)
    forged = 'planted question\r\n{"event": "forged"}\u2028'
    terms = Terms(token=TOKEN, rate=1_000)
    with Assistant(store=seeds_store, answerer=GatedAnswerer()) as assistant, served(assistant, terms) as server:
        url = f"{server.url}/api/ask?question=planted-query"
        httpx.post(url, json={"question": forged}, auth=("me", TOKEN))
        httpx.get(f"{server.url}/api/papers/planted-id", auth=("me", TOKEN))
        httpx.get(f"{server.url}/planted-path", headers={"Authorization": "Bearer planted-token"})
    written = capsys.readouterr().err
    lines = read_log(written)
    events = [line["event"] for line in lines]
    assert events.count("request") == 3
    assert "forged" not in events
    assert events.count("question") == int(questions)
    requests = [(line["method"], line["path"], line["status"]) for line in lines if line["event"] == "request"]
    assert requests[:2] == [("POST", "/api/ask", 200), ("GET", "/api/papers/{id:path}", 404)]
    assert TOKEN not in written
    assert "planted-token" not in written
    assert ("planted question" in written) is questions
    assert not any(planted in written for planted in ("planted-query", "planted-id"))


def test_the_models_key_is_in_no_answer_and_no_log(
    quiet: None, seeds_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start_log(questions=True)
    key = "canary-key-9876543210"
    settings = Settings(model="tiny", base_url="http://127.0.0.1:9/v1", api_key=SecretStr(key), timeout=2)
    paths = ("/", "/config", "/api/health", "/api/openapi.json", "/v1/models")
    with Assistant(store=seeds_store, settings=settings) as assistant, served(assistant) as server:
        texts = [httpx.get(server.url + path).text for path in paths]
        reply = httpx.post(f"{server.url}/api/ask", json={"question": QUESTION}, timeout=30)
    assert "Answered without the model" in reply.json()["notice"]
    assert key not in "".join((*texts, reply.text, capsys.readouterr().err))


def test_the_log_says_where_something_failed_and_not_with_what(
    quiet: None, seeds_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start_log(questions=False)
    with Assistant(store=seeds_store, answerer=GatedAnswerer()) as assistant, served(assistant) as server:
        httpx.post(f"{server.url}/api/ask", json={"question": "broken"})
    written = capsys.readouterr().err
    (failure,) = (line for line in read_log(written) if "error" in line)
    assert failure["error"] == "RuntimeError"
    assert any(str(place).startswith("servers.py:") for place in failure["at"])  # type: ignore[attr-defined]
    assert "planted" not in written
