"""The formats that can be read: each module of this package may register a reader for its suffixes."""

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

import assistant.corpus
from assistant.corpus.files import show
from assistant.errors import UnknownFormat
from assistant.ports import Reader

_READERS: dict[str, Reader] = {}


def reader(*suffixes: str) -> Callable[[Reader], Reader]:
    """Register a function as the reader of files with these suffixes (".txt")."""

    def register(read: Reader) -> Reader:
        _READERS.update(dict.fromkeys(suffixes, read))
        return read

    return register


def find_reader(path: Path) -> Reader:
    """Return the reader of a file by its suffix; raises UnknownFormat naming those that there are."""
    _load_readers()
    found = _READERS.get(path.suffix.lower())
    if found is None:
        raise UnknownFormat(f"{show(path)}: no reader for this format. Known: {', '.join(list_suffixes())}.")
    return found


def list_suffixes() -> tuple[str, ...]:
    """Return the suffixes that can be read."""
    _load_readers()
    return tuple(sorted(_READERS))


@cache
def _load_readers() -> None:
    for module in pkgutil.iter_modules(assistant.corpus.__path__):
        import_module(f"{assistant.corpus.__name__}.{module.name}")
