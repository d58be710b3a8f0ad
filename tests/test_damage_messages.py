"""What is said of a damaged, lost or unfinished store, and of a file that is no backup: one line, one thing to do."""

import contextlib
import json
import os
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.cli import run
from assistant.errors import StoreError
from assistant.store.lock import NAME as LOCK
from assistant.store.schema import NAME
from tests.test_upkeep import birds, built, make

__all__ = ["birds", "built"]


def type_in(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def commands(line: str) -> list[str]:
    """Return the advice of a line: what stands between back quotes."""
    return re.findall(r"`([^`]+)`", line)


def damage(store: Path) -> None:
    os.truncate(store / NAME, 0)


def test_what_cannot_be_read_of_a_damaged_store_is_unknown_and_not_zero(
    place: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(built)
    code, out, _ = type_in(capsys, "status")
    facts = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert (code, facts["papers"], facts["passages"], facts["embedder"]) == (1, "unknown", "unknown", "unknown")
    assert facts["index"] == "unknown"
    _, out, _ = type_in(capsys, "status", "--json")
    found = json.loads(out)
    assert [found[name] for name in ("papers", "passages", "outside", "embedder", "languages")] == [None] * 5


def test_a_store_in_which_nothing_is_built_has_no_papers(place: Path) -> None:
    with make(place) as assistant:
        assert assistant.status().papers == 0


@pytest.mark.parametrize("name", ["library-2026.backup", "my papers"])
def test_a_copy_in_the_folder_of_a_damaged_library_is_named_with_the_command_that_puts_it_back(
    place: Path, built: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with make(place) as assistant:
        shutil.move(assistant.backup(place / "b").path, built / name)
    damage(built)
    _, _, said = type_in(capsys, "ask", "What?")
    (command,) = commands(said)
    assert "move the folder" not in said, "nobody is told to take the folder, with the copy in it, away"
    assert type_in(capsys, *shlex.split(command)[1:])[0] == 0
    with make(place) as assistant:
        assert assistant.status().papers == 70


def test_the_folder_of_a_damaged_library_without_a_copy_is_to_be_moved_and_not_deleted(
    place: Path, built: Path
) -> None:
    damage(built)
    (built / "library-notes.backup").write_text("no backup")
    with make(place) as assistant, pytest.raises(StoreError, match="move the folder") as raised:
        assistant.papers()
    assert "delete" not in str(raised.value)


def test_a_folder_that_holds_only_a_backup_is_no_damaged_store(place: Path, built: Path, birds: Path) -> None:
    (place / "other").mkdir()
    with make(place) as assistant:
        assistant.backup(place / "other" / "library-2026.backup")
    with make(place, name="other") as other:
        assert "nothing is built yet" in other.status().fault
        assert other.index([birds]).new == 70


@pytest.mark.parametrize("trace", ["index-1", "current", "languages.sqlite3", "library-damaged-2026-01-01.sqlite3"])
def test_a_library_that_is_gone_is_missed_as_long_as_anything_of_it_is_there(place: Path, trace: str) -> None:
    (place / "store").mkdir()
    if trace == "index-1":
        (place / "store" / trace).mkdir()
    else:
        (place / "store" / trace).write_text("x")
    with make(place) as assistant:
        assert "the file is gone" in assistant.status().fault


def test_a_store_whose_writer_was_killed_before_the_first_paper_says_so(place: Path, birds: Path) -> None:
    (place / "store").mkdir()
    (place / "store" / LOCK).write_text("999999")
    with make(place) as assistant:
        fault = assistant.status().fault
        assert "was killed" in fault
        assert commands(fault) == ["assistant index"]
        assert assistant.index([birds]).new == 70
        assert not assistant.status().fault


def lose_file(store: Path) -> None:
    (store / NAME).unlink()


def lose_all_but_the_folder(store: Path) -> None:
    shutil.rmtree(store)
    store.mkdir()


@pytest.mark.parametrize("lose", [lose_file, lose_all_but_the_folder, shutil.rmtree])
def test_a_library_that_is_deleted_under_a_reader_has_gone(
    place: Path, built: Path, birds: Path, lose: Callable[[Path], None]
) -> None:
    with make(place) as reader:
        assert reader.count_papers() == 70
        lose(built)
        for use in (reader.papers, lambda: reader.ask("What?"), reader.check, reader.rebuild):
            with pytest.raises(StoreError) as raised:
                use()
            assert "gone" in str(raised.value)
            assert "Nothing is built" not in str(raised.value)
        assert "gone" in reader.status().fault
        assert reader.status().papers is None


def test_words_that_cannot_be_searched_are_no_reason_to_give_the_library_up(place: Path, built: Path) -> None:
    with contextlib.closing(sqlite3.connect(built / NAME)) as connection, connection:
        connection.execute("DELETE FROM words_data")
    (place / "more.txt").write_text("More\n\nOne finch sings.")
    with make(place) as assistant:
        for use in (
            lambda: assistant.ask("What does method m41x beat?"),
            lambda: assistant.index([place / "more.txt"]),
        ):
            with pytest.raises(StoreError) as raised:
                use()
            assert commands(str(raised.value)) == ["assistant check --repair"]


def write_newer(path: Path) -> None:
    """Let a library be of a format that only a newer version knows."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def test_a_newer_library_is_not_put_aside_unasked_and_one_thing_is_advised(place: Path, built: Path) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    write_newer(built / NAME)
    with make(place) as assistant, pytest.raises(StoreError) as raised:
        assistant.restore(place / "birds.backup")
    assert "newer version" in str(raised.value)
    assert commands(str(raised.value)) == ["--replace"]
    assert "update" not in str(raised.value)


def test_a_backup_of_a_newer_version_is_called_by_its_own_name(
    place: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    with monkeypatch.context() as patch, make(place, name="other") as other:
        patch.setattr("assistant.store.schema.VERSION", 1)
        with pytest.raises(StoreError, match="newer version") as raised:
            other.restore(place / "birds.backup")
    assert str(place / "birds.backup") in str(raised.value)
    assert "restore.sqlite3" not in str(raised.value)
    assert not (place / "other").exists()


def write_text(path: Path) -> None:
    path.write_text("These are my papers.\n" * 100)


def write_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE papers (id)")


@pytest.mark.parametrize("write", [write_text, write_database, Path.touch, Path.mkdir])
def test_a_file_that_is_no_backup_is_called_that_and_nothing_is_made(
    place: Path, write: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    write(place / "given")
    code, out, said = type_in(capsys, "restore", str(place / "given"), "--store", "new/store")
    assert (code, out, len(said.splitlines())) == (1, "", 1)
    assert str(place / "given") in said
    assert ("is no backup of a library" in said) or ("is a folder" in said)
    assert commands(said) == ["assistant backup"]
    assert not (place / "new").exists(), "neither a folder nor a lock"


@pytest.mark.parametrize("command", ["restore", "backup"])
def test_a_backup_without_a_name_is_one_line(place: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = type_in(capsys, command, "")
    assert (code, said) == (1, "error: FILE names no file.\n")
    assert list(place.iterdir()) == []


def test_a_restore_that_fails_in_the_middle_leaves_no_new_store(
    place: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("disk full")

    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    monkeypatch.setattr("assistant.store.copies.require_space", fail)
    with make(place, name="new/store") as other, pytest.raises(StoreError, match="disk full"):
        other.restore(place / "birds.backup")
    assert not (place / "new").exists()


def test_an_index_that_cannot_be_opened_is_told_with_one_thing_to_do(place: Path, built: Path) -> None:
    with (built / "index-1" / "chroma.sqlite3").open("r+b") as file:
        file.write(bytes(100))
    with make(place) as assistant:
        notice = assistant.ask("What does method m41x beat?").notice
    assert commands(notice) == ["assistant rebuild"]


def test_what_is_restored_is_said_to_be_unsound_where_it_is(place: Path, built: Path) -> None:
    with contextlib.closing(sqlite3.connect(built / NAME)) as connection, connection:
        connection.execute("DELETE FROM words_idx")
    from assistant.store.copies import keep_copy

    keep_copy(built / NAME, place / "kept")
    with make(place, name="other") as other:
        other.restore(place / "kept")
        (notice,) = other.take_notices()
        assert str(place / "kept") in notice
        assert commands(notice) == ["assistant check --repair"]
        assert other.repair().sound


def test_status_never_raises(place: Path, built: Path) -> None:
    for name in ("library", "revision", "manifest", "terms"):
        for value in ("'{'", "x'ff00ff'", "-1", "''"):
            with contextlib.closing(sqlite3.connect(built / NAME)) as connection, connection:
                connection.execute(f"UPDATE meta SET value = {value} WHERE name = '{name}'")
            with Assistant(place / "store") as assistant:
                assert "\n" not in assistant.status().fault
