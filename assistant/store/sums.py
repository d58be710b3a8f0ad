"""Sums that tell whether what is kept of a paper is as it was written: its spans and vectors, and its words.

A vector of the right size looks like any other, and a span that was shifted is a span: only a sum tells.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter

TABLE = """
CREATE TABLE sums (
    paper INTEGER PRIMARY KEY REFERENCES papers ON DELETE CASCADE, parts BLOB NOT NULL DEFAULT x'',
    words BLOB NOT NULL DEFAULT x''
)
"""

_PASSAGES = 'SELECT paper, start, "end", vector FROM passages {} ORDER BY paper, id'
_SENTENCES = 'SELECT paper, start, "end", vector FROM sentences {} ORDER BY paper, start'
_PUT = "INSERT INTO sums (paper, {0}) VALUES (?, ?) ON CONFLICT (paper) DO UPDATE SET {0} = excluded.{0}"


def write_part_sums(connection: sqlite3.Connection, key: int | None = None) -> None:
    """Take down the sum over the passages and sentences that are there of one paper, or of each."""
    connection.executemany(_PUT.format("parts"), compute_part_sums(connection, key).items())


def write_word_sum(connection: sqlite3.Connection, key: int | None, title: str, abstract: str) -> None:
    """Take down the sum over the terms of a paper."""
    connection.execute(_PUT.format("words"), (key, sum_words(title, abstract)))


def find_changed_parts(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the ids of the papers whose passages, sentences or vectors are not as they were written."""
    return _find_changed(connection, "parts", compute_part_sums(connection))


def find_changed_words(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the ids of the papers whose terms are not as they were written."""
    rows = connection.execute("SELECT rowid, title, abstract FROM words")
    return _find_changed(connection, "words", {key: sum_words(title, abstract) for key, title, abstract in rows})


def compute_part_sums(connection: sqlite3.Connection, key: int | None = None) -> dict[int, bytes]:
    """Return the sums over what is there, by key; the hash of the paper's text is in each."""
    which, values = ("", ()) if key is None else ("WHERE {} = ?", (key,))
    of_paper = which.format("paper")
    passages = _digest(connection.execute(_PASSAGES.format(of_paper), values))
    sentences = _digest(connection.execute(_SENTENCES.format(of_paper), values))
    papers = connection.execute(f"SELECT key, hash FROM papers {which.format('key')}", values)
    return {
        key: hashlib.sha256(f"{text}\n".encode() + passages.get(key, b"-") + sentences.get(key, b"-")).digest()
        for key, text in papers
    }


def sum_words(title: str, abstract: str) -> bytes:
    """Return the sum over terms, as the full-text table holds them."""
    return hashlib.sha256(f"{title}\n{abstract}".encode()).digest()


def _digest(rows: Iterable[tuple[int, int, int, object]]) -> dict[int, bytes]:
    digests: dict[int, bytes] = {}
    for key, own in groupby(rows, key=itemgetter(0)):
        digest = hashlib.sha256()
        for _, start, end, vector in own:
            digest.update(f"{start} {end} ".encode())
            digest.update(vector if isinstance(vector, bytes) else repr(vector).encode())
        digests[key] = digest.digest()
    return digests


def _find_changed(connection: sqlite3.Connection, column: str, sums: Mapping[int, bytes]) -> tuple[str, ...]:
    query = f"SELECT papers.key, papers.id, sums.{column} FROM papers LEFT JOIN sums ON paper = key ORDER BY key"
    return tuple(str(id) for key, id, written in connection.execute(query) if written != sums.get(key, b"-"))
