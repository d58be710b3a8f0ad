"""Locks between processes: one writer at a time, and no removal of what a reader holds.

The locks are the system's own (flock): they end with the process that holds them, so a killed writer
leaves nothing to clean up. The lock file stays; only the lock on it counts.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.errors import StoreBusy, StoreError

try:
    import fcntl
except ImportError:  # Windows has no flock: there nothing keeps two writers apart, and only one may be started.
    fcntl = None  # type: ignore[assignment]

NAME = "writer.lock"


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Be the only writer of the store; raises StoreBusy, with the other's process id, at once."""
    path = folder / NAME
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"The store {folder} cannot be written to: {error.strerror}.") from error
    try:
        if not take(handle):
            raise StoreBusy(
                f"Process {_read_holder(handle)} is writing to the store {folder}: try again when it has finished."
            )
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def take(handle: int) -> bool:
    """Take the lock of an open file or folder for this process alone; return whether it was free."""
    return _lock(handle, fcntl.LOCK_EX) if fcntl else True


def share(handle: int) -> bool:
    """Take the lock of an open file or folder together with other readers; return whether it was free."""
    return _lock(handle, fcntl.LOCK_SH) if fcntl else True


def _lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_holder(handle: int) -> str:
    # The holder writes its id just after it has taken the lock: the file may still be empty, or hold an old id.
    for _ in range(10):
        if holder := os.pread(handle, 20, 0).decode(errors="replace"):
            return holder
        time.sleep(0.02)
    return "(unknown)"
