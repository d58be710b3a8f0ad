"""A value of the wrong kind anywhere in the library: one line that says what to do, never a traceback."""

import contextlib
import sqlite3
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.domain import Filters
from assistant.errors import AssistantError
from assistant.store.schema import NAME
from assistant.store.trial import find_fault
from tests.test_upkeep import ask, birds, built, faults, make

__all__ = ["birds", "built"]

COLUMNS = {
    "papers": ("id", "hash", "abstract", "title", "authors", "year", "venue", "url", "doi", "source", "extra"),
    "passages": ("paper", "start", '"end"', "vector"),
    "sentences": ("paper", "start", '"end"', "vector"),
    "sums": ("parts", "words"),
    "origins": ("collection", "path", "source"),
    "words_content": ("c0", "c1"),
    "words_docsize": ("sz",),
    "words_data": ("block",),
}
VALUES = ("x'ff'", "'[[['", "CAST(x'c328' AS TEXT)")


@pytest.fixture(autouse=True)
def try_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try an index in this process: test_damage.py has it tried in another one."""
    monkeypatch.setattr("assistant.store.audit.try_opening", find_fault)


def put(store: Path, table: str, column: str, value: str, one: bool) -> bool:
    """Put a value into one row or into all; return whether the table takes it."""
    with contextlib.closing(sqlite3.connect(store / NAME)) as connection, connection:
        where = (
            f"WHERE rowid = (SELECT min(rowid) + 6 FROM {table})"
            if table not in {"sentences", "origins"}
            else "WHERE paper = 7"
        )
        try:
            connection.execute(f"UPDATE {table} SET {column} = {value} {where if one else ''}")
        except sqlite3.Error:
            return False
    return True


def list_uses(assistant: Assistant, birds: Path) -> tuple[Callable[[], object], ...]:
    return (
        lambda: ask(assistant, 6),
        lambda: assistant.retrieve("method m6x", filters=Filters(author="a", first_year=1, venue="é")),
        lambda: assistant.similar("birds#7"),
        lambda: assistant.index([birds]),
    )


@pytest.mark.parametrize("table", COLUMNS)
@pytest.mark.parametrize("one", [True, False], ids=["one row", "all rows"])
def test_a_value_of_the_wrong_kind_is_told_in_one_line_and_mended(
    place: Path, built: Path, birds: Path, table: str, one: bool
) -> None:
    whole = (built / NAME).read_bytes()
    for column, value in product(COLUMNS[table], VALUES):
        case = f"{table}.{column} = {value}"
        (built / NAME).write_bytes(whole)
        if not put(built, table, column, value, one):
            continue
        with make(place) as assistant:
            for use in list_uses(assistant, birds):
                try:
                    use()
                except AssistantError as error:
                    assert "\n" not in str(error), case
                except Exception as error:
                    raise AssertionError(case) from error
            if one:
                rest = faults(assistant.repair())
                assert "indexing their files again" in rest.pop("papers", "indexing their files again"), case
                assert not rest, (case, rest)
                assert "r5z" in ask(assistant, 5), case
