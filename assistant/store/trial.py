"""A trial of the index, run in a process of its own: what is damaged may take it down."""

import random
from pathlib import Path

from assistant.errors import StoreError
from assistant.store.generation import read_current
from assistant.store.library import HIGHEST, SqliteLibrary
from assistant.store.schema import NAME

SAMPLE = 50


def try_index(folder: str) -> int:
    """Open the current generation and let some passages find themselves; print what is wrong, return 0 or 1."""
    store = Path(folder)
    try:
        fault = find_fault(store)
    except StoreError as error:
        fault = error.fault
    print(fault)
    return 1 if fault else 0


def find_fault(store: Path) -> str:
    """Return what is wrong with the current generation, empty if nothing is; raises StoreError."""
    from assistant.store.chroma import Collection

    generation, library = read_current(store), SqliteLibrary(store / NAME)
    if generation is None:
        return ""
    collection = Collection(generation.locate(store))
    try:
        if collection.size != generation.passages:
            return f"it holds {collection.size} passages, not {generation.passages}"
        inside = set(library.list_passages()) - set(generation.missed)
        known = sorted(id for id in inside if id <= generation.last_passage)
        # What an index of another library holds is nobody's.
        if generation.library != library.state().library or not known:
            return ""
        sample = random.sample(known, min(SAMPLE, len(known)))
        missed = collection.find_missed(library.read_passages(HIGHEST, also=sample))
    finally:
        collection.close()
        library.close()
    return f"{len(missed)} of {len(sample)} passages do not find themselves" if missed else ""
