"""The seal of an index: what its files were like when it was built.

Chroma trusts its files: a cut or overwritten one makes it fail, hang or take the whole process down. So they
are looked at before Chroma sees them. Sizes and times cost nothing; only where a time has changed, as in a
copy, are the bytes compared.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

DATABASE = "chroma.sqlite3"
"""Chroma writes to it at each opening, and SQLite looks after it: only its least size is sealed."""


@dataclass(frozen=True, slots=True)
class SealedFile:
    """A file of an index: its size in bytes, when it was written (ns) and the hash of its bytes."""

    name: str
    size: int
    time: int
    hash: str


Seal = tuple[SealedFile, ...]


def seal_folder(folder: Path) -> Seal:
    """Return the seal of an index that is whole."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(f"{DATABASE}-"))
    return tuple(_seal_file(path, folder) for path in files)


def load_seal(entries: Iterable[Mapping[str, str | int]]) -> Seal:
    """Return the seal that was kept as JSON; raises KeyError, ValueError, TypeError."""
    return tuple(
        SealedFile(str(entry["name"]), int(entry["size"]), int(entry["time"]), str(entry["hash"])) for entry in entries
    )


def find_fault(folder: Path, seal: Seal) -> str:
    """Return in words what is wrong with the files of an index, empty if nothing is.

    Raises PermissionError where they may not be read: nothing is wrong with them.
    """
    return next(filter(None, (_find_file_fault(folder, file) for file in seal)), "" if seal else "it has no seal")


def find_changed(folder: Path, seal: Seal) -> str:
    """Return in words which file has other bytes than it had, whatever its time says; empty if none has.

    Raises PermissionError where they may not be read.
    """
    return next(filter(None, (_find_changed(folder, file) for file in seal if file.name != DATABASE)), "")


def _find_changed(folder: Path, file: SealedFile) -> str:
    try:
        return "" if _hash(folder / file.name) == file.hash else f"{file.name} was overwritten"
    except PermissionError:
        raise
    except OSError as error:
        return f"{file.name} {_say_unread(error)}"


def _say_unread(error: OSError) -> str:
    return "is gone" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"


def _find_file_fault(folder: Path, file: SealedFile) -> str:
    try:
        found = (folder / file.name).stat()
    except PermissionError:
        raise
    except OSError as error:
        return f"{file.name} {_say_unread(error)}"
    if not stat.S_ISREG(found.st_mode):
        return f"{file.name} is no file"
    if found.st_size < file.size or (found.st_size > file.size and file.name != DATABASE):
        return f"{file.name} has {found.st_size:,} bytes, not {file.size:,}"
    if file.name == DATABASE or found.st_mtime_ns == file.time:
        return ""
    if fault := _find_changed(folder, file):
        return fault
    with suppress(OSError):  # the next look need not read it again
        os.utime(folder / file.name, ns=(file.time, file.time))
    return ""


def _seal_file(path: Path, folder: Path) -> SealedFile:
    found, name = path.stat(), path.relative_to(folder).as_posix()
    return SealedFile(name, found.st_size, found.st_mtime_ns, "" if name == DATABASE else _hash(path))


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
