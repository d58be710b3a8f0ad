"""Locks between processes: one writer at a time, and no removal of what a reader holds.

The locks are the system's own: they end with the process that holds them, so a killed writer leaves nothing
to clean up. The lock file stays. The holder's process id stands in it while it works and is taken out at the
end: an id that nobody's lock stands behind is that of a writer that was killed. It is written over what stands
there, in one go and always as long, so that there is no moment without one.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assistant.errors import StoreBusy, StoreError
from assistant.store.reaching import advise
from assistant.store.system import AS_IT_IS, share, take

NAME = "writer.lock"
_CHECKING = "checking"
_LENGTH = 40
_TRIES = 5
"""A reader that looks whether the lock is held has it for a moment."""

Work = Literal["none", "writing", "checking", "broken off"]


@dataclass(frozen=True, slots=True)
class Held:
    """The write lock in our hands; `broken_off` says that the one who had it before us was killed."""

    broken_off: bool
    _handle: int

    def settle(self) -> None:
        """Let readers open the index again: what the killed writer left has been looked at."""
        _write(self._handle, str(os.getpid()))


@contextmanager
def write_lock(folder: Path) -> Iterator[Held]:
    """Be the only writer of the store; raises StoreBusy, with the other's process id, at once."""
    path = folder / NAME
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | AS_IT_IS, 0o600)
    except OSError as error:
        raise StoreError(
            f"The store {folder} cannot be written to, {NAME}: {error.strerror}; {advise(error)}."
        ) from error
    try:
        if not _take_soon(handle):
            raise StoreBusy(
                f"Process {_read_holder(handle)} is writing to the store {folder}: try again when it has finished."
            )
        broken_off = bool(_read(handle))
        try:
            _write(handle, f"{os.getpid()} {_CHECKING}" if broken_off else str(os.getpid()))
        except OSError as error:
            raise StoreError(
                f"The store {folder} cannot be written to, {NAME}: {error.strerror}; {advise(error)}."
            ) from error
        try:
            yield Held(broken_off, handle)
        finally:
            # Until what a killed writer left has been looked at, it is for the next one to look at.
            if _CHECKING not in _read(handle):
                with suppress(OSError):
                    os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def read_work(folder: Path) -> Work:
    """Return what is being done to the store, or that the last writer was killed; it takes no time."""
    try:
        handle = os.open(folder / NAME, os.O_RDONLY | AS_IT_IS)
    except OSError:
        return "none"
    try:
        text = _read(handle)
        if not text:
            return "none"
        if not share(handle):
            return "checking" if _CHECKING in text else "writing"
        # The holder may have finished between the two looks.
        return "broken off" if _read(handle) else "none"
    finally:
        os.close(handle)


def _take_soon(handle: int) -> bool:
    for _ in range(_TRIES):
        if take(handle):
            return True
        time.sleep(0.02)
    return False


def _read(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    return os.read(handle, _LENGTH).decode(errors="replace").strip()


def _write(handle: int, text: str) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, text.ljust(_LENGTH).encode())
    os.fsync(handle)


def _read_holder(handle: int) -> str:
    # The holder writes its id just after it has taken the lock: the file may still be empty, or hold an old id.
    for _ in range(10):
        if holder := _read(handle):
            return holder.partition(" ")[0]
        time.sleep(0.02)
    return "(unknown)"
