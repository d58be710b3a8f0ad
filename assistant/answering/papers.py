"""Chooses the papers that an answer rests on."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assistant.answering.kinds import SHAPES, Kind, read_kind, sets_together
from assistant.domain import Evidence, FoundPaper, QuestionTerm
from assistant.text.names import find_names
from assistant.text.terms import terms, topic_terms

_SIDES = re.compile(r"[,;:.]\s|\b(?:and|with|versus|vs|than|or|from|to)\b", re.IGNORECASE)

SIDE_SUPPORT = 0.5
"""A paper stands for a side of a comparison when it holds this share of the side's terms, by rarity."""

SURVEY_STEP = (0.55, 0.88)
"""The cut of a survey lies at the widest step between these shares of the best fit."""


def settle_kind(question: str, evidence: Evidence) -> Kind:
    """Return the kind of a question now that it is known which papers hold its names.

    Two names that no single paper holds are compared; two that one paper holds are a matter of that paper.
    """
    kind = read_kind(question)
    names = find_names(evidence.question)
    if len(names) < 2:
        return kind
    if any(paper_terms(found).issuperset(terms(" ".join(names))) for found in evidence.papers):
        return Kind.FACT if kind is Kind.COMPARISON else kind
    return Kind.COMPARISON if sets_together(question) else kind


def choose_papers(kind: Kind, evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return the papers to answer from, best first; none when nothing was found."""
    if not evidence.papers:
        return ()
    if kind is Kind.SURVEY:
        return _cut_survey(evidence)
    if kind is Kind.COMPARISON:
        return _choose_sides(evidence)
    named = tuple(found for found in evidence.papers if _holds_a_name(found, evidence.question))
    return (named or evidence.papers)[:1]


def paper_terms(found: FoundPaper) -> frozenset[str]:
    """Return the stems of a paper's title and abstract."""
    return frozenset(terms(f"{found.paper.title} {found.paper.abstract}"))


def support(found: FoundPaper, asked: Sequence[QuestionTerm]) -> float:
    """Return the share of the question's terms that a paper holds, weighted by their rarity."""
    held = paper_terms(found)
    total = sum(term.rarity for term in asked)
    return sum(term.rarity for term in asked if term.stem in held) / total if total else 0.0


def _holds_a_name(found: FoundPaper, question: str) -> bool:
    held = paper_terms(found)
    return any(stems and held.issuperset(stems) for stems in map(terms, find_names(question)))


def _choose_sides(evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return a paper for each side of a comparison, and the best ones found where sides are not told."""
    chosen: list[FoundPaper] = []
    for side in _SIDES.split(evidence.question):
        free = [found for found in evidence.papers if found not in chosen]
        asked = _side_terms(side, evidence)
        if not asked or not free:
            continue
        best = max(free, key=lambda found: (support(found, asked), found.score))
        if support(best, asked) >= SIDE_SUPPORT:
            chosen.append(best)
    others = [found for found in evidence.papers if found not in chosen]
    chosen = sorted(chosen, key=lambda found: -found.score)
    return tuple((chosen + others[: max(0, 2 - len(chosen))])[: SHAPES[Kind.COMPARISON].papers])


def _side_terms(side: str, evidence: Evidence) -> tuple[QuestionTerm, ...]:
    """Return the terms of one side: those of its names where it has any, they say which paper is meant."""
    stems = set(topic_terms(" ".join(find_names(side)) or side))
    return tuple(term for term in evidence.terms if term.stem in stems)


def _cut_survey(evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return the papers above the widest step in how well they fit the topic."""
    ranked = sorted(evidence.papers, key=lambda found: -_fit_topic(found, evidence))
    fits = [*(_fit_topic(found, evidence) for found in ranked), 0.0]
    low, high = (share * fits[0] for share in SURVEY_STEP)
    steps = [
        (above - below, place + 1)
        for place, (above, below) in enumerate(pairwise(fits))
        if low <= above and below <= high
    ]
    count = max(steps)[1] if steps else len(ranked)
    return tuple(ranked[: min(count, SHAPES[Kind.SURVEY].papers)])


def _fit_topic(found: FoundPaper, evidence: Evidence) -> float:
    nearest = max(scored.similarity for scored in found.sentences)
    return 0.45 * support(found, evidence.terms) + 0.55 * nearest
