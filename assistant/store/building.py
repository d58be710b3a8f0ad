"""Builds generations of the index from the library. Only for who holds the write lock."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.errors import StoreError
from assistant.store.attempts import attempt, clear_away, describe_giving_up, forget
from assistant.store.disk import require_space
from assistant.store.folders import make_marked
from assistant.store.generation import Generation, next_number, publish, read_current, remove_others, serves
from assistant.store.library import HIGHEST, SqliteLibrary, StoredPassages
from assistant.store.reaching import explain_refusal
from assistant.store.screening import look_at

NEWER_ALLOWED = 1_000
NEWER_SHARE = 0.1
"""Passages outside the generation before the next is built: so many, or this share of those inside."""
_BYTES_A_NUMBER = 12
_BYTES_A_PASSAGE = 1_500
"""What a build needs at its height, for each number of a vector and for each passage: a guess on the safe side."""


def refresh_index(store: Path, library: SqliteLibrary) -> bool:
    """Build the next generation if one is due; return whether it was."""
    current, state = read_current(store), library.state()
    if current and (not serves(current, state) or look_at(store, current)):
        current = None
    number = next_number(store)
    remove_others(store, current)
    clear_away(store)
    if not is_due(library.count_passages(current.last_passage if current else 0), current):
        forget(store)
        return False
    if given_up := describe_giving_up(store):
        raise StoreError(f"{given_up}.")
    build_generation(store, library, number)
    return True


def is_due(newer: int, current: Generation | None) -> bool:
    """Return whether so many passages outside the current generation are worth the next one."""
    if current is None:
        return newer > 0
    return newer > max(NEWER_ALLOWED, NEWER_SHARE * current.passages)


def build_generation(store: Path, library: SqliteLibrary, number: int | None = None) -> Generation:
    """Build an index over all passages of the library and let it serve; raises StoreError.

    The number must be one that no generation has, or had in this process.
    """
    ids, state = library.list_passages(), library.state()
    if not ids:
        raise StoreError(f"The store {store} has no passages to build an index of.")
    require_space(store, len(ids) * (_BYTES_A_PASSAGE + _BYTES_A_NUMBER * library.manifest().embedder.dimension))
    generation = Generation(number or next_number(store), state.library, ids[-1], len(ids), revision=state.revision)
    folder = generation.locate(store)
    try:
        with attempt(store):
            make_marked(folder)
            _write(folder, library, ids)
            missed = _find_missed(folder, library, ids)
        return publish(store, replace(generation, missed=missed))
    except BaseException as error:
        current = read_current(store)
        if current is None or current.number != generation.number:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise explain_refusal(store, error) from error
        raise


def _write(folder: Path, library: SqliteLibrary, ids: Sequence[int]) -> None:
    from assistant.store.chroma import plan_batches, write_collection

    batches = (library.read_passages(part[0] - 1, part[-1]) for part in plan_batches(ids))
    write_collection(folder, len(ids), batches)


def _find_missed(folder: Path, library: SqliteLibrary, ids: Sequence[int]) -> tuple[int, ...]:
    """Return the passages that the index does not find; raises StoreError where it is too many."""
    from assistant.store.chroma import plan_batches, widen

    few = (library.read_passages(part[0] - 1, part[-1]) for part in plan_batches(ids))
    doubtful = search_missed(folder, few)
    widen(folder)
    # The first one is asked for again in any case: the index was written to.
    missed = search_missed(folder, [library.read_passages(HIGHEST, also=(ids[0], *doubtful))])
    if len(missed) > max(NEWER_ALLOWED, NEWER_SHARE * len(ids)):
        raise StoreError(f"The index {folder} lacks {len(missed)} of {len(ids)} passages.")
    return missed


def search_missed(folder: Path, parts: Iterable[StoredPassages]) -> tuple[int, ...]:
    """Return those passages of an index that do not find themselves, ascending; raises StoreError."""
    from assistant.store.chroma import Collection

    collection = Collection(folder)
    try:
        return tuple(sorted({id for part in parts for id in collection.find_missed(part)}))
    finally:
        collection.close()
