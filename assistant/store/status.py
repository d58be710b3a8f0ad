"""How a store stands, as far as it shows at once."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from assistant.errors import StoreError, StoreForbidden
from assistant.health import Status
from assistant.store.attempts import describe_giving_up
from assistant.store.foreign import NAME as LANGUAGES_FILE
from assistant.store.foreign_writing import count_foreign
from assistant.store.generation import Generation, read_current, serves
from assistant.store.lock import read_work
from assistant.store.opening import find_dead
from assistant.store.screening import look_at
from assistant.store.store import Store

_KILLED = "the last process that wrote to it was killed"


def read_status(store: Store) -> Status:
    """Return how the store stands; what cannot be read is its fault, and nothing is raised."""
    size = _measure(store.folder)
    try:
        if not store.exists():
            store.require_kept()
            empty = Status(store.folder, papers=0, passages=0, size=size, outside=0, languages=0)
            return replace(empty, fault=_describe_empty(store.folder))
        return _read(store, size)
    except StoreError as error:
        return Status(store.folder, size=size, fault=str(error))


def _describe_empty(folder: Path) -> str:
    if read_work(folder) == "broken off":
        return f"{_KILLED} before a paper was in it: run `assistant index` again"
    return "nothing is built yet: `assistant index` reads papers into it"


def _read(store: Store, size: int) -> Status:
    library, current = store.library, read_current(store.folder)
    manifest, passages = library.manifest(), library.count_passages()
    if current and not serves(current, library.state()):
        current = None
    fault = _find_fault(store.folder, current)
    outside = library.count_passages(current.last_passage) + len(current.missed) if current else passages
    return Status(
        store.folder,
        library.count_papers(),
        passages,
        size,
        manifest.embedder.model,
        manifest.passage_size,
        current.number if current else None,
        outside,
        count_foreign(store.folder),
        fault if passages else _describe_empty(store.folder),
    )


def _find_fault(folder: Path, current: Generation | None) -> str:
    if given_up := describe_giving_up(folder):
        return given_up
    if fault := _find_index_fault(folder, current):
        return fault
    if count_foreign(folder) is None:
        return (
            f"{folder / LANGUAGES_FILE} is damaged: `assistant check --repair` removes it, and it is made when needed"
        )
    return ""


def _find_index_fault(folder: Path, current: Generation | None) -> str:
    if current is None:
        return "there is no index, so every search looks at all passages: `assistant rebuild` builds one"
    try:
        reason = look_at(folder, current)
    except StoreForbidden as error:
        return str(error)
    if reason:
        return f"the index is damaged ({reason}): `assistant rebuild` builds it again"
    if read_work(folder) == "broken off":
        return f"{_KILLED}: the next one to use it looks at the index first"
    if find_dead(current.locate(folder)):
        return "a process died while it opened the index: the next one to use it looks at it first"
    return ""


def _measure(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*") if folder.is_dir() else ():
        with suppress(OSError):  # a writer may have removed it meanwhile
            size += path.stat().st_size if path.is_file() else 0
    return size
