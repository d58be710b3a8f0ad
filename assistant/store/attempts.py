"""Builds of the index that never came to an end, because they took the process down.

A count of them stands in a file while a build is going on, and is gone after it. After two in a row no build
is begun but on demand: what brings down each process that writes must not be tried by each.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from assistant.store.disk import replace_text
from assistant.store.system import sync

NAME = "building"
MOST = 2


def is_given_up(store: Path) -> bool:
    """Return whether the last builds all took the process down."""
    return _count(store) >= MOST


def describe_giving_up(store: Path) -> str:
    """Return what a user is told of it, empty where it is not so."""
    if not is_given_up(store):
        return ""
    return (
        f"the last {_count(store)} builds of the index in {store} ended in their midst, the process killed or crashed, "
        "so none is begun by itself and what is not in an index is searched exactly: `assistant rebuild` tries again"
    )


@contextmanager
def attempt(store: Path) -> Iterator[None]:
    """Count what is done inside as broken until it is over, be it done or refused."""
    before = _count(store)
    _set(store, before + 1)
    try:
        yield
    except BaseException:
        _set(store, before)
        raise
    _set(store, 0)


def forget(store: Path) -> None:
    """Count from nothing again."""
    if (store / NAME).exists():
        _set(store, 0)


def clear_away(store: Path) -> None:
    """Remove a count that a process was killed over before it had its name."""
    (store / f"{NAME}.new").unlink(missing_ok=True)


def _count(store: Path) -> int:
    try:
        count, chroma = (store / NAME).read_text(encoding="utf-8").split()
        # Another Chroma may do what this one could not.
        return int(count) if chroma == version("chromadb") else 0
    except (OSError, ValueError):
        return 0


def _set(store: Path, count: int) -> None:
    if count:
        replace_text(store / NAME, f"{count} {version('chromadb')}")
    else:
        (store / NAME).unlink(missing_ok=True)
        sync(store)
