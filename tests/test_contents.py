"""Contents that are not as they were written: found by `check` and made anew by `--repair`, whatever looks right."""

import contextlib
import os
import random
import sqlite3
import subprocess
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.errors import StoreError
from assistant.health import Checkup
from assistant.store.schema import NAME
from assistant.store.trial import find_fault
from tests.fakes import FakeEmbedder
from tests.test_upkeep import Reversed, ask, birds, built, change, faults, make

__all__ = ["birds", "built"]


@pytest.fixture(autouse=True)
def try_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try an index in this process: test_damage.py has it tried in another one."""
    monkeypatch.setattr("assistant.store.audit.try_opening", find_fault)


def put_noise(store: Path, table: str, paper: int) -> None:
    """Replace vectors by others of the right size and length."""
    noise = random.Random(7)
    with contextlib.closing(sqlite3.connect(store / NAME)) as connection, connection:
        rows = connection.execute(f"SELECT start, vector FROM {table} WHERE paper = ?", (paper,)).fetchall()
        for start, vector in rows:
            other = bytes(noise.sample(list(vector), len(vector)))
            connection.execute(f"UPDATE {table} SET vector = ? WHERE paper = ? AND start = ?", (other, paper, start))


def repair(place: Path) -> tuple[Checkup, int]:
    """Repair; return what was found then, and how many texts were embedded but the probes."""
    embedder = FakeEmbedder()
    with make(place, embedder) as assistant:
        done = assistant.repair()
        return done, embedder.embedded - 3


@pytest.mark.parametrize("table", ["passages", "sentences"])
def test_vectors_of_the_right_size_that_are_not_those_of_their_text_are_found_and_embedded_anew(
    place: Path, built: Path, table: str
) -> None:
    put_noise(built, table, 7)
    with make(place) as assistant:
        assert "not as they were written: birds#7" in faults(assistant.check())["vectors"]
    done, embedded = repair(place)
    assert done.sound, faults(done)
    assert "vectors" in done.repaired
    assert embedded == 3, "only the texts of that paper"
    with make(place) as assistant:
        assert "r6z" in ask(assistant, 6)


SHIFTS = (
    'UPDATE sentences SET "end" = "end" - 2 WHERE paper = 7',
    "UPDATE passages SET start = start + 1 WHERE paper = 7",
    "DELETE FROM sentences WHERE paper = 7 AND start = 0",
    "UPDATE passages SET paper = 15 - paper WHERE paper IN (7, 8)",
    "DELETE FROM sums WHERE paper = 7",
)


@pytest.mark.parametrize("statement", SHIFTS)
def test_spans_that_were_shifted_lost_or_swapped_are_found_and_cut_anew(
    place: Path, built: Path, statement: str
) -> None:
    change(built, statement)
    with make(place) as assistant:
        assert "birds#7" in faults(assistant.check())["vectors"]
    assert repair(place)[0].sound


DEAD = (
    "DELETE FROM words_data",
    "UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10",
    "DELETE FROM words_idx",
    "DELETE FROM words_docsize",
    "DELETE FROM words_config",
    "DELETE FROM words_content WHERE id = 7",
    "UPDATE words_content SET c1 = 'other words' WHERE id = 7",
    "UPDATE words SET abstract = 'other words' WHERE rowid = 7",
    "DROP TABLE words_data",
    "DROP TABLE words_content",
    "DROP TABLE words",
)


@pytest.mark.parametrize("statement", DEAD)
def test_words_that_find_nothing_or_something_else_are_found_and_taken_down_anew(
    place: Path, built: Path, statement: str
) -> None:
    change(built, statement)
    with make(place) as assistant:
        assert list(faults(assistant.check())) == ["words"]
        with pytest.raises(StoreError, match="words"):
            assistant.backup(place / "unsound.backup")
    done, embedded = repair(place)
    assert done.sound, faults(done)
    assert (done.repaired, embedded) == (("words",), -3), "nothing is embedded, not even the probes"
    with make(place) as assistant:
        assert "r41z" in ask(assistant)
        assert assistant.backup(place / "sound.backup").papers == 70


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_words_are_looked_at_where_nothing_can_be_written(place: Path, built: Path) -> None:
    change(built, "DELETE FROM words_idx")
    user = [] if os.getuid() else ["setpriv", "--reuid=65534", "--clear-groups"]
    if user and subprocess.run([*user, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs a user without rights")
    before = (built / NAME).read_bytes()
    from assistant.store.words import find_index_fault

    assert "do not find their papers" in find_index_fault(f"{(built / NAME).as_uri()}?immutable=1")
    assert (built / NAME).read_bytes() == before


def test_a_backup_with_vectors_of_something_else_is_not_made(place: Path, built: Path) -> None:
    put_noise(built, "passages", 7)
    with make(place) as assistant:
        with pytest.raises(StoreError) as raised:
            assistant.backup(place / "unsound.backup")
        for part in (str(built / NAME), "birds#7", "`assistant check --repair`"):
            assert part in str(raised.value)
    assert not list(place.glob("*.backup*"))


SILENT = {
    "which library it is": (
        "DELETE FROM meta WHERE name = 'library'",
        "UPDATE meta SET value = 7 WHERE name = 'library'",
        "DELETE FROM meta WHERE name = 'revision'",
        "UPDATE meta SET value = 'x' WHERE name = 'revision'",
        "UPDATE meta SET value = x'00ff' WHERE name = 'revision'",
    ),
    "what it was built with": (
        "DELETE FROM meta WHERE name = 'manifest'",
        "UPDATE meta SET value = '{' WHERE name = 'manifest'",
        "UPDATE meta SET value = '[]' WHERE name = 'manifest'",
        "UPDATE meta SET value = '{\"embedder\": 3}' WHERE name = 'manifest'",
        "UPDATE meta SET value = 3 WHERE name = 'manifest'",
    ),
}


@pytest.mark.parametrize(("fault", "statement"), [(fault, one) for fault in SILENT for one in SILENT[fault]])
def test_a_library_that_does_not_say_what_it_is_is_one_line_and_says_it_again_after_a_repair(
    place: Path, built: Path, birds: Path, fault: str, statement: str
) -> None:
    change(built, statement)
    with make(place) as assistant:
        status = assistant.status().fault
        for use in (lambda: ask(assistant), lambda: assistant.index([birds])):
            with pytest.raises(StoreError) as raised:
                use()
            for part in (str(built / NAME), fault, "`assistant check --repair`"):
                assert part in str(raised.value)
        assert str(raised.value) == status
        assert fault in faults(assistant.check())["manifest"]
    done, embedded = repair(place)
    assert done.sound, faults(done)
    assert "manifest" in done.repaired
    assert embedded <= 20 * 3, "a sample tells"
    with make(place) as assistant:
        assert "r41z" in ask(assistant)
        assert not assistant.status().fault
        assert assistant.index([birds]).embedded == 0


@pytest.mark.parametrize("value", ["DELETE FROM meta", "UPDATE meta SET value = 'x'", "UPDATE meta SET value = 0"])
def test_a_library_that_does_not_say_by_which_rules_its_words_were_made_has_them_made_anew(
    place: Path, built: Path, value: str
) -> None:
    change(built, f"{value} WHERE name = 'terms'")
    with make(place) as assistant:
        assert "r41z" in ask(assistant)
        assert assistant.check().sound


def test_a_manifest_is_not_guessed_where_the_vectors_are_of_another_embedder(place: Path, built: Path) -> None:
    change(built, "DELETE FROM meta WHERE name = 'manifest'")
    with make(place, Reversed()) as assistant:
        done = assistant.repair()
        assert "what it was built with" in faults(done)["manifest"]
        assert assistant.rebuild().embedded == 70 * 3
        assert assistant.check().sound
        assert "r41z" in ask(assistant)


def test_a_library_that_does_not_say_what_it_is_can_be_replaced_and_is_kept(place: Path, built: Path) -> None:
    with make(place) as assistant:
        assistant.backup(place / "birds.backup")
    change(built, "UPDATE meta SET value = '{' WHERE name = 'manifest'")
    with make(place) as assistant:
        restored = assistant.replace(place / "birds.backup")
        assert restored.kept and restored.kept.exists()
        assert assistant.check().sound


def test_a_paper_whose_row_cannot_be_read_is_named(place: Path, built: Path) -> None:
    change(built, "UPDATE papers SET extra = '{' WHERE key = 7")
    with make(place) as assistant:
        with pytest.raises(StoreError, match="birds#7"):
            assistant.papers()
        assert "birds#7" in faults(assistant.check())["papers"]


def test_the_sums_are_those_of_a_fresh_store_after_a_rebuild_with_another_embedder(
    place: Path, built: Path, birds: Path
) -> None:
    def read_sums(store: Path) -> list[tuple[object, ...]]:
        with contextlib.closing(sqlite3.connect(store / NAME)) as connection:
            return connection.execute("SELECT paper, parts, words FROM sums ORDER BY paper").fetchall()

    with make(place, Reversed()) as assistant:
        assistant.rebuild()
    with Assistant(place / "fresh", embedder=Reversed()) as fresh:
        fresh.index([birds])
    assert read_sums(built) == read_sums(place / "fresh")
    assert len(read_sums(built)) == 70
