"""Which papers are one and the same: what decides whether a paper is new to the library."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count, islice, takewhile
from pathlib import PurePath
from typing import Literal

from assistant.domain import Likeness, Paper
from assistant.likeness import (
    NEARLY_ALL,
    Traits,
    agree,
    contradict,
    hash_text,
    is_near,
    letters,
    read_traits,
    share,
)

Standing = Literal["new", "same", "updated", "merged"]

NAMESAKES = 10
"""Papers of one id, name, title or text that a paper is compared with word by word."""


@dataclass(frozen=True, slots=True)
class _Known:
    traits: Traits
    content: bytes
    source: str


class Register:
    """The papers that are known.

    A paper numbered by its place in a file ("list#3") is known by its text within files of that name, so that what
    is put in between changes no id. Every other paper is known by the id that its source gives. In which folder a
    file lies means nothing. Of an id the same paper is one of nearly the same text or, if the source gave the id, of
    the same title; any other is kept beside it. Under another id the same paper is one of the same DOI or arXiv id,
    of the same text, or of the same title and first author or year with nearly the same text (`_judge`).
    """

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._known: dict[str, _Known] = {}
        self._alike: dict[str | bytes, list[str]] = {}
        self._numbered: dict[tuple[str, bytes], list[str]] = {}
        self._highest: Counter[str] = Counter()
        self._seen: dict[str, None] = {}
        for paper in papers:
            self._enter(paper, read_traits(paper))

    def place(self, papers: Iterable[Paper]) -> Iterator[tuple[Standing, Paper]]:
        """Yield, for the papers of one run, how each stands to those known, with the id that it has or gets.

        merged: it is here under another id, or came before in this run. The same papers read again are the same or
        merged: so what is unchanged is settled first, then what is updated, then the rest; and what a paper's own id
        says before what others have in common with it.
        """
        rest: list[tuple[Paper, Traits]] = []
        for paper in papers:
            same = self._find_same(paper)
            if same is None:
                rest.append((paper, read_traits(paper)))
                continue
            yield "merged" if same in self._seen else "same", replace(paper, id=same)
            self._seen[same] = None
        placed: dict[int, tuple[Standing, Paper]] = {}
        for settle in (self._update, self._recognise, self._renew):
            for position, (paper, traits) in enumerate(rest):
                if position not in placed and (found := settle(paper, traits)):
                    placed[position] = found
        for position, (paper, traits) in enumerate(rest):
            yield placed.get(position) or self._admit(paper, traits)

    def find_likenesses(self) -> Iterator[Likeness]:
        """Yield the papers of this run that may be one with another, each pair once."""
        told: set[frozenset[str]] = set()
        for id in self._seen:
            known = self._known[id]
            for other in self._list_alike(known.traits):
                pair = frozenset((id, other))
                if other == id or pair in told:
                    continue
                told.add(pair)
                if reason := _doubt(known.traits, self._known[other].traits):
                    yield Likeness(id, other, reason)

    def _find_same(self, paper: Paper) -> str | None:
        content = _hash_content(paper)
        return next((id for id in self._namesakes(paper) if self._known[id].content == content), None)

    def _update(self, paper: Paper, traits: Traits) -> tuple[Standing, Paper] | None:
        """Put a paper in the place of its older version of the same id; what this run has put there stays."""
        versions = self._list_versions(paper, traits)
        return self._replace(next((id for id in versions if id not in self._seen), None), paper, traits)

    def _recognise(self, paper: Paper, traits: Traits) -> tuple[Standing, Paper] | None:
        """Find the very same record of the same file under another id, by its names or its title."""
        if not paper.title and not paper.doi and not paper.extra:
            return None
        record = (_hash_content(paper), paper.source)
        alike = ((id, self._known[id]) for id in self._list_alike(traits))
        same = next((id for id, known in alike if (known.content, known.source) == record), None)
        if same is None:
            return None
        standing: Standing = "merged" if same in self._seen else "same"
        self._seen[same] = None
        return standing, replace(paper, id=same)

    def _renew(self, paper: Paper, traits: Traits) -> tuple[Standing, Paper] | None:
        """Put a paper in the place of one of another id that its file had before, and that it certainly is."""
        older = next((id for id in self._list_alike(traits) if self._is_edited(id, paper, traits)), None)
        return self._replace(older, paper, traits)

    def _replace(self, older: str | None, paper: Paper, traits: Traits) -> tuple[Standing, Paper] | None:
        if older is None:
            return None
        placed = replace(paper, id=older)
        self._enter_seen(placed, traits)
        return "updated", placed

    def _list_versions(self, paper: Paper, traits: Traits) -> list[str]:
        """Return the papers of the same id that this one is a version of."""
        return [id for id in islice(self._namesakes(paper), NAMESAKES) if self._is_version(id, paper, traits)]

    def _is_version(self, id: str, paper: Paper, traits: Traits) -> bool:
        """Return whether a paper is the known one of the same id, edited; another file's must not contradict it."""
        known = self._known[id]
        if known.source != paper.source and agree(known.traits, traits) is False:
            return False
        return _is_version(known.traits, traits, _number(paper) > 0)

    def _is_edited(self, id: str, paper: Paper, traits: Traits) -> bool:
        """Return whether a paper of another id is this one as its file had it before."""
        known = self._known[id]
        if id in self._seen or known.source != paper.source or known.traits.text == traits.text:
            return False
        return _judge(known.traits, traits)

    def _admit(self, paper: Paper, traits: Traits) -> tuple[Standing, Paper]:
        for id in islice(self._namesakes(paper), NAMESAKES):
            known = self._known[id].traits
            apart = contradict(known.title, paper.title) or agree(known, traits) is False
            if not apart and is_near(known.abstract, paper.abstract):
                return "merged", replace(paper, id=id)
        for id in self._list_alike(traits):
            if _judge(self._known[id].traits, traits):
                return "merged", replace(paper, id=id)
        placed = replace(paper, id=self._choose_id(paper))
        self._enter_seen(placed, traits)
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
        yield from self._numbered.get((_stem(paper), hash_text(paper)), ())

    def _list_alike(self, traits: Traits) -> list[str]:
        """Return the ids of papers with a name, the text or the title in common, the surest first."""
        found = (islice(self._alike.get(key, ()), NAMESAKES) for key in _list_keys(traits))
        return list(dict.fromkeys(chain.from_iterable(found)))

    def _choose_id(self, paper: Paper) -> str:
        stem = _stem(paper)
        following = (f"{stem}#{number}" for number in count(self._highest[stem] + 1))
        names = chain([paper.id], following) if _number(paper) else _names(paper)
        return next(id for id in names if id not in self._known)

    def _enter_seen(self, paper: Paper, traits: Traits) -> None:
        self._seen[paper.id] = None
        self._enter(paper, traits)

    def _enter(self, paper: Paper, traits: Traits) -> None:
        stem, number = _stem(paper), _number(paper)
        if old := self._known.get(paper.id):
            for key in _list_keys(old.traits):
                self._alike[key].remove(paper.id)
            place = (_cut_suffix(old.source), old.traits.text)
            if paper.id in self._numbered.get(place, ()):
                self._numbered[place].remove(paper.id)
        known = _Known(traits, _hash_content(paper), paper.source)
        self._known[paper.id] = known
        for key in _list_keys(known.traits):
            self._alike.setdefault(key, []).append(paper.id)
        if number:
            self._numbered.setdefault((stem, known.traits.text), []).append(paper.id)
            self._highest[stem] = max(number, self._highest[stem])


def _list_keys(traits: Traits) -> tuple[str | bytes, ...]:
    title = (f"title:{traits.letters}",) if traits.title else ()
    return (*sorted(traits.names), traits.text, *title)


def _judge(known: Traits, paper: Traits) -> bool:
    """Return whether two records of different ids are of one paper."""
    if known.names & paper.names:
        return not contradict(known.title, paper.title) or is_near(known.abstract, paper.abstract)
    if contradict(known.title, paper.title):
        return False
    common = agree(known, paper)
    if common is False or (known.names and paper.names and not paper.telling):
        return False
    if known.text == paper.text:
        return True
    if not known.title or not paper.title:
        return False
    return share(known.abstract, paper.abstract) >= NEARLY_ALL or (
        common is True and is_near(known.abstract, paper.abstract)
    )


def _doubt(one: Traits, two: Traits) -> str:
    """Return why two papers that are kept apart may be one all the same, empty for no reason."""
    if one.names & two.names:
        return f"both are {min(one.names & two.names)}, with another title and abstract"
    if not (one.telling and two.telling) or not is_near(one.abstract, two.abstract):
        return ""
    if contradict(one.title, two.title):
        return "the same abstract, another title" if one.text == two.text else ""
    what = "the same abstract" if one.text == two.text else "the same title, nearly the same abstract"
    return f"{what}, {_name_difference(one, two)}"


def _name_difference(one: Traits, two: Traits) -> str:
    other = [
        *(["other authors"] if one.first_author != two.first_author else []),
        *(["another year"] if one.year != two.year else []),
    ]
    return " and ".join(other) or "nothing else to tell by"


def _names(paper: Paper) -> Iterator[str]:
    """Yield the id, then what it is called where another paper has it: the same again at each reading."""
    yield paper.id
    yield f"{_stem(paper)}:{paper.id}"
    for number in count(2):
        yield f"{_stem(paper)}:{paper.id}:{number}"


def _is_version(known: Traits, paper: Traits, numbered: bool) -> bool:
    """Return whether a paper is the known one of the same id, edited."""
    if known.names & paper.names:
        return True
    if paper.title and not numbered and letters(paper.title) == letters(known.title):
        return True
    if contradict(known.title, paper.title) and not paper.telling:
        return False
    return is_near(known.abstract, paper.abstract)


def _number(paper: Paper) -> int:
    """Return the place in its file that a paper is numbered by, 0 for an id of its own."""
    stem, _, number = paper.id.rpartition("#")
    ours = stem == _stem(paper) and number.isascii() and number.isdigit()
    return int(number) if ours else 0


def _stem(paper: Paper) -> str:
    return _cut_suffix(paper.source)


@lru_cache(1024)
def _cut_suffix(source: str) -> str:
    return PurePath(source).stem


def _hash_content(paper: Paper) -> bytes:
    rest = (paper.authors, paper.year, paper.venue, paper.url, paper.doi, paper.extra)
    return hashlib.sha256(json.dumps((paper.title, paper.abstract, *rest)).encode()).digest()
