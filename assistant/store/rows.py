"""Papers as rows of the library, and back."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from assistant.domain import Paper
from assistant.errors import StoreDamaged
from assistant.store.origins import OTHERS

COLUMNS = "id, hash, abstract, title, authors, year, venue, url, doi, source, extra"

READ_COLUMNS = f"{COLUMNS}, {OTHERS}"
"""What a paper is read from, with the other files that have it."""

Row = tuple[str, str, str, str, str, int | None, str, str, str, str, str]

Value = TypeVar("Value")

_UNREADABLE = (TypeError, ValueError, RecursionError)
"""What is raised by a value of another kind; SQLite keeps any kind in any column."""


_NO_NAMES: tuple[str, ...] = ()
_NO_PAIRS: tuple[tuple[str, str], ...] = ()


def write_row(paper: Paper) -> Row:
    """Return the row of a paper, in the order of COLUMNS."""
    authors, extra = json.dumps(paper.authors, ensure_ascii=False), json.dumps(paper.extra, ensure_ascii=False)
    rest = (paper.title, authors, paper.year, paper.venue, paper.url, paper.doi, paper.source, extra)
    return (paper.id, _hash((paper.id, paper.abstract, *rest)), paper.abstract, *rest)


def read_row(row: Sequence[object]) -> Paper:
    """Return the paper of a row in the order of COLUMNS or READ_COLUMNS; raises StoreDamaged."""
    id, _, abstract, title, authors, year, venue, url, doi, source, extra, *others = row
    try:
        return Paper(
            _read_text(id),
            _read_text(abstract),
            _read_text(title),
            _read_names(authors),
            _read_year(year),
            _read_text(venue),
            _read_text(url),
            _read_text(doi),
            _read_text(source),
            _read_pairs(extra),
            tuple(name for part in others for name in _read_names(part)),
        )
    except _UNREADABLE as error:
        raise StoreDamaged(
            f"The paper {id!r} of the library is damaged: `assistant check --repair` keeps what can be read of it."
        ) from error


def require_ids(ids: Iterable[object]) -> None:
    """Raise StoreDamaged for what is no id of a paper."""
    for id in ids:
        if not isinstance(id, str):
            raise StoreDamaged(f"A paper of the library has the id {id!r}: `assistant check --repair` takes it out.")


def mend_row(row: Sequence[object]) -> tuple[Paper | None, tuple[str, ...]]:
    """Return the paper of a row without what cannot be read of it, and the names of that; None without a text."""
    values = dict(zip(COLUMNS.split(", "), row, strict=True))
    lacking: list[str] = []

    def keep(name: str, read: Callable[[object], Value], instead: Value) -> Value:
        try:
            return read(values[name])
        except _UNREADABLE:
            lacking.append(name)
            return instead

    keep("hash", _read_text, "")
    paper = Paper(
        keep("id", _read_text, ""),
        keep("abstract", _read_text, ""),
        keep("title", _read_text, ""),
        keep("authors", _read_names, _NO_NAMES),
        keep("year", _read_year, None),
        keep("venue", _read_text, ""),
        keep("url", _read_text, ""),
        keep("doi", _read_text, ""),
        keep("source", _read_text, ""),
        keep("extra", _read_pairs, _NO_PAIRS),
    )
    return (paper if paper.id and paper.abstract.strip() else None), tuple(lacking)


def is_as_written(row: Sequence[object]) -> bool:
    """Return whether a row that can be read is the one that was written."""
    return write_row(read_row(row))[1] == row[1]


def _read_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _read_year(value: object) -> int | None:
    if value is not None and not isinstance(value, int):
        raise TypeError(value)
    return value


def _read_names(value: object) -> tuple[str, ...]:
    return tuple(_read_text(name) for name in _read_list(value))


def _read_pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple(_read_pair(pair) for pair in _read_list(value))


def _read_pair(value: object) -> tuple[str, str]:
    if not isinstance(value, list):
        raise TypeError(value)
    name, said = value
    return _read_text(name), _read_text(said)


def _read_list(value: object) -> list[object]:
    read = json.loads(_read_text(value))
    if not isinstance(read, list):
        raise TypeError(value)
    return read


def _hash(values: Sequence[str | int | None]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
