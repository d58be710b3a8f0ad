"""What the store asks of the disk: to have written, to replace as a whole, to have room."""

import os
import shutil
from pathlib import Path


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_text(path: Path, text: str) -> None:
    """Write a small file so that a reader sees the old text or the new, whatever happens."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.write_text(text, encoding="utf-8")
    sync(unfinished)
    unfinished.replace(path)
    sync(path.parent)


def describe_space(folder: Path) -> str:
    """Return in words how much room is left on the folder's disk."""
    return f"{shutil.disk_usage(folder).free / 1e6:.0f} MB free"
