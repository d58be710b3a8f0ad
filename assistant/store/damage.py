"""What is said of a library that is damaged or gone, and what to do.

The papers that can still be read come first; where there are none, the newest copy that lies beside it.
"""

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assistant.errors import StoreDamaged
from assistant.store.texts import decode

BACKUP_MARK = b"\npaper-assistant backup sha256 "
BACKUP_TRAILER = len(BACKUP_MARK) + 64 + 1
"""Bytes at the end of a backup: the mark and the hash of the rest."""
REPLACED = "replaced"
"""In the name of a library that was kept when a backup took its place: nobody wants that one back unasked."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup beside a library: when it was written, and how many papers are in it."""

    path: Path
    written: datetime
    papers: int


def describe_damage(library: Path, what: str) -> str:
    """Return what is said of a damaged library: its papers can be saved as long as one can be read."""
    if not _has_papers(library):
        return describe_loss(library, what)
    return (
        f"The library {library} is damaged ({what}): `assistant check --repair` saves all papers that can still be "
        "read, and makes the rest anew from them."
    )


def describe_loss(library: Path, what: str) -> str:
    """Return what is said of a library that cannot be saved."""
    copy = find_newest_copy(library)
    return f"The library {library} is damaged ({what}): " + (
        f"`assistant restore {shlex.quote(str(copy.path))}` puts the copy that is kept there in its place, "
        f"{describe_copy(copy)}."
        if copy
        else f"`assistant restore FILE` puts a backup in its place; without one, move the folder {library.parent} "
        "away and index the papers again."
    )


def describe_damaged_file(path: Path, what: str) -> str:
    """Return what is said of a damaged file that is no store's library."""
    return f"The file {path} is damaged ({what}): name another one."


def describe_copy(copy: Copy) -> str:
    """Return in words how old a copy is, and how much is in it."""
    return f"{copy.papers} papers of {copy.written:%Y-%m-%d %H:%M}"


def find_newest_copy(library: Path) -> Copy | None:
    """Return the newest backup beside a library, but none that was thrown out."""
    outcast = f"{library.stem}-{REPLACED}-"
    copies = (_read_copy(path) for path in find_backups(library.parent) if not path.name.startswith(outcast))
    return max(filter(None, copies), key=lambda copy: copy.written, default=None)


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
        raise StoreDamaged(describe_loss(library, "the file is gone, and what belongs to it is there"))


def refuse_gone(library: Path) -> None:
    """Raise StoreDamaged for a library that was there a moment ago."""
    raise StoreDamaged(
        f"The library {library} has gone since it was opened: put it back, or begin anew with `assistant index`."
    )


def _has_papers(library: Path) -> bool:
    try:
        with closing(open_remains(library, "mode=ro")) as connection:
            return connection.execute("SELECT id, abstract FROM papers LIMIT 1").fetchone() is not None
    except (sqlite3.Error, OSError):
        return False


def open_remains(library: Path, access: str) -> sqlite3.Connection:
    """Open a damaged library as far as SQLite goes; raises what SQLite raises."""
    connection = sqlite3.connect(f"{library.as_uri()}?{access}", uri=True, isolation_level=None)
    # Without it SQLite opens no file that was cut.
    connection.execute("PRAGMA writable_schema = ON")
    connection.text_factory = decode
    return connection


def _read_copy(path: Path) -> Copy | None:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
            (papers,) = connection.execute("SELECT count(*) FROM papers").fetchone()
        return Copy(path, datetime.fromtimestamp(path.stat().st_mtime), papers)
    except (sqlite3.Error, OSError):
        return None


def _read_end(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - BACKUP_TRAILER))
        return file.read(BACKUP_TRAILER)
