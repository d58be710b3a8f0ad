"""The server of the chat window: where it listens, whom it answers, how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from assistant.chat.guard import HEADERS
from assistant.chat.server import serve
from assistant.domain import Paper
from assistant.errors import ServerError
from tests.scripted import ScriptedAssistant
from tests.serving import serving

ROOT = Path(__file__).resolve().parents[1]
SERVE = """
import sys
from assistant.chat.server import serve
from tests.scripted import ScriptedAssistant
serve(ScriptedAssistant(), port=0, open_browser=lambda url: print(url, flush=True))
print("ended")
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(ScriptedAssistant()) as address:
        yield address


@pytest.mark.parametrize("path", ["/", "/config", "/no-such-page", "/gradio_api/info"])
def test_every_answer_carries_the_headers(url: str, path: str) -> None:
    answer = httpx.get(url + path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_policy_names_no_other_host(url: str) -> None:
    policy = httpx.get(url).headers["Content-Security-Policy"]
    sources = {word for part in policy.split("; ") for word in part.split()[1:]}
    assert sources <= {"'self'", "'none'", "'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"}


def test_the_page_loads_nothing_from_another_host(url: str) -> None:
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//[^"']*""", httpx.get(url).text) == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "192.168.0.1", "", "[::2]"]
)
def test_a_foreign_host_name_is_refused(url: str, host: str) -> None:
    answer = httpx.get(url, headers={"Host": host})
    assert answer.status_code == 403
    assert answer.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7860", "127.0.0.1", "[::1]:7860"])
def test_the_names_of_this_machine_are_answered(url: str, host: str) -> None:
    assert httpx.get(url, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_a_request_from_another_sites_page_is_refused(url: str, origin: str) -> None:
    assert httpx.post(f"{url}/gradio_api/queue/join", json={}, headers={"Origin": origin}).status_code == 403


def test_a_request_from_our_own_page_is_answered(url: str) -> None:
    assert httpx.get(f"{url}/config", headers={"Origin": url}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=../../../../etc/passwd",
        "/gradio_api/file=pyproject.toml",
        "/gradio_api/proxy=http://169.254.169.254/",
        "/monitoring",
        "/docs",
        "/openapi.json",
        "/..%2f..%2fetc/passwd",
    ],
)
def test_no_file_and_no_side_door_is_served(url: str, path: str) -> None:
    assert httpx.get(url + path).status_code in {400, 403, 404}


def test_no_function_of_the_window_is_a_public_endpoint(url: str) -> None:
    info = httpx.get(f"{url}/gradio_api/info").json()
    assert info == {"named_endpoints": {}, "unnamed_endpoints": {}}


def test_the_page_sends_nothing_to_the_makers_of_gradio(url: str) -> None:
    config = httpx.get(f"{url}/config").json()
    assert config["analytics_enabled"] is False
    assert config["show_error"] is False


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=rf"Port {port} of 127\.0\.0\.1 is in use.*--port"):
            serve(ScriptedAssistant(), port=port)


def test_an_impossible_port_is_named() -> None:
    with pytest.raises(ServerError, match=r"Port 70000 .*--port"):
        serve(ScriptedAssistant(), port=70_000)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "::", "example.org", ""])
def test_an_address_that_others_can_reach_is_refused(host: str) -> None:
    with pytest.raises(ServerError, match="until it has passwords") as refused:
        serve(ScriptedAssistant(), host=host, port=0)
    assert "\n" not in str(refused.value)


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent the POSIX way")
def test_it_tells_its_address_once_it_listens_and_ends_quickly_at_ctrl_c() -> None:
    hostile = {**os.environ, "GRADIO_SERVER_NAME": "0.0.0.0", "GRADIO_SHARE": "True"}
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], cwd=ROOT, env=hostile, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            address = child.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            assert httpx.get(address, timeout=20).status_code == 200
            with httpx.stream("GET", f"{address}gradio_api/heartbeat/some-tab") as heartbeat:
                assert heartbeat.status_code == 200
                started = time.monotonic()
                child.send_signal(signal.SIGINT)
                out, err = child.communicate(timeout=10)
        finally:
            child.kill()
    assert (out, err, child.returncode) == ("ended\n", "", 0)
    assert time.monotonic() - started < 4


class ManyPapers(ScriptedAssistant):
    """Says that it has very many papers, and counts those it was asked for."""

    wanted = 0

    def count_papers(self) -> int:
        return 100_000

    def papers(self, most: int | None = None) -> tuple[Paper, ...]:
        self.wanted += 100_000 if most is None else most
        return super().papers(most)


def test_the_window_opens_after_a_look_at_a_few_papers_and_a_count_of_all() -> None:
    assistant = ManyPapers()
    assistant.answerer = "some-model"
    with serving(assistant) as address:
        config = httpx.get(f"{address}/config").text
    assert "Ask 100,000 papers" in config
    assert "Written by some-model" in config
    assert assistant.wanted <= 1_000


def test_a_configured_page_is_json_without_the_papers(url: str) -> None:
    assert "halves the memory" not in json.dumps(httpx.get(f"{url}/config").json())
