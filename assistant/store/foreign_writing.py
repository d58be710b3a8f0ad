"""Writes the file of the second embedder: its vectors, of what the library holds."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from assistant.domain import Paper, Progress, Show
from assistant.errors import StoreError, StoreMissing
from assistant.health import Finding
from assistant.ports import Embedder
from assistant.store.foreign import COLUMNS, LAYOUT, NAME, describe_model, hash_paper, open_for_reading
from assistant.store.library import SqliteLibrary
from assistant.store.packing import pack_bytes
from assistant.store.schema import explained, unlink_companions
from assistant.text.labels import label

LANGUAGES = "languages"
AT_ONCE = 64
"""Papers of one transaction: what an interruption can cost."""

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS papers (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, label BLOB NOT NULL, mean BLOB NOT NULL,
    sum BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS sentences (paper INTEGER PRIMARY KEY, vectors BLOB NOT NULL);
INSERT OR IGNORE INTO meta VALUES ('model', ''), ('revision', 0), ('library', ''), ('seen', -1);
"""


def refresh(store: Path, library: SqliteLibrary, embedder: Embedder, show: Show) -> int:
    """Embed the papers that are not there as they are now, forget those that are gone; return how many.

    Only for who holds the write lock.
    """
    path, state = store / NAME, library.state()
    if count_foreign(store) is None:
        discard(store)
    with explained(path), closing(_open(path, embedder)) as connection:
        known = dict(connection.execute("SELECT id, hash FROM papers"))
        papers = library.papers()
        gone = known.keys() - {paper.id for paper in papers}
        wanted = [paper for paper in papers if known.get(paper.id) != hash_paper(paper)]
        if gone:
            _forget(connection, tuple(gone))
        for first in range(0, len(wanted), AT_ONCE):
            show(Progress("reading for other languages", first, len(wanted)))
            _put(connection, wanted[first : first + AT_ONCE], library, embedder)
        if wanted:
            show(Progress("reading for other languages", len(wanted), len(wanted)))
        with _transaction(connection):
            seen = (("library", state.library), ("seen", state.revision))
            connection.executemany("UPDATE meta SET value = ?2 WHERE name = ?1", seen)
    return len(wanted)


def count_foreign(store: Path) -> int | None:
    """Return how many papers are there in the layout of this version, 0 without a file; None for a damaged one."""
    path = store / NAME
    if not path.exists():
        return 0
    try:
        with open_for_reading(path) as connection:
            (count,) = connection.execute("SELECT count(*) FROM papers JOIN sentences ON paper = key").fetchone()
            return int(count)
    except StoreMissing:
        return 0
    except StoreError:
        return None


def check_foreign(store: Path) -> Finding:
    """Check that every vector there is as it was written; what is missing is made when it is needed."""
    path = store / NAME
    if not path.exists():
        return Finding(LANGUAGES)
    query = f"SELECT {COLUMNS}, sum FROM papers LEFT JOIN sentences ON paper = key"
    try:
        with open_for_reading(path) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                return Finding(LANGUAGES, f"{path} is damaged ({verdict})")
            wrong = sum(written != sum_row(row) for *row, written in connection.execute(query))
    except StoreMissing:
        return Finding(LANGUAGES)
    except StoreError as error:
        return Finding(LANGUAGES, f"{path} cannot be read ({error.fault})")
    return Finding(
        LANGUAGES, f"{wrong} papers have vectors in {path} that are not as they were written" if wrong else ""
    )


def discard(store: Path) -> None:
    """Remove the file: all that is in it comes from the library, and is made again when it is needed."""
    (store / NAME).unlink(missing_ok=True)
    unlink_companions(store / NAME)


def _open(path: Path, embedder: Embedder) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA user_version").fetchone() != (LAYOUT,):
        connection.executescript("DROP TABLE IF EXISTS papers; DROP TABLE IF EXISTS sentences;")
    connection.executescript(f"{_TABLES} PRAGMA user_version = {LAYOUT};")
    model = describe_model(embedder)
    (written,) = connection.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
    if written != model:
        with _transaction(connection):
            connection.execute("DELETE FROM sentences")
            connection.execute("DELETE FROM papers")
            connection.execute("UPDATE meta SET value = ? WHERE name = 'model'", (model,))
    return connection


def _put(connection: sqlite3.Connection, papers: Sequence[Paper], library: SqliteLibrary, embedder: Embedder) -> None:
    holdings = library.fetch([paper.id for paper in papers])
    texts = [text for held in holdings for text in (label(held.paper), *(cut.text for cut in held.sentences))]
    vectors = embedder.embed(texts)
    with _transaction(connection):
        for held in holdings:
            own, vectors = vectors[: len(held.sentences) + 1], vectors[len(held.sentences) + 1 :]
            mean = own[1:].mean(axis=0, keepdims=True)
            row = (held.paper.id, hash_paper(held.paper), *pack_bytes(own[:1]), *pack_bytes(mean))
            rest = b"".join(pack_bytes(own[1:]))
            _forget_one(connection, held.paper.id)
            connection.execute(
                "INSERT INTO papers (id, hash, label, mean, sum) VALUES (?, ?, ?, ?, ?)", (*row, sum_row((*row, rest)))
            )
            (key,) = connection.execute("SELECT last_insert_rowid()").fetchone()
            connection.execute("INSERT INTO sentences VALUES (?, ?)", (key, rest))


def sum_row(row: Sequence[object]) -> bytes:
    """Return the sum over what is kept of a paper, in the order of COLUMNS."""
    digest = hashlib.sha256()
    for part in row:
        digest.update(part if isinstance(part, bytes) else repr(part).encode())
    return digest.digest()


def _forget(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    with _transaction(connection):
        for id in ids:
            _forget_one(connection, id)


def _forget_one(connection: sqlite3.Connection, id: str) -> None:
    connection.execute("DELETE FROM sentences WHERE paper = (SELECT key FROM papers WHERE id = ?)", (id,))
    connection.execute("DELETE FROM papers WHERE id = ?", (id,))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
