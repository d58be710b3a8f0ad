"""Decides whether the evidence answers a question at all."""

import re
from collections.abc import Sequence

from assistant.answering.aspects import (
    find_uncounted,
    find_unsaid,
    find_unsaid_of_record,
    is_akin,
    lacks_score,
)
from assistant.answering.attributes import asked_attribute
from assistant.answering.kinds import Kind
from assistant.answering.papers import is_named, paper_terms, support
from assistant.domain import Evidence, FoundPaper
from assistant.text.labels import label
from assistant.text.languages import ENGLISH
from assistant.text.names import find_names, is_coined
from assistant.text.numbers import states_number
from assistant.text.terms import stem, topic_terms, words

LEAST_SIMILARITY = 0.28
"""Cosine of the question and the nearest sentence below which nothing is close enough."""

SHORT, ON_TOPIC = 3, 0.55
"""A question of so many terms is taken by its words, unless a sentence is as near as this cosine."""

ENOUGH_TERMS, LEAST_SUPPORT = 4, 0.1
"""A follow-up with so many terms of its own, or a question for papers on a topic, is off the papers' topic when the
paper holds a smaller share of its terms, by rarity."""

SAID_OTHERWISE = 0.65
"""Cosine from which a sentence may say what is asked in other words."""

NEAR = 0.45
"""Cosine from which a sentence is on the topic of a question whatever its words."""

_VERSION = re.compile(r"^([A-Za-z]+)-(\d(?:\.\d)?)$")
_ASKS_PAPERS = re.compile(r"\b(?:papers?|works?|stud(?:y|ies)|articles?|abstracts?)\b", re.IGNORECASE)
_ONE_PAPER = frozenset({Kind.FACT, Kind.FIGURE, Kind.DEFINITION, Kind.SUMMARY})
_ASKS_FIGURE = re.compile(
    r"^(?:[\w,]+ ){0,4}(?:how (?:many|much|large|big|fast|long|small|high)|(?:what|which) percent)", re.IGNORECASE
)
_ASKS_SCORE = re.compile(
    r"\b(?:what|which|how (?:high|good|accurate|many|much)) (?:[\w-]+ ){0,3}"
    r"(?:score|accuracy|perplexity|f1|bleu|auc|points)\b",
    re.IGNORECASE,
)
_SWEEPING = re.compile(r"\b(?:always|never|every|all|entirely)\b", re.IGNORECASE)


def doubt(kind: Kind, question: str, evidence: Evidence, papers: Sequence[FoundPaper]) -> str:
    """Return why the evidence does not answer the question, in a sentence; empty when it does."""
    if not papers:
        return "Nothing in the corpus is close to this question."
    if evidence.language != ENGLISH:
        return _doubt_foreign(evidence, papers[0])
    return (
        doubt_names(kind, evidence, papers)
        or _missing_figure(kind, evidence.question, papers[0])
        or _missing_aspect(kind, evidence, papers[0])
        or _missing_attribute(kind, question, papers[0])
        or _missing_premise(evidence.question, papers[0])
        or _unknown_topic(kind, evidence, papers[0])
        or _missing_topic(evidence, papers[0])
        or _changed_topic(question, evidence, papers[0])
        or _too_far(evidence.question, papers[0])
    )


def _doubt_foreign(evidence: Evidence, found: FoundPaper) -> str:
    """Return the doubts that need no English words: a coined name that no paper has, and distance."""
    for name in find_names(evidence.question):
        # A hyphen may part a name from a word of the language ("LLM-Verfahren").
        coined = is_coined(name) and "-" not in name
        if coined and not any(paper_terms(paper) & set(topic_terms(name)) for paper in evidence.papers):
            return f"No paper of the corpus mentions {name}."
    return _too_far(evidence.question, found)


def doubt_names(kind: Kind, evidence: Evidence, papers: Sequence[FoundPaper]) -> str:
    """Return which coined name of the question is not there, in a sentence; empty when all are.

    A plain acronym may be mere context ("faster CUDA code"): it counts when another name of the question
    says which paper is meant.
    """
    names = find_names(evidence.question)
    held = [name for name in names if any(_mentions(found, name) for found in papers)]
    for name in names:
        if name in held or not (held or is_coined(name)):
            continue
        if not any(_mentions(found, name) for found in evidence.papers):
            return f"No paper of the corpus mentions {name}."
        if kind in _ONE_PAPER:
            return f"The closest paper, {label(papers[0].paper)}, does not mention {name}."
    return ""


def _missing_figure(kind: Kind, question: str, found: FoundPaper) -> str:
    if kind is not Kind.FIGURE or not _ASKS_FIGURE.search(question):
        return ""
    if not states_number(found.paper.abstract):
        return f"The closest paper, {label(found.paper)}, states no figure."
    return ""


def _missing_attribute(kind: Kind, question: str, found: FoundPaper) -> str:
    asked = asked_attribute(question)
    nearest = max(scored.similarity for scored in found.sentences)
    if kind not in _ONE_PAPER or not asked or nearest >= SAID_OTHERWISE:
        return ""
    if any(is_akin(stem, paper_terms(found)) for stem in asked):
        return ""
    return f"The closest paper, {label(found.paper)}, does not say that."


def _missing_aspect(kind: Kind, evidence: Evidence, found: FoundPaper) -> str:
    """Return what a question asks of a paper and the paper does not speak of."""
    question, abstract = evidence.question, found.paper.abstract
    if kind not in (Kind.FACT, Kind.FIGURE):
        return ""
    unsaid = find_unsaid_of_record(question, abstract, paper_terms(found))
    if not unsaid and is_named(found, evidence):
        unsaid = find_unsaid(question, abstract, paper_terms(found)) or _find_unscored(question, found)
        if not unsaid and (uncounted := find_uncounted(question, abstract)):
            return f"The closest paper, {label(found.paper)}, does not say how many {uncounted}."
    return f"The closest paper, {label(found.paper)}, says nothing of {unsaid}." if unsaid else ""


def _find_unscored(question: str, found: FoundPaper) -> str:
    """Return the name in a question for a score of which a paper states no figure."""
    own = set(find_names(label(found.paper)))
    others = [name for name in find_names(question) if name not in own and _mentions(found, name)]
    unscored = (name for name in others if lacks_score(name, found.paper.abstract))
    return f"a figure for {name}" if _ASKS_SCORE.search(question) and (name := next(unscored, "")) else ""


def _missing_topic(evidence: Evidence, found: FoundPaper) -> str:
    """Return that no paper is on what a question asks papers for: nothing of its words, nothing near in meaning."""
    nearest = max(scored.similarity for scored in found.sentences)
    if not _ASKS_PAPERS.search(evidence.question) or nearest >= NEAR or support(found, evidence.terms) >= LEAST_SUPPORT:
        return ""
    return "No paper of the corpus is on this topic."


def _missing_premise(question: str, found: FoundPaper) -> str:
    """Return which sweeping word of a why-question the paper does not say."""
    swept = _SWEEPING.search(question) if re.match(r"\s*why\b", question, re.IGNORECASE) else None
    if not swept or swept[0].lower() in words(found.paper.abstract):
        return ""
    return f"The closest paper, {label(found.paper)}, does not say \u201c{swept[0]}\u201d."


def _unknown_topic(kind: Kind, evidence: Evidence, found: FoundPaper) -> str:
    """Return which word of a short question the corpus does not know, where that word is most of the question.

    A question for papers has no other words than its topic's: one unknown word of two is not yet most of them.

    A longer question may say in other words what a paper says: there the words alone decide nothing.
    """
    share = 0.6 if kind is Kind.SURVEY else 0.5
    unknown = [term for term in evidence.terms if not term.holding]
    weight = sum(term.rarity for term in unknown)
    nearest = max(scored.similarity for scored in found.sentences)
    if any(_mentions(found, name) for name in find_names(evidence.question)):
        return ""
    if (
        len(evidence.terms) > SHORT
        or nearest >= ON_TOPIC
        or weight < share * sum(term.rarity for term in evidence.terms)
    ):
        return ""
    stems = {term.stem for term in unknown}
    missing = [word for word in words(evidence.question) if stem(word) in stems]
    return f"No paper of the corpus mentions {' or '.join(dict.fromkeys(missing))}." if missing else ""


def _changed_topic(question: str, evidence: Evidence, found: FoundPaper) -> str:
    """Return that a follow-up has little to do with the paper that the conversation before it brought up."""
    if evidence.question == question:
        return ""
    stems = set(topic_terms(question))
    own = [term for term in evidence.terms if term.stem in stems]
    if len(own) < ENOUGH_TERMS or support(found, own) >= LEAST_SUPPORT:
        return ""
    return f"The closest paper, {label(found.paper)}, says nothing of that."


def _too_far(question: str, found: FoundPaper) -> str:
    nearest = max(scored.similarity for scored in found.sentences)
    named = any(paper_terms(found) & set(topic_terms(name)) for name in find_names(question))
    return "" if named or nearest >= LEAST_SIMILARITY else "No paper of the corpus is close enough to this question."


def _mentions(found: FoundPaper, name: str) -> bool:
    """Tell whether a paper has a name, or what it is short for; Mamba-2 is not Mamba."""
    held, stems = paper_terms(found), set(topic_terms(name))
    if version := _VERSION.search(name):
        return (
            stems <= held
            or {f"{stem(version[1].lower())}{version[2]}", f"{version[1].lower()}{version[2]}"} & held != set()
        )
    return bool(held & stems) or _spells_out(found, name)


def _spells_out(found: FoundPaper, name: str) -> bool:
    """Tell whether consecutive words of a paper have the letters of an acronym as their initials."""
    letters = name.rstrip("s").lower()
    initials = "".join(word[0] for word in words(found.paper.abstract))
    return len(letters) > 1 and letters.isalpha() and letters in initials
