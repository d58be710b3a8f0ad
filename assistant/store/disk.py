"""What the store asks of the disk: to replace as a whole, to have room."""

import shutil
from contextlib import suppress
from pathlib import Path

from assistant.errors import StoreError
from assistant.store.system import sync

RESERVE = 4_000_000
"""Bytes that are left free: a full disk stops readers too."""
LEAST = 500_000
"""Bytes that SQLite and Chroma need to read in their usual way."""


def replace_text(path: Path, text: str) -> None:
    """Write a small file so that a reader sees the old text or the new, whatever happens."""
    unfinished = path.with_name(path.name + ".new")
    try:
        unfinished.write_text(text, encoding="utf-8")
        sync(unfinished)
        unfinished.replace(path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise
    sync(path.parent)


def describe_space(folder: Path) -> str:
    """Return in words how much room is left on the folder's disk."""
    return f"{measure_space(folder) / 1e6:.0f} MB free"


def measure_space(folder: Path) -> int:
    """Return how many bytes may still be written on the folder's disk."""
    return shutil.disk_usage(folder).free


def is_full(folder: Path) -> bool:
    """Return whether there is too little room to open a file for writing."""
    return measure_space(folder) < LEAST


def require_space(folder: Path, needed: int) -> None:
    """Raise StoreError where the folder's disk has no room for so many bytes and the reserve."""
    free, wanted = measure_space(folder), needed + RESERVE
    if free < wanted:
        raise StoreError(f"disk full: {free / 1e6:.1f} MB free, {wanted / 1e6:.1f} MB needed in {folder}.")
