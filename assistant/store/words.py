"""The terms of the papers, as the full-text table of the library holds them."""

import sqlite3

from assistant.text.terms import TERM_RULES, terms


def put_words(connection: sqlite3.Connection, key: int | None, title: str, abstract: str) -> None:
    """Write down the terms of a paper; what stood there of it must be gone."""
    row = (key, " ".join(terms(title)), " ".join(terms(abstract)))
    connection.execute("INSERT INTO words (rowid, title, abstract) VALUES (?, ?, ?)", row)


def write_words(connection: sqlite3.Connection) -> None:
    """Write down the terms of every paper anew, by the rules of this version, inside a transaction."""
    connection.execute("DELETE FROM words")
    for key, title, abstract in connection.execute("SELECT key, title, abstract FROM papers ORDER BY key"):
        put_words(connection, key, title, abstract)
    connection.execute("UPDATE meta SET value = ? WHERE name = 'terms'", (TERM_RULES,))
