"""Damaged files: what can be built again is, what cannot is named, and no store is taken for an empty one."""

import contextlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.chunking import PASSAGE_SIZE
from assistant.errors import StoreError
from assistant.indexing import index_papers
from assistant.models.splitter import split_long
from assistant.store import Store, open_store
from assistant.store.generation import POINTER, read_current
from assistant.store.lock import NAME as LOCK
from assistant.store.schema import NAME
from assistant.store.screening import try_opening
from tests.fakes import FakeEmbedder
from tests.records import make_numbered

PAPERS = make_numbered(60)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that is well; copy it, do not write."""
    folder = tmp_path_factory.mktemp("whole") / "store"
    with contextlib.closing(open_store(folder)) as store:
        index(store)
    return folder


@pytest.fixture
def folder(place: Path, whole: Path) -> Path:
    return shutil.copytree(whole, place / "store")


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(folder)) as store:
        yield store


def index(store: Store) -> int:
    embedder = FakeEmbedder()
    with store.writer(embedder, PASSAGE_SIZE) as writer:
        report = index_papers(PAPERS, writer.catalogue, embedder, split_long)
        writer.refresh_index()
    return report.embedded


def find_all(store: Store) -> bool:
    hits = [store.index.search(FakeEmbedder().embed([paper.abstract])[0], 1)[0] for paper in PAPERS]
    return [hit.paper_id for hit in hits] == [paper.id for paper in PAPERS]


def name_segment(folder: Path) -> Path:
    """Return the folder of Chroma's vector files."""
    return next(path for path in (folder / "index-1").iterdir() if path.is_dir())


def leave_as_killed(folder: Path) -> None:
    """Make the store look as if its last writer had been killed."""
    (folder / LOCK).write_text("999999")


def shorten(name: str, size: int) -> Callable[[Path], None]:
    return lambda folder: os.truncate(name_segment(folder) / name, size)


def overwrite(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        path = name_segment(folder) / name
        path.write_bytes(b"\xff" * path.stat().st_size)

    return damage


def point_nowhere(folder: Path) -> None:
    """Let every node of Chroma's graph have neighbours that are far outside the file."""
    path = name_segment(folder) / "data_level0.bin"
    numbers = np.fromfile(path, dtype="<u4").reshape(len(PAPERS), -1)
    numbers[:, 0], numbers[:, 1:65] = 64, 0x7FFFFFFF
    numbers.tofile(path)


def overwrite_unseen(folder: Path) -> None:
    """Change bytes and no time, as a bad disk does; only after a kill are they looked at."""
    path = name_segment(folder) / "data_level0.bin"
    before = path.stat()
    point_nowhere(folder)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    leave_as_killed(folder)


def put_pipe(folder: Path) -> None:
    """Put something there whose opening never comes back."""
    path = name_segment(folder) / "header.bin"
    path.unlink()
    os.mkfifo(path)


def shorten_database(size: int) -> Callable[[Path], None]:
    return lambda folder: os.truncate(folder / "index-1" / "chroma.sqlite3", size)


def zero_database_header(folder: Path) -> None:
    with (folder / "index-1" / "chroma.sqlite3").open("r+b") as file:
        file.write(bytes(100))


def zero_database_page(number: int) -> Callable[[Path], None]:
    """Zero a page inside: Chroma's Rust part panics over it, which is no Exception of Python's."""

    def damage(folder: Path) -> None:
        with (folder / "index-1" / "chroma.sqlite3").open("r+b") as file:
            file.seek(4096 * number)
            file.write(bytes(4096))

    return damage


CHROMA = {
    "a pickle of 0 bytes": shorten("index_metadata.pickle", 0),
    "a cut link list": shorten("link_lists.bin", 100),
    "a link list of 391 GB": shorten("link_lists.bin", 391 * 10**9),
    "vectors that are cut": shorten("data_level0.bin", 1000),
    "garbage in the middle": overwrite("data_level0.bin"),
    "vectors whose opening kills the process": point_nowhere,
    "garbage that no time tells of": overwrite_unseen,
    "a garbled header": overwrite("header.bin"),
    "no vector files": lambda folder: shutil.rmtree(name_segment(folder)),
    "no folder": lambda folder: shutil.rmtree(folder / "index-1"),
    "an opening that hangs": put_pipe,
    "a database of 0 bytes": shorten_database(0),
    "half a database": shorten_database(100_000),
    "a database without its header": zero_database_header,
    "a database without its second page": zero_database_page(1),
    "a database without a page inside": zero_database_page(10),
}


@pytest.mark.parametrize("damage", CHROMA.values(), ids=CHROMA)
def test_a_damaged_index_costs_no_paper_and_is_built_again_without_embedding(
    store: Store, folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder)
    started = time.perf_counter()
    assert find_all(store)
    (notice,) = store.take_notices()
    assert str(folder / "index-1") in notice
    assert "assistant rebuild" in notice
    assert "\n" not in notice
    with contextlib.closing(open_store(folder)) as other:
        assert find_all(other)
        assert other.take_notices() == (), "it is said once"
    assert index(store) == 0
    assert read_current(folder)
    assert find_all(store)
    assert time.perf_counter() - started < 30


@pytest.mark.parametrize("damage", [CHROMA["a pickle of 0 bytes"], overwrite_unseen], ids=["seen", "after a kill"])
def test_a_writer_notices_a_damaged_index_and_builds_it_again(
    store: Store, folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder)
    assert index(store) == 0
    (notice,) = store.take_notices()
    assert "built again" in notice
    assert find_all(store)
    assert store.take_notices() == ()


def test_an_index_whose_opening_kills_the_process_is_tried_in_another_one(folder: Path) -> None:
    assert try_opening(folder) == ""
    point_nowhere(folder)
    assert "signal" in try_opening(folder)


def test_an_index_whose_opening_hangs_is_given_up(folder: Path) -> None:
    put_pipe(folder)
    assert "did not open within 3 seconds" in try_opening(folder, limit=3)


def test_a_copy_with_other_times_is_read_once_and_then_trusted(store: Store, folder: Path) -> None:
    for path in name_segment(folder).iterdir():
        os.utime(path)
    assert find_all(store)
    assert store.take_notices() == ()
    current = read_current(folder)
    assert current
    times = {file.name: file.time for file in current.seal}
    for path in name_segment(folder).iterdir():
        assert path.stat().st_mtime_ns == times[path.relative_to(folder / "index-1").as_posix()]


def test_an_index_of_another_version_of_chroma_is_built_again(store: Store, folder: Path) -> None:
    fields = json.loads((folder / POINTER).read_text())
    (folder / POINTER).write_text(json.dumps({**fields, "chroma": "0.4.1"}))
    assert find_all(store)
    assert "Chroma 0.4.1" in store.take_notices()[0]
    assert index(store) == 0
    assert find_all(store)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zero_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(bytes(100))


def write_half(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(size - size // 2))


def lose(path: Path) -> None:
    path.unlink()


LIBRARY = (empty, cut, zero_header, write_half, lose)


@pytest.mark.parametrize("damage", LIBRARY)
def test_a_damaged_library_is_named_with_what_to_do_by_everything_that_uses_it(
    store: Store, folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder / NAME)
    started = time.perf_counter()
    for use in (store.library.papers, lambda: index(store)):
        if damage is lose and use == store.library.papers:
            continue
        with pytest.raises(StoreError) as raised:
            use()
        for part in (str(folder / NAME), "damaged"):
            assert part in str(raised.value)
        assert ("assistant restore FILE" in str(raised.value)) != ("assistant check --repair" in str(raised.value))
        assert "\n" not in str(raised.value)
    with contextlib.suppress(StoreError):
        assert store.built, "it is not taken for an empty store"
    assert time.perf_counter() - started < 30


def test_a_lost_library_is_not_taken_for_a_new_store(store: Store, folder: Path) -> None:
    (folder / NAME).unlink()
    for use in (lambda: store.built, lambda: store.check(FakeEmbedder(), PASSAGE_SIZE), lambda: index(store)):
        with pytest.raises(StoreError, match="the file is gone"):
            use()
    assert not (folder / NAME).exists()


def test_an_older_library_put_in_the_place_of_a_newer_one_is_not_searched_with_its_index(place: Path) -> None:
    with contextlib.closing(open_store(place / "store")) as store:
        with store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
            index_papers(make_numbered(3), writer.catalogue, FakeEmbedder(), split_long)
        shutil.copy2(place / "store" / NAME, place / "kept")
        index(store)
        store.close()
        shutil.copy2(place / "kept", place / "store" / NAME)
        with store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
            index_papers(make_numbered(4, first=500), writer.catalogue, FakeEmbedder(), split_long)
        late = make_numbered(4, first=500)[2]
        assert store.index.search(FakeEmbedder().embed([late.abstract])[0], 1)[0].paper_id == late.id


def test_a_build_that_fails_keeps_the_papers_and_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(open_store(place / "store")) as store:
        with monkeypatch.context() as patch:
            patch.setattr("assistant.store.chroma.NAME", "")  # Chroma refuses a name without letters
            assert index(store) > 0
        (notice,) = store.take_notices()
        assert "The papers are kept" in notice
        assert find_all(store)
        assert not list((place / "store").glob("index-*"))
        assert index(store) == 0
        assert store.take_notices() == ()
        assert read_current(place / "store")


def test_a_library_is_read_by_sqlite_alone_after_the_index_is_lost(folder: Path) -> None:
    shutil.rmtree(folder / "index-1")
    with contextlib.closing(sqlite3.connect(folder / NAME)) as connection:
        assert connection.execute("SELECT count(*) FROM papers").fetchone() == (60,)
