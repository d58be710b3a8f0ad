"""Puts other vectors into a library: made beside it, for as long as that takes, then taken over at once."""

from contextlib import closing
from pathlib import Path

from assistant.errors import StoreError
from assistant.store.disk import require_space
from assistant.store.library import SqliteLibrary
from assistant.store.manifest import Manifest, is_same
from assistant.store.meta import rename, write_manifest
from assistant.store.schema import create_library, explained, open_file, unlink_companions
from assistant.store.writing import SqliteCatalogue

NAME = "rebuild.sqlite3"


def open_staging(store: Path, given: Manifest) -> SqliteCatalogue:
    """Return the library in which the vectors are made: the one of a run that was broken off, or a new one."""
    path = store / NAME
    if not _goes_on(path, given):
        remove_staging(store)
        create_library(path, given)
    return SqliteCatalogue(path)


def remove_staging(store: Path) -> None:
    """Remove what was made beside the library."""
    with explained(store / NAME):
        (store / NAME).unlink(missing_ok=True)
        unlink_companions(store / NAME)


def take_over(store: Path, library: Path, given: Manifest) -> None:
    """Replace all passages and sentences of the library by those that were made; all at once, for readers too.

    Raises StoreError where some are not made yet.
    """
    made = store / NAME
    require_space(store, 3 * made.stat().st_size)
    with explained(library), closing(open_file(library, "mode=rw")) as connection:
        connection.execute("ATTACH ? AS made", (str(made),))
        connection.execute("BEGIN IMMEDIATE")
        (missing,) = connection.execute(_COUNT_MISSING).fetchone()
        if missing:
            raise StoreError(f"The store {store} has {missing} papers that are not embedded anew: run it again.")
        for statement in _TAKE_OVER:
            connection.execute(statement)
        # Passage ids are given anew: the index is no longer of this library.
        rename(connection)
        write_manifest(connection, given)
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'revision'")
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


_COUNT_MISSING = (
    "SELECT count(*) FROM main.papers AS old LEFT JOIN made.papers AS new USING (id) WHERE new.hash IS NOT old.hash"
)
_OF_OLD = (
    "JOIN made.papers AS theirs ON theirs.key = new.paper JOIN main.papers AS ours ON ours.id = theirs.id ORDER BY "
)
_TAKE_OVER = (
    "DELETE FROM main.passages",
    "DELETE FROM main.sentences",
    'INSERT INTO main.passages (paper, start, "end", vector) '
    f'SELECT ours.key, new.start, new."end", new.vector FROM made.passages AS new {_OF_OLD} ours.key, new.start',
    'INSERT INTO main.sentences (paper, start, "end", vector) '
    f'SELECT ours.key, new.start, new."end", new.vector FROM made.sentences AS new {_OF_OLD} ours.key, new.start',
    "UPDATE main.sums SET parts = (SELECT new.parts FROM made.sums AS new JOIN made.papers AS theirs "
    "ON theirs.key = new.paper JOIN main.papers AS ours ON ours.id = theirs.id WHERE ours.key = main.sums.paper)",
)


def _goes_on(path: Path, given: Manifest) -> bool:
    if not path.exists():
        return False
    with closing(SqliteLibrary(path)) as made:
        try:
            return is_same(made.manifest(), given)
        except StoreError:
            return False
