"""What can still be read of a library that is damaged as a file: its papers, row by row."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from assistant.domain import Origin, Paper
from assistant.ports import Sighting
from assistant.store.damage import open_remains
from assistant.store.manifest import Manifest
from assistant.store.meta import read_built
from assistant.store.rows import COLUMNS, is_as_written, mend_row
from assistant.store.schema import explained

_KEYS = (
    "SELECT key, id FROM papers ORDER BY key {}",
    # SQLite keeps the ids in a second place.
    "SELECT key, id FROM papers INDEXED BY sqlite_autoindex_papers_1 ORDER BY id {}",
    "SELECT paper, NULL FROM sums ORDER BY paper {}",
    "SELECT paper, NULL FROM passages INDEXED BY passages_of_paper ORDER BY paper {}",
    "SELECT id, NULL FROM words_docsize ORDER BY id {}",
)
"""Where the keys of papers stand. Each is read from both ends, as far as it can be."""


@dataclass(frozen=True, slots=True)
class Remains:
    """What was read out of a damaged library.

    `changed` are the papers that are not as they were written, with the hash that they had; `lost` names those
    that cannot be read; `built` is None where it is not said any more. `sightings` say where papers were read.
    """

    papers: tuple[Paper, ...]
    changed: tuple[tuple[str, str], ...]
    lost: tuple[str, ...]
    built: Manifest | None
    sightings: tuple[Sighting, ...] = ()


def read_remains(library: Path) -> Remains:
    """Return what can be read of a damaged library; raises StoreError where not even its tables are known."""
    papers, changed, lost, sightings = [], [], [], []
    with explained(library), closing(open_remains(library, "mode=ro")) as connection:
        for key, id in sorted(_find_keys(connection).items()):
            row = _read_row(connection, key)
            paper = mend_row(row)[0] if row else None
            if paper is None or row is None:
                lost.append(id or f"number {key}")
                continue
            seen = _read_sightings(connection, key, paper.id)
            sightings += seen
            papers.append(replace(paper, origin=seen[0].origin) if seen else paper)
            if mend_row(row)[1] or not is_as_written(row):
                changed.append((paper.id, str(row[1])))
        built = _read_built(connection)
        return Remains(tuple(papers), tuple(changed), tuple(lost), built, tuple(sightings))


def _find_keys(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the key of every paper of which there is a trace, with its id as far as that is known."""
    keys: dict[int, str] = {}
    for query, direction in product(_KEYS, ("", "DESC")):
        for key, id in _read_on(connection, query.format(direction)):
            if isinstance(key, int):
                keys[key] = keys.get(key) or (id if isinstance(id, str) else "")
    return keys


def _read_on(connection: sqlite3.Connection, query: str) -> Iterator[tuple[object, object]]:
    with suppress(sqlite3.Error):
        yield from connection.execute(query)


def _read_sightings(connection: sqlite3.Connection, key: int, id: str) -> list[Sighting]:
    """Return where a paper was read, as far as that can be read itself."""
    found: list[Sighting] = []
    with suppress(sqlite3.Error):
        for row in connection.execute("SELECT source, path, collection FROM origins WHERE paper = ?", (key,)):
            texts = [text for text in row if isinstance(text, str)]
            if len(texts) == len(row):
                found.append(Sighting(id, texts[0], Origin(texts[1], texts[2])))
    return found


def _read_row(connection: sqlite3.Connection, key: int) -> tuple[object, ...] | None:
    with suppress(sqlite3.Error):
        row: tuple[object, ...] | None = connection.execute(
            f"SELECT {COLUMNS} FROM papers WHERE key = ?", (key,)
        ).fetchone()
        return row
    return None


def _read_built(connection: sqlite3.Connection) -> Manifest | None:
    with suppress(sqlite3.Error):
        return read_built(connection)
    return None
