"""Marks that readers leave while they open an index for the first time: Chroma may take the process down.

A mark is a file in the generation's folder that is locked by who left it and gone when the index has answered
once. One that nobody holds is that of a process that died: the next one to use the index looks at it first.
Readers do not see each other's marks, and where none can be left it goes without.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assistant.store.system import share, take

_MARK = "opening-"
_UNFINISHED = "new-opening-"


@contextmanager
def marked(folder: Path) -> Iterator[None]:
    """Leave a mark in the folder of a generation for as long as this lasts."""
    left = _leave(folder)
    try:
        yield
    finally:
        if left:
            path, handle = left
            with suppress(OSError):
                path.unlink()
            os.close(handle)


def find_dead(folder: Path) -> tuple[Path, ...]:
    """Return the marks of processes that died while they opened a generation."""
    try:
        marks = [path for path in folder.iterdir() if path.name.startswith(_MARK)]
    except OSError:
        return ()
    return tuple(path for path in marks if not _is_held(path))


def forget(marks: tuple[Path, ...]) -> None:
    """Remove marks that have been looked into."""
    for mark in marks:
        with suppress(OSError):
            mark.unlink()


def _leave(folder: Path) -> tuple[Path, int] | None:
    try:
        handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=folder)
    except OSError:
        return None
    unfinished = Path(name)
    path = folder / (_MARK + unfinished.name.removeprefix(_UNFINISHED))
    try:
        # It has the name of a mark only once it is held.
        take(handle)
        unfinished.rename(path)
    except OSError:
        os.close(handle)
        forget((unfinished,))
        return None
    return path, handle


def _is_held(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        # It is gone already, or it is somebody's whose files are not ours to open.
        return True
    try:
        # Who has finished removes the name before letting go.
        return not share(handle) or not path.exists()
    finally:
        os.close(handle)
