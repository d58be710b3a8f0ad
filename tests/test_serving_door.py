"""Who comes in to a server, how much and how often."""

import asyncio
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest

from assistant import Assistant
from assistant.chat.guard import HEADERS
from assistant.errors import ServerBusy
from assistant.serving import door
from assistant.serving.admission import CLIENTS_REMEMBERED, Gate, Rate
from assistant.serving.server import Terms
from tests.servers import GatedAnswerer, Served, served

TOKEN = "canary-token-0123456789"
PATHS = ("/", "/config", "/api/health", "/api/openapi.json", "/v1/models", "/mcp", "/gradio_api/info", "/nothing")
QUESTION = "What is TabFlex?"


@pytest.fixture(scope="module")
def guarded(seeds_store: Path) -> Iterator[str]:
    """Return the address of a server with a token and a name."""
    terms = Terms(token=TOKEN, rate=100_000, names=("papers.example.org",))
    with Assistant(store=seeds_store) as assistant, served(assistant, terms) as server:
        yield server.url


@pytest.fixture
def gated(seeds_store: Path) -> Iterator[tuple[Served, GatedAnswerer]]:
    answerer = GatedAnswerer()
    with Assistant(store=seeds_store, answerer=answerer) as assistant, served(assistant) as server:
        try:
            yield server, answerer
        finally:
            answerer.gate.set()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("given", [None, "Bearer wrong", f"Bearer {TOKEN}x", "Basic !!", "Basic dTp3cm9uZw==", TOKEN])
def test_nothing_is_served_without_the_token(guarded: str, path: str, given: str | None) -> None:
    reply = httpx.get(guarded + path, headers={"Authorization": given} if given else {})
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Basic ")
    assert reply.headers["content-type"] == "application/problem+json"
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert TOKEN not in reply.text


@pytest.mark.parametrize("path", ["/", "/config", "/api/health", "/v1/models"])
def test_the_token_opens_as_a_bearer_and_as_a_password(guarded: str, path: str) -> None:
    assert httpx.get(guarded + path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert httpx.get(guarded + path, auth=("anybody", TOKEN)).status_code == 200


def test_the_token_is_the_key_of_an_openai_client(guarded: str) -> None:
    with openai.OpenAI(base_url=f"{guarded}/v1", api_key=TOKEN) as client:
        assert len(client.models.list().data) == 1
    with (
        openai.OpenAI(base_url=f"{guarded}/v1", api_key="wrong", max_retries=0) as client,
        pytest.raises(openai.AuthenticationError),
    ):
        client.models.list()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("papers.example.org", 200),
        ("Papers.Example.org:8080", 200),
        ("192.168.7.7:7860", 200),
        ("[2001:db8::1]", 200),
        ("evil.example", 403),
        ("papers.example.org.evil.example", 403),
    ],
)
def test_a_server_answers_to_its_names_and_behind_a_token_to_numbers(guarded: str, host: str, status: int) -> None:
    headers = {"Host": host, "Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(f"{guarded}/api/health", headers=headers).status_code == status
    assert httpx.get(f"{guarded}/api/health", headers={**headers, "Origin": f"https://{host}"}).status_code == status
    assert httpx.get(f"{guarded}/api/health", headers={**headers, "Origin": "https://evil.org"}).status_code == 403


@pytest.mark.parametrize("path", ["/api/ask", "/v1/chat/completions", "/mcp"])
def test_without_a_token_only_this_machines_names_and_pages_come_in(
    path: str, gated: tuple[Served, GatedAnswerer]
) -> None:
    url = gated[0].url + path
    for headers in ({"Host": "192.168.7.7"}, {"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        assert httpx.post(url, json={"question": QUESTION}, headers=headers).status_code == 403


def test_a_client_that_asks_too_often_is_told_when_to_come_back(seeds_store: Path) -> None:
    terms = Terms(token=TOKEN, rate=5)
    with Assistant(store=seeds_store) as assistant, served(assistant, terms) as server:
        replies = [httpx.get(f"{server.url}/api/health", auth=("", TOKEN)) for _ in range(6)]
        guesses = [httpx.get(f"{server.url}/config", auth=("", "guess")).status_code for _ in range(6)]
        page = [httpx.get(f"{server.url}/config", auth=("", TOKEN)).status_code for _ in range(20)]
    assert [reply.status_code for reply in replies] == [200] * 5 + [429]
    assert 1 <= int(replies[-1].headers["retry-after"]) <= 12
    assert guesses == [401] * 5 + [429]
    assert page == [200] * 20


def test_an_allowance_grows_again_and_the_oldest_client_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("assistant.serving.admission.monotonic", lambda: now)
    rate = Rate(60)
    assert [rate.wait("a") for _ in range(61)] == [0.0] * 60 + [1.0]
    assert rate.wait("b") == 0
    now = 1.0
    assert rate.wait("a") == 0
    assert rate.wait("a") == 1.0
    for number in range(CLIENTS_REMEMBERED):
        rate.wait(f"client {number}")
    assert rate.wait("a") == 0


def test_a_body_of_unknown_length_is_cut_off_at_the_limit(gated: tuple[Served, GatedAnswerer]) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"question": "'
        for _ in range(100):
            yield b"a" * 100_000

    headers = {"Content-Type": "application/json"}
    for path in ("/api/ask", "/v1/chat/completions"):
        assert httpx.post(gated[0].url + path, content=endless(), headers=headers).status_code == 413


def test_a_body_that_does_not_arrive_is_not_waited_for(
    gated: tuple[Served, GatedAnswerer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "SECONDS_FOR_A_BODY", 0.3)
    host, port = gated[0].url.removeprefix("http://").split(":")
    head = f"POST /api/ask HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"
    with socket.create_connection((host, int(port)), timeout=5) as slow:
        slow.sendall(head.encode())
        assert slow.recv(100).startswith(b"HTTP/1.1 408 ")


def test_more_questions_than_can_wait_are_told_at_once_that_it_is_busy(gated: tuple[Served, GatedAnswerer]) -> None:
    server, answerer = gated

    async def flood() -> list[int]:
        async with httpx.AsyncClient(timeout=30, limits=httpx.Limits(max_connections=None)) as client:
            asked = [
                asyncio.create_task(client.post(f"{server.url}/api/ask", json={"question": "wait"})) for _ in range(90)
            ]
            done, _ = await asyncio.wait(asked, timeout=3)
            early = [task.result() for task in done]
            assert all(reply.headers["retry-after"] == "2" for reply in early)
            answerer.gate.set()
            late = [await task for task in asked if task not in done]
            return [reply.status_code for reply in (*early, *late)]

    statuses = asyncio.run(flood())
    assert (statuses.count(503), statuses.count(200)) == (26, 64)


def test_who_waits_too_long_is_told_that_it_is_busy_and_costs_no_place() -> None:
    async def wait() -> None:
        gate = Gate(at_once=1, waiting=1, patience=0.05)
        await gate.enter()
        with pytest.raises(ServerBusy):
            await gate.enter()
        gate.leave()
        await gate.enter()
        assert gate.answering == 1

    asyncio.run(wait())


def test_work_ends_soon_after_its_reader_has_gone(gated: tuple[Served, GatedAnswerer]) -> None:
    server, answerer = gated
    body = {"question": "wait", "stream": True}
    with httpx.stream("POST", f"{server.url}/api/ask", json=body) as reply:
        assert reply.status_code == 200
        assert answerer.begun.acquire(timeout=5)
        assert server.application.answering() == 1
    assert answerer.closed.wait(2)
    until = time.monotonic() + 2
    while server.application.answering() and time.monotonic() < until:
        time.sleep(0.01)
    assert server.application.answering() == 0
