"""Finds the evidence for a question in another language than English, by an embedder that knows both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.domain import NO_FILTERS, Evidence, Filters, FoundPaper, QuestionTerm, ScoredSentence
from assistant.ports import Embedder, ForeignIndex, Hit, Holding, Library, Vector, Vectors
from assistant.retrieval.fusion import Channel, fuse
from assistant.retrieval.ranking import Ranking, keep, list_hits, measure_fit, trust, weigh_terms
from assistant.text.asking import strip_asking
from assistant.text.languages import little_words
from assistant.text.terms import STOP_WORDS, stem, words

CANDIDATES = 100
"""Papers that each channel proposes."""

MEANING, WORDS = 0.7, 0.3
"""Weights of the nearest label or sentence, and of BM25 over what the question has in common with the papers."""

SCALE = 0.93
"""What a cosine of this embedder is multiplied by to compare with one of the default embedder."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a question, with all that its order rests on."""

    vector: Vector
    asked: tuple[QuestionTerm, ...]
    holdings: Mapping[str, Holding]
    vectors: Mapping[str, Vectors]
    ranking: Ranking


class ForeignRetriever:
    """Finds papers by the nearest label or sentence across languages, and by names, which no language changes."""

    def __init__(self, library: Library, index: ForeignIndex, embedder: Embedder) -> None:
        self._library = library
        self._index = index
        self._embedder = embedder

    @property
    def ready(self) -> bool:
        """Return whether any paper was read for other languages."""
        return self._index.ready

    @property
    def fresh(self) -> bool:
        """Return whether every paper was, as it is now."""
        return self._index.fresh

    def retrieve(self, question: str, k: int, language: str, filters: Filters = NO_FILTERS) -> Evidence:
        """Return at most k papers, best first, with their sentences scored.

        The similarities are those of the second embedder, brought to the scale of the default one; the terms
        are those that some paper holds.
        """
        found = self._find(question, language, filters)
        papers = tuple(_score_paper(found, hit) for hit in found.ranking.final[:k])
        return Evidence(question, papers, found.asked, language)

    def rank(self, question: str, language: str) -> Ranking:
        """Return every candidate in the order of each stage."""
        return self._find(question, language, NO_FILTERS).ranking

    def _find(self, question: str, language: str, filters: Filters) -> _Found:
        vector = self._embedder.embed([strip_asking(question, language)])[0]
        asked = tuple(term for term in weigh_terms(shared_terms(question, language), self._library) if term.holding)
        matched = self._library.match([term.stem for term in asked], CANDIDATES, filters) if asked else ()
        within = None if filters == NO_FILTERS else self._library.select(filters)
        near = self._index.search(vector, CANDIDATES, within)
        ids = tuple(dict.fromkeys(hit.paper_id for hit in (*near, *matched)))
        holdings = {holding.paper.id: holding for holding in self._library.fetch(ids)}
        vectors = self._index.fetch([holding.paper for holding in holdings.values()])
        # What is near by the vectors of a paper as it was is near by nothing.
        near = tuple(hit for hit in near if hit.paper_id in vectors)
        lexical, dense = keep(matched, holdings), keep(near, holdings)
        nearest = {paper_id: float((rows @ vector).max()) for paper_id, rows in vectors.items()}
        named = Channel(lexical, WORDS * trust(lexical, holdings, asked))
        fused, final = fuse((Channel(dense, MEANING), named)), fuse((Channel(nearest, MEANING), named))
        ranking = Ranking(matched, near, list_hits(fused), list_hits(final))
        return _Found(vector, asked, holdings, vectors, ranking)


def shared_terms(question: str, language: str) -> tuple[str, ...]:
    """Return the terms of a question that an English paper may hold: its words but the little ones, once each."""
    left_out = STOP_WORDS | little_words(language)
    return tuple(dict.fromkeys(stem(word) for word in words(question) if word not in left_out and len(word) > 1))


def _score_paper(found: _Found, hit: Hit) -> FoundPaper:
    """Return a paper with its sentences scored; the best one counts as near as the label, if that is nearer."""
    holding = found.holdings[hit.paper_id]
    near = _similarities(found, holding)
    total = sum(term.rarity for term in found.asked) or 1.0
    scored = []
    for sentence, similarity in zip(holding.sentences, near, strict=True):
        held = {stem(word) for word in words(sentence.text)}
        coverage = sum(term.rarity for term in found.asked if term.stem in held) / total
        scored.append(ScoredSentence(sentence, (3 * similarity + coverage) / 4, similarity, coverage))
    return FoundPaper(holding.paper, hit.score, tuple(scored), measure_fit(holding.paper, scored, found.asked))


def _similarities(found: _Found, holding: Holding) -> Sequence[float]:
    rows = found.vectors.get(holding.paper.id)
    # The library may have been changed since those vectors were made.
    if rows is None or len(rows) != len(holding.sentences) + 1:
        return [0.0] * len(holding.sentences)
    cosines = np.clip((rows @ found.vector) * SCALE, 0.0, 1.0)
    near = [float(cosine) for cosine in cosines[1:]]
    best = near.index(max(near))
    near[best] = max(near[best], float(cosines[0]))
    return near
