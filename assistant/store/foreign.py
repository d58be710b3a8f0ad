"""The vectors of the second embedder, for questions in other languages: a file of its own beside the library.

It is made from the library alone and can be thrown away at any time: it is made again when it is needed. It
says which library it is of, and as of which change; what is not of a paper as it is now is never used.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.domain import Paper
from assistant.errors import StoreDamaged, StoreError, StoreMissing
from assistant.ports import Embedder, Hit, Vector, Vectors
from assistant.store.library import SqliteLibrary
from assistant.store.meta import State
from assistant.store.packing import unpack_bytes
from assistant.store.schema import choose_access, explained

NAME = "languages.sqlite3"
LAYOUT = 2
"""1, which no file says: without the sums and the library."""
COLUMNS = "id, hash, label, mean, vectors"
_BLOCK = 8_192
"""Rows that are multiplied at once: bytes become floats, four times their size."""


@dataclass(frozen=True, slots=True)
class _Summaries:
    """Two vectors a paper, as signed bytes: of its label, and the mean of its sentences."""

    revision: tuple[int, int]
    seen: State
    ids: tuple[str, ...]
    labels: NDArray[np.int8]
    means: NDArray[np.int8]


class ForeignFile:
    """A ForeignIndex in one SQLite file; any number of threads may ask it."""

    def __init__(self, store: Path, library: SqliteLibrary, embedder: Embedder) -> None:
        self._path = store / NAME
        self._library = library
        self._model = describe_model(embedder)
        self._lock = threading.Lock()
        self._summaries: _Summaries | None = None

    @property
    def ready(self) -> bool:
        """Return whether there are vectors of any paper."""
        known = self._read_summaries()
        return known is not None and bool(known.ids)

    @property
    def fresh(self) -> bool:
        """Return whether there are vectors of every paper as it is now."""
        known = self._read_summaries()
        return known is not None and bool(known.ids) and known.seen == self._library.state()

    def search(self, vector: Vector, k: int, within: frozenset[str] | None = None) -> tuple[Hit, ...]:
        """Return the k papers, of those within, whose label or whose mean sentence is nearest, best first."""
        known = self._read_summaries()
        if known is None or not known.ids or k < 1:
            return ()
        cosines = np.maximum(_multiply(known.labels, vector), _multiply(known.means, vector))
        ranked = (int(position) for position in np.argsort(-cosines, kind="stable"))
        best = islice((at for at in ranked if within is None or known.ids[at] in within), k)
        return tuple(Hit(known.ids[at], float(cosines[at])) for at in best)

    def fetch(self, papers: Sequence[Paper]) -> dict[str, Vectors]:
        """Return, for each paper that is there as it is now, the vector of its label and those of its sentences."""
        if self._read_summaries() is None:
            return {}
        query = "SELECT label, vectors FROM papers JOIN sentences ON paper = key WHERE id = ? AND hash = ?"
        found: dict[str, Vectors] = {}
        with open_for_reading(self._path) as connection:
            for paper in papers:
                row = connection.execute(query, (paper.id, hash_paper(paper))).fetchone()
                if row:
                    joined, width = row[0] + row[1], len(row[0])
                    found[paper.id] = unpack_bytes([joined[at : at + width] for at in range(0, len(joined), width)])
        return found

    def _read_summaries(self) -> _Summaries | None:
        if not self._path.exists():
            return None
        try:
            return self._load_summaries()
        except (StoreError, ValueError, TypeError, KeyError):
            # Damaged: it is made again when it is refreshed, and until then there is nothing.
            return None

    def _load_summaries(self) -> _Summaries | None:
        with self._lock, open_for_reading(self._path) as connection:
            said = dict(connection.execute("SELECT name, value FROM meta"))
            if said["model"] != self._model:
                return None
            revision = (self._path.stat().st_ino, int(said["revision"]))
            if self._summaries is None or self._summaries.revision != revision:
                rows = connection.execute("SELECT id, label, mean FROM papers ORDER BY key").fetchall()
                ids, labels, means = zip(*rows, strict=True) if rows else ((), (), ())
                seen = State(str(said["library"]), int(said["seen"]))
                self._summaries = _Summaries(revision, seen, tuple(ids), _stack(labels), _stack(means))
            return self._summaries


@contextmanager
def open_for_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file of this version's layout; raises StoreMissing for an older one, StoreDamaged."""
    with (
        explained(path),
        closing(sqlite3.connect(f"{path.as_uri()}?{choose_access(path)}", uri=True)) as connection,
    ):
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if layout != LAYOUT and tables:
            raise StoreMissing(f"The file {path} is of an older version: `assistant index` makes it again.")
        if layout != LAYOUT:
            fault = "it is empty"
            raise StoreDamaged(f"The file {path} cannot be read ({fault}): `assistant index` makes it again.", fault)
        yield connection


def describe_model(embedder: Embedder) -> str:
    """Return what tells the vectors of one embedder from those of another."""
    return f"{embedder.name} {embedder.digest}"


def hash_paper(paper: Paper) -> bytes:
    """Return the hash of what is embedded of a paper."""
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
