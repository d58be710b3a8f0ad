"""Finds the evidence for a question: two channels propose papers, their sentences decide."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from assistant.domain import Evidence, FoundPaper, QuestionTerm, ScoredSentence
from assistant.ports import Embedder, Holding, Index, Library, Vector
from assistant.retrieval.fusion import Channel, fuse
from assistant.text.terms import terms, topic_terms

CANDIDATES = 100
"""Papers that each channel proposes."""

DENSE, SENTENCE, LEXICAL = 0.35, 0.30, 0.35
"""Weights of the passage's similarity, the best sentence's similarity and BM25."""

FULL_TRUST = 0.6
"""BM25 weighs in full when its best papers hold this share of the question's terms, by rarity.

A question in other words than the papers' shares few terms with any of them: then BM25 ranks by chance
words. With this, the first paper is right for .75 of such questions on the seeds, without it for .68.
"""


class HybridRetriever:
    """A Retriever over a Library (BM25) and an Index (dense), ordered with the best sentence of each paper."""

    def __init__(self, library: Library, index: Index, embedder: Embedder) -> None:
        self._library = library
        self._index = index
        self._embedder = embedder

    def retrieve(self, question: str, k: int) -> Evidence:
        """Return at most k papers, best first, with their sentences scored."""
        vector = self._embedder.embed([question])[0]
        asked = self._read_terms(question)
        present = [term.stem for term in asked if term.holding]
        lexical = {hit.paper_id: hit.score for hit in self._library.match(present, CANDIDATES)} if present else {}
        dense = {hit.paper_id: hit.score for hit in self._index.search(vector, CANDIDATES)}
        holdings = self._library.fetch(tuple(dict.fromkeys((*dense, *lexical))))
        by_id = {holding.paper.id: holding for holding in holdings}
        nearest = {paper_id: float(_similarities(holding, vector).max()) for paper_id, holding in by_id.items()}
        lexical = _kept(lexical, by_id)
        order = fuse(
            (
                Channel(_kept(dense, by_id), DENSE),
                Channel(nearest, SENTENCE),
                Channel(lexical, LEXICAL * _trust(lexical, by_id, asked)),
            )
        )
        found = (score_paper(by_id[paper_id], score, vector, asked) for paper_id, score in order[:k])
        return Evidence(question, tuple(found), asked)

    def _read_terms(self, question: str) -> tuple[QuestionTerm, ...]:
        stems = topic_terms(question)
        size = self._library.count_papers()
        counts = zip(stems, self._library.count_holding(stems), strict=True)
        return tuple(QuestionTerm(stem, holding, rarity(holding, size)) for stem, holding in counts)


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


def _trust(lexical: Mapping[str, float], by_id: Mapping[str, Holding], asked: Sequence[QuestionTerm]) -> float:
    """Return how far BM25 is to be trusted, 0 to 1, by what the best papers hold of the question."""
    best = sorted(lexical, key=lambda paper_id: -lexical[paper_id])[:3]
    held = (set(terms(f"{by_id[paper_id].paper.title} {by_id[paper_id].paper.abstract}")) for paper_id in best)
    total = sum(term.rarity for term in asked) or 1.0
    shares = (sum(term.rarity for term in asked if term.stem in stems) / total for stems in held)
    return min(1.0, max(shares, default=0.0) / FULL_TRUST)


def rarity(holding: int, size: int) -> float:
    """Return how telling a term is that `holding` of `size` papers hold (inverse document frequency)."""
    return math.log(1 + (size - holding + 0.5) / (holding + 0.5))


def _similarities(holding: Holding, vector: Vector) -> Vector:
    return np.asarray(holding.vectors @ vector, dtype=np.float32)


def _kept(scores: Mapping[str, float], by_id: Mapping[str, Holding]) -> dict[str, float]:
    return {paper_id: score for paper_id, score in scores.items() if paper_id in by_id}
