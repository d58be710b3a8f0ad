"""A part of the store that the system does not let us have: one line says which, and what to do."""

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.errors import StoreError
from assistant.settings import Settings
from assistant.store.lock import NAME as LOCK
from assistant.store.schema import NAME
from tests.fakes import FakeEmbedder
from tests.unreadable import use

ROOT = Path(__file__).parent.parent
PR_CAPBSET_DROP, OVERRIDES = 24, (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root read everything."""


def give_up_rights() -> None:
    """Be an ordinary user after the next exec, as far as reading goes."""
    for capability in OVERRIDES:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def run_without_rights(*arguments: str) -> subprocess.CompletedProcess[str]:
    preexec = give_up_rights if os.getuid() == 0 else None
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, preexec_fn=preexec)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store that is well and a backup; copy it, do not write."""
    folder = tmp_path_factory.mktemp("whole") / "place"
    folder.mkdir()
    texts = "\n\n".join(f"Method m{n}x learns from corpus c{n}y. It beats rival r{n}z." for n in range(12))
    (folder / "birds.txt").write_text(f"Birds\n\n{texts}")
    (folder / "more.txt").write_text("More\n\nMethod n1x learns from corpus d1y. It beats rival s1z.")
    with Assistant(folder / "store", settings=Settings(languages="off"), embedder=FakeEmbedder()) as assistant:
        assistant.index([folder / "birds.txt"])
        assistant.backup(folder / "b.backup")
    return folder


@pytest.fixture
def store(place: Path, whole: Path) -> Iterator[Path]:
    shutil.copytree(whole, place / "p")
    sealed = place / "p" / "sealed"
    sealed.mkdir()
    (place / "p" / "store").rename(sealed / "store")
    yield sealed / "store"
    for path in (sealed, *sealed.rglob("*")):
        path.chmod(0o700)


PARTS: dict[str, Callable[[Path], Path]] = {
    "the folder": lambda store: store,
    "the folder above": lambda store: store.parent,
    "the library": lambda store: store / NAME,
    "the pointer": lambda store: store / "current",
    "the lock": lambda store: store / LOCK,
    "the index": lambda store: store / "index-1",
    "the index's database": lambda store: store / "index-1" / "chroma.sqlite3",
    "the vectors": lambda store: next(store.glob("index-1/*/data_level0.bin")),
}


MUST_REFUSE = {
    "the folder": {"built", "ask", "papers", "check", "backup", "index", "repair", "rebuild", "restore", "replace"},
    "the folder above": {"status", "built", "ask", "papers", "check", "backup", "index", "rebuild", "replace"},
    "the library": {"built", "ask", "papers", "check", "backup", "index", "repair", "rebuild"},
    "the lock": {"index", "repair", "rebuild", "replace"},
}
"""What cannot be done without a part; without the others everything can."""


@pytest.mark.skipif(sys.platform == "win32", reason="needs files that nobody may read")
@pytest.mark.parametrize("name", PARTS)
def test_what_may_not_be_read_is_named_in_one_line_with_what_to_do(store: Path, name: str) -> None:
    part, backup = PARTS[name](store), store.parent.parent / "b.backup"
    part.chmod(0o000)
    opening = "import os, sys; os.close(os.open(sys.argv[1], os.O_RDONLY))"
    if "PermissionError" not in run_without_rights("-c", opening, str(part)).stderr:
        pytest.skip("this user may read everything, and cannot give that up")
    ran = run_without_rights("-m", "tests.unreadable", str(store), str(backup))
    assert not ran.stderr
    ends = json.loads(ran.stdout)
    refused = {name for name, (kind, _) in ends.items() if kind}
    assert refused >= MUST_REFUSE.get(name, set())
    for refusal in refused:
        kind, message = ends[refusal]
        assert (kind in {"StoreError", "StoreForbidden"}, refusal, message.count("\n")) == (True, refusal, 0)
        if " papers: `--replace`" not in message:
            assert str(store) in message
            assert "Permission denied" in message or "unable to open" in message
            assert "let your user read and write" in message
    if name in {"the folder", "the library"}:
        assert "let your user read and write" in ends["status"][1]


@pytest.mark.parametrize("code", [errno.EIO, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR])
def test_whatever_the_system_says_of_the_store_is_one_line_that_names_it(
    store: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = os.stat

    def fail(path: int | str | Path, **named: bool) -> os.stat_result:
        if str(path) == str(store / NAME):
            raise OSError(code, os.strerror(code), str(path))
        return stat(path, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", fail)
    for name, (kind, message) in use(store, store.parent.parent / "b.backup").items():
        if kind or name == "status":
            assert (name, kind) in {
                (name, "StoreError"),
                (name, "StoreForbidden"),
                (name, "StoreDamaged"),
                ("status", ""),
                (name, "StoreMissing"),
            }
            assert str(store) in message
            assert "\n" not in message


def test_links_that_go_round_are_named(place: Path) -> None:
    (place / "round").symlink_to(place / "round")
    with pytest.raises(StoreError, match=r"round.*symbolic links.*--store"):
        Assistant(place / "round" / "store")
