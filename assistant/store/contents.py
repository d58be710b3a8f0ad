"""Whether what a library's file holds is whole and as it was written, copies of one included."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from assistant.errors import StoreDamaged
from assistant.health import Finding
from assistant.store.damage import describe_damage
from assistant.store.meta import find_meta_fault, read_built
from assistant.store.origins import count_lost_origins
from assistant.store.rows import COLUMNS, is_as_written, mend_row
from assistant.store.schema import WITH_ORIGINS, WITH_SUMS, choose_access, explained, explained_copy, open_file
from assistant.store.sums import find_changed_parts, find_changed_words
from assistant.store.texts import decode
from assistant.store.words import find_index_fault

FILE, META, TEXTS, PARTS, WORDS, VECTORS = "library file", "manifest", "papers", "passages", "words", "vectors"

_QUERIES = (
    "SELECT name, value FROM meta LIMIT 0",
    f"SELECT key, {COLUMNS} FROM papers LIMIT 0",
    'SELECT id, paper, start, "end", vector FROM passages LIMIT 0',
    'SELECT paper, start, "end", vector FROM sentences LIMIT 0',
)
_OF_SUMS = "SELECT paper, parts, words FROM sums LIMIT 0"
_OF_ORIGINS = "SELECT paper, collection, path, source FROM origins LIMIT 0"
_COUNT_OTHERS = "SELECT count(*) FROM {} WHERE {} NOT IN (SELECT {} FROM {})"


def find_file_fault(path: Path) -> str:
    """Return what is wrong with a library, or a copy of one, as a file of SQLite, empty if nothing is.

    Raises StoreError where it cannot be looked at for another reason.
    """
    try:
        with explained_copy(path), closing(open_file(path, choose_access(path))) as connection:
            lines = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
            for query in _list_queries(connection):
                connection.execute(query)
    except StoreDamaged as error:
        return error.fault
    # Newer versions of SQLite look at the words as well, which are no reason to give the rest up.
    faults = [line.replace("\n", " ") for line in lines if line != "ok" and "FTS5 table" not in line]
    return "; ".join(faults[:3])


def refuse_damaged(library: Path) -> None:
    """Raise StoreDamaged where a page of the library cannot be read; it takes a second for a gigabyte."""
    with explained(library), closing(open_file(library, choose_access(library))) as connection:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok" and "FTS5 table" not in verdict:
            fault = str(verdict).replace("\n", " ")
            raise StoreDamaged(describe_damage(library, fault), fault)


def _list_queries(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what fails where a table is gone, those aside that can be made anew in their place."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    later = ((WITH_SUMS, _OF_SUMS), (WITH_ORIGINS, _OF_ORIGINS))
    return (*_QUERIES, *(query for first, query in later if version >= first))


def describe_unsound(path: Path) -> str:
    """Return what is not as it was written in a library that is whole as a file, empty if all is."""
    return "; ".join(f"{found.what}: {found.fault}" for found in check_contents(path) if found.fault)


def check_contents(path: Path) -> tuple[Finding, ...]:
    """Return what was found about each part of a library that is whole as a file; raises StoreError.

    What an older format has no sums of is looked at without them.
    """
    access = choose_access(path)
    with explained_copy(path), closing(open_file(path, access)) as connection:
        # A text that is none must not end the look at the others.
        connection.text_factory = decode
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        summed = version >= WITH_SUMS
        return (
            Finding(META, find_meta_fault(connection)),
            _check_texts(connection),
            _check_parts(connection, version >= WITH_ORIGINS),
            _check_words(connection, f"{path.as_uri()}?{access}", summed),
            _check_vectors(connection, summed),
        )


def _check_texts(connection: sqlite3.Connection) -> Finding:
    """Check that each paper can be read and is as it was written."""
    damaged, changed = [], []
    for row in connection.execute(f"SELECT {COLUMNS} FROM papers"):
        if mend_row(row)[1]:
            damaged.append(str(row[0]))
        elif not is_as_written(row):
            changed.append(str(row[0]))
    fault = _say(changed, "are not as they were written, to be mended by indexing their files again")
    faults = (_say(damaged, "cannot be read"), fault)
    return Finding(TEXTS, "; ".join(filter(None, faults)), (*damaged, *changed))


def _check_parts(connection: sqlite3.Connection, with_origins: bool) -> Finding:
    """Check that each paper has passages and sentences, each with words in it, and that there are none of others."""
    strays = len(connection.execute("PRAGMA foreign_key_check").fetchall())
    homeless = count_lost_origins(connection) if with_origins else 0
    wrong = "SELECT id FROM papers WHERE key NOT IN (SELECT paper FROM {0} GROUP BY paper HAVING min({1}) > 0)"
    spans = '"end" - start'
    found = (
        *connection.execute(wrong.format("passages", spans)),
        *connection.execute(wrong.format("sentences", spans)),
    )
    concerned = tuple(dict.fromkeys(str(id) for (id,) in found))
    faults = (
        _say(concerned, "have no passages or sentences"),
        f"{strays} passages and sentences belong to no paper" if strays else "",
        f"of {homeless} papers it is not said where they were read" if homeless else "",
    )
    return Finding(PARTS, "; ".join(filter(None, faults)), concerned)


def _check_words(connection: sqlite3.Connection, library: str, summed: bool) -> Finding:
    """Check that exactly the papers can be found by their words."""
    if fault := find_index_fault(library):
        return Finding(WORDS, fault)
    try:
        (lacking,) = connection.execute(_COUNT_OTHERS.format("papers", "key", "rowid", "words")).fetchone()
        (strays,) = connection.execute(_COUNT_OTHERS.format("words", "rowid", "key", "papers")).fetchone()
        changed = find_changed_words(connection) if summed else ()
    except sqlite3.DatabaseError as error:
        return Finding(WORDS, f"they cannot be searched ({error})")
    if lacking or strays:
        return Finding(WORDS, f"the words of {lacking} papers are missing, and those of {strays} are left of others")
    return Finding(WORDS, _say(changed, "have words that are not as they were written"), changed)


def _check_vectors(connection: sqlite3.Connection, summed: bool) -> Finding:
    """Check that every vector is one, and that they and the spans that they are of are as they were written."""
    none = tuple(dict.fromkeys(_find_none(connection)))
    changed = find_changed_parts(connection) if summed else ()
    others = tuple(id for id in changed if id not in set(none))
    faults = (
        _say(none, "have vectors that are none"),
        _say(others, "have passages, sentences or vectors that are not as they were written"),
    )
    return Finding(VECTORS, "; ".join(filter(None, faults)), (*none, *others))


def _find_none(connection: sqlite3.Connection) -> Iterator[str]:
    if built := read_built(connection):
        yield from _find_wrong(connection, "passages", "<f2", built.embedder.dimension)
        yield from _find_wrong(connection, "sentences", "i1", built.embedder.dimension)


def _find_wrong(connection: sqlite3.Connection, table: str, kind: str, dimension: int) -> Iterator[str]:
    query = f"SELECT papers.id, vector FROM {table} JOIN papers ON papers.key = paper"
    size = dimension * np.dtype(kind).itemsize
    for id, vector in connection.execute(query):
        if not isinstance(vector, bytes) or len(vector) != size:
            yield str(id)
            continue
        numbers = np.frombuffer(vector, dtype=kind).astype(np.float32)
        if not np.isfinite(numbers).all() or not numbers.any():
            yield str(id)


def _say(ids: Sequence[str], what: str) -> str:
    return f"{len(ids)} papers {what}: {', '.join(ids[:3])}{' ...' if len(ids) > 3 else ''}" if ids else ""
