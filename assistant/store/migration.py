"""Brings a library of an older version, or with terms of older rules, up to date. Nothing is embedded."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from assistant.errors import StoreDamaged
from assistant.store.copies import keep_copy
from assistant.store.lock import write_lock
from assistant.store.meta import read_rules
from assistant.store.origins import TABLE as ORIGINS_TABLE
from assistant.store.origins import fill_origins
from assistant.store.schema import BACKUP_SUFFIX, VERSION, choose_access, explained, open_file, read_version
from assistant.store.sums import TABLE as SUMS_TABLE
from assistant.store.sums import write_part_sums
from assistant.store.words import write_words
from assistant.text.terms import TERM_RULES


def bring_up_to_date(path: Path) -> str:
    """Migrate a library where that is needed, and return what was done as a line, empty for nothing.

    A library of an older format is copied beside itself first. Where nothing can be written it is read as it is.
    """
    if is_up_to_date(path):
        return ""
    with write_lock(path.parent):
        version = read_version(path)
        kept = _keep_copy(path, version) if version < VERSION else None
        with explained(path), closing(open_file(path, "mode=rw")) as connection:
            _migrate(connection, version)
    if kept:
        return f"The library {path} was brought from format {version} to {VERSION}; the old one is kept as {kept}."
    return f"The words of the papers in {path} were taken down anew, by the rules of this version."


def is_up_to_date(path: Path) -> bool:
    """Return whether a library is of this version, and its terms are, as far as that can be changed."""
    older = read_version(path) < VERSION
    if choose_access(path) != "mode=rw":
        # An older format lacks what only a writer and a check need, and older terms do as well as they can.
        return True
    if older:
        return False
    try:
        with explained(path), closing(open_file(path, "mode=rw")) as connection:
            return read_rules(connection) == TERM_RULES
    except StoreDamaged:
        # Whoever reads on is told, and who mends it must come as far as that.
        return True


def _keep_copy(path: Path, version: int) -> Path:
    kept = path.with_name(f"{path.stem}-format-{version}{BACKUP_SUFFIX}")
    # There is one from a migration that was broken off: the library has not changed since.
    if not kept.exists():
        keep_copy(path, kept)
    return kept


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version, VERSION):
            _STEPS[step](connection)
        if version < VERSION or read_rules(connection) != TERM_RULES:
            write_words(connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _add_term_rules(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('terms', 0)")


def _add_sums(connection: sqlite3.Connection) -> None:
    """Take what is there for right: nothing tells, and from here on it does."""
    connection.execute(SUMS_TABLE)
    write_part_sums(connection)


def _add_origins(connection: sqlite3.Connection) -> None:
    connection.execute(ORIGINS_TABLE)
    fill_origins(connection)


_STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _add_term_rules, 2: _add_sums, 3: _add_origins}
"""What brings a library from each format to the next, inside one transaction."""
