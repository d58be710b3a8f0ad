"""The library's file: its tables, how it is made and how it is opened."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assistant.errors import StoreDamaged, StoreError, StoreNewer
from assistant.store.damage import describe_damage, describe_damaged_file
from assistant.store.disk import describe_space, is_full
from assistant.store.manifest import Manifest
from assistant.store.meta import TABLE as META_TABLE
from assistant.store.meta import write_first_meta
from assistant.store.origins import TABLE as ORIGINS_TABLE
from assistant.store.origins import show_origins
from assistant.store.reaching import explain_refusal
from assistant.store.sums import TABLE as SUMS_TABLE
from assistant.store.system import sync
from assistant.store.words import TABLE as WORDS_TABLE

NAME = "library.sqlite3"
VERSION = 4
"""1: without the number of the term rules. 2: without the sums. 3: without the origins."""
WITH_SUMS, WITH_ORIGINS = 3, 4
BACKUP_SUFFIX = ".backup"
APPLICATION = 0x50415052
"""Marks an SQLite file as a library of ours ("PAPR")."""

# A passage's id is never given twice (AUTOINCREMENT): the passages of a replaced paper are new ones to the index.
TABLES = f"""
{META_TABLE};
CREATE TABLE papers (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, abstract TEXT NOT NULL,
    title TEXT NOT NULL, authors TEXT NOT NULL, year INTEGER, venue TEXT NOT NULL, url TEXT NOT NULL,
    doi TEXT NOT NULL, source TEXT NOT NULL, extra TEXT NOT NULL
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, paper INTEGER NOT NULL REFERENCES papers ON DELETE CASCADE,
    start INTEGER NOT NULL, "end" INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE INDEX passages_of_paper ON passages (paper);
CREATE TABLE sentences (
    paper INTEGER NOT NULL REFERENCES papers ON DELETE CASCADE, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    vector BLOB NOT NULL, PRIMARY KEY (paper, start)
) WITHOUT ROWID;
{SUMS_TABLE};
{ORIGINS_TABLE};
{WORDS_TABLE};
"""

_EMPTY = "it has 0 bytes"
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_LACKING = ("no such table", "no such column", "Could not decode", _EMPTY)
"""What is said, without a code of its own, of a file that is damaged."""
_PRIMARY = 0xFF
"""SQLite's codes say more than these in their higher bits."""


def create_library(path: Path, manifest: Manifest) -> None:
    """Make an empty library; the file has its name only once it is whole."""
    unfinished = path.with_name(path.name + ".new")
    with explained(path):
        unfinished.unlink(missing_ok=True)
        unlink_companions(unfinished)
        unlink_companions(path)
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            write_first_meta(connection, manifest)
        sync(unfinished)
        unfinished.replace(path)
        sync(path.parent)


def connect(path: Path, access: str) -> sqlite3.Connection:
    """Open a library, of an older version for reading only; `access` is what SQLite's file URI says of it."""
    connection = open_file(path, access)
    try:
        version = check_version(connection, path)
        if access == "mode=rw":
            _refuse_older(version, path)
        elif version < WITH_ORIGINS:
            show_origins(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_file(path: Path, access: str) -> sqlite3.Connection:
    """Open a library of any version, or a copy of one; raises what SQLite raises, for `explained`."""
    # To SQLite a file of no bytes is a database without tables.
    if path.stat().st_size == 0:
        raise sqlite3.DatabaseError(_EMPTY)
    connection = sqlite3.connect(f"{path.as_uri()}?{access}", uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def read_version(path: Path) -> int:
    """Return the version of the library's format; raises StoreError for a file that is no library of ours."""
    with explained(path), closing(open_file(path, choose_access(path))) as connection:
        return check_version(connection, path)


def choose_access(path: Path) -> str:
    """Return how a reader may open the library: where nothing can be written, as on a full disk, in its own way."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and not is_full(path.parent):
        return "mode=rw"
    # What is only in the log would be missed by an immutable reader.
    return "mode=ro" if _has_log(path) else "immutable=1"


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system raise into a StoreError that names the store's library."""
    with _explaining(path, describe_damage):
        yield


@contextmanager
def explained_copy(path: Path) -> Iterator[None]:
    """Do the same for a file that is no store's library: what lies beside it is not of the store."""
    with _explaining(path, describe_damaged_file):
        yield


@contextmanager
def _explaining(path: Path, describe: Callable[[Path, str], str]) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(path, error, describe) from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise _say_full(path) from error
        raise explain_refusal(path.parent, error) from error
    except (UnicodeError, OverflowError) as error:
        raise StoreError(f"The library {path} cannot hold a value that it was given: {error}.") from error


def _explain(path: Path, error: sqlite3.Error, describe: Callable[[Path, str], str]) -> StoreError:
    # Errors that Python finds, not SQLite, have no code.
    what, code = str(error), getattr(error, "sqlite_errorcode", 0) & _PRIMARY
    if code == sqlite3.SQLITE_FULL:
        return _say_full(path)
    if code in _DAMAGE or any(sign in what for sign in _LACKING):
        return StoreDamaged(describe(path, what), what)
    advice = "; let your user read and write it and what is beside it" if code == sqlite3.SQLITE_CANTOPEN else ""
    return StoreError(f"The library {path} cannot be used: {what}{advice}.")


def _say_full(path: Path) -> StoreError:
    return StoreError(
        f"The library {path} cannot be written, disk full: {describe_space(path.parent)} in {path.parent}."
    )


def _refuse_older(version: int, path: Path) -> None:
    if version != VERSION:
        raise StoreError(
            f"The library {path} was made by an older version of the assistant "
            f"(format {version}; this one knows {VERSION}): `assistant status` brings it up to date."
        )


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of the format of what is called `path`; raises StoreError unless it is one that we know."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION:
        raise StoreError(f"The file {path} is not a library of the assistant: name another folder with --store.")
    if version > VERSION:
        fault = f"made by a newer version of the assistant, format {version}; this one knows {VERSION}"
        raise StoreNewer(f"The library {path} cannot be read ({fault}): update the assistant.", fault)
    return int(version)


def unlink_companions(path: Path) -> None:
    """Remove the files that SQLite keeps beside a library, for one that is to take its place."""
    for companion in _companions(path):
        companion.unlink(missing_ok=True)


def _has_log(path: Path) -> bool:
    log = _companions(path)[0]
    return log.exists() and log.stat().st_size > 0


def _companions(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
