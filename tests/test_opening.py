"""An index whose opening takes the process down: it does so once, and then it is known."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.store import Store, open_store
from assistant.store.folders import MARK
from assistant.store.generation import POINTER
from assistant.store.opening import find_dead, marked
from tests.test_damage import find_all, folder, index, name_segment, overwrite_unseen, store, whole

__all__ = ["folder", "store", "whole"]

ROOT = Path(__file__).parent.parent
SEARCH = (
    "import sys; from pathlib import Path\n"
    "from assistant.store import open_store; from tests.fakes import FakeEmbedder\n"
    "store = open_store(Path(sys.argv[1])); hits = store.index.search(FakeEmbedder().embed(['corpus'])[0], 3)\n"
    "print(len(hits), *store.take_notices())"
)
DIE = (
    "import os, sys; from pathlib import Path; from assistant.store.opening import marked\n"
    "with marked(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
)


def run(program: str, folder: Path) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, "-c", program, str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout


def damage_unseen(folder: Path) -> None:
    """Change bytes and no time, as a bad disk does, so that opening the index kills the process."""
    overwrite_unseen(folder)
    (folder / "writer.lock").write_text("")


def test_the_process_after_one_that_died_over_the_index_searches_without_it_and_says_so(folder: Path) -> None:
    damage_unseen(folder)
    assert run(SEARCH, folder)[0] < 0
    with contextlib.closing(open_store(folder)) as store:
        assert find_all(store)
        (notice,) = store.take_notices()
    assert str(folder / "index-1") in notice
    assert "was overwritten" in notice
    assert "assistant rebuild" in notice
    code, out = run(SEARCH, folder)
    assert (code, out) == (0, "3\n"), "it is said once"


def test_what_only_a_trial_can_find_is_tried_in_a_process_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage_unseen(folder)
    monkeypatch.setattr("assistant.store.screening.find_changed", lambda *_: "")
    assert run(DIE, folder / "index-1")[0] < 0
    with contextlib.closing(open_store(folder)) as store:
        assert find_all(store)
        assert "kills the process with signal" in store.take_notices()[0]


def test_a_reader_that_was_killed_over_a_sound_index_costs_one_look(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(DIE, folder / "index-1")
    assert len(find_dead(folder / "index-1")) == 1
    with contextlib.closing(open_store(folder)) as store:
        assert find_all(store)
        assert store.take_notices() == ()
    assert not find_dead(folder / "index-1")
    monkeypatch.setattr("assistant.store.screening.try_opening", lambda *_: pytest.fail("a second look"))
    with contextlib.closing(open_store(folder)) as store:
        assert find_all(store)


def test_a_writer_looks_at_an_index_over_which_a_reader_died(folder: Path) -> None:
    damage_unseen(folder)
    run(DIE, folder / "index-1")
    with contextlib.closing(open_store(folder)) as store:
        assert index(store) == 0
        assert "built again" in store.take_notices()[0]
        assert find_all(store)


def test_an_index_that_was_opened_has_no_mark(store: Store, folder: Path) -> None:
    before = sorted(path.name for path in (folder / "index-1").iterdir())
    assert find_all(store)
    assert sorted(path.name for path in (folder / "index-1").iterdir()) == before


def test_a_reader_that_is_opening_the_index_is_no_dead_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.store.screening.try_opening", lambda *_: pytest.fail("a trial"))
    with marked(folder / "index-1"), contextlib.closing(open_store(folder)) as store:
        assert not find_dead(folder / "index-1")
        assert find_all(store)


def test_many_readers_leave_marks_at_once_and_see_no_dead_one(tmp_path: Path) -> None:
    seen: list[tuple[Path, ...]] = []

    def read() -> None:
        for _ in range(50):
            with marked(tmp_path):
                seen.append(find_dead(tmp_path))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert set(seen) == {()}
    assert list(tmp_path.iterdir()) == []


def test_a_mark_costs_less_than_a_millisecond(tmp_path: Path) -> None:
    fastest = 1.0
    for _ in range(20):
        started = time.perf_counter()
        with marked(tmp_path):
            find_dead(tmp_path)
        fastest = min(fastest, time.perf_counter() - started)
    assert fastest < 0.001


def test_where_no_mark_can_be_left_it_goes_without(place: Path) -> None:
    with marked(place / "nowhere"):
        assert not find_dead(place / "nowhere")


@pytest.fixture
def shut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a store whose index another user made, and let nobody read."""
    stat, segment = Path.stat, name_segment(folder)

    def refuse(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.is_relative_to(segment) or path.name == MARK:
            raise PermissionError(13, os.strerror(13), str(path))
        return stat(path, follow_symlinks=follow_symlinks)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", refuse)
        yield folder


def test_an_index_that_may_not_be_read_is_a_matter_of_rights_and_stays(shut: Path) -> None:
    pointer = (shut / POINTER).read_bytes()
    with contextlib.closing(open_store(shut)) as store:
        assert find_all(store)
        (notice,) = store.take_notices()
        assert "Permission denied" in notice
        assert "let your user read and write it" in notice
        assert "damaged" not in notice
        assert index(store) == 0
        assert all("damaged" not in line for line in store.take_notices())
    assert (shut / POINTER).read_bytes() == pointer


def test_a_folder_that_may_not_be_looked_into_takes_no_report_away(shut: Path) -> None:
    (shut / "index-1").rename(shut / "index-9")
    (shut / POINTER).unlink()
    with contextlib.closing(open_store(shut)) as store:
        assert index(store) == 0
        assert find_all(store)
