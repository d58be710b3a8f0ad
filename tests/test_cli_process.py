"""The command line as processes: streams, signals, terminals and exit codes."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.openai_server import free_port

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "How much faster is TabFlex than XGBoost?"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="starts processes as POSIX does")


def environment(**settings: str) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **settings}


def run(*arguments: str | Path, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process in the current folder."""
    return subprocess.run(
        [sys.executable, "-m", "assistant", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env=environment(**settings),
        timeout=120,
        check=False,
    )


def test_the_version_and_the_help_answer_as_a_process() -> None:
    assert run("--version").stdout.startswith("assistant 0.")
    helped = run("--help")
    assert helped.returncode == 0
    assert "Usage: assistant [OPTIONS] COMMAND" in helped.stdout


def test_nothing_slow_is_imported_for_the_help() -> None:
    slow = ("rich", "numpy", "pydantic_settings", "chromadb", "gradio", "langchain_core", "openai", "onnxruntime")
    code = f"import sys; from assistant.cli import run; run(['--help']); print([m for m in {slow} if m in sys.modules])"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), check=True)
    assert outcome.stdout.splitlines()[-1] == b"[]"


def test_the_first_question_builds_the_store_and_says_so(place: Path) -> None:
    first = run("ask", QUESTION, "--store", "papers")
    assert first.returncode == 0
    notes = first.stderr.splitlines()
    assert notes[0] == f"No papers in {place / 'papers'} yet: reading those that come with the assistant."
    assert notes[-1].startswith("read 55 = 55 new + 0 same + 0 updated + 0 merged + 0 skipped, in ")
    assert notes[-1].endswith(f" s; store: {place / 'papers'}")
    assert "[1]" in first.stdout.partition("Sources")[0]

    again = run("index", "--store", "papers")
    assert again.stdout.startswith("read 55 = 0 new + 55 same + ")
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize("locale", ["C", "en_US.ISO-8859-1"])
def test_text_comes_out_as_utf8_whatever_the_locale(seeds_store: Path, locale: str) -> None:
    outcome = run("ask", "Größe 模型?", "--json", "--store", seeds_store, LC_ALL=locale, PYTHONUTF8="0")
    assert outcome.returncode == 0
    assert json.loads(outcome.stdout)["question"] == "Größe 模型?"
    missing = run("papers", "größe#1", "--store", seeds_store, LC_ALL=locale, PYTHONUTF8="0")
    assert (missing.returncode, "größe#1" in missing.stderr) == (1, True)


def test_a_reader_that_leaves_early_is_no_error(seeds_store: Path) -> None:
    command = f'"{sys.executable}" -m assistant papers --json --store "{seeds_store}" | head -n 1'
    outcome = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, env=environment(), check=False
    )
    assert (outcome.returncode, outcome.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("redirection", "code", "told"),
    [(">&-", 0, ""), ("<&-", 0, ""), (">/dev/full", 1, "error: The output cannot be written: no space is left")],
)
def test_a_stream_that_is_closed_or_full_ends_in_no_traceback(
    seeds_store: Path, redirection: str, code: int, told: str
) -> None:
    command = f'"{sys.executable}" -m assistant ask "What is TabFlex?" --store "{seeds_store}" {redirection}'
    outcome = subprocess.run(["bash", "-c", command], capture_output=True, env=environment(), text=True, check=False)
    assert outcome.returncode == code
    assert outcome.stderr.startswith(told)
    assert "Traceback" not in outcome.stderr
    assert "unexpected" not in outcome.stderr


class Screen:
    """A terminal with a command on it: types, and waits for what is shown."""

    def __init__(self, *arguments: str | Path) -> None:
        self._controller, terminal = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "assistant", *map(str, arguments)],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment(TERM="xterm-256color", COLUMNS="80"),
        )
        os.close(terminal)
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self._controller, text.encode())

    def wait_for(self, text: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        start = len(self.shown)
        while text not in self.shown[start:]:
            assert time.monotonic() < end, f"{text!r} did not come: {self.shown!r}"
            if select.select([self._controller], [], [], 0.1)[0]:
                self.shown += os.read(self._controller, 65536).decode(errors="replace")

    def close(self) -> int:
        """End the command if it still runs, and return its exit code."""
        os.close(self._controller)
        try:
            return self._process.wait(30)
        finally:
            self._process.kill()


def test_a_terminal_shows_the_answer_and_keeps_the_conversation(seeds_store: Path) -> None:
    screen = Screen("ask", "--store", seeds_store)
    try:
        screen.wait_for("\n> ")
        screen.type("What is TabFlex?\n")
        screen.wait_for("\n> ")
        screen.type("How much faster is it than XGBoost?\n")
        screen.wait_for("\n> ")
        screen.type("\x04")
        screen.wait_for("\n")
    finally:
        code = screen.close()
    assert code == 0
    first, second = screen.shown.split("How much faster")
    assert "Ask about the papers" in first
    assert "1.5" in second.partition("Sources")[0]
    assert "(001_0cc1cb446cb33a97#2)" in second.partition("Sources")[2]


def test_ctrl_c_ends_the_building_of_a_store_with_130(place: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "ask", "--store", "papers", QUESTION],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"No papers in ")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, notes = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, b"")
    assert notes.decode() == f"stopped: what was added stays in {place / 'papers'}\n"
    assert run("ask", QUESTION, "--store", "papers").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "settings", "part", "code"),
    [
        (("ask", "--modle", "x", QUESTION), {}, "--modle", 2),
        (("ask", "--store", "s", QUESTION), {"ASSISTANT_MODLE": "x"}, "ASSISTANT_MODLE", 1),
        (("index", "missing.jsonl", "--store", "s"), {}, "missing.jsonl", 1),
        (("ask", "--store", "s", "why? " * 1000), {}, "4,000", 1),
    ],
)
def test_bad_input_is_one_line_and_builds_nothing(
    place: Path, arguments: tuple[str, ...], settings: dict[str, str], part: str, code: int
) -> None:
    outcome = run(*arguments, **settings)
    assert (outcome.returncode, outcome.stdout) == (code, "")
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1
    assert part in outcome.stderr
    assert list(place.iterdir()) == []


def test_a_dead_endpoint_costs_no_answer(seeds_store: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    settings = {"ASSISTANT_MODEL": "tiny", "ASSISTANT_BASE_URL": url, "ASSISTANT_API_KEY": "sk-secret"}
    outcome = run("ask", QUESTION, "--store", seeds_store, **settings)
    assert outcome.returncode == 0
    assert "Note: " in outcome.stdout
    assert "1.5" in outcome.stdout
    assert "sk-secret" not in outcome.stdout + outcome.stderr


def test_the_chat_window_is_served_until_ctrl_c(seeds_store: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "chat", "--no-browser", "--port", "0", "--store", str(seeds_store)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("The chat window is at http://127.0.0.1:")
        with urlopen(line.split()[5], timeout=60) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        output, notes = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, output) == (0, "")
    assert notes == f"stopped: the papers stay in {seeds_store}\n"


SLOW_BROWSER = """#!/bin/sh
echo $$ > browser.pid
echo "$1" > opened
exec sleep 60
"""


def test_the_page_is_served_while_the_browser_that_was_opened_runs(seeds_store: Path, place: Path) -> None:
    browser = place / "slow-browser"
    browser.write_text(SLOW_BROWSER, encoding="utf-8")
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "chat", "--port", "0", "--store", str(seeds_store)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(BROWSER=f"{browser} %s"),
        encoding="utf-8",
    )
    assert process.stdout
    assert process.stderr
    try:
        url = process.stdout.readline().split()[5]
        with urlopen(url, timeout=20) as page:
            assert page.status == 200
        deadline = time.monotonic() + 20
        while not (opened := place / "opened").exists() or not opened.read_text(encoding="utf-8"):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert opened.read_text(encoding="utf-8").strip() == url
        process.send_signal(signal.SIGINT)
        # The browser holds the other ends of the pipes.
        process.wait(timeout=20)
    finally:
        process.kill()
        process.stdout.close()
        process.stderr.close()
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((place / "browser.pid").read_text(encoding="utf-8")), signal.SIGKILL)
    assert process.returncode == 0


@pytest.mark.parametrize("seconds", [0.05, 0.08, 0.11, 0.15])
def test_ctrl_c_while_the_command_is_loading_leaves_no_traceback(place: Path, seconds: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "index"], cwd=place, env=environment(), stderr=subprocess.PIPE, text=True
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGINT, 130)
    # Before our first line runs, the interpreter itself may still be starting.
    assert "assistant/" not in complaint
