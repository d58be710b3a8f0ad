"""Builds of the index that take the process down: the old index serves, and they are not tried for ever."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.chunking import PASSAGE_SIZE
from assistant.indexing import index_papers
from assistant.models.splitter import split_long
from assistant.store import Store, open_store
from assistant.store.attempts import clear_away
from assistant.store.generation import read_current
from assistant.store.status import read_status
from tests.fakes import FakeEmbedder
from tests.records import make_numbered

ROOT = Path(__file__).parent.parent
PAPERS = make_numbered(40)
CRASH = """
import os, signal, sys; from pathlib import Path
from assistant.store import building, open_store
from tests.test_attempts import index

def crash(*_):
    os.kill(os.getpid(), signal.SIGSEGV)

building._find_missed = crash
building.NEWER_ALLOWED = building.NEWER_SHARE = 0
with open_store(Path(sys.argv[1])) as store:
    index(store, 30)
    print(*store.take_notices())
"""


def index(store: Store, count: int) -> None:
    embedder = FakeEmbedder()
    with store.writer(embedder, PASSAGE_SIZE) as writer:
        index_papers(PAPERS[:count], writer.catalogue, embedder, split_long)
        writer.refresh_index()


def crash(folder: Path) -> tuple[int, str]:
    """Index 30 papers in a process which crashes when it builds; return how it ended and what it told."""
    command = [sys.executable, "-c", CRASH, str(folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout


def find_all(store: Store, count: int) -> bool:
    hits = [store.index.search(FakeEmbedder().embed([paper.abstract])[0], 1)[0] for paper in PAPERS[:count]]
    return [hit.paper_id for hit in hits] == [paper.id for paper in PAPERS[:count]]


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_a_build_that_crashes_leaves_the_old_index_and_is_given_up_after_two_in_a_row(place: Path) -> None:
    with contextlib.closing(open_store(place / "s")) as store:
        index(store, 20)
    for broken in (1, 2):
        assert crash(place / "s")[0] < 0, broken
        with contextlib.closing(open_store(place / "s")) as store:
            assert find_all(store, 30)
            assert store.take_notices() == ()
            current = read_current(place / "s")
            assert current is not None
            assert current.number == 1
    code, told = crash(place / "s")
    assert code == 0
    assert "`assistant rebuild` tries again" in told
    with contextlib.closing(open_store(place / "s")) as store:
        assert find_all(store, 30)
        assert "the last 2 builds of the index" in read_status(store).fault
        with store.caretaker() as writer:
            writer.rebuild_index()
        assert read_status(store).fault == ""
        assert find_all(store, 30)
        index(store, 40)
        assert find_all(store, 40)


def test_a_build_that_is_refused_or_stopped_is_no_crash(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with contextlib.closing(open_store(place / "s")) as store:
        for _ in range(3):
            with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
                patch.setattr("assistant.store.building._find_missed", stop)
                index(store, 20)
        index(store, 20)
        assert store.take_notices() == ()
        assert read_status(store).fault == ""


def test_another_version_of_chroma_is_given_a_try(place: Path) -> None:
    with contextlib.closing(open_store(place / "s")) as store:
        (place / "s").mkdir()
        (place / "s" / "building").write_text("2 0.0.1")
        index(store, 20)
        assert store.take_notices() == ()
        assert read_status(store).fault == ""


def test_a_count_that_a_kill_left_unnamed_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "building.new").write_text("1 1.5")
    clear_away(tmp_path)
    clear_away(tmp_path)
    assert list(tmp_path.iterdir()) == []
