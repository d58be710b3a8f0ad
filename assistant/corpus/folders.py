"""Finds the files of papers in the folders that a user names."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from assistant.corpus.files import show, tell_reason
from assistant.corpus.formats import find_reader, list_suffixes
from assistant.errors import CorpusError


def find_files(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return the files to read, each once: those named, and those in the folders named, sorted by path.

    In a folder only what a reader knows is taken; hidden names and links that lead out of it are passed over.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        for file in _expand(path):
            found.setdefault(file.resolve(), file)
    return tuple(found.values())


def _expand(path: Path) -> Iterator[Path]:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise CorpusError(f"{show(path)}: {tell_reason(error)}. Give a file or folder of papers.") from error
    if not stat.S_ISDIR(mode):
        find_reader(path)
        yield path
        return
    files = list(_walk(path, list_suffixes()))
    if not files:
        raise CorpusError(f"{show(path)}: the folder holds no papers. Known formats: {', '.join(list_suffixes())}.")
    yield from files


def _walk(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    home = folder.resolve()
    for parent, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if name.startswith(".") or path.suffix.lower() not in suffixes or not path.is_file():
                continue
            if not path.is_symlink() or path.resolve().is_relative_to(home):
                yield path


def _refuse_folder(error: OSError) -> None:
    raise CorpusError(f"{show(Path(str(error.filename)))}: {tell_reason(error)}.") from error
