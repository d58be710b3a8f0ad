"""The guard of the test run holds, in this process and in those that it starts."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Take = Callable[[], list[str]]


def test_a_connection_beyond_loopback_is_refused_and_noted(take_attempts: Take) -> None:
    with socket.socket() as door, pytest.raises(ConnectionRefusedError, match=r"203\.0\.113\.5"):
        door.connect(("203.0.113.5", 80))
    assert take_attempts() == ["socket.connect '203.0.113.5'"]


def test_a_name_is_not_looked_up(take_attempts: Take) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("papers.example", 443), timeout=1)
    assert take_attempts() == ["socket.getaddrinfo 'papers.example'"]


def test_a_datagram_beyond_loopback_is_refused(take_attempts: Take) -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door,
        pytest.raises(ConnectionRefusedError),
    ):
        door.sendto(b"hello", ("203.0.113.5", 53))
    assert take_attempts() == ["socket.sendto '203.0.113.5'"]


def test_an_attempt_in_a_child_process_is_refused_and_noted(take_attempts: Take) -> None:
    code = "import socket\ntry: socket.create_connection(('papers.example', 443))\nexcept OSError: print('refused')"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout == "refused\n"
    assert take_attempts() == ["socket.getaddrinfo 'papers.example'"]


def test_loopback_is_open(take_attempts: Take) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()
    assert take_attempts() == []


def test_a_swallowed_attempt_fails_its_test(pytester: pytest.Pytester) -> None:
    conftest = Path(__file__).with_name("conftest.py")
    pytester.makeconftest(
        f"import sys\nsys.path.insert(0, {str(conftest.parents[1])!r})\nfrom tests.conftest import *\n"
    )
    pytester.makepyfile(
        """
        import socket

        def test_that_swallows():
            try:
                socket.create_connection(("papers.example", 443))
            except OSError:
                pass
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*tried to leave this machine: socket.getaddrinfo 'papers.example'*"])


def test_settings_and_folders_of_the_user_are_out_of_reach(place: Path) -> None:
    assert Path.cwd() == place
    assert not list(place.iterdir())
    assert Path.home() != place
    assert not list(Path.home().iterdir())
    foreign = ("ASSISTANT_", "OPENAI_", "LANGSMITH_", "XDG_")
    assert {name for name in os.environ if name.startswith(foreign)} <= {"ASSISTANT_LANGUAGES"}
