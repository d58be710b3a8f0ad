"""Builds generations of the index from the library. Only for who holds the write lock."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.errors import StoreError
from assistant.store.generation import Generation, next_number, publish, read_current, remove_others
from assistant.store.library import SqliteLibrary

NEWER_ALLOWED = 1_000
NEWER_SHARE = 0.1
"""Passages outside the generation before the next is built: so many, or this share of those inside."""


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
        generation = replace(generation, missed=_find_missed(folder, library, ids))
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


def _find_missed(folder: Path, library: SqliteLibrary, ids: Sequence[int]) -> tuple[int, ...]:
    """Return the passages that the index does not find; raises StoreError where it is too many."""
    from assistant.store.chroma import Collection, plan_batches

    collection = Collection(folder)
    try:
        parts = (library.read_passages(part[0] - 1, part[-1]) for part in plan_batches(ids))
        missed = {id for part in parts for id in collection.find_missed(part)}
    finally:
        collection.close()
    if len(missed) > max(NEWER_ALLOWED, NEWER_SHARE * len(ids)):
        raise StoreError(f"The index {folder} lacks {len(missed)} of {len(ids)} passages: run `assistant index` again.")
    return tuple(sorted(missed))


def _opens(folder: Path) -> bool:
    from assistant.store.chroma import Collection

    try:
        Collection(folder).close()
    except StoreError:
        return False
    return True
