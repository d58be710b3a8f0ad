"""What a search found, stage by stage, and what its parts share."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.domain import Paper, QuestionTerm, ScoredSentence
from assistant.ports import Hit, Holding, Library
from assistant.text.terms import terms

FULL_TRUST = 0.6
"""BM25 weighs in full when its best papers hold this share of the question's terms, by rarity.

A question in other words than the papers' shares few terms with any of them: then BM25 ranks by chance
words. With this, the first paper is right for .75 of such questions on the seeds, without it for .68.
"""


WORDS_OF_FIT = 0.45
"""What the terms weigh in how well a paper fits a topic; its nearest sentence weighs the rest."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The papers found for a question, best first, at each stage of the search.

    `fused` joins the words (`lexical`) and the vectors (`dense`); `final` is the order once the sentences
    have decided.
    """

    lexical: tuple[Hit, ...]
    dense: tuple[Hit, ...]
    fused: tuple[Hit, ...]
    final: tuple[Hit, ...]


def weigh_terms(stems: Sequence[str], library: Library) -> tuple[QuestionTerm, ...]:
    """Return the terms with how many papers hold them."""
    size = library.count_papers()
    counts = zip(stems, library.count_holding(stems), strict=True)
    return tuple(QuestionTerm(stem, holding, rarity(holding, size)) for stem, holding in counts)


def rarity(holding: int, size: int) -> float:
    """Return how telling a term is that `holding` of `size` papers hold (inverse document frequency)."""
    return math.log(1 + (size - holding + 0.5) / (holding + 0.5))


def trust(lexical: Mapping[str, float], holdings: Mapping[str, Holding], asked: Sequence[QuestionTerm]) -> float:
    """Return how far BM25 is to be trusted, 0 to 1, by what the best papers hold of the question."""
    best = sorted(lexical, key=lambda paper_id: -lexical[paper_id])[:3]
    held = (set(terms(f"{holdings[paper_id].paper.title} {holdings[paper_id].paper.abstract}")) for paper_id in best)
    total = sum(term.rarity for term in asked) or 1.0
    shares = (sum(term.rarity for term in asked if term.held_in(stems)) / total for stems in held)
    return min(1.0, max(shares, default=0.0) / FULL_TRUST)


def measure_fit(paper: Paper, scored: Sequence[ScoredSentence], asked: Sequence[QuestionTerm]) -> float:
    """Return how well a paper is on a topic, 0 to 1: by the terms that it holds and by its nearest sentence."""
    # Terms of sentences are known already.
    held = set(terms(paper.title)).union(*(terms(one.sentence.text) for one in scored))
    total = sum(term.rarity for term in asked) or 1.0
    support = sum(term.rarity for term in asked if term.held_in(held)) / total
    return WORDS_OF_FIT * support + (1 - WORDS_OF_FIT) * max((one.similarity for one in scored), default=0.0)


def keep(hits: Sequence[Hit], holdings: Mapping[str, Holding]) -> dict[str, float]:
    """Return the scores by paper id, of papers that still exist."""
    return {hit.paper_id: hit.score for hit in hits if hit.paper_id in holdings}


def list_hits(order: Sequence[tuple[str, float]]) -> tuple[Hit, ...]:
    """Return an order of papers as hits."""
    return tuple(Hit(paper_id, score) for paper_id, score in order)
