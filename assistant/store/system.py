"""What operating systems do in their own ways: locks of open files, and waiting for the disk.

Linux and macOS have flock. Windows has locks of parts of a file, which keep readers from that part; so one
byte far behind the text is locked. There a folder can be neither opened nor locked: Windows removes no file that
somebody has open. Nothing else in the package depends on the system.
"""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
    import msvcrt

AS_IT_IS = getattr(os, "O_BINARY", 0)
"""Given to `os.open` so that Windows changes no line ends."""
_BEHIND = 1_000


def take(handle: int) -> bool:
    """Take the lock of an open file or folder for this process alone; return whether it was free."""
    return _flock(handle, fcntl.LOCK_EX) if fcntl else _lock_byte(handle)


def share(handle: int) -> bool:
    """Take the lock of an open file or folder together with other readers; return whether it was free."""
    return _flock(handle, fcntl.LOCK_SH) if fcntl else _lock_byte(handle)


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    if fcntl:
        handle = os.open(path, os.O_RDONLY)
    elif path.is_dir():
        return
    else:
        # Windows waits only for a file that may be written to.
        handle = os.open(path, os.O_RDWR | AS_IT_IS)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_byte(handle: int) -> bool:
    os.lseek(handle, _BEHIND, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    return True
