"""Sees to it that a paper which the question names is among those found."""

from collections.abc import Mapping, Sequence

from assistant.domain import QuestionTerm
from assistant.ports import Hit, Holding
from assistant.text.names import find_names
from assistant.text.terms import terms

FEW_PAPERS = 3
"""A name that at most so many papers hold says which paper is meant."""


def seat_named(
    question: str, order: Sequence[Hit], k: int, asked: Sequence[QuestionTerm], holdings: Mapping[str, Holding]
) -> tuple[Hit, ...]:
    """Return the first k of an order, and for each telling name of the question its best paper, in that order."""
    few = {term.stem for term in asked if 0 < term.holding <= FEW_PAPERS}
    named = [set(terms(name)) & few for name in find_names(question)]
    firsts = (_find_first(stems, order, holdings) for stems in named if stems)
    seated = list(dict.fromkeys(hit for hit in firsts if hit))[:k]
    free = [hit for hit in order if hit not in seated]
    kept = {*seated, *free[: k - len(seated)]}
    return tuple(hit for hit in order if hit in kept)


def _find_first(stems: set[str], order: Sequence[Hit], holdings: Mapping[str, Holding]) -> Hit | None:
    return next((hit for hit in order if stems <= _held(holdings[hit.paper_id])), None)


def _held(holding: Holding) -> set[str]:
    return set(terms(f"{holding.paper.title} {holding.paper.abstract}"))
