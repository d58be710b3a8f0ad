"""Reads papers from files; a new format is one new module here, with `@reader(".suffix")`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from assistant.corpus.files import show
from assistant.corpus.folders import find_files
from assistant.corpus.formats import find_reader
from assistant.domain import Paper, Skipped

__all__ = ["find_files", "read_papers"]


def read_papers(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of one file in its order, and what had to be skipped, with place and reason.

    Raises UnknownFormat at once; CorpusError when the file turns out to be unreadable.
    """
    return _read(path, find_reader(path)(path))


def _read(path: Path, entries: Iterable[Paper | Skipped]) -> Iterator[Paper | Skipped]:
    empty = True
    for entry in entries:
        empty = False
        yield entry
    if empty:
        yield Skipped(show(path), "no papers in it")
