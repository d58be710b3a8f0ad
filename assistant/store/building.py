"""Builds generations of the index from the library. Only for who holds the write lock."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from assistant.errors import StoreError
from assistant.store.generation import Generation, next_number, publish, read_current, remove_others
from assistant.store.library import SqliteLibrary

NEWER_ALLOWED = 1_000
NEWER_SHARE = 0.1
"""Passages outside the generation before the next is built: so many, or this share of those inside."""

_SELF_SEARCHES = 50


def refresh_index(store: Path, library: SqliteLibrary) -> bool:
    """Build the next generation if one is due; return whether it was."""
    current = read_current(store)
    if current and (current.library != library.state().library or not _opens(current.locate(store))):
        current = None
    remove_others(store, current)
    if not is_due(library.count_passages(current.last_passage if current else 0), current):
        return False
    build_generation(store, library)
    return True


def is_due(newer: int, current: Generation | None) -> bool:
    """Return whether so many passages outside the current generation are worth the next one."""
    if current is None:
        return newer > 0
    return newer > max(NEWER_ALLOWED, NEWER_SHARE * current.passages)


def build_generation(store: Path, library: SqliteLibrary) -> Generation:
    """Build an index over all passages of the library and let it serve; raises StoreError."""
    ids = library.list_passages()
    generation = Generation(next_number(store), library.state().library, ids[-1], len(ids))
    folder = generation.locate(store)
    folder.mkdir()
    try:
        _write(folder, library, ids)
        _check(folder, library, ids)
        publish(store, generation)
    except BaseException:
        if read_current(store) != generation:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return generation


def _write(folder: Path, library: SqliteLibrary, ids: Sequence[int]) -> None:
    from assistant.store.chroma import plan_batches, write_collection

    batches = (library.read_passages(part[0] - 1, part[-1]) for part in plan_batches(ids))
    write_collection(folder, len(ids), batches)


def _check(folder: Path, library: SqliteLibrary, ids: Sequence[int]) -> None:
    """Raise StoreError unless passages from all over find themselves."""
    from assistant.store.chroma import Collection

    collection = Collection(folder)
    try:
        for id in ids[:: max(1, len(ids) // _SELF_SEARCHES)]:
            (vector,) = library.read_passages(id - 1, id).vectors
            near = collection.nearest(vector, 1)
            if not near or near[0][1] < 0.99:
                raise StoreError(f"The index {folder} does not find what is in it: run `assistant index` again.")
    finally:
        collection.close()


def _opens(folder: Path) -> bool:
    from assistant.store.chroma import Collection

    try:
        Collection(folder).close()
    except StoreError:
        return False
    return True
