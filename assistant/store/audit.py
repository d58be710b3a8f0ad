"""A thorough look at a store: is all there, does it fit together, and does each paper find itself?"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from assistant.errors import StoreError
from assistant.health import Finding
from assistant.store.building import search_missed
from assistant.store.generation import Generation, read_current, serves
from assistant.store.library import HIGHEST, SqliteLibrary
from assistant.store.manifest import load_manifest
from assistant.store.rows import COLUMNS, read_row, write_row
from assistant.store.schema import NAME, choose_access, connect, explained
from assistant.store.screening import look_at, try_opening
from assistant.store.seal import find_changed

FILE, TEXTS, PARTS, WORDS, VECTORS, INDEX = "library file", "papers", "passages", "words", "vectors", "index"
_AT_ONCE = 1000


def audit(store: Path, library: SqliteLibrary) -> tuple[Finding, ...]:
    """Return what was found about each part of a store; raises StoreError for a library that cannot be opened."""
    path = store / NAME
    with explained(path), closing(connect(path, choose_access(path))) as connection:
        file = Finding(FILE, _find_file_fault(connection))
        if file.fault:
            return (file,)
        checks = (_check_texts, _check_parts, _check_words, _check_vectors)
        findings = tuple(check(connection) for check in checks)
    if any(finding.what == VECTORS and finding.fault for finding in findings):
        return (file, *findings, Finding(INDEX, "it holds some of those vectors"))
    return (file, *findings, Finding(INDEX, find_index_fault(store, library)))


def find_index_fault(store: Path, library: SqliteLibrary) -> str:
    """Return what is wrong with the index, every passage searched for by itself; empty if nothing is."""
    current, count = read_current(store), library.count_passages()
    if current is None or not serves(current, library.state()):
        return f"there is none, and {count} passages are searched without one" if count else ""
    folder = current.locate(store)
    fault = look_at(store, current) or find_changed(folder, current.seal)
    if fault or choose_access(store / NAME) != "mode=rw":
        return fault
    return try_opening(store) or _find_unreached(folder, library, current)


def _find_unreached(folder: Path, library: SqliteLibrary, current: Generation) -> str:
    known = [id for id in library.list_passages() if id <= current.last_passage]
    inside = sorted(set(known) - set(current.missed))
    parts = (
        library.read_passages(HIGHEST, also=inside[first : first + _AT_ONCE])
        for first in range(0, len(inside), _AT_ONCE)
    )
    try:
        missed = search_missed(folder, parts)
    except StoreError as error:
        return str(error)
    return f"{len(missed)} of {len(inside)} passages do not find themselves" if missed else ""


def _find_file_fault(connection: sqlite3.Connection) -> str:
    lines = [str(line) for (line,) in connection.execute("PRAGMA integrity_check(3)")]
    strays = connection.execute("PRAGMA foreign_key_check").fetchall()
    if lines != ["ok"]:
        return "; ".join(line.replace("\n", " ") for line in lines)
    return f"{len(strays)} rows belong to no paper" if strays else ""


def _check_texts(connection: sqlite3.Connection) -> Finding:
    """Check that each paper is as it was written."""
    rows = connection.execute(f"SELECT {COLUMNS} FROM papers")
    changed = tuple(str(row[0]) for row in rows if not _is_whole(row))
    return Finding(TEXTS, _say(changed, "are not as they were written"), changed)


def _check_parts(connection: sqlite3.Connection) -> Finding:
    """Check that each paper has passages and sentences, each with words in it."""
    wrong = "SELECT id FROM papers WHERE key NOT IN (SELECT paper FROM {0} GROUP BY paper HAVING min({1}) > 0)"
    spans = '"end" - start'
    found = (
        *connection.execute(wrong.format("passages", spans)),
        *connection.execute(wrong.format("sentences", spans)),
    )
    concerned = tuple(dict.fromkeys(str(id) for (id,) in found))
    return Finding(PARTS, _say(concerned, "have no passages or sentences"), concerned)


def _is_whole(row: Sequence[object]) -> bool:
    try:
        return write_row(read_row(row))[1] == row[1]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def _check_words(connection: sqlite3.Connection) -> Finding:
    """Check that exactly the papers can be found by their words."""
    query = "SELECT count(*) FROM {} WHERE {} NOT IN (SELECT {} FROM {})"
    (without,) = connection.execute(query.format("papers", "key", "rowid", "words")).fetchone()
    (strays,) = connection.execute(query.format("words", "rowid", "key", "papers")).fetchone()
    if not without and not strays:
        return Finding(WORDS)
    return Finding(WORDS, f"the words of {without} papers are missing, and those of {strays} are left of others")


def _check_vectors(connection: sqlite3.Connection) -> Finding:
    """Check that every vector has the right size, and numbers in it."""
    (text,) = connection.execute("SELECT value FROM meta WHERE name = 'manifest'").fetchone()
    dimension = load_manifest(text).embedder.dimension
    wrong = (
        *_find_wrong(connection, "passages", "<f2", dimension),
        *_find_wrong(connection, "sentences", "i1", dimension),
    )
    concerned = tuple(dict.fromkeys(wrong))
    return Finding(VECTORS, _say(concerned, "have vectors that are none"), concerned)


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
