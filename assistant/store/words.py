"""The terms of the papers, as the full-text table of the library holds them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assistant.errors import StoreDamaged
from assistant.store.sums import write_word_sum
from assistant.text.terms import TERM_RULES, terms

# It holds the terms of text/terms.py, parted by spaces; its tokenizer keeps each whole, as "c++" and "94.75%".
TABLE = """
CREATE VIRTUAL TABLE words USING fts5 (title, abstract, tokenize = "ascii tokenchars '.%+#'''")
"""
_SHADOWS = tuple(f"words_{name}" for name in ("data", "idx", "content", "docsize", "config"))
"""The tables in which SQLite keeps a full-text table."""
_SIGNS = ("malformed", "vtable", "fts5", "words")
"""What SQLite says of one that is damaged."""
_COUNT_LOST = (
    "SELECT count(*) FROM vocabulary WHERE doc IS NOT "
    """(SELECT count(*) FROM words WHERE words MATCH '"' || replace(term, '"', '""') || '"')"""
)


def put_words(connection: sqlite3.Connection, key: int | None, title: str, abstract: str) -> None:
    """Write down the terms of a paper; what stood there of it must be gone."""
    held = (" ".join(terms(title)), " ".join(terms(abstract)))
    connection.execute("INSERT INTO words (rowid, title, abstract) VALUES (?, ?, ?)", (key, *held))
    write_word_sum(connection, key, *held)


def write_words(connection: sqlite3.Connection) -> None:
    """Write down the terms of every paper anew, by the rules of this version, inside a transaction."""
    _drop(connection)
    connection.execute(TABLE)
    for key, title, abstract in connection.execute("SELECT key, title, abstract FROM papers ORDER BY key"):
        put_words(connection, key, title, abstract)
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('terms', ?)", (TERM_RULES,))


@contextmanager
def searchable(library: Path) -> Iterator[None]:
    """Raise StoreDamaged, with other advice than for the rest of a library, where its words cannot be searched."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if not any(sign in str(error) for sign in _SIGNS):
            raise
        raise StoreDamaged(
            f"The words in the library {library} are damaged ({error}): "
            "`assistant check --repair` takes them down anew."
        ) from error


def find_index_fault(library: str) -> str:
    """Return what is wrong with the full-text index of a library, given as a URI; empty if it finds all its words.

    FTS5 only checks what it could write to, so a copy of its tables is checked: no reader or writer waits for it.
    """
    with closing(sqlite3.connect("", uri=True, isolation_level=None)) as copy:
        copy.execute("ATTACH ? AS library", (library,))
        try:
            copy.execute(TABLE)
            for name in _SHADOWS:
                copy.execute(f"DELETE FROM {name}")
                copy.execute(f"INSERT INTO {name} SELECT * FROM library.{name}")
            copy.execute("INSERT INTO words (words) VALUES ('integrity-check')")
            # That check does not miss what is not in `words_idx`, by which a term is found.
            copy.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row)")
            (lost,) = copy.execute(_COUNT_LOST).fetchone()
        except sqlite3.DatabaseError as error:
            return f"they cannot be searched ({error})"
    return f"{lost} words do not find their papers" if lost else ""


def _drop(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("DROP TABLE IF EXISTS words")
    except sqlite3.DatabaseError:
        # SQLite cannot open what is left of it: once its name is gone the rest are tables like any other.
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'words'")
        connection.execute("PRAGMA writable_schema = RESET")
        for name in _SHADOWS:
            connection.execute(f"DROP TABLE IF EXISTS {name}")
