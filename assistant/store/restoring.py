"""Backups of a store, and the way back. What is replaced is kept beside."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assistant.errors import StoreDamaged, StoreError, StoreNewer
from assistant.health import Backup, Restored
from assistant.store.contents import describe_unsound, find_file_fault
from assistant.store.copies import (
    check_backup,
    keep_copy,
    name_kept,
    put_in_new_place,
    put_in_place,
    put_in_place_of_unread,
    unpack_backup,
    write_backup,
)
from assistant.store.damage import REPLACED
from assistant.store.lock import NAME as LOCK
from assistant.store.lock import write_lock
from assistant.store.schema import BACKUP_SUFFIX, NAME
from assistant.store.store import Store, make_folder

_UNPACKED = "restore.sqlite3"


def back_up(store: Store, path: Path) -> Backup:
    """Write the library of a store into a new file; raises StoreError."""
    target = path.expanduser().absolute()
    if target.parent.resolve().is_relative_to(store.folder.resolve()):
        raise StoreError(f"The file {target} would be in the store's own folder: name one elsewhere for the backup.")
    papers = write_backup(store.folder / NAME, target)
    return Backup(target, papers, target.stat().st_size)


def restore_library(store: Store, backup: Path) -> Restored:
    """Put the library of a backup into a store without papers, or with a damaged library; else raises StoreError."""
    if (store.folder / NAME).exists():
        _refuse_unless_empty_or_damaged(store)
    return replace_library(store, backup)


def _refuse_unless_empty_or_damaged(store: Store) -> None:
    advice = "`--replace` puts the backup in its place and keeps it beside."
    try:
        papers = store.library.count_papers()
    except StoreDamaged:
        return
    except StoreNewer as error:
        raise StoreNewer(
            f"The store {store.folder} holds a library that is not read ({error.fault}): {advice}"
        ) from error
    if papers and not find_file_fault(store.folder / NAME):
        raise StoreError(f"The store {store.folder} holds {papers} papers: {advice}")


def replace_library(store: Store, backup: Path) -> Restored:
    """Put the library of a backup in the place of what is in the store, which is kept beside; raises StoreError."""
    backup, library, unpacked = backup.expanduser(), store.folder / NAME, store.folder / _UNPACKED
    size = check_backup(backup)
    with _made_or_not(store.folder), write_lock(store.folder) as held:
        try:
            papers = unpack_backup(backup, size, unpacked)
            unsound = describe_unsound(unpacked)
            kept = _put(store, unpacked, library)
        finally:
            unpacked.unlink(missing_ok=True)
        # The index is of another library now: it is not opened, and the next build removes it.
        held.settle()
    store.reopen()
    if unsound:
        store.tell(f"What was restored from {backup} is not sound ({unsound}): `assistant check --repair` mends it.")
    with store.caretaker() as writer:
        writer.refresh_index()
    return Restored(papers, kept)


@contextmanager
def _made_or_not(folder: Path) -> Iterator[None]:
    """Make the folder of a store where there is none, and leave none where what is done in it fails."""
    made = [part for part in (folder, *folder.parents) if not part.exists()]
    try:
        make_folder(folder)
        yield
    except BaseException:
        with suppress(OSError):
            if made:
                (folder / LOCK).unlink(missing_ok=True)
            for part in made:
                part.rmdir()
        raise


def _put(store: Store, unpacked: Path, library: Path) -> Path | None:
    if not library.exists():
        put_in_new_place(unpacked, library)
        return None
    if why := _find_obstacle(store):
        store.library.close()
        return put_in_place_of_unread(unpacked, library, why)
    if not store.library.count_papers():
        put_in_place(unpacked, library)
        return None
    kept = name_kept(library, REPLACED, BACKUP_SUFFIX)
    keep_copy(library, kept)
    put_in_place(unpacked, library)
    return kept


def _find_obstacle(store: Store) -> str:
    """Return why a library cannot be copied, in the word for the name of what is kept; empty if it can."""
    try:
        store.library.count_papers()
    except StoreNewer:
        return "newer"
    except StoreDamaged:
        return "damaged"
    except StoreError:
        return "unread"
    return "damaged" if find_file_fault(store.folder / NAME) else ""
