"""Generations of the index: each is built once in a folder of its own and never changed.

`current` names the one that serves. It is replaced when the next is whole and on the disk; then older
folders go, except those that a reader holds.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from assistant.store.disk import replace_text, sync
from assistant.store.lock import share, take

POINTER = "current"
_FOLDER = re.compile(r"index-(\d+)")


@dataclass(frozen=True, slots=True)
class Generation:
    """An index over the passages of one library with ids up to `last_passage`.

    `missed` are those that are in it and that it does not find.
    """

    number: int
    library: str
    last_passage: int
    passages: int
    missed: tuple[int, ...] = ()

    def locate(self, store: Path) -> Path:
        """Return the generation's folder."""
        return store / f"index-{self.number}"


def read_current(store: Path) -> Generation | None:
    """Return the generation that `current` names, None where it names none that is there."""
    try:
        fields = json.loads((store / POINTER).read_text(encoding="utf-8"))
        numbers = (int(fields["number"]), str(fields["library"]), int(fields["last_passage"]), int(fields["passages"]))
        named = Generation(*numbers, tuple(int(id) for id in fields["missed"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return named if named.locate(store).is_dir() else None


def publish(store: Path, generation: Generation) -> None:
    """Make a finished generation the current one, for good, and remove the others."""
    folder = generation.locate(store)
    for path in (*folder.rglob("*"), folder, store):
        sync(path)
    replace_text(store / POINTER, json.dumps(asdict(generation)))
    remove_others(store, generation)


def remove_others(store: Path, kept: Generation | None) -> None:
    """Remove the generations that are not current, unfinished ones too, unless a reader holds them."""
    for number, folder in _find_folders(store):
        if kept is None or number != kept.number:
            _remove_unheld(folder)


def next_number(store: Path) -> int:
    """Return a number that no generation has, be it current, unfinished or still read."""
    return max((number for number, _ in _find_folders(store)), default=0) + 1


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


def _find_folders(store: Path) -> list[tuple[int, Path]]:
    matches = ((_FOLDER.fullmatch(path.name), path) for path in store.iterdir())
    return sorted((int(match[1]), path) for match, path in matches if match)


def _remove_unheld(folder: Path) -> None:
    with _alone(folder) as alone:
        if alone:
            shutil.rmtree(folder, ignore_errors=True)


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
