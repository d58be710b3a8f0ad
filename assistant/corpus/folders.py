"""Finds the files of papers in the folders that a user names."""

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from assistant.corpus.files import show, tell_reason
from assistant.corpus.formats import find_reader, list_suffixes, tell_suffix
from assistant.domain import Skipped
from assistant.errors import CorpusError

NAMED = 5
"""Files that a line about those passed over names."""


def find_files(paths: Iterable[str | Path]) -> tuple[Path | Skipped, ...]:
    """Return the files to read, each once: those named, and those in the folders named, sorted by path.

    In a folder only what a reader knows is taken; hidden names and links that lead out of it are passed over. A
    line for each folder says what was.
    """
    found: dict[str, Path | Skipped] = {}
    for path in paths:
        if not str(path).strip():
            raise CorpusError("The path is empty: give a file or folder of papers.")
        for file in _expand(Path(path)):
            key = f"passed over in {file.place}" if isinstance(file, Skipped) else os.path.realpath(file)
            found.setdefault(key, file)
    return tuple(found.values())


def _expand(path: Path) -> Iterator[Path | Skipped]:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise CorpusError(f"{show(path)}: {tell_reason(error)}. Give a file or folder of papers.") from error
    if not stat.S_ISDIR(mode):
        yield path
        return
    passed: list[tuple[str, str]] = []
    files = list(_walk(path, passed))
    if not files:
        raise CorpusError(f"{show(path)}: the folder holds no papers. Known formats: {', '.join(list_suffixes())}.")
    yield from files
    if passed:
        yield Skipped(show(path), _tell_passed(passed), records=0)


def _walk(folder: Path, passed: list[tuple[str, str]]) -> Iterator[Path]:
    home = os.path.realpath(folder)
    for parent, folders, names in os.walk(folder, onerror=_refuse_folder):
        passed += (("hidden", name) for name in sorted(folders) if name.startswith("."))
        passed += (("a link to a folder", name) for name in sorted(folders) if Path(parent, name).is_symlink())
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if reason := _tell_fault(path, home):
                passed.append((reason, name))
            else:
                yield path


def _tell_fault(path: Path, home: str) -> str:
    """Return why a file of a folder is not read, empty if it is."""
    if path.name.startswith("."):
        return "hidden"
    # Path.resolve raises at a link to itself, os.path.realpath does not.
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(home):
        return "a link that leads out"
    if not path.is_file():
        return "no regular file"
    suffix = tell_suffix(path)
    if suffix:
        return "" if suffix in list_suffixes() else "of no known format"
    try:
        find_reader(path)
    except CorpusError:
        return "of no known format"
    return ""


def _tell_passed(passed: list[tuple[str, str]]) -> str:
    counts = Counter(reason for reason, _ in passed)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    names = [show(Path(name)) for _, name in passed[:NAMED]]
    return f"passed over {reasons} ({', '.join(names)}{', ...' if len(passed) > NAMED else ''})"


def _refuse_folder(error: OSError) -> None:
    raise CorpusError(f"{show(Path(str(error.filename)))}: {tell_reason(error)}.") from error
