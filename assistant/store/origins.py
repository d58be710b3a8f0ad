"""Where each paper was read: files, and the collections that they were read into. A paper without any is gone."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from assistant.domain import DEFAULT_COLLECTION, Origin, Paper
from assistant.ports import Sighting
from assistant.store.texts import decode

TABLE = """
CREATE TABLE origins (
    paper INTEGER NOT NULL REFERENCES papers ON DELETE CASCADE, collection TEXT NOT NULL, path TEXT NOT NULL,
    source TEXT NOT NULL, PRIMARY KEY (paper, collection, path)
) WITHOUT ROWID
"""

OTHERS = (
    "(SELECT json_group_array(source) FROM (SELECT DISTINCT source FROM origins WHERE paper = papers.key "
    "AND source <> papers.source AND source <> '' ORDER BY source))"
)
"""The names of the other files that have a paper too, as JSON, beside the columns of `papers`."""


def fill_origins(connection: sqlite3.Connection) -> None:
    """Take the papers of an older library for the default collection's; where they were read is not known."""
    connection.execute("INSERT OR IGNORE INTO origins SELECT key, ?, '', source FROM papers", (DEFAULT_COLLECTION,))


def show_origins(connection: sqlite3.Connection) -> None:
    """Let a library that is older, and only read, seem to say what `fill_origins` would write down."""
    connection.execute(
        f"CREATE TEMP VIEW origins AS SELECT key AS paper, '{DEFAULT_COLLECTION}' AS collection, '' AS path, source "
        "FROM main.papers"
    )


def count_lost_origins(connection: sqlite3.Connection) -> int:
    """Return of how many papers it is not said where they were read, or cannot be read."""
    (count,) = connection.execute("SELECT count(*) FROM papers WHERE key NOT IN (SELECT paper FROM origins)").fetchone()
    return int(count) + len(_find_unreadable(connection))


def mend_origins(connection: sqlite3.Connection) -> int:
    """Leave out what cannot be read, and take papers that were read nowhere else for the default collection's.

    Return how many papers that concerned.
    """
    lost = count_lost_origins(connection)
    for key, rows in _find_unreadable(connection).items():
        connection.execute("DELETE FROM origins WHERE paper = ?", (key,))
        connection.executemany("INSERT INTO origins VALUES (?, ?, ?, ?)", [row for row in rows if _is_text(row)])
    connection.execute(
        "INSERT INTO origins SELECT key, ?, '', source FROM papers WHERE key NOT IN (SELECT paper FROM origins)",
        (DEFAULT_COLLECTION,),
    )
    return lost


def _find_unreadable(connection: sqlite3.Connection) -> dict[int, list[tuple[int, str, str, str]]]:
    """Return all rows of the papers that have one that cannot be read."""
    usual, connection.text_factory = connection.text_factory, decode
    try:
        rows = connection.execute("SELECT paper, collection, path, source FROM origins ORDER BY paper").fetchall()
    finally:
        connection.text_factory = usual
    wrong = {row[0] for row in rows if not _is_text(row)}
    return {key: list(own) for key, own in groupby(rows, key=itemgetter(0)) if key in wrong}


def _is_text(row: Sequence[object]) -> bool:
    return all(isinstance(part, str) for part in row[1:])


def put_origin(connection: sqlite3.Connection, key: int | None, paper: Paper) -> None:
    """Take down where a paper was read; of one that does not say so only where nothing is known yet."""
    if paper.origin:
        put_sighting(connection, key, paper.source, paper.origin)
    elif not connection.execute("SELECT 1 FROM origins WHERE paper = ? LIMIT 1", (key,)).fetchone():
        put_sighting(connection, key, paper.source, Origin())


def put_sighting(connection: sqlite3.Connection, key: int | None, source: str, origin: Origin) -> None:
    """Take down that a paper was read somewhere; an older library knew the name of the file alone."""
    if origin.path:
        connection.execute(
            "DELETE FROM origins WHERE paper = ? AND collection = ? AND path = '' AND source = ?",
            (key, origin.collection, source),
        )
    place = (key, origin.collection, origin.path)
    # INSERT OR REPLACE would make SQLite write a segment of the full-text index a paper.
    updated = connection.execute(
        "UPDATE origins SET source = ? WHERE paper = ? AND collection = ? AND path = ?", (source, *place)
    )
    if not updated.rowcount:
        connection.execute("INSERT INTO origins VALUES (?, ?, ?, ?)", (*place, source))


def is_known(connection: sqlite3.Connection, sighting: Sighting) -> bool:
    """Return whether it is taken down that a paper was read there, or there is no such paper."""
    origin = sighting.origin
    known = "SELECT 1 FROM origins WHERE paper = key AND collection = ? AND path = ? AND origins.source = ?"
    values = (origin.collection, origin.path, sighting.source, sighting.paper_id)
    row = connection.execute(f"SELECT EXISTS ({known}) FROM papers WHERE id = ?", values).fetchone()
    return row is None or bool(row[0])


def read_sightings(connection: sqlite3.Connection) -> Iterator[Sighting]:
    """Yield where each paper was read, in the order in which papers were added."""
    rows = connection.execute(
        "SELECT id, origins.source, path, collection FROM origins JOIN papers ON papers.key = paper ORDER BY key, path"
    )
    return (Sighting(id, source, Origin(path, collection)) for id, source, path, collection in rows)


def forget_sightings(connection: sqlite3.Connection, sightings: Iterable[Sighting]) -> None:
    """Forget that papers were read where they are not any more."""
    connection.executemany(
        "DELETE FROM origins WHERE paper = (SELECT key FROM papers WHERE id = ?) AND path = ? AND collection = ?",
        ((sighting.paper_id, sighting.origin.path, sighting.origin.collection) for sighting in sightings),
    )


def forget_papers(connection: sqlite3.Connection, ids: Sequence[str], collection: str) -> None:
    """Take papers out of a collection."""
    connection.executemany(
        "DELETE FROM origins WHERE paper = (SELECT key FROM papers WHERE id = ?) AND collection = ?",
        ((id, collection) for id in ids),
    )


def find_homeless(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the ids of the papers that are in no file and no collection any more."""
    rows = connection.execute("SELECT id FROM papers WHERE key NOT IN (SELECT paper FROM origins) ORDER BY key")
    return tuple(id for (id,) in rows)


def count_collections(connection: sqlite3.Connection) -> tuple[tuple[str, int], ...]:
    """Return the collections by name, each with how many papers it has."""
    return tuple(
        connection.execute(
            "SELECT collection, count(DISTINCT paper) FROM origins GROUP BY collection ORDER BY collection"
        )
    )
