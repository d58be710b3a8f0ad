"""Full disks, folders that cannot be written to, other embedders, other versions, other places."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.chunking import PASSAGE_SIZE
from assistant.errors import StoreError, StoreMismatch
from assistant.indexing import index_papers
from assistant.models.splitter import split_long
from assistant.store import Store, open_store
from assistant.store.schema import NAME, VERSION
from assistant.text.terms import TERM_RULES, terms
from tests.fakes import FakeEmbedder
from tests.records import make_numbered

PAPERS = make_numbered(40)
SAMPLES = Path(__file__).parent / "samples"
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def folder(place: Path) -> Path:
    return place / "store"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(folder)) as store:
        yield store


def index(store: Store, first: int = 0, last: int = 40) -> int:
    embedder = FakeEmbedder()
    with store.writer(embedder, PASSAGE_SIZE) as writer:
        report = index_papers(PAPERS[first:last], writer.catalogue, embedder, split_long)
        writer.refresh_index()
    return report.new


def add_late(store: Store) -> None:
    with store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer:
        index_papers(make_numbered(5, first=100), writer.catalogue, FakeEmbedder(), split_long)


def find(store: Store, number: int) -> str:
    return store.index.search(FakeEmbedder().embed([PAPERS[number].abstract])[0], 1)[0].paper_id


def leave(patch: pytest.MonkeyPatch, free: int) -> None:
    patch.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9 - free, free))


def test_a_full_disk_is_named_before_anything_is_written_and_reading_goes_on(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(store, 0, 20)
    before = (folder / NAME).read_bytes()
    with monkeypatch.context() as patch:
        leave(patch, 2_000_000)
        with pytest.raises(StoreError) as raised:
            index(store, 20, 40)
        assert str(raised.value).startswith("disk full: 2.0 MB free, 4.4 MB needed in ")
        assert str(folder) in str(raised.value)
        assert find(store, 7) == "p7"
    assert (folder / NAME).read_bytes() == before
    assert index(store, 20, 40) == 20
    assert find(store, 37) == "p37"


def test_too_little_room_for_the_index_keeps_the_papers(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.writer(FakeEmbedder(), PASSAGE_SIZE) as writer, monkeypatch.context() as patch:
        index_papers(PAPERS[:20], writer.catalogue, FakeEmbedder(), split_long)
        leave(patch, 2_000_000)
        assert not writer.refresh_index()
    (notice,) = store.take_notices()
    assert "The papers are kept" in notice
    assert "disk full: 2.0 MB free" in notice
    assert find(store, 7) == "p7"
    assert not list(folder.glob("index-*"))


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    """Give a file system of 12 MB, where the system lets us have one."""
    disk = place / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(disk)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("needs the right to mount a file system")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_disk_of_12_megabytes_that_is_full_to_the_last_byte_still_answers(small_disk: Path) -> None:
    with contextlib.closing(open_store(small_disk / "store")) as store:
        index(store)
    with (small_disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(65_536))
    with contextlib.suppress(OSError), (small_disk / "filler 2").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(512))
    assert shutil.disk_usage(small_disk).free == 0
    with contextlib.closing(open_store(small_disk / "store")) as store:
        assert find(store, 3) == "p3"
        assert store.library.count_papers() == 40
        with pytest.raises(StoreError, match=r"disk full|No space left"):
            add_late(store)
        assert find(store, 5) == "p5"
    for filler_path in small_disk.glob("filler*"):
        filler_path.unlink()
    with contextlib.closing(open_store(small_disk / "store")) as store:
        assert index(store) == 0
        assert [find(store, number) for number in range(40)] == [paper.id for paper in PAPERS]
        assert store.take_notices() == ()


@pytest.mark.parametrize(
    ("embedder", "size", "names"),
    [
        (FakeEmbedder("other/model"), PASSAGE_SIZE, ("fake/bag-of-terms", "other/model")),
        (FakeEmbedder(digest="fake-2"), PASSAGE_SIZE, ("bag-of-terms fake-1", "bag-of-terms fake-2")),
        (FakeEmbedder(), 128, ("passages of 256", "passages of 128")),
    ],
)
def test_another_embedder_or_passage_size_is_refused_with_both_and_the_command(
    store: Store, embedder: FakeEmbedder, size: int, names: tuple[str, ...]
) -> None:
    index(store)
    with pytest.raises(StoreMismatch) as raised:
        store.check(embedder, size)
    for part in (*names, "`assistant rebuild`"):
        assert part in str(raised.value)


@pytest.fixture
def old(folder: Path) -> Path:
    """Return a store as version 1 of the format was written."""
    return shutil.copytree(SAMPLES / "store-format-1", folder)


def test_a_store_of_format_1_is_brought_up_to_date_and_the_old_one_is_kept(store: Store, old: Path) -> None:
    store.check(FakeEmbedder(), PASSAGE_SIZE)
    (notice,) = store.take_notices()
    kept = old / "library-format-1.backup"
    assert f"from format 1 to {VERSION}" in notice
    assert str(kept) in notice
    assert [paper.id for paper in store.library.papers()] == ["p0", "p1", "p2", "p3", "p4", "a"]
    assert store.library.match(terms("pruning LLM"), 1)[0].paper_id == "a"
    assert find(store, 3) == "p3"
    with contextlib.closing(sqlite3.connect(kept)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM papers").fetchone() == (6,)
    with contextlib.closing(open_store(old)) as again:
        again.check(FakeEmbedder(), PASSAGE_SIZE)
        assert again.take_notices() == ()


def test_a_store_of_format_1_answers_where_nothing_can_be_written(
    store: Store, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (old / NAME).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("os.access", lambda path, mode: mode != os.W_OK)
        store.check(FakeEmbedder(), PASSAGE_SIZE)
        assert store.take_notices() == ()
        assert [paper.id for paper in store.library.papers()] == ["p0", "p1", "p2", "p3", "p4", "a"]
        assert find(store, 3) == "p3"
    assert (old / NAME).read_bytes() == before


def test_a_migration_that_is_stopped_leaves_the_old_store_and_is_done_the_next_time(
    store: Store, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("assistant.store.migration.write_words", stop)
        with pytest.raises(KeyboardInterrupt):
            store.exists()
    with contextlib.closing(sqlite3.connect(old / NAME)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    with contextlib.closing(open_store(old)) as again:
        assert again.built
        assert len(again.library.papers()) == 6


def test_words_taken_down_by_older_rules_are_taken_down_anew_without_embedding(store: Store, folder: Path) -> None:
    index(store)
    store.close()
    with contextlib.closing(sqlite3.connect(folder / NAME)) as connection, connection:
        connection.execute("UPDATE meta SET value = ? WHERE name = 'terms'", (TERM_RULES - 1,))
        connection.execute("DELETE FROM words")
        connection.execute("INSERT INTO words (rowid, title, abstract) SELECT key, title, 'other rules' FROM papers")
    with contextlib.closing(open_store(folder)) as again:
        assert again.built
        assert "by the rules of this version" in again.take_notices()[0]
        assert again.library.match(terms("m7x"), 1)[0].paper_id == "p7"
        assert again.library.match(("rules",), 1) == ()


def test_a_store_of_a_newer_format_is_refused_and_left_as_it_is(store: Store, folder: Path) -> None:
    index(store)
    store.close()
    with contextlib.closing(sqlite3.connect(folder / NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = (folder / NAME).read_bytes()
    with contextlib.closing(open_store(folder)) as again:
        for use in (lambda: again.built, lambda: index(again)):
            with pytest.raises(StoreError, match="newer version"):
                use()
    assert (folder / NAME).read_bytes() == before


def test_a_store_that_was_moved_is_the_same_store(store: Store, folder: Path, place: Path) -> None:
    index(store)
    store.close()
    shutil.move(folder, place / "elsewhere" / "moved")
    with contextlib.closing(open_store(place / "elsewhere" / "moved")) as moved:
        assert [find(moved, number) for number in range(40)] == [paper.id for paper in PAPERS]
        assert moved.take_notices() == ()
        assert index(moved) == 0


def test_two_copies_of_a_store_go_their_own_ways(store: Store, folder: Path, place: Path) -> None:
    index(store, 0, 20)
    store.close()
    shutil.copytree(folder, place / "copy", copy_function=shutil.copyfile)
    with contextlib.closing(open_store(folder)) as first, contextlib.closing(open_store(place / "copy")) as second:
        assert index(first, 20, 30) == 10
        assert index(second, 30, 40) == 10
        assert find(first, 25) == "p25"
        assert find(second, 35) == "p35"
        assert find(second, 5) == "p5"
        assert second.take_notices() == ()
        assert (first.library.count_papers(), second.library.count_papers()) == (30, 30)


def test_the_rules_of_terms_have_their_number() -> None:
    """Words of each kind that the rules know. If this fails because the rules were changed: raise TERM_RULES."""
    kinds = "The LLMs' 1,200 naïve C++ models, 94.75% and 2.5× $\\ell_1$-norm GPUs; distilled well-being of SNNs"
    assert (TERM_RULES, terms(kinds)) == (
        2,
        (
            *("llm", "1200", "naiv", "c++", "model", "94.75%", "2.5x", "l1", "norm", "gpu", "distil", "well", "snn"),
            *("l1norm", "wellb"),
        ),
    )
