"""Stand-ins at the ports: small, deterministic, and they remember what they were asked."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from assistant.domain import NO_FILTERS, Answer, Event, Evidence, Filters, History, Paper, Sentence
from assistant.ports import Embedder, Hit, Holding, Vector, Vectors
from assistant.text.terms import terms, words

DIMENSION = 512


def make_paper(
    id: str = "list#1",
    abstract: str = "We propose Sparrow, a sparse attention method. It halves the memory of training.",
    **given: str | int | tuple[str, ...],
) -> Paper:
    """Return a paper; what is not given is plain or empty."""
    return Paper(id=id, abstract=abstract, **given)  # type: ignore[arg-type]


def make_sentences(paper: Paper) -> tuple[Sentence, ...]:
    """Return the sentences of a paper, cut after each full stop that white space follows."""
    spans = [match.span() for match in re.finditer(r"\S.*?(?:[.!?](?=\s|$)|$)", paper.abstract, re.DOTALL)]
    return tuple(Sentence(paper.id, start, end, paper.abstract[start:end]) for start, end in spans)


def make_holding(paper: Paper, embedder: Embedder) -> Holding:
    """Return a paper as a library holds it."""
    sentences = make_sentences(paper)
    return Holding(paper, sentences, embedder.embed([sentence.text for sentence in sentences]))


class FakeEmbedder:
    """Embeds a text as the bag of its terms, hashed; counts the texts that it embedded."""

    def __init__(self, name: str = "fake/bag-of-terms", digest: str = "fake-1") -> None:
        self.name = name
        self.digest = digest
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text) or ("",):
                row[int.from_bytes(hashlib.sha256(term.encode()).digest()[:2]) % DIMENSION] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def count_pieces(self, text: str) -> int:
        return len(words(text))


class FakeLibrary:
    """Holds papers in memory and matches terms by BM25."""

    def __init__(self, holdings: Iterable[Holding]) -> None:
        self._holdings = {holding.paper.id: holding for holding in holdings}
        self._terms = {id: terms(_searched(holding.paper)) for id, holding in self._holdings.items()}

    def match(self, terms: Sequence[str], k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        passing = self.select(filters)
        hits = [Hit(id, self._score(held, terms)) for id, held in self._terms.items() if id in passing]
        return tuple(sorted((hit for hit in hits if hit.score > 0), key=lambda hit: -hit.score)[:k])

    def fetch(self, paper_ids: Sequence[str]) -> tuple[Holding, ...]:
        return tuple(self._holdings[id] for id in paper_ids if id in self._holdings)

    def select(self, filters: Filters) -> frozenset[str]:
        return _select(self._holdings.values(), filters)

    def count_holding(self, terms: Sequence[str]) -> tuple[int, ...]:
        return tuple(sum(_count(held, term) > 0 for held in self._terms.values()) for term in terms)

    def list_terms(self, first: str, shortest: int, longest: int) -> tuple[tuple[str, int], ...]:
        held = Counter(term for terms in self._terms.values() for term in set(terms))
        return tuple(
            (term, count) for term, count in held.items() if term.startswith(first) and shortest <= len(term) <= longest
        )

    def count_papers(self) -> int:
        return len(self._holdings)

    def _score(self, held: Sequence[str], wanted: Sequence[str]) -> float:
        mean = sum(map(len, self._terms.values())) / len(self._terms)
        score = 0.0
        for term in dict.fromkeys(wanted):
            (holding,) = self.count_holding([term])
            often = _count(held, term)
            rarity = math.log(1 + (len(self._terms) - holding + 0.5) / (holding + 0.5))
            score += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(held) / mean))
        return score


class FakeIndex:
    """Finds papers by the cosine of their nearest sentence."""

    def __init__(self, holdings: Iterable[Holding]) -> None:
        self._holdings = tuple(holdings)

    def search(self, vector: Vector, k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        passing = _select(self._holdings, filters)
        hits = [Hit(id, cosine) for id, cosine in self.measure(vector, tuple(passing)).items()]
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:k])

    def measure(self, vector: Vector, paper_ids: Sequence[str]) -> dict[str, float]:
        wanted = (held for held in self._holdings if held.paper.id in paper_ids)
        return {held.paper.id: float((held.vectors @ vector).max()) for held in wanted}


class FakeAnswerer:
    """Plays scripted events for each question and remembers what it was asked."""

    def __init__(self, *events: Event, standalone: str = "") -> None:
        self._events = events
        self._standalone = standalone
        self.questions: list[str] = []
        self.evidence: list[Evidence] = []
        self.histories: list[History] = []

    def standalone(self, question: str, history: History) -> str:
        self.histories.append(tuple(history))
        return self._standalone or question

    def answer(self, question: str, evidence: Evidence) -> Iterator[Event]:
        self.questions.append(question)
        self.evidence.append(evidence)
        yield from self._events or (Answer(question, question, "A scripted answer."),)


def _select(holdings: Iterable[Holding], filters: Filters) -> frozenset[str]:
    """Return the papers that pass by id, which is all that this stand-in filters by."""
    ids = (held.paper.id for held in holdings)
    return frozenset(id for id in ids if id not in filters.without and (not filters.only or id in filters.only))


def _count(held: Sequence[str], term: str) -> int:
    """Return how often a term, or several side by side with spaces between, stand among those held."""
    stems = tuple(term.split())
    return sum(tuple(held[at : at + len(stems)]) == stems for at in range(len(held))) if stems else 0


def _searched(paper: Paper) -> str:
    return f"{paper.title} {paper.abstract}"
