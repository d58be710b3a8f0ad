"""The library as its writer sees it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from assistant.domain import Paper
from assistant.ports import Record, Sighting
from assistant.store.disk import require_space
from assistant.store.library import read_papers
from assistant.store.manifest import Manifest
from assistant.store.meta import rename, write_manifest
from assistant.store.origins import (
    find_homeless,
    forget_papers,
    forget_sightings,
    is_known,
    mend_origins,
    put_origin,
    put_sighting,
)
from assistant.store.packing import pack_bytes, pack_halves
from assistant.store.rows import COLUMNS, is_as_written, mend_row, read_row, write_row
from assistant.store.schema import connect, explained
from assistant.store.sums import compute_part_sums, write_part_sums
from assistant.store.texts import decode
from assistant.store.words import put_words, searchable, write_words

# A paper that is replaced keeps its key, and with it its place.
_PUT = f"INSERT INTO papers ({COLUMNS}) VALUES ({','.join('?' * 11)}) ON CONFLICT (id) DO UPDATE SET " + ", ".join(
    f"{column} = excluded.{column}" for column in COLUMNS.split(", ")[1:]
)


_MEND = f"UPDATE papers SET ({COLUMNS}) = ({','.join('?' * 11)}) WHERE key = ?"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A paper whose row cannot be read: its id or number, and what is left of it, None without a text."""

    key: int
    name: str
    source: str
    lacking: tuple[str, ...]
    left: Paper | None


class SqliteCatalogue:
    """A Catalogue over the library's file; only who holds the write lock may have one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with explained(path):
            self._connection = connect(path, "mode=rw")

    def papers(self) -> tuple[Paper, ...]:
        """Return every paper, in the order in which they were first added."""
        with explained(self._path):
            return read_papers(self._connection)

    def add(self, records: Sequence[Record]) -> None:
        """Add papers, or replace those of the same id; all of them or none, on the disk on return.

        Raises StoreError before anything is written where the disk has no room for them.
        """
        require_space(self._path.parent, 2 * sum(map(_measure, records)))
        with self._transaction() as connection, searchable(self._path):
            for record in records:
                _put(connection, record)

    def remove(self, paper_ids: Sequence[str]) -> None:
        """Remove the papers that exist."""
        with self._transaction() as connection, searchable(self._path):
            _remove(connection, paper_ids)

    def note(self, sightings: Sequence[Sighting]) -> None:
        """Take down where papers were read that are here, and may have been read elsewhere before."""
        with explained(self._path):
            unknown = [sighting for sighting in sightings if not is_known(self._connection, sighting)]
        if not unknown:
            return
        with self._transaction() as connection:
            for sighting in unknown:
                put_sighting(connection, _find(connection, sighting.paper_id), sighting.source, sighting.origin)

    def withdraw(self, paper_ids: Sequence[str], collection: str) -> tuple[str, ...]:
        """Take papers out of a collection; return the ids of those that are in no other, and were removed."""
        with self._transaction() as connection, searchable(self._path):
            forget_papers(connection, paper_ids, collection)
            return _remove(connection, find_homeless(connection))

    def forget(self, sightings: Sequence[Sighting]) -> tuple[str, ...]:
        """Forget that papers were read there; return the ids of those read nowhere else, which were removed."""
        with self._transaction() as connection, searchable(self._path):
            forget_sightings(connection, sightings)
            return _remove(connection, find_homeless(connection))

    def mend_rows(self) -> tuple[Unreadable, ...]:
        """Leave out what cannot be read of papers, take out those without a text; their parts are left to others."""
        with explained(self._path), closing(connect(self._path, "mode=ro")) as reader:
            reader.text_factory = decode
            rows = reader.execute(f"SELECT key, {COLUMNS} FROM papers ORDER BY key").fetchall()
        unreadable = tuple(_describe(key, row) for key, *row in rows if mend_row(row)[1])
        known = {paper.key for paper in unreadable}
        with self._transaction() as connection:
            for key, *row in rows:
                if key not in known and not is_as_written(row):
                    _mend_hash(connection, key, row)
            for paper in unreadable:
                if paper.left:
                    connection.execute(_MEND, (*write_row(paper.left), paper.key))
                else:
                    connection.execute("DELETE FROM papers WHERE key = ?", (paper.key,))
        return unreadable

    def remove_strays(self) -> bool:
        """Remove what belongs to no paper, let each paper have been read somewhere; return whether that was due."""
        with self._transaction() as connection:
            deleted = [
                connection.execute(f"DELETE FROM {table} WHERE paper NOT IN (SELECT key FROM papers)").rowcount
                for table in ("passages", "sentences", "sums", "origins")
            ]
            deleted.append(mend_origins(connection))
        return any(deleted)

    def mark_changed(self, hashes: Sequence[tuple[str, str]]) -> None:
        """Give papers the hashes that they had, by which it shows that they are not as they were written."""
        with self._transaction() as connection:
            for id, written in hashes:
                connection.execute("UPDATE papers SET hash = ? WHERE id = ?", (written, id))
                write_part_sums(connection, _find(connection, id))

    def set_manifest(self, manifest: Manifest) -> None:
        """Say anew what the library is built with: for one without papers, or one whose papers fit that."""
        with self._transaction() as connection:
            write_manifest(connection, manifest)

    def rename(self) -> None:
        """Make it a library that no index is of; for one that does not say which it is."""
        with self._transaction() as connection:
            rename(connection)

    def write_words(self) -> None:
        """Write down the terms of every paper anew."""
        with self._transaction() as connection:
            write_words(connection)

    def close(self) -> None:
        """Fold the log into the file, as far as readers allow, and close it."""
        # What was committed is on the disk, in the log: that it stays there is no failure, and must hide none.
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _mend_hash(connection: sqlite3.Connection, key: int, row: Sequence[object]) -> None:
    """Give a paper the hash of what it is where its parts were summed with that: then it is as it was written."""
    computed = write_row(read_row(row))[1]
    connection.execute("UPDATE papers SET hash = ? WHERE key = ?", (computed, key))
    summed = connection.execute("SELECT parts FROM sums WHERE paper = ?", (key,)).fetchone()
    if not summed or summed[0] != compute_part_sums(connection, key)[key]:
        connection.execute("UPDATE papers SET hash = ? WHERE key = ?", (row[1], key))


def _describe(key: int, row: Sequence[object]) -> Unreadable:
    left, lacking = mend_row(row)
    id, source = row[0], row[-2]
    name = id if isinstance(id, str) and id else f"number {key}"
    return Unreadable(key, name, source if isinstance(source, str) else "", lacking, left)


def _remove(connection: sqlite3.Connection, ids: Sequence[str]) -> tuple[str, ...]:
    for key in (_find(connection, id) for id in ids):
        connection.execute("DELETE FROM words WHERE rowid = ?", (key,))
        connection.execute("DELETE FROM papers WHERE key = ?", (key,))
    return tuple(ids)


def _measure(record: Record) -> int:
    """Return about how many bytes a record takes: the text twice and its terms, the vectors, the rows."""
    return 4_000 + 4 * len(record.paper.abstract) + record.passage_vectors.nbytes + record.sentence_vectors.nbytes


def _put(connection: sqlite3.Connection, record: Record) -> None:
    paper = record.paper
    connection.execute(_PUT, write_row(paper))
    key = _find(connection, paper.id)
    for table, column in (("passages", "paper"), ("sentences", "paper"), ("words", "rowid")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))
    passages = zip(record.passages, pack_halves(record.passage_vectors), strict=True)
    sentences = zip(record.sentences, pack_bytes(record.sentence_vectors), strict=True)
    connection.executemany(
        'INSERT INTO passages (paper, start, "end", vector) VALUES (?, ?, ?, ?)',
        ((key, passage.start, passage.end, vector) for passage, vector in passages),
    )
    connection.executemany(
        "INSERT INTO sentences VALUES (?, ?, ?, ?)",
        ((key, sentence.start, sentence.end, vector) for sentence, vector in sentences),
    )
    write_part_sums(connection, key)
    put_words(connection, key, paper.title, paper.abstract)
    put_origin(connection, key, paper)


def _find(connection: sqlite3.Connection, paper_id: str) -> int | None:
    row = connection.execute("SELECT key FROM papers WHERE id = ?", (paper_id,)).fetchone()
    return int(row[0]) if row else None
