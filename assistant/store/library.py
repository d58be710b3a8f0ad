"""The library as its readers see it: papers, sentences, passages and words in one SQLite file."""

import sqlite3
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Never, TypeVar

from assistant.domain import NO_FILTERS, Filters, Paper, Sentence
from assistant.errors import PaperMissing, StoreDamaged
from assistant.ports import Hit, Holding, Sighting, Vectors
from assistant.store.connections import Connections
from assistant.store.filtering import write_condition
from assistant.store.manifest import Manifest
from assistant.store.meta import State, find_meta_fault, read_built, read_state
from assistant.store.origins import count_collections, read_sightings
from assistant.store.packing import NO_VECTORS, unpack_bytes, unpack_halves
from assistant.store.rows import READ_COLUMNS, read_row, require_ids
from assistant.store.words import searchable

TITLE_WEIGHT = 2.0
"""How much more a word of the title counts than one of the abstract."""

HIGHEST = 2**63 - 1
"""No passage has a higher id."""

Value = TypeVar("Value")

# SQLite takes some 32,000 parameters in a statement, and 999 in old builds.
_AT_ONCE = 900


@dataclass(frozen=True, slots=True)
class StoredPassages:
    """Passages with ids in ascending order, the papers that they are of, and a vector each."""

    ids: tuple[int, ...]
    paper_ids: tuple[str, ...]
    vectors: Vectors


class SqliteLibrary:
    """A Library in one SQLite file; any number of threads may ask it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connections = Connections(path)

    def match(self, terms: Sequence[str], k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        """Return the k papers that hold the terms best: BM25 with a title weight, higher is better."""
        if not terms or k < 1:
            return ()
        query = " OR ".join(_quote(term) for term in dict.fromkeys(terms))
        condition, values = write_condition(filters)
        # Without filters the best are found before their ids are looked up: that saves a third of the time.
        passing = "" if filters == NO_FILTERS else f"JOIN papers ON papers.key = words.rowid AND {condition} "
        with self._connections.borrow() as connection, searchable(self._path):
            rows = connection.execute(
                "SELECT papers.id, score FROM ("
                f"SELECT words.rowid AS place, -bm25(words, {TITLE_WEIGHT}, 1.0) AS score FROM words "
                f"{passing}WHERE words MATCH ? ORDER BY score DESC, words.rowid LIMIT ?"
                ") JOIN papers ON papers.key = place ORDER BY score DESC, place",
                (*(values if passing else ()), query, k),
            ).fetchall()
        return tuple(Hit(id, score) for id, score in rows)

    def fetch(self, paper_ids: Sequence[str]) -> tuple[Holding, ...]:
        """Return the holdings of the papers that exist, in the order of the ids."""
        found: dict[str, Holding] = {}
        with self._connections.borrow() as connection:
            for part in _split(tuple(dict.fromkeys(paper_ids))):
                found.update((holding.paper.id, holding) for holding in _read_holdings(connection, part))
        return tuple(found[id] for id in paper_ids if id in found)

    def select(self, filters: Filters) -> frozenset[str]:
        """Return the ids of the papers that pass."""
        condition, values = write_condition(filters)
        with self._connections.borrow() as connection:
            rows = connection.execute(f"SELECT id FROM papers WHERE {condition}", values)
            return frozenset(id for (id,) in rows)

    def count_holding(self, terms: Sequence[str]) -> tuple[int, ...]:
        """Return, for each term, how many papers hold it."""
        with self._connections.borrow() as connection, searchable(self._path):
            return tuple(
                connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (_quote(term),)).fetchone()[0]
                for term in terms
            )

    def list_terms(self, first: str, shortest: int, longest: int) -> tuple[tuple[str, int], ...]:
        """Return the terms that begin so and have so many characters, each with how many papers hold it."""
        with self._connections.borrow() as connection:
            # Temporary, so that it can be made in a library that is only read.
            connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)")
            rows = connection.execute(
                "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
                (first, first + chr(0x10FFFF), shortest, longest),
            )
            return tuple(rows)

    def count_papers(self) -> int:
        """Return how many papers there are."""
        with self._connections.borrow() as connection:
            return int(connection.execute("SELECT count(*) FROM papers").fetchone()[0])

    def count_passing(self, filters: Filters) -> int:
        """Return how many papers pass."""
        condition, values = write_condition(filters)
        with self._connections.borrow() as connection:
            return int(connection.execute(f"SELECT count(*) FROM papers WHERE {condition}", values).fetchone()[0])

    def list_passing(self, filters: Filters, first: int, most: int) -> tuple[Paper, ...]:
        """Return papers that pass from the one at `first` (from 0) on, in the order in which they were added."""
        condition, values = write_condition(filters)
        query = f"SELECT {READ_COLUMNS} FROM papers WHERE {condition} ORDER BY key LIMIT ? OFFSET ?"
        with self._connections.borrow() as connection:
            return tuple(read_row(row) for row in connection.execute(query, (*values, most, first)))

    def list_ids(self, filters: Filters) -> tuple[str, ...]:
        """Return the ids of the papers that pass, in the order in which they were added."""
        condition, values = write_condition(filters)
        with self._connections.borrow() as connection:
            rows = connection.execute(f"SELECT id FROM papers WHERE {condition} ORDER BY key", values)
            return tuple(id for (id,) in rows)

    def count_collections(self) -> tuple[tuple[str, int], ...]:
        """Return the collections by name, each with how many papers it has."""
        with self._connections.borrow() as connection:
            return count_collections(connection)

    def list_sightings(self) -> tuple[Sighting, ...]:
        """Return where each paper was read, by its id, in the order in which papers were added."""
        with self._connections.borrow() as connection:
            return tuple(read_sightings(connection))

    def papers(self, most: int | None = None) -> tuple[Paper, ...]:
        """Return every paper, or the first ones, in the order in which they were first added."""
        with self._connections.borrow() as connection:
            return read_papers(connection, most)

    def paper(self, id: str) -> Paper:
        """Return one paper; raises PaperMissing."""
        with self._connections.borrow() as connection:
            row = connection.execute(f"SELECT {READ_COLUMNS} FROM papers WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise PaperMissing(f"No paper has the id {id!r}: `assistant papers` lists the ids.")
        return read_row(row)

    def manifest(self) -> Manifest:
        """Return what the library was built with; raises StoreDamaged where it does not say so."""
        with self._connections.borrow() as connection:
            return read_built(connection) or self._refuse(connection)

    def state(self) -> State:
        """Return which library this is, and how often it was changed; raises StoreDamaged where it does not say so."""
        with self._connections.borrow() as connection:
            return read_state(connection) or self._refuse(connection)

    def list_passages(self) -> tuple[int, ...]:
        """Return the id of every passage, ascending."""
        with self._connections.borrow() as connection:
            return tuple(id for (id,) in connection.execute("SELECT id FROM passages ORDER BY id"))

    def count_passages(self, after: int = 0) -> int:
        """Return how many passages have a higher id than `after`."""
        with self._connections.borrow() as connection:
            return int(connection.execute("SELECT count(*) FROM passages WHERE id > ?", (after,)).fetchone()[0])

    def read_passages(self, after: int = 0, last: int = HIGHEST, also: Sequence[int] = ()) -> StoredPassages:
        """Return the passages with an id higher than `after`, up to `last`, and those of `also` that exist."""
        query = (
            "SELECT passages.id, papers.id, vector FROM passages JOIN papers ON papers.key = passages.paper WHERE "
            "{} ORDER BY passages.id"
        )
        with self._connections.borrow() as connection:
            rows = [
                row
                for part in _split([id for id in also if id <= after])
                for row in connection.execute(query.format(f"passages.id IN ({_marks(part)})"), part)
            ]
            rows += connection.execute(query.format("passages.id > ? AND passages.id <= ?"), (after, last))
            return _collect(connection, rows)

    def read_passages_of(self, paper_ids: Sequence[str]) -> StoredPassages:
        """Return the passages of the papers that exist."""
        query = "SELECT passages.id, papers.id, vector FROM papers JOIN passages ON passages.paper = papers.key"
        with self._connections.borrow() as connection:
            rows = [
                row
                for part in _split(tuple(paper_ids))
                for row in connection.execute(f"{query} WHERE papers.id IN ({_marks(part)})", part)
            ]
            return _collect(connection, rows)

    def name_papers(self, passage_ids: Sequence[int]) -> dict[int, str]:
        """Return the paper of each passage that still exists."""
        query = "SELECT passages.id, papers.id FROM passages JOIN papers ON papers.key = passages.paper"
        named: dict[int, str] = {}
        with self._connections.borrow() as connection:
            for part in _split(passage_ids):
                named.update(connection.execute(f"{query} WHERE passages.id IN ({_marks(part)})", part))
        require_ids(named.values())
        return named

    def close(self) -> None:
        """Close the file."""
        self._connections.close()

    def _refuse(self, connection: sqlite3.Connection) -> Never:
        fault = find_meta_fault(connection)
        raise StoreDamaged(f"The library {self._path} is damaged ({fault}): `assistant check --repair` mends it.")


def read_papers(connection: sqlite3.Connection, most: int | None = None) -> tuple[Paper, ...]:
    """Return every paper, or the first ones, in the order in which they were first added."""
    # SQLite takes -1 for no limit.
    limit = -1 if most is None else most
    rows = connection.execute(f"SELECT {READ_COLUMNS} FROM papers ORDER BY key LIMIT ?", (limit,))
    return tuple(read_row(row) for row in rows)


def _collect(connection: sqlite3.Connection, rows: Sequence[tuple[int, str, bytes]]) -> StoredPassages:
    ids, paper_ids, blobs = zip(*rows, strict=True) if rows else ((), (), ())
    require_ids(paper_ids)
    vectors = unpack_halves(blobs)
    _require_dimension(connection, vectors)
    return StoredPassages(tuple(ids), tuple(paper_ids), vectors)


def _require_dimension(connection: sqlite3.Connection, vectors: Vectors) -> None:
    built = read_built(connection)
    if len(vectors) and built and vectors.shape[1] != built.embedder.dimension:
        raise StoreDamaged(NO_VECTORS)


def _read_holdings(connection: sqlite3.Connection, ids: Sequence[str]) -> Iterator[Holding]:
    rows = connection.execute(f"SELECT key, {READ_COLUMNS} FROM papers WHERE id IN ({_marks(ids)})", ids)
    papers = {key: read_row(row) for key, *row in rows}
    sentences = connection.execute(
        f'SELECT paper, start, "end", vector FROM sentences WHERE paper IN ({_marks(papers)}) ORDER BY paper, start',
        tuple(papers),
    ).fetchall()
    vectors = unpack_bytes([vector for *_, vector in sentences])
    _require_dimension(connection, vectors)
    spans = {key: [row[1:3] for row in rows] for key, rows in groupby(sentences, key=lambda row: row[0])}
    first = 0
    for key in sorted(papers):
        paper, own = papers[key], spans.get(key, [])
        if not own or not all(isinstance(place, int) for span in own for place in span):
            raise StoreDamaged(
                f"The sentences of the paper {paper.id!r} are damaged: `assistant check --repair` makes them anew."
            )
        cut = tuple(Sentence(paper.id, start, end, paper.abstract[start:end]) for start, end in own)
        yield Holding(paper, cut, vectors[first : first + len(own)])
        first += len(own)


def _quote(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _marks(values: Sized) -> str:
    return ",".join("?" * len(values))


def _split(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    return (values[first : first + _AT_ONCE] for first in range(0, len(values), _AT_ONCE))
