"""The folders of the index's generations: made with a mark, held while they are read, removed only where marked."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assistant.store.system import share, sync, take

MARK = "paper-assistant"
"""The file in each folder that says that we made it, and may remove it."""
_FOLDER = re.compile(r"index-(\d+)")


def make_marked(folder: Path) -> None:
    """Make the folder of a generation."""
    folder.mkdir()
    (folder / MARK).write_text("This folder belongs to a store of the assistant, which removes it.\n", encoding="utf-8")
    sync(folder / MARK)


def find_folders(store: Path) -> list[tuple[int, Path]]:
    """Return whatever has the name of a generation's folder, with its number."""
    matches = ((_FOLDER.fullmatch(path.name), path) for path in store.iterdir())
    return sorted((int(match[1]), path) for match, path in matches if match)


def remove_unheld(folder: Path) -> None:
    """Remove a folder that we made, unless a reader holds it; one that is empty is nobody's loss.

    What may not be removed stays.
    """
    with suppress(OSError):
        if folder.is_symlink() or not folder.is_dir():
            return
        if not (folder / MARK).is_file():
            folder.rmdir()
            return
        with _alone(folder) as alone:
            if alone:
                shutil.rmtree(folder, ignore_errors=True)


def put_aside(path: Path) -> Path | None:
    """Rename a folder that stands where a file of ours belongs; return its new name, None where none does."""
    if path.is_symlink() or not path.is_dir():
        return None
    names = (path.with_name(f"{path.name}-aside{end}") for end in ("", *(f"-{n}" for n in range(2, 1000))))
    kept = next(name for name in names if not name.exists())
    path.rename(kept)
    return kept


def hold(folder: Path) -> int | None:
    """Keep a generation from being removed; return what `release` takes, None where that cannot be."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    if share(handle):
        return handle
    os.close(handle)
    return None


def release(handle: int | None) -> None:
    """Let a generation be removed."""
    if handle is not None:
        os.close(handle)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        yield True
        return
    try:
        yield take(handle)
    finally:
        os.close(handle)
