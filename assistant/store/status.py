"""How a store stands, as far as it shows at once."""

from contextlib import suppress
from pathlib import Path

from assistant.errors import StoreError
from assistant.health import Status
from assistant.store.attempts import describe_giving_up
from assistant.store.generation import read_current, serves
from assistant.store.lock import read_work
from assistant.store.screening import look_at
from assistant.store.store import Store


def read_status(store: Store) -> Status:
    """Return how the store stands; what cannot be read is its fault, and nothing is raised."""
    size = _measure(store.folder)
    try:
        if not store.exists():
            return Status(store.folder, size=size, fault="nothing is built yet: `assistant index` reads papers into it")
        return _read(store, size)
    except StoreError as error:
        return Status(store.folder, size=size, fault=str(error))


def _read(store: Store, size: int) -> Status:
    library, current = store.library, read_current(store.folder)
    manifest, passages = library.manifest(), library.count_passages()
    fault = ""
    if current is None or not serves(current, library.state()):
        current = None
        fault = (
            describe_giving_up(store.folder)
            or "there is no index, so every search looks at all passages: `assistant rebuild` builds one"
        )
    elif given_up := describe_giving_up(store.folder):
        fault = given_up
    elif reason := look_at(store.folder, current):
        fault = f"the index is damaged ({reason}): `assistant rebuild` builds it again"
    elif read_work(store.folder) == "broken off":
        fault = "the last process that wrote to it was killed: the next one to use it looks at the index first"
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
        fault if passages else "no papers are in it yet: `assistant index` reads some",
    )


def _measure(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*") if folder.is_dir() else ():
        with suppress(OSError):  # a writer may have removed it meanwhile
            size += path.stat().st_size if path.is_file() else 0
    return size
