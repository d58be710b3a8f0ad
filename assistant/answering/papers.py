"""Chooses the papers that an answer rests on."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assistant.answering.kinds import SHAPES, Kind, read_kind, sets_together
from assistant.domain import Evidence, FoundPaper, QuestionTerm
from assistant.text.labels import label
from assistant.text.names import find_names, is_coined
from assistant.text.terms import STOP_WORDS, terms, topic_terms, words
from assistant.text.topics import find_topic

_CLAUSES = re.compile(r"[:;.?!]\s| [-–—] ")
_ASKS = re.compile(r"\s*(?:and |at |in |by |to )?(?:what|which|how|who|where|when|why)\b", re.IGNORECASE)
_SIDES = re.compile(r",\s|\b(?:and|with|versus|vs|than|or|from|to)\b", re.IGNORECASE)

# "What accuracy does A reach on B?": B is where A was tried.
_CONTEXT = re.compile(r"\b(?:on|over|in|for|under) ((?:[A-Za-z]+\d|[A-Z])[\w-]*[\w])")

SIDE_SUPPORT = 0.5
"""A paper stands for a side of a comparison when it holds this share of the side's terms, by rarity."""

SIDE_WEIGHT = 0.15
"""A side of a comparison carries this share of the question's terms, by rarity: less is an aspect of it."""

FEW_PAPERS = 3
LONGEST_NAME = 3
"""Words of a name that a paper gives its own."""

SURVEY_STEP = (0.6, 0.75)
"""The cut of a survey lies at the widest step between these shares of the best fit."""


def settle_kind(question: str, evidence: Evidence) -> Kind:
    """Return the kind of a question now that it is known which papers hold its names.

    Two names that no single paper holds are compared; two that one paper holds are a matter of that paper.
    """
    kind = read_kind(question)
    if kind is not Kind.SURVEY and len(find_called(evidence)) > 1:
        return Kind.COMPARISON
    names = asked_names(evidence)
    named = terms(" ".join(names))
    together = len(names) > 1 and any(paper_terms(found).issuperset(named) for found in evidence.papers)
    if kind is Kind.COMPARISON and together:
        return Kind.FACT
    if len(names) > 1 and not together and (sets_together(question) or _count_named(evidence, names) > 1):
        return Kind.COMPARISON
    return kind


def find_called(evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return the papers that the question calls by the name that they give their own, in the order of the question."""
    asked = f" {' '.join(terms(evidence.question))} "
    texts = [f" {' '.join(terms(f'{found.paper.title} {found.paper.abstract}'))} " for found in evidence.papers]
    called = []
    for found in evidence.papers:
        names = (f" {' '.join(terms(name))} " for name in _own_names(found))
        # A name that many papers hold is a thing that they are about.
        told = [name for name in names if name in asked and sum(name in text for text in texts) <= FEW_PAPERS]
        if told:
            called.append((asked.index(told[0]), found))
    return tuple(found for _, found in sorted(called, key=lambda pair: pair[0]))


def _own_names(found: FoundPaper) -> tuple[str, ...]:
    """Return the names that a paper's label begins with, long and short; none if it begins with a description."""
    head, parted, _ = label(found.paper).partition(":")
    names = [name.strip(" )") for name in head.split("(")] if parted else []
    return tuple(name for name in names if terms(name) and len(name.split()) <= LONGEST_NAME)


def _count_named(evidence: Evidence, names: Sequence[str]) -> int:
    """Return how many papers go by a name of the question: naming two sets them side by side."""
    sides = set(names) - {match[1] for match in _CONTEXT.finditer(evidence.question)}
    return sum(not set(find_names(label(found.paper))).isdisjoint(sides) for found in evidence.papers)


def choose_papers(kind: Kind, evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return the papers to answer from, best first; none when nothing was found."""
    if not evidence.papers:
        return ()
    if kind is Kind.SURVEY:
        return _cut_survey(evidence)
    if kind is Kind.COMPARISON:
        return _choose_sides(evidence)
    named = tuple(found for found in evidence.papers if _holds_a_name(found, evidence))
    return (named or evidence.papers)[:1]


def paper_terms(found: FoundPaper) -> frozenset[str]:
    """Return the stems of a paper's title and abstract."""
    return frozenset(terms(f"{found.paper.title} {found.paper.abstract}"))


def support(found: FoundPaper, asked: Sequence[QuestionTerm]) -> float:
    """Return the share of the question's terms that a paper holds, weighted by their rarity."""
    held = paper_terms(found)
    total = sum(term.rarity for term in asked)
    return sum(term.rarity for term in asked if term.held_in(held)) / total if total else 0.0


def asked_names(evidence: Evidence) -> tuple[str, ...]:
    """Return the coined names of the question; what a paper calls its own counts in small letters too ("tabflex")."""
    asked = set(words(evidence.question))
    known = (name for found in evidence.papers for name in find_names(label(found.paper)) if is_coined(name))
    meant = (name for name in known if name.casefold() in asked - STOP_WORDS)
    return tuple(dict.fromkeys((*find_names(evidence.question), *meant)))


def is_named(found: FoundPaper, evidence: Evidence) -> bool:
    """Tell whether the question names a paper by what the paper calls its own."""
    called = label(found.paper)
    head = set(terms(re.split(r"[:(]", called)[0]))
    if len(head) > 1 and head.issubset(topic_terms(evidence.question)):
        return True
    own = {stem for name in find_names(called) for stem in terms(name)}
    return any(own.intersection(terms(name)) for name in asked_names(evidence)) or _holds_a_name(found, evidence)


def _holds_a_name(found: FoundPaper, evidence: Evidence) -> bool:
    """Tell whether a paper holds a name of the question that few papers hold: such a name says which is meant."""
    held = paper_terms(found)
    telling = {term.stem for term in evidence.terms if 0 < term.holding <= FEW_PAPERS}
    return any(telling & set(stems) and held.issuperset(stems) for stems in map(terms, asked_names(evidence)))


def _choose_sides(evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return a paper for each side of a comparison, and the best ones found where sides are not told.

    A stretch of the question that fits a paper already chosen best says more of that one ("... how fast?").
    """
    chosen = list(find_called(evidence))
    if len(chosen) > 1:
        return tuple(chosen[: SHAPES[Kind.COMPARISON].papers])
    for side in _split_sides(evidence.question):
        asked = _side_terms(side, evidence)
        if not asked:
            continue
        best = max(evidence.papers, key=lambda found: (support(found, asked) + _is_about(found, asked), found.score))
        if best not in chosen and support(best, asked) >= SIDE_SUPPORT:
            chosen.append(best)
    others = [found for found in evidence.papers if found not in chosen]
    chosen = sorted(chosen, key=lambda found: -found.score)
    return tuple((chosen + others[: max(0, 2 - len(chosen))])[: SHAPES[Kind.COMPARISON].papers])


def _split_sides(question: str) -> tuple[str, ...]:
    """Return the stretches that may each name a side; a clause that asks ("what does each cost?") names none."""
    clauses = [clause for clause in _CLAUSES.split(question) if clause.strip()]
    naming = [clause for clause in clauses if find_names(clause) or not _ASKS.match(clause)]
    return tuple(side for clause in naming or clauses for side in _SIDES.split(clause))


def _is_about(found: FoundPaper, asked: Sequence[QuestionTerm]) -> float:
    """Return the share of the terms that what the paper is called holds: it is about those, not only mentions them."""
    held = set(terms(label(found.paper)))
    total = sum(term.rarity for term in asked)
    return sum(term.rarity for term in asked if term.held_in(held)) / total if total else 0.0


def _side_terms(side: str, evidence: Evidence) -> tuple[QuestionTerm, ...]:
    """Return the terms of one side: those of its names where they weigh enough, they say which paper is meant."""
    names = [name for name in asked_names(evidence) if name.casefold() in side.casefold()]
    for stems in (set(topic_terms(" ".join(names))), set(topic_terms(side))):
        asked = tuple(term for term in evidence.terms if term.stem in stems)
        if sum(term.rarity for term in asked) >= SIDE_WEIGHT * sum(term.rarity for term in evidence.terms):
            return asked
    return ()


def _cut_survey(evidence: Evidence) -> tuple[FoundPaper, ...]:
    """Return the papers above the widest step in how well they fit the topic, and those that have its very words."""
    ranked = sorted(evidence.papers, key=lambda found: -found.fit)
    fits = [*(found.fit for found in ranked), 0.0]
    low, high = (share * fits[0] for share in SURVEY_STEP)
    steps = [
        (above - below, place + 1)
        for place, (above, below) in enumerate(pairwise(fits))
        if low <= above and below <= high
    ]
    count = max(steps)[1] if steps else len(ranked)
    topic = topic_terms(find_topic(evidence.question))
    chosen = [*ranked[:count], *(found for found in ranked[count:] if _has_words(found, topic))]
    return tuple(chosen[: SHAPES[Kind.SURVEY].papers])


def _has_words(found: FoundPaper, topic: Sequence[str]) -> bool:
    """Tell whether a paper has the words of a topic side by side."""
    held = terms(f"{found.paper.title} {found.paper.abstract}")
    return f" {' '.join(topic)} " in f" {' '.join(held)} "
