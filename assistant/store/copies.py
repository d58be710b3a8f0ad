"""Copies of the library: a backup is one file that ends with the hash of the rest."""

import hashlib
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from assistant.errors import StoreDamaged, StoreError
from assistant.store.contents import describe_unsound, find_file_fault
from assistant.store.damage import BACKUP_MARK, BACKUP_TRAILER, describe_damage
from assistant.store.disk import require_space
from assistant.store.meta import rename
from assistant.store.schema import (
    APPLICATION,
    check_version,
    choose_access,
    explained,
    explained_copy,
    open_file,
    unlink_companions,
)
from assistant.store.system import sync

_HEADER = 100
_SIGNS = (b"SQLite format 3\0", APPLICATION.to_bytes(4, "big"))
"""What the first bytes of a library are, and those from 68 on."""
_AT_ONCE = 1 << 20


def write_backup(library: Path, target: Path) -> int:
    """Write the library into a new file, while it is read and written; return how many papers that are.

    Raises StoreError where the file exists, or the library is not sound.
    """
    return _write(library, target, _require_sound)


def keep_copy(library: Path, target: Path) -> int:
    """Write the library into a new file as it is, sound or not, before it is changed or replaced.

    Raises StoreDamaged where it is damaged as a file.
    """
    return _write(library, target, _require_whole)


def _write(library: Path, target: Path, require: Callable[[Path, Path], None]) -> int:
    if os.path.lexists(target):
        raise StoreError(f"The file {target} exists: name a new one for the backup.")
    if not target.parent.is_dir():
        raise StoreError(f"The folder {target.parent} does not exist: name another file for the backup.")
    with explained(library):
        require_space(target.parent, library.stat().st_size)
    unfinished = _open_unfinished(target)
    try:
        copy_library(library, unfinished)
        require(unfinished, library)
        papers = _count_papers(unfinished)
        with _writing(target):
            with unfinished.open("r+b") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                file.seek(0, 2)
                file.write(BACKUP_MARK + digest.encode() + b"\n")
            sync(unfinished)
            unfinished.replace(target)
            sync(target.parent)
    finally:
        unfinished.unlink(missing_ok=True)
    return papers


def check_backup(backup: Path) -> int:
    """Return how many bytes of a backup are the library.

    Raises StoreError for a file that is no backup, not a whole one, changed, or of a newer version.
    """
    size = _check_hash(backup)
    with explained_copy(backup), closing(open_file(backup.absolute(), "immutable=1")) as connection:
        check_version(connection, backup)
    return size


def unpack_backup(backup: Path, size: int, target: Path) -> int:
    """Write the library of a backup into a file, under a name of its own; return how many papers that are.

    `size` is what `check_backup` returned. Raises StoreError where it cannot be written, or is damaged.
    """
    with explained_copy(target):
        require_space(target.parent, 2 * size)
        with backup.open("rb") as source, target.open("wb") as file:
            while size > 0 and (part := source.read(min(_AT_ONCE, size))):
                file.write(part)
                size -= len(part)
        if fault := find_file_fault(target):
            raise StoreError(f"The file {backup} has a fault and cannot be restored ({fault}): name another one.")
        with closing(open_file(target, "mode=rw")) as connection:
            # Passage ids are given anew from here on: an index of the library that was copied is not of this one.
            rename(connection)
        sync(target)
    return _count_papers(target)


def put_in_place(copy: Path, library: Path) -> None:
    """Let a library have the contents of a copy: all at once, for those who are reading it as well."""
    with (
        explained(library),
        closing(open_file(copy, "mode=ro")) as source,
        closing(open_file(library, "mode=rw")) as target,
    ):
        source.backup(target)
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    copy.unlink()


def put_in_new_place(copy: Path, library: Path) -> None:
    """Let a copy be the library where there is none."""
    with explained(library):
        unlink_companions(library)
        with closing(open_file(copy, "mode=rw")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        unlink_companions(copy)
        sync(copy)
        copy.replace(library)
        sync(library.parent)


def put_in_place_of_unread(copy: Path, library: Path, why: str) -> Path:
    """Let a copy be the library where there is one that cannot be read, which is kept with its log; return where.

    At no moment is there none. Nobody in this process may have the old one open.
    """
    kept = name_kept(library, why, library.suffix)
    with explained(library):
        for end in ("-wal", ""):
            file = library.with_name(library.name + end)
            if file == library or (file.exists() and file.stat().st_size):
                _give_name(file, kept.with_name(kept.name + end))
        sync(library.parent)
    put_in_new_place(copy, library)
    return kept


def _give_name(file: Path, name: Path) -> None:
    """Give a file a second name, or where there is no such thing copy it."""
    try:
        os.link(file, name)
    except OSError:
        require_space(name.parent, file.stat().st_size)
        shutil.copy2(file, name)
        sync(name)


def name_kept(library: Path, why: str, suffix: str) -> Path:
    """Return a free name beside the library for one that is kept."""
    day = f"{datetime.now():%Y-%m-%d}"
    names = (f"{library.stem}-{why}-{day}{end}{suffix}" for end in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in map(library.with_name, names) if not path.exists())


def copy_library(library: Path, target: Path) -> None:
    """Copy a library as it is at one moment into a file of no bytes, or a copy that was not finished."""
    with explained(library):
        with (
            closing(open_file(library, choose_access(library))) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        sync(target)


def _require_whole(copy: Path, source: Path) -> None:
    if fault := find_file_fault(copy):
        raise StoreDamaged(describe_damage(source, fault), fault)


def _require_sound(copy: Path, source: Path) -> None:
    _require_whole(copy, source)
    if fault := describe_unsound(copy):
        raise StoreError(
            f"The library {source} is not sound, and no backup is made of it ({fault}): `assistant check --repair` "
            "mends it."
        )


def _count_papers(path: Path) -> int:
    with explained_copy(path), closing(open_file(path, "mode=ro")) as connection:
        return int(connection.execute("SELECT count(*) FROM papers").fetchone()[0])


def _check_hash(backup: Path) -> int:
    """Return how many bytes of a backup are the library; raises StoreError unless they are as they were."""
    try:
        found = backup.stat()
        # The opening of a pipe never comes back, and the reading of a device never ends.
        if not stat.S_ISREG(found.st_mode):
            what = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file"
            raise StoreError(f"The backup {backup.absolute()} is {what}: name the file that `assistant backup` wrote.")
        size = found.st_size - BACKUP_TRAILER
        with backup.open("rb") as file:
            header = file.read(_HEADER)
            file.seek(max(size, 0))
            trailer = file.read(BACKUP_TRAILER)
            file.seek(0)
            digest = hashlib.sha256()
            left = size
            while left > 0 and (part := file.read(min(_AT_ONCE, left))):
                digest.update(part)
                left -= len(part)
    except OSError as error:
        raise StoreError(f"The backup {backup} cannot be read: {error.strerror}.") from error
    if not header.startswith(_SIGNS[0]) or header[68:72] != _SIGNS[1]:
        raise StoreError(f"The file {backup} is no backup of a library: name one that `assistant backup` wrote.")
    if size < 0 or not trailer.startswith(BACKUP_MARK):
        raise StoreError(f"The file {backup} is no whole backup of a library: its end is missing.")
    if trailer != BACKUP_MARK + digest.hexdigest().encode() + b"\n":
        raise StoreError(f"The backup {backup} was changed or damaged since it was made: its hash is another.")
    return size


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"The backup {target} cannot be written: {error.strerror}. Name another file.") from error


def _open_unfinished(target: Path) -> Path:
    """Make an empty file beside the target, under a name that nobody has."""
    with _writing(target):
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".unfinished", dir=target.parent)
        os.close(handle)
    return Path(name)
