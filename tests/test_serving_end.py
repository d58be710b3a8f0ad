"""How `assistant serve` begins and ends, as a process of its own."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from assistant import Assistant
from assistant.cli import run
from tests.servers import GatedAnswerer, served

ROOT = Path(__file__).resolve().parents[1]
TOKEN = "canary-token-0123456789"
SERVE = """
import sys, time
from pathlib import Path
from assistant import Assistant
from assistant.serving.logs import start_log
from assistant.serving.server import Terms, serve
from tests.servers import GatedAnswerer

class Slow(GatedAnswerer):
    def answer(self, question, evidence):
        while not Path(sys.argv[2]).exists():
            time.sleep(0.02)
        yield from super().answer(question, evidence)

start_log(questions=False)
with Assistant(store=sys.argv[1], answerer=Slow()) as assistant:
    serve(assistant, Terms(port=0), lambda url: print(url, flush=True))
print("ended")
"""


@contextmanager
def running(*command: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run a server as a process; give its address, without a slash at the end, and the process."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])}
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as child:
        try:
            assert child.stdout is not None
            line = child.stdout.readline()
            yield line[line.index("http") :].split()[0].strip("/,"), child
        finally:
            child.kill()


def wait_until(url: str, name: str, value: object) -> None:
    """Wait until the health of a server has a value, for a while."""
    until = time.monotonic() + 10
    while (found := httpx.get(f"{url}/api/health").json()[name]) != value:
        assert time.monotonic() < until, f"{name} is {found}"
        time.sleep(0.05)


def ask_in_background(url: str) -> Callable[[], str]:
    """Ask for a stream that does not end; return what waits for its text."""
    texts: list[str] = []
    body = {"question": "wait", "stream": True}
    thread = threading.Thread(target=lambda: texts.append(httpx.post(f"{url}/api/ask", json=body, timeout=20).text))
    thread.start()

    def wait() -> str:
        thread.join()
        return texts[0]

    return wait


@pytest.mark.skipif(os.name != "posix", reason="SIGTERM is sent the POSIX way")
def test_answers_in_flight_finish_after_sigterm_and_nothing_new_begins(seeds_store: Path, tmp_path: Path) -> None:
    replies: list[httpx.Response] = []
    gate = tmp_path / "gate"
    with running("-c", SERVE, str(seeds_store), str(gate)) as (url, child):
        httpx.get(f"{url}/api/health", timeout=20)
        asking = [
            threading.Thread(
                target=lambda stream=stream: replies.append(
                    httpx.post(f"{url}/api/ask", json={"question": "Why?", "stream": stream}, timeout=20)
                )
            )
            for stream in (False, True)
        ]
        for thread in asking:
            thread.start()
        wait_until(url, "answering", 2)
        child.send_signal(signal.SIGTERM)
        wait_until(url, "status", "stopping")
        refused = httpx.post(f"{url}/api/ask", json={"question": "Why?"})
        gate.touch()
        for thread in asking:
            thread.join()
        out, _ = child.communicate(timeout=10)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
    assert [reply.status_code for reply in replies] == [200, 200]
    assert all("Sparrow is fast." in reply.text for reply in replies)
    assert (out, child.returncode) == ("ended\n", 0)


def test_an_answer_that_cannot_finish_says_so(seeds_store: Path) -> None:
    answerer = GatedAnswerer()
    with Assistant(store=seeds_store, answerer=answerer) as assistant, served(assistant, finish=0.5) as server:
        reply = ask_in_background(server.url)
        assert answerer.begun.acquire(timeout=5)
        server.server.handle_exit(signal.SIGTERM, None)
        text = reply()
    assert "event: error" in text
    assert "The server is stopping" in text


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent the POSIX way")
def test_the_command_says_where_it_serves_and_ends_at_ctrl_c(seeds_store: Path) -> None:
    with running("-m", "assistant", "serve", "--port", "0", "--store", str(seeds_store)) as (url, child):
        assert url.startswith("http://127.0.0.1:")
        assert httpx.get(f"{url}/api/health", timeout=20).json()["papers"] == 55
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=10)
    assert child.returncode in {0, 130}
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("token", "words"), [("", "set ASSISTANT_TOKEN to a secret of 16 characters or more"), ("short-1", "too short")]
)
@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "papers.example.org"])
def test_other_machines_are_not_served_without_a_good_token(
    host: str, token: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSISTANT_TOKEN", token)
    assert run(["serve", "--host", host, "--port", "0"]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert token not in error or not token


def test_an_address_for_all_serves_whoever_knows_the_token(seeds_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_TOKEN", TOKEN)
    command = ("-m", "assistant", "serve", "--host", "0.0.0.0", "--port", "0", "--store", str(seeds_store))
    with running(*command) as (url, child):
        address = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{address}/api/health", timeout=20).status_code == 401
        assert httpx.get(f"{address}/api/health", auth=("me", TOKEN)).json()["papers"] == 55
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=10)
    assert child.returncode == 0
    assert TOKEN not in out + err
