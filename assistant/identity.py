"""Which papers are one and the same: what decides whether a paper is new to the library."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import PurePath
from typing import Literal

from assistant.domain import Paper

Standing = Literal["new", "same", "updated", "merged"]


@dataclass(frozen=True, slots=True)
class _Known:
    source: str
    title: str
    content: bytes
    text: bytes


class Register:
    """The papers that are known, and those of this run as they come.

    A paper numbered by its place in a file ("list#3") is known by its text within that file, so that what is put
    in between changes no id. Every other paper is known by the id that its source gives.
    """

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._known: dict[str, _Known] = {}
        self._texts: Counter[bytes] = Counter()
        self._numbered: dict[tuple[str, bytes], str] = {}
        self._highest: Counter[str] = Counter()
        self._seen: set[str] = set()
        for paper in papers:
            self._enter(paper)

    def place(self, paper: Paper) -> tuple[Standing, Paper]:
        """Return how the paper stands to those known, and the paper with the id that it has or gets.

        merged: it is here under another id, or came before in this run.
        """
        id = self._choose_number(paper) if _number(paper) else self._choose_name(paper)
        placed = replace(paper, id=id)
        standing = self._compare(placed)
        if standing in {"new", "updated"}:
            self._enter(placed)
        if standing != "merged":
            self._seen.add(id)
        return standing, placed

    def _compare(self, paper: Paper) -> Standing:
        known, text = self._known.get(paper.id), _hash_text(paper)
        if known and known.content == _hash_content(paper):
            return "merged" if paper.id in self._seen else "same"
        others = self._texts[text] - (known is not None and known.text == text)
        if others or paper.id in self._seen:
            return "merged"
        return "updated" if known else "new"

    def _choose_number(self, paper: Paper) -> str:
        stem = _stem(paper)
        if known := self._numbered.get((stem, _hash_text(paper))):
            return known
        free = (f"{stem}#{number}" for number in count(self._highest[stem] + 1))
        return paper.id if paper.id not in self._known else next(id for id in free if id not in self._known)

    def _choose_name(self, paper: Paper) -> str:
        content = _hash_content(paper)
        return next(name for name in _names(paper) if self._fits(name, paper, content))

    def _fits(self, name: str, paper: Paper, content: bytes) -> bool:
        known = self._known.get(name)
        if known is None or known.content == content:
            return True
        # What this run has already put there is not overwritten: it would be back at the next run.
        return name not in self._seen and _of_one_work(known, paper)

    def _enter(self, paper: Paper) -> None:
        if old := self._known.get(paper.id):
            self._texts[old.text] -= 1
            self._numbered.pop((_stem(paper), old.text), None)
        known = _Known(paper.source, paper.title, _hash_content(paper), _hash_text(paper))
        self._known[paper.id] = known
        self._texts[known.text] += 1
        if number := _number(paper):
            self._numbered[_stem(paper), known.text] = paper.id
            self._highest[_stem(paper)] = max(number, self._highest[_stem(paper)])


def _names(paper: Paper) -> Iterator[str]:
    """Yield the id, then what it is called where another paper has it: the same again at each reading."""
    yield paper.id
    yield f"{_stem(paper)}:{paper.id}"
    for number in count(2):
        yield f"{_stem(paper)}:{paper.id}:{number}"


def _of_one_work(known: _Known, paper: Paper) -> bool:
    agree = known.title.casefold() == paper.title.casefold()
    return known.source == paper.source or (agree and paper.title != "")


def _number(paper: Paper) -> int:
    """Return the place in its file that a paper is numbered by, 0 for an id of its own."""
    stem, _, number = paper.id.rpartition("#")
    ours = stem == _stem(paper) and number.isascii() and number.isdigit()
    return int(number) if ours else 0


def _stem(paper: Paper) -> str:
    return PurePath(paper.source).stem


def _hash_text(paper: Paper) -> bytes:
    return hashlib.sha256(" ".join(paper.abstract.split()).encode()).digest()


def _hash_content(paper: Paper) -> bytes:
    rest = (paper.authors, paper.year, paper.venue, paper.url, paper.doi, paper.extra)
    return hashlib.sha256(json.dumps((paper.title, paper.abstract, *rest)).encode()).digest()
