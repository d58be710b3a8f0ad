"""What is said of a library that is damaged or gone, and what to do: a copy that lies beside it comes first."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from assistant.errors import StoreDamaged

BACKUP_MARK = b"\npaper-assistant backup sha256 "
BACKUP_TRAILER = len(BACKUP_MARK) + 64 + 1
"""Bytes at the end of a backup: the mark and the hash of the rest."""


def describe_damage(library: Path, what: str) -> str:
    """Return what is said of a library that cannot be saved."""
    copies = sorted(find_backups(library.parent), key=lambda path: path.stat().st_mtime_ns)
    return f"The library {library} is damaged ({what}): " + (
        f"`assistant restore {shlex.quote(str(copies[-1]))}` puts the copy that is kept there in its place."
        if copies
        else f"`assistant restore FILE` puts a backup in its place; without one, move the folder {library.parent} "
        "away and index the papers again."
    )


def find_backups(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that end as a backup does, whatever they are called."""
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            if path.is_file() and _read_end(path).startswith(BACKUP_MARK):
                yield path
        except OSError:
            continue


def refuse_lost(library: Path, *traces: str) -> None:
    """Raise StoreDamaged where a library is gone and any of its traces is there: that is no new store."""
    if any(path.is_dir() or path.stat().st_size for trace in traces for path in library.parent.glob(trace)):
        raise StoreDamaged(describe_damage(library, "the file is gone, and what belongs to it is there"))


def refuse_gone(library: Path) -> None:
    """Raise StoreDamaged for a library that was there a moment ago."""
    raise StoreDamaged(
        f"The library {library} has gone since it was opened: put it back, or begin anew with `assistant index`."
    )


def _read_end(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - BACKUP_TRAILER))
        return file.read()
