"""Which papers are one and the same: what decides whether a paper is new to the library."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, islice, takewhile
from pathlib import PurePath
from typing import Literal

from assistant.domain import Paper

Standing = Literal["new", "same", "updated", "merged"]

SHARED = 0.5
"""The part of their words that two texts share which are versions of one: other abstracts share a fifth."""
TELLING = 30
"""Different words of a text that names its paper by itself; "No abstract available." does not."""
NAMESAKES = 10
"""Papers of one id that a paper is compared with word by word."""

# The scripts that put no spaces between words count by character.
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class _Known:
    abstract: str
    title: str
    content: bytes
    text: bytes


class Register:
    """The papers that are known.

    A paper numbered by its place in a file ("list#3") is known by its text within files of that name, so that what
    is put in between changes no id. Every other paper is known by the id that its source gives. In which folder a
    file lies means nothing. Of an id the same paper is one of nearly the same text or, if the source gave the id, of
    the same title; any other is kept beside it.
    """

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._known: dict[str, _Known] = {}
        self._titles: dict[bytes, list[str]] = {}
        self._numbered: dict[tuple[str, bytes], list[str]] = {}
        self._highest: Counter[str] = Counter()
        self._seen: set[str] = set()
        for paper in papers:
            self._enter(paper)

    def place(self, papers: Iterable[Paper]) -> Iterator[tuple[Standing, Paper]]:
        """Yield, for the papers of one run, how each stands to those known, with the id that it has or gets.

        merged: it is here under another id, or came before in this run. The same papers read again are the same or
        merged: so what is unchanged is settled first, then what is updated, then the rest.
        """
        rest = []
        for paper in papers:
            same = self._find_same(paper)
            if same is None:
                rest.append(paper)
                continue
            yield "merged" if same in self._seen else "same", replace(paper, id=same)
            self._seen.add(same)
        updates: dict[int, Paper] = {}
        for position, paper in enumerate(rest):
            if older := self._find_older(paper):
                updates[position] = replace(paper, id=older)
                self._enter_seen(updates[position])
        for position, paper in enumerate(rest):
            yield ("updated", updates[position]) if position in updates else self._admit(paper)

    def _find_same(self, paper: Paper) -> str | None:
        content = _hash_content(paper)
        return next((id for id in self._namesakes(paper) if self._known[id].content == content), None)

    def _find_older(self, paper: Paper) -> str | None:
        """Return the id of the paper that this one is a new version of; what this run has put there stays."""
        near = (id for id in islice(self._namesakes(paper), NAMESAKES) if id not in self._seen)
        return next((id for id in near if _is_version(self._known[id], paper)), None)

    def _admit(self, paper: Paper) -> tuple[Standing, Paper]:
        for id in islice(self._namesakes(paper), NAMESAKES):
            known = self._known[id]
            if not _contradict(known.title, paper.title) and _is_near(known.abstract, paper.abstract):
                return "merged", replace(paper, id=id)
        if any(not _contradict(title, paper.title) for title in self._titles.get(_hash_text(paper), ())):
            return "merged", paper
        placed = replace(paper, id=self._choose_id(paper))
        self._enter_seen(placed)
        return "new", placed

    def _namesakes(self, paper: Paper) -> Iterator[str]:
        """Yield the ids of the papers known that this one may be."""
        if not _number(paper):
            names = _names(paper)
            # A gap among the first names, filled later in the run, must not hide what stands behind it.
            yield from filter(self._known.__contains__, islice(names, NAMESAKES))
            yield from takewhile(self._known.__contains__, names)
            return
        if paper.id in self._known:
            yield paper.id
        yield from self._numbered.get((_stem(paper), _hash_text(paper)), ())

    def _choose_id(self, paper: Paper) -> str:
        stem = _stem(paper)
        following = (f"{stem}#{number}" for number in count(self._highest[stem] + 1))
        names = chain([paper.id], following) if _number(paper) else _names(paper)
        return next(id for id in names if id not in self._known)

    def _enter_seen(self, paper: Paper) -> None:
        self._seen.add(paper.id)
        self._enter(paper)

    def _enter(self, paper: Paper) -> None:
        stem, number = _stem(paper), _number(paper)
        if old := self._known.get(paper.id):
            self._titles[old.text].remove(old.title)
            if paper.id in self._numbered.get((stem, old.text), ()):
                self._numbered[stem, old.text].remove(paper.id)
        known = _Known(paper.abstract, paper.title, _hash_content(paper), _hash_text(paper))
        self._known[paper.id] = known
        self._titles.setdefault(known.text, []).append(known.title)
        if number:
            self._numbered.setdefault((stem, known.text), []).append(paper.id)
            self._highest[stem] = max(number, self._highest[stem])


def _names(paper: Paper) -> Iterator[str]:
    """Yield the id, then what it is called where another paper has it: the same again at each reading."""
    yield paper.id
    yield f"{_stem(paper)}:{paper.id}"
    for number in count(2):
        yield f"{_stem(paper)}:{paper.id}:{number}"


def _is_version(known: _Known, paper: Paper) -> bool:
    """Return whether a paper is the known one of the same id, edited."""
    if paper.title and not _number(paper) and _letters(paper.title) == _letters(known.title):
        return True
    if _contradict(known.title, paper.title) and len(_words(paper.abstract)) < TELLING:
        return False
    return _is_near(known.abstract, paper.abstract)


def _contradict(title: str, other: str) -> bool:
    """Return whether two titles name two papers; where one is missing, nothing is known."""
    return bool(title and other) and _letters(title) != _letters(other)


def _letters(title: str) -> str:
    return " ".join(_WORD.findall(title.casefold())) or title


def _is_near(abstract: str, other: str) -> bool:
    one, two = _words(abstract), _words(other)
    return abstract == other or len(one & two) >= SHARED * len(one | two) > 0


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


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
