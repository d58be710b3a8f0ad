"""Finds the evidence for a question: two channels propose papers, their sentences decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.domain import Evidence, FoundPaper, QuestionTerm, ScoredSentence
from assistant.ports import Embedder, Holding, Index, Library, Vector
from assistant.retrieval.fusion import Channel, fuse
from assistant.retrieval.ranking import Ranking, keep, list_hits, trust, weigh_terms
from assistant.retrieval.seats import seat_named
from assistant.text.terms import terms, topic_terms

CANDIDATES = 100
"""Papers that each channel proposes."""

DENSE, SENTENCE, LEXICAL = 0.35, 0.30, 0.35
"""Weights of the passage's similarity, the best sentence's similarity and BM25."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a question, with all that its order rests on."""

    vector: Vector
    asked: tuple[QuestionTerm, ...]
    holdings: Mapping[str, Holding]
    ranking: Ranking


class HybridRetriever:
    """A Retriever over a Library (BM25) and an Index (dense), ordered with the best sentence of each paper."""

    def __init__(self, library: Library, index: Index, embedder: Embedder) -> None:
        self._library = library
        self._index = index
        self._embedder = embedder

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return at most k papers, best first, with their sentences scored."""
        found = self._find(question)
        seated = seat_named(question, found.ranking.final, k, found.asked, found.holdings)
        papers = (score_paper(found.holdings[hit.paper_id], hit.score, found.vector, found.asked) for hit in seated)
        return Evidence(question, tuple(papers), found.asked)

    def rank(self, question: str) -> Ranking:
        """Return every candidate in the order of each stage."""
        return self._find(question).ranking

    def _find(self, question: str) -> _Found:
        vector = self._embedder.embed([question])[0]
        asked = weigh_terms(topic_terms(question), self._library)
        present = [term.stem for term in asked if term.holding]
        matched = self._library.match(present, CANDIDATES) if present else ()
        near = self._index.search(vector, CANDIDATES)
        ids = dict.fromkeys(hit.paper_id for hit in (*near, *matched))
        holdings = {holding.paper.id: holding for holding in self._library.fetch(tuple(ids))}
        lexical, dense = keep(matched, holdings), keep(near, holdings)
        nearest = {paper_id: float(_similarities(holding, vector).max()) for paper_id, holding in holdings.items()}
        words = Channel(lexical, LEXICAL * trust(lexical, holdings, asked))
        passages = Channel(dense, DENSE)
        fused, final = fuse((passages, words)), fuse((passages, Channel(nearest, SENTENCE), words))
        return _Found(vector, asked, holdings, Ranking(matched, near, list_hits(fused), list_hits(final)))


def score_paper(holding: Holding, score: float, vector: Vector, asked: Sequence[QuestionTerm]) -> FoundPaper:
    """Return the paper with each of its sentences scored against the question."""
    total = sum(term.rarity for term in asked) or 1.0
    scored = []
    for sentence, similarity in zip(holding.sentences, _similarities(holding, vector), strict=True):
        held = set(terms(sentence.text))
        coverage = sum(term.rarity for term in asked if term.stem in held) / total
        near = max(0.0, float(similarity))
        scored.append(ScoredSentence(sentence, (near + coverage) / 2, near, coverage))
    return FoundPaper(holding.paper, score, tuple(scored))


def _similarities(holding: Holding, vector: Vector) -> Vector:
    return np.asarray(holding.vectors @ vector, dtype=np.float32)
