"""Reads papers from files; a new format is one new module here, with `@reader(".suffix")`."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from assistant.corpus.files import show
from assistant.corpus.folders import find_files
from assistant.corpus.formats import find_reader
from assistant.domain import Origin, Paper, Skipped
from assistant.errors import CorpusError

__all__ = ["find_files", "read_all", "read_papers"]


def read_papers(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of one file in its order, and what had to be skipped, with place and reason.

    Raises UnknownFormat at once; CorpusError when the file turns out to be unreadable.
    """
    return _read(path, find_reader(path)(path))


def read_all(files: Iterable[Path | Skipped]) -> Iterator[Paper | Skipped]:
    """Yield the papers of what `find_files` found; a file of several that cannot be read is skipped, and told."""
    found = tuple(files)
    if len(found) == 1 and isinstance(found[0], Path):
        yield from _read_only(found[0])
        return
    for file in found:
        if isinstance(file, Skipped):
            yield file
            continue
        try:
            yield from read_papers(file)
        except CorpusError as error:
            place, _, reason = str(error).partition(": ")
            yield Skipped(place, reason, records=0)


def _read_only(file: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of the one file that a user named; raises CorpusError if it holds none."""
    for record in read_papers(file):
        if record == _tell_empty(file):
            raise CorpusError(f"{show(file)}: no papers in it.")
        yield record


def _read(path: Path, entries: Iterable[Paper | Skipped]) -> Iterator[Paper | Skipped]:
    empty, origin = True, Origin(os.path.realpath(path))
    for entry in entries:
        empty = False
        yield replace(entry, origin=origin) if isinstance(entry, Paper) else entry
    if empty:
        yield _tell_empty(path)


def _tell_empty(path: Path) -> Skipped:
    return Skipped(show(path), "no papers in it", records=0)
