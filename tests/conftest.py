"""What holds for every test: no network, no settings and no folders of the user."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.guard.sitecustomize import LOG, refuse_network

pytest_plugins = ["pytester"]

GUARD = Path(__file__).parent / "guard"

_FOREIGN = ("ASSISTANT_", "OPENAI_", "ANTHROPIC_", "LANGSMITH_", "LANGCHAIN_", "GRADIO_", "CHROMA_", "HF_", "XDG_")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")

hypothesis.settings.register_profile("assistant", deadline=None, database=None, derandomize=True)
hypothesis.settings.load_profile("assistant")


@pytest.fixture(scope="session", autouse=True)
def network_log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Refuse the network in the whole run and in child processes; return the file of the attempts."""
    if LOG in os.environ:
        log = Path(os.environ[LOG])
    else:
        log = tmp_path_factory.mktemp("guard") / "attempts.txt"
        log.touch()
        refuse_network(log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(LOG, str(log))
        patch.setenv("PYTHONPATH", str(GUARD))
        _clear_settings(patch, tmp_path_factory.mktemp("home"))
        yield log


@pytest.fixture(autouse=True)
def take_attempts(network_log: Path) -> Iterator[Callable[[], list[str]]]:
    """Fail a test that tried the network, even one that swallowed the error; return what takes them off."""

    def take() -> list[str]:
        attempts = network_log.read_text(encoding="utf-8").splitlines()
        network_log.write_text("", encoding="utf-8")
        return attempts

    take()
    yield take
    if attempts := take():
        pytest.fail(f"tried to leave this machine: {', '.join(attempts)}")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder with an empty home and no settings; return the folder."""
    _clear_settings(monkeypatch, tmp_path_factory.mktemp("home"))
    # The second embedder takes a second to load: tests that need it switch it on.
    monkeypatch.setenv("ASSISTANT_LANGUAGES", "off")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def seeds_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with the seeds in it, built once by the real embedder; read it, do not write."""
    from assistant import Assistant

    folder = tmp_path_factory.mktemp("seeds") / "store"
    with Assistant(store=folder) as assistant:
        assistant.index()
    return folder


def _clear_settings(patch: pytest.MonkeyPatch, home: Path) -> None:
    for name in list(os.environ):
        upper = name.upper()
        if upper.startswith(_FOREIGN) or upper in _PROXIES:
            patch.delenv(name)
    patch.setenv("HOME", str(home))
