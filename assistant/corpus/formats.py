"""The formats that can be read: each module of this package may register a reader for its suffixes."""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import assistant.corpus
from assistant.corpus.encodings import guess_encoding, tell_marked
from assistant.corpus.files import read_head, show
from assistant.errors import UnknownFormat
from assistant.ports import Reader

Looks = Callable[[str], bool]
"""Whether the beginning of a file, at most 64 KiB of text, is of a format; it must be sure."""


@dataclass(frozen=True, slots=True)
class Format:
    """A reader with the suffixes that it reads, and how its format shows in a file."""

    read: Reader
    suffixes: tuple[str, ...]
    looks: Looks | None


_FORMATS: list[Format] = []


def reader(*suffixes: str, looks: Looks | None = None) -> Callable[[Reader], Reader]:
    """Register a function as the reader of files with these suffixes (".txt").

    With `looks` it also reads files of the other formats' suffixes that are of its format in truth.
    """

    def register(read: Reader) -> Reader:
        _FORMATS.append(Format(read, suffixes, looks))
        return read

    return register


def find_reader(path: Path) -> Reader:
    """Return the reader of a file by its suffix and beginning; raises UnknownFormat naming the suffixes there are.

    What a file is counts for more than what it is called: a list in BibTeX that is called .txt is read as BibTeX.
    A name without a suffix may hold anything, one with a suffix that no reader has is not looked into.
    """
    suffix = tell_suffix(path)
    if suffix and suffix not in list_suffixes():
        raise UnknownFormat(f"{show(path)}: no reader for this format. Known: {', '.join(list_suffixes())}.")
    # The last one that was registered: a module of the user's own may replace ours.
    own = next((found for found in reversed(_FORMATS) if suffix in found.suffixes), None)
    if own and not own.looks:
        return own.read
    head = _read_text(path)
    if own and own.looks and own.looks(head):
        return own.read
    found = next((found for found in _FORMATS if found.looks and found.looks(head)), own)
    if found is None:
        raise UnknownFormat(f"{show(path)}: no reader for what it holds. Known: {', '.join(list_suffixes())}.")
    return found.read


def tell_suffix(path: Path) -> str:
    """Return the suffix of a file in small letters, of "a.bib.gz" that of "a.bib"."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" else suffix


def list_suffixes() -> tuple[str, ...]:
    """Return the suffixes that can be read, each also with .gz after it."""
    _load_readers()
    return tuple(sorted({suffix for found in _FORMATS for suffix in found.suffixes}))


def _read_text(path: Path) -> str:
    head = read_head(path)
    encoding, length = tell_marked(head)
    text = head[length:].decode(encoding, errors="replace")
    if "\ufffd" in text and encoding == "utf-8" and (guessed := guess_encoding(head)):
        text = head.decode(guessed, errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff \t\n")


@cache
def _load_readers() -> None:
    for module in pkgutil.iter_modules(assistant.corpus.__path__):
        import_module(f"{assistant.corpus.__name__}.{module.name}")
