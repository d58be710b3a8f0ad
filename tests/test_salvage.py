"""A library with pages or rows that cannot be read: its papers are saved, or a backup takes its place."""

import contextlib
import os
import random
import re
import shutil
import sqlite3
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.errors import StoreDamaged, StoreError, StoreMismatch
from assistant.ports import Vectors
from assistant.settings import Settings
from assistant.store import open_store
from assistant.store.copies import keep_copy
from assistant.store.replacing import NAME as STAGING
from assistant.store.schema import NAME
from assistant.store.trial import find_fault
from tests.fakes import FakeEmbedder
from tests.test_upkeep import Reversed, ask, birds, built, change, faults, make

__all__ = ["birds", "built"]

PAGE = 4096
TABLE_LEAF, INDEX_LEAF = 13, 10
RIGHTMOST = 8
"""Where the last child of a page that is no leaf stands, in bytes."""


@pytest.fixture(autouse=True)
def try_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try an index in this process: test_damage.py has it tried in another one."""
    monkeypatch.setattr("assistant.store.audit.try_opening", find_fault)


class Stopping(FakeEmbedder):
    """An embedder that is stopped after so many calls."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._left = after

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().embed(texts)


def find_leaf(library: Path, name: str) -> int:
    """Return the number of the last leaf of a table or an index, as SQLite's file format has it."""
    with contextlib.closing(sqlite3.connect(library)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
    content = library.read_bytes()
    while content[(page - 1) * PAGE] not in {TABLE_LEAF, INDEX_LEAF}:
        (page,) = struct.unpack_from(">I", content, (page - 1) * PAGE + RIGHTMOST)
    return int(page)


def spoil(store: Path, name: str) -> None:
    """Fill a leaf of a table or an index with noise."""
    page = find_leaf(store / NAME, name)
    with (store / NAME).open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(random.Random(5).randbytes(PAGE))


def spoil_and_copy(place: Path, store: Path, name: str) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    spoil(store, name)


def test_papers_that_are_saved_stay_in_their_collections_and_files(place: Path, built: Path, birds: Path) -> None:
    birds.with_name("more.txt").write_text(f"{birds.read_text()}\n\nOne finch sings.")
    with Assistant(
        built, settings=Settings(languages="off"), embedder=FakeEmbedder(), collection="second"
    ) as assistant:
        assistant.index([birds.with_name("more.txt")])
        with contextlib.closing(open_store(built)) as store:
            before = set(store.library.list_sightings())
    spoil(built, "sentences")
    with make(place) as assistant:
        assert assistant.repair().sound
        with contextlib.closing(open_store(built)) as store:
            assert set(store.library.list_sightings()) == before


DERIVED = ("passages", "sentences", "sums", "passages_of_paper", "sqlite_autoindex_papers_1", "meta")


@pytest.mark.parametrize("name", DERIVED)
def test_what_is_made_from_the_papers_is_made_anew_where_a_page_of_it_is_noise(
    place: Path, built: Path, name: str
) -> None:
    with make(place) as assistant:
        before = assistant.papers()
    spoil(built, name)
    with make(place) as assistant:
        assert "library file" in faults(assistant.check())
        repaired = assistant.repair()
        assert repaired.sound, faults(repaired)
        assert "library file" in repaired.repaired
        (notice,) = assistant.take_notices()
        assert assistant.papers() == before
        assert "r41z" in ask(assistant)
    assert "70 papers were saved" in notice
    (kept,) = built.glob("library-damaged-*")
    assert str(kept) in notice


@pytest.mark.parametrize("name", ["passages", "sentences", "passages_of_paper"])
def test_nothing_is_added_to_a_library_of_which_a_page_cannot_be_read(
    place: Path, built: Path, birds: Path, name: str
) -> None:
    spoil(built, name)
    for papers in (birds, built.parent / "more.txt"):
        papers.write_text(f"{birds.read_text()}\n\nOne finch sings.")
        with make(place) as assistant:
            with pytest.raises(StoreDamaged, match="assistant check --repair"):
                assistant.index([papers])
            assert assistant.take_notices() == ()


def test_papers_on_a_page_of_noise_are_named_and_the_others_are_saved(place: Path, built: Path, birds: Path) -> None:
    spoil(built, "papers")
    with make(place) as assistant:
        assert assistant.repair().sound
        _, lost = assistant.take_notices()
        left = {paper.id for paper in assistant.papers()}
        named = set(re.findall(r"birds#\d+", lost))
        assert named
        assert left | named == {f"birds#{n}" for n in range(1, 71)}
        assert not left & named
        assert assistant.index([birds]).new == len(named), "their file brings them back"
        assert len(assistant.papers()) == 70


def test_what_is_left_of_a_library_that_was_cut_is_saved(place: Path, built: Path) -> None:
    with contextlib.closing(sqlite3.connect(built / NAME)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(built / NAME, (built / NAME).stat().st_size - 10 * PAGE)
    with make(place) as assistant:
        with pytest.raises(StoreDamaged, match="assistant check --repair"):
            assistant.papers()
        assert assistant.repair().sound
        assert len(assistant.papers()) > 35


def test_a_repair_that_is_stopped_leaves_the_damaged_library_and_goes_on_later(place: Path, built: Path) -> None:
    spoil(built, "sentences")

    with make(place, Stopping(after=2)) as assistant, pytest.raises(KeyboardInterrupt):
        assistant.repair()
    assert not list(built.glob("library-damaged-*"))
    embedder = FakeEmbedder()
    with make(place, embedder) as assistant:
        assert assistant.repair().sound
        assert len(assistant.papers()) == 70
    assert embedder.embedded < 70 * 3
    assert not (built / STAGING).exists()


def test_papers_are_not_saved_with_another_embedder_than_they_had(place: Path, built: Path) -> None:
    spoil(built, "sentences")
    with make(place, Reversed()) as assistant, pytest.raises(StoreMismatch):
        assistant.repair()
    with make(place) as assistant:
        assert assistant.repair().sound


def test_a_paper_that_was_changed_behind_our_back_does_not_become_sound_by_being_saved(
    place: Path, built: Path
) -> None:
    change(built, "UPDATE papers SET abstract = replace(abstract, 'beats', 'loses to') WHERE key = 7")
    spoil(built, "sentences")
    with make(place) as assistant:
        repaired = assistant.repair()
    assert list(faults(repaired)) == ["papers"]
    assert "birds#7" in faults(repaired)["papers"]


def test_a_library_of_which_nothing_can_be_read_is_not_replaced_by_an_empty_one(place: Path, built: Path) -> None:
    content = (built / NAME).read_bytes()
    (built / NAME).write_bytes(content[:PAGE] + random.Random(5).randbytes(len(content) - PAGE))
    with make(place) as assistant, pytest.raises(StoreDamaged, match="assistant restore FILE"):
        assistant.repair()
    assert not list(built.glob("library-damaged-*"))


STRAYS = ("PRAGMA foreign_keys = OFF", "DELETE FROM papers WHERE key = 7")


def test_what_belongs_to_no_paper_is_removed_without_embedding_a_text(place: Path, built: Path) -> None:
    change(built, *STRAYS)
    embedder = FakeEmbedder()
    with make(place, embedder) as assistant:
        assert "belong to no paper" in faults(assistant.check())["passages"]
        embedder.embedded = 0
        assert assistant.repair().sound
        assert assistant.count_papers() == 69
    assert embedder.embedded == 0
    assert not list(built.glob("library-damaged-*"))


@pytest.mark.parametrize("name", ["papers", "words_data", "words_content", *DERIVED])
def test_a_backup_takes_the_place_of_a_library_with_a_page_of_noise(place: Path, built: Path, name: str) -> None:
    spoil_and_copy(place, built, name)
    shutil.copytree(built, place / "second")
    with make(place) as assistant:
        kept = assistant.restore(place / "birds.backup").kept
        assert kept
        assert kept.name.startswith("library-damaged-")
        assert assistant.check().sound
        assert "r41z" in ask(assistant)
    with make(place, name="second") as assistant:
        assert assistant.replace(place / "birds.backup").kept
        assert assistant.check().sound


def test_a_backup_takes_the_place_of_a_library_with_rows_of_no_paper(place: Path, built: Path) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    change(built, *STRAYS)
    with make(place) as assistant:
        with pytest.raises(StoreError, match="--replace"):
            assistant.restore(place / "birds.backup")
        kept = assistant.replace(place / "birds.backup").kept
        assert kept
        assert kept.name.startswith("library-replaced-")
        assert assistant.check().sound


def test_a_library_of_a_newer_version_is_kept_under_the_name_of_that(place: Path, built: Path) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    change(built, "PRAGMA user_version = 99")
    with make(place) as assistant:
        kept = assistant.replace(place / "birds.backup").kept
    assert kept
    assert kept.name.startswith("library-newer-")


def test_the_log_of_a_damaged_library_is_kept_with_it(place: Path, built: Path) -> None:
    spoil_and_copy(place, built, "sentences")
    (built / f"{NAME}-wal").write_bytes(b"log")
    with make(place) as assistant:
        kept = assistant.replace(place / "birds.backup").kept
    assert kept
    assert kept.with_name(f"{kept.name}-wal").exists() or kept.stat().st_size


def test_a_backup_of_a_damaged_library_advises_nothing_that_lies_where_it_was_to_be(place: Path, built: Path) -> None:
    (place / "shelf").mkdir()
    with make(place) as assistant:
        assistant.backup(place / "shelf" / "somebody's.backup")
    spoil(built, "sentences")
    with make(place) as assistant, pytest.raises(StoreDamaged) as raised:
        assistant.backup(place / "shelf" / "mine.backup")
    assert str(built / NAME) in str(raised.value)
    assert "shelf" not in str(raised.value)
    assert "unfinished" not in str(raised.value)


def test_the_newest_copy_is_advised_with_its_age_and_papers_and_never_one_that_was_thrown_out(
    place: Path, built: Path
) -> None:
    keep_copy(built / NAME, built / "old.backup")
    os.utime(built / "old.backup", (10**9, 10**9))
    keep_copy(built / NAME, built / "new.backup")
    with make(place) as assistant:
        kept = assistant.replace(built / "new.backup").kept
    assert kept
    os.utime(built / "new.backup", (2 * 10**9 - 10**8, 2 * 10**9 - 10**8))
    os.utime(kept, (2 * 10**9, 2 * 10**9))
    os.truncate(built / NAME, 0)
    with make(place) as assistant, pytest.raises(StoreDamaged) as raised:
        assistant.papers()
    assert "new.backup" in str(raised.value)
    assert "70 papers of 2030-03-1" in str(raised.value)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("authors", "'[[['"),
        ("authors", "'{\"a\": 1}'"),
        ("extra", "'[1]'"),
        ("year", "'abc'"),
        ("title", "x'ff'"),
        ("title", "CAST(x'fffe' AS TEXT)"),
    ],
)
def test_a_paper_of_which_something_cannot_be_read_keeps_the_rest(
    place: Path, built: Path, birds: Path, column: str, value: str
) -> None:
    change(built, f"UPDATE papers SET {column} = {value} WHERE key = 7")
    with make(place) as assistant:
        for use in (assistant.papers, lambda: ask(assistant, 6), lambda: assistant.index([birds])):
            with pytest.raises(StoreDamaged, match="assistant check --repair"):
                use()
        assert "birds#7" in faults(assistant.check())["papers"]
        repaired = assistant.repair()
        assert repaired.sound, faults(repaired)
        (notice,) = assistant.take_notices()
        assert f"The paper birds#7, from {birds.name}, lost its {column}" in notice
        assert "r6z" in ask(assistant, 6)
        assert len(assistant.papers()) == 70
        assert assistant.index([birds]).same >= 69
        assert assistant.check().sound


def test_a_paper_without_a_text_is_taken_out_and_named_with_its_source(place: Path, built: Path, birds: Path) -> None:
    change(built, "UPDATE papers SET abstract = x'fffe00' WHERE key = 7")
    with make(place) as assistant:
        with pytest.raises(StoreDamaged, match="assistant check --repair"):
            assistant.index([birds])
        assert assistant.repair().sound
        (notice,) = assistant.take_notices()
        assert "birds#7" in notice
        assert "birds.txt" in notice
        assert assistant.count_papers() == 69
        assert assistant.index([birds]).new == 1


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make_file", [make_pipe, link_to_zeros])
def test_what_is_no_regular_file_is_no_backup(place: Path, built: Path, make_file: Callable[[Path], None]) -> None:
    make_file(place / "given")
    with make(place) as assistant, pytest.raises(StoreError, match="no regular file"):
        assistant.replace(place / "given")
