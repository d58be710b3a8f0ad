"""What a library says of itself: which it is, how often it was changed, and what it was built with."""

import sqlite3
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant import __version__
from assistant.store.manifest import Manifest, dump_manifest, load_manifest
from assistant.text.terms import TERM_RULES

TABLE = "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class State:
    """A library's name, which no other has, and a number that grows with each change.

    Passage ids mean something in one library only.
    """

    library: str
    revision: int


def write_first_meta(connection: sqlite3.Connection, manifest: Manifest) -> None:
    """Write down what a new library says of itself."""
    first = [
        ("library", uuid.uuid4().hex),
        ("revision", 0),
        (MANIFEST, dump_manifest(manifest)),
        ("created", datetime.now(UTC).isoformat(timespec="seconds")),
        ("version", __version__),
        ("terms", TERM_RULES),
    ]
    connection.executemany("INSERT INTO meta VALUES (?, ?)", first)


def write_manifest(connection: sqlite3.Connection, manifest: Manifest) -> None:
    """Say anew what a library is built with."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (MANIFEST, dump_manifest(manifest)))


def rename(connection: sqlite3.Connection) -> None:
    """Make it another library, whose passage ids no index knows."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('library', ?)", (uuid.uuid4().hex,))
    if read_state(connection) is None:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('revision', 0)")


def read_state(connection: sqlite3.Connection) -> State | None:
    """Return which library it is; None where it does not say so."""
    library, revision = _read(connection, "library"), _read(connection, "revision")
    if not isinstance(library, str) or not library or not isinstance(revision, int):
        return None
    return State(library, revision)


def read_built(connection: sqlite3.Connection) -> Manifest | None:
    """Return what a library was built with; None where it does not say so."""
    text = _read(connection, MANIFEST)
    try:
        return load_manifest(text) if isinstance(text, str) else None
    except (ValueError, KeyError, TypeError):
        return None


def read_rules(connection: sqlite3.Connection) -> int | None:
    """Return by which rules the terms were taken down; None where it is not said."""
    rules = _read(connection, "terms")
    return rules if isinstance(rules, int) else None


def find_meta_fault(connection: sqlite3.Connection) -> str:
    """Return what a library does not say of itself, empty if it says all."""
    said = {"which library it is": read_state(connection), "what it was built with": read_built(connection)}
    lacking = [what for what, value in said.items() if value is None]
    return f"it does not say {' or '.join(lacking)}" if lacking else ""


def _read(connection: sqlite3.Connection, name: str) -> object:
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None
