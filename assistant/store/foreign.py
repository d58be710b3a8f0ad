"""The vectors of the second embedder, for questions in other languages: a file of its own beside the library.

It is made from the library alone and can be thrown away at any time: the next `assistant index` makes it again.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.domain import Paper, Progress
from assistant.errors import StoreError
from assistant.ports import Embedder, Hit, Vector, Vectors
from assistant.store.library import SqliteLibrary
from assistant.store.packing import pack_bytes, unpack_bytes
from assistant.store.schema import choose_access, explained
from assistant.text.labels import label

NAME = "languages.sqlite3"
AT_ONCE = 64
"""Papers of one transaction: what an interruption can cost."""

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS papers (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, label BLOB NOT NULL, mean BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS sentences (paper INTEGER PRIMARY KEY, vectors BLOB NOT NULL);
INSERT OR IGNORE INTO meta VALUES ('model', ''), ('revision', 0);
"""
_BLOCK = 8_192
"""Rows that are multiplied at once: bytes become floats, four times their size."""

Show = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class _Summaries:
    """Two vectors a paper, as signed bytes: of its label, and the mean of its sentences."""

    revision: tuple[int, int]
    ids: tuple[str, ...]
    labels: NDArray[np.int8]
    means: NDArray[np.int8]


class ForeignFile:
    """A ForeignIndex in one SQLite file; any number of threads may ask it."""

    def __init__(self, store: Path) -> None:
        self._path = store / NAME
        self._lock = threading.Lock()
        self._summaries: _Summaries | None = None

    @property
    def ready(self) -> bool:
        """Return whether there are vectors of any paper."""
        known = self._read_summaries()
        return known is not None and bool(known.ids)

    def search(self, vector: Vector, k: int, within: frozenset[str] | None = None) -> tuple[Hit, ...]:
        """Return the k papers, of those within, whose label or whose mean sentence is nearest, best first."""
        known = self._read_summaries()
        if known is None or not known.ids or k < 1:
            return ()
        cosines = np.maximum(_multiply(known.labels, vector), _multiply(known.means, vector))
        ranked = (int(position) for position in np.argsort(-cosines, kind="stable"))
        best = islice((at for at in ranked if within is None or known.ids[at] in within), k)
        return tuple(Hit(known.ids[at], float(cosines[at])) for at in best)

    def fetch(self, paper_ids: Sequence[str]) -> dict[str, Vectors]:
        """Return, for each paper that is there, the vector of its label and those of its sentences, in order."""
        if not self._path.exists():
            return {}
        query = "SELECT label, vectors FROM papers JOIN sentences ON paper = key WHERE id = ?"
        found: dict[str, Vectors] = {}
        with self._read() as connection:
            for id in paper_ids:
                row = connection.execute(query, (id,)).fetchone()
                if row:
                    joined, width = row[0] + row[1], len(row[0])
                    found[id] = unpack_bytes([joined[at : at + width] for at in range(0, len(joined), width)])
        return found

    def refresh(self, library: SqliteLibrary, embedder: Embedder, show: Show) -> int:
        """Embed the papers that are not there as they are now, forget those that are gone; return how many."""
        if self._read_summaries() is None:
            self._discard()
        with explained(self._path), closing(self._open_for_writing(embedder)) as connection:
            known = dict(connection.execute("SELECT id, hash FROM papers"))
            papers = library.papers()
            gone = known.keys() - {paper.id for paper in papers}
            wanted = [paper for paper in papers if known.get(paper.id) != _hash(paper)]
            if gone:
                _forget(connection, tuple(gone))
            for first in range(0, len(wanted), AT_ONCE):
                show(Progress("reading for other languages", first, len(wanted)))
                part = wanted[first : first + AT_ONCE]
                _put(connection, part, library, embedder)
            if wanted:
                show(Progress("reading for other languages", len(wanted), len(wanted)))
        return len(wanted)

    def _discard(self) -> None:
        """Remove a file that cannot be read: all that is in it comes from the library."""
        for part in (self._path, *self._path.parent.glob(f"{NAME}-*")):
            part.unlink(missing_ok=True)

    def _open_for_writing(self, embedder: Embedder) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_TABLES)
        model = f"{embedder.name} {embedder.digest}"
        (written,) = connection.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()
        if written != model:
            with _transaction(connection):
                connection.execute("DELETE FROM sentences")
                connection.execute("DELETE FROM papers")
                connection.execute("UPDATE meta SET value = ? WHERE name = 'model'", (model,))
        return connection

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with (
            explained(self._path),
            closing(sqlite3.connect(f"{self._path.as_uri()}?{choose_access(self._path)}", uri=True)) as connection,
        ):
            yield connection

    def _read_summaries(self) -> _Summaries | None:
        if not self._path.exists():
            return None
        try:
            return self._load_summaries()
        except (StoreError, ValueError, TypeError):
            # Damaged: it is made again when it is refreshed, and until then there is nothing.
            return None

    def _load_summaries(self) -> _Summaries:
        with self._lock, self._read() as connection:
            (number,) = connection.execute("SELECT value FROM meta WHERE name = 'revision'").fetchone()
            revision = (self._path.stat().st_ino, int(number))
            if self._summaries is None or self._summaries.revision != revision:
                rows = connection.execute("SELECT id, label, mean FROM papers ORDER BY key").fetchall()
                ids, labels, means = zip(*rows, strict=True) if rows else ((), (), ())
                self._summaries = _Summaries(revision, tuple(ids), _stack(labels), _stack(means))
            return self._summaries


def _put(connection: sqlite3.Connection, papers: Sequence[Paper], library: SqliteLibrary, embedder: Embedder) -> None:
    holdings = library.fetch([paper.id for paper in papers])
    texts = [text for held in holdings for text in (label(held.paper), *(cut.text for cut in held.sentences))]
    vectors = embedder.embed(texts)
    with _transaction(connection):
        for held in holdings:
            own, vectors = vectors[: len(held.sentences) + 1], vectors[len(held.sentences) + 1 :]
            mean = own[1:].mean(axis=0, keepdims=True)
            row = (held.paper.id, _hash(held.paper), *pack_bytes(own[:1]), *pack_bytes(mean))
            connection.execute("DELETE FROM sentences WHERE paper = (SELECT key FROM papers WHERE id = ?)", row[:1])
            connection.execute("INSERT OR REPLACE INTO papers (id, hash, label, mean) VALUES (?, ?, ?, ?)", row)
            (key,) = connection.execute("SELECT last_insert_rowid()").fetchone()
            connection.execute("INSERT INTO sentences VALUES (?, ?)", (key, b"".join(pack_bytes(own[1:]))))


def _forget(connection: sqlite3.Connection, ids: Sequence[str]) -> None:
    with _transaction(connection):
        for id in ids:
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


def _hash(paper: Paper) -> bytes:
    return hashlib.sha256(f"{paper.title}\n{paper.abstract}".encode()).digest()


def _stack(blobs: Sequence[bytes]) -> NDArray[np.int8]:
    return np.frombuffer(b"".join(blobs), dtype=np.int8).reshape(len(blobs), -1)


def _multiply(rows: NDArray[np.int8], vector: Vector) -> Vector:
    """Return the cosine of each row with the vector."""
    cosines = np.empty(len(rows), dtype=np.float32)
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
        cosines[first : first + _BLOCK] = (block @ vector) / np.maximum(lengths, 1.0)
    return cosines
