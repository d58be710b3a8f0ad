"""Reading connections to a library, shared by the threads that ask."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import StoreError, StoreMissing
from assistant.store.damage import refuse_gone
from assistant.store.filtering import fold_case
from assistant.store.schema import choose_access, connect, explained


@dataclass(frozen=True, slots=True)
class _State:
    """How a library is opened, and which file it is: connections to another file are of no use."""

    access: str
    file: int
    changed: int


class Connections:
    """Lends each caller a connection of its own; one that is given back serves the next."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._free: list[sqlite3.Connection] = []

    @contextmanager
    def borrow(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; what it reads until it is given back is of one moment.

        Raises StoreMissing where there is no library, StoreError for one that cannot be read.
        """
        with explained(self._path):
            state = self._read_state()
            connection = self._take(state)
            try:
                connection.execute("BEGIN")
                yield connection
            except BaseException:
                connection.close()
                raise
            connection.execute("COMMIT")
            self._give(connection, state)

    def close(self) -> None:
        """Close the connections that nobody has."""
        with self._lock:
            self._close_free()
            self._state = None

    def _read_state(self) -> _State:
        try:
            access = choose_access(self._path)
            stat = self._path.stat()
        except FileNotFoundError:
            if self._state:
                refuse_gone(self._path)
            raise StoreMissing(
                f"Nothing is built in the store {self._path.parent} yet: run `assistant index`."
            ) from None
        except NotADirectoryError:
            raise StoreError(f"The store {self._path.parent} is not a folder.") from None
        # SQLite does not look for changes in an immutable file, so we do.
        return _State(access, stat.st_ino, stat.st_mtime_ns if "immutable" in access else 0)

    def _take(self, state: _State) -> sqlite3.Connection:
        with self._lock:
            if state != self._state:
                self._close_free()
                self._state = state
            if self._free:
                return self._free.pop()
        connection = connect(self._path, state.access)
        connection.create_function("fold", 1, fold_case, deterministic=True)
        return connection

    def _give(self, connection: sqlite3.Connection, state: _State) -> None:
        with self._lock:
            if state == self._state:
                self._free.append(connection)
                return
        connection.close()

    def _close_free(self) -> None:
        while self._free:
            self._free.pop().close()
