"""Gives every marker of an answer its paper, and the words of that paper that fit best."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.domain import Citation, Evidence, FoundPaper, Quote
from assistant.markers import MARKER, Numbering, skip_markers
from assistant.text.labels import label
from assistant.text.sentences import split_sentences
from assistant.text.terms import terms, words

_RUN = re.compile(r"(?:\[[0-9]+\])+")
_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_ITEM = re.compile(r"\s*(?:[*_]{0,2}[0-9]{1,2}[.)]|\([0-9]{1,2}\))\s")
_SMALL = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
} | {"half": "50", "halves": "50", "halved": "50", "twice": "2", "double": "2", "doubles": "2", "doubled": "2"}

MOST_CLAIMS = 12
"""For how many of the sentences that cite a paper quotes are looked for."""
SECOND_QUOTE = 0.25
"""A second sentence is quoted when it holds this share of a claim beyond the first."""
CLEAR, MARGIN, LEAST_TERMS = 0.7, 0.15, 4
"""A sentence is from a paper when a sentence there holds this share of it, and no other paper's comes so near."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A text whose markers [1], [2] ... each name one of the citations, and how many were taken out."""

    text: str
    citations: tuple[Citation, ...]
    removed: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of a sentence, without markers, and the numbers that it cites."""

    text: str
    numbers: tuple[int, ...]


def number_citations(text: str, evidence: Evidence) -> Cited:
    """Return the text with its markers numbered by first appearance, and their citations.

    A marker [n] of the text means the n-th paper of the evidence; any other is removed and counted.
    """
    numbering = Numbering(len(evidence.papers))
    numbered = numbering.feed(text) + numbering.flush()
    return Cited(numbered, cite(numbered, numbering.order, evidence), numbering.removed)


def cite(text: str, order: Sequence[int], evidence: Evidence) -> tuple[Citation, ...]:
    """Return the citations of a numbered text; `order` names the papers of the evidence, from 1."""
    claims: list[dict[str, None]] = [{} for _ in order]
    for claim in find_claims(text):
        for number in claim.numbers:
            if len(claims[number - 1]) < MOST_CLAIMS:
                claims[number - 1][claim.text] = None
    return tuple(
        _cite(number, evidence.papers[place - 1], tuple(claims[number - 1]))
        for number, place in enumerate(order, start=1)
    )


def find_claims(text: str) -> Iterator[Claim]:
    """Yield what each run of markers in a numbered text stands for: the words before it in its sentence."""
    for start, end in split_answer(text):
        sentence = text[start:end]
        plain = MARKER.sub("", sentence).strip()
        position = 0
        for run in _RUN.finditer(sentence):
            before = sentence[position : run.start()].strip()
            numbers = tuple(int(number) for number in MARKER.findall(run[0]))
            yield Claim(before if len(terms(before)) >= LEAST_TERMS else plain, numbers)
            position = run.end()


def split_answer(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of an answer's sentences; markers after a full stop belong to the sentence before."""
    spans: list[tuple[int, int]] = []
    for start, end in split_sentences(text):
        first = skip_markers(text, start, end) if spans else start
        if first > start:
            spans[-1] = (spans[-1][0], start + len(text[start:first].rstrip(" \t,;")))
        if first < end:
            spans.append((first, end))
    return tuple(spans)


def find_quotes(claim: str, found: FoundPaper) -> tuple[Quote, ...]:
    """Return the one or two sentences of a paper that hold most of a claim, in the order of the abstract."""
    wanted = _terms(claim)
    quotable = _quotable(found)
    held = [wanted & _terms(quote.text) for quote, _ in quotable]
    places = range(len(quotable))
    best = max(places, key=lambda place: (_weigh(held[place]), quotable[place][1]))
    further = [_weigh(shared - held[best]) for shared in held]
    second = max(places, key=lambda place: (further[place], quotable[place][1]))
    wide = further[second] > 1 and further[second] >= SECOND_QUOTE * _weigh(wanted)
    return tuple(quotable[place][0] for place in sorted({best, second} if wide else {best}))


def find_source(claim: str, evidence: Evidence) -> int:
    """Return the number of the paper that a sentence without a marker is clearly from, 0 if there is none."""
    wanted = _terms(claim)
    if len(wanted) < LEAST_TERMS:
        return 0
    shares = [_share(wanted, found) for found in evidence.papers]
    best = max(range(len(shares)), key=shares.__getitem__)
    rival = max(shares[:best] + shares[best + 1 :], default=0.0)
    if shares[best] < CLEAR or shares[best] - rival < MARGIN or missing_figures(claim, (evidence.papers[best],)):
        return 0
    return best + 1


def missing_figures(claim: str, papers: Iterable[FoundPaper]) -> tuple[str, ...]:
    """Return the figures of a sentence that none of the papers has, in digits or as a word.

    Units, words such as "two" in the sentence, and the number of a list's item do not count.
    """
    known = frozenset[str]().union(*(_known_figures(f"{found.paper.title} {found.paper.abstract}") for found in papers))
    said = (_DIGITS.match(word) for word in words(_ITEM.sub("", MARKER.sub("", claim))))
    return tuple(digits[0] for digits in said if digits and digits[0] not in known)


def _share(wanted: frozenset[str], found: FoundPaper) -> float:
    return max(_weigh(wanted & _terms(quote.text)) for quote, _ in _quotable(found)) / _weigh(wanted)


def _cite(number: int, found: FoundPaper, claims: Sequence[str]) -> Citation:
    quotes = {quote for claim in claims or ("",) for quote in find_quotes(claim, found)}
    return Citation(number, found.paper, label(found.paper), tuple(sorted(quotes, key=lambda quote: quote.start)))


def _quotable(found: FoundPaper) -> tuple[tuple[Quote, float], ...]:
    """Return the sentences of a paper as quotes, each with its score; at least one."""
    if found.sentences:
        parts = ((scored.sentence, scored.score) for scored in found.sentences)
        return tuple((Quote(part.text, part.start, part.end), score) for part, score in parts)
    abstract = found.paper.abstract
    spans = split_sentences(abstract) or ((0, len(abstract)),)
    return tuple((Quote(abstract[start:end], start, end), 0.0) for start, end in spans)


def _weigh(shared: frozenset[str]) -> int:
    """Return how much terms weigh: a figure counts twice."""
    return sum(2 if term[0].isdigit() else 1 for term in shared)


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


@lru_cache(maxsize=256)
def _known_figures(text: str) -> frozenset[str]:
    found = (_SMALL.get(word) or (digits[0] if (digits := _DIGITS.match(word)) else word) for word in words(text))
    return frozenset(found)
