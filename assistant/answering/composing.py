"""Makes the text, the citations and the lists of an answer out of what was chosen."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answering.kinds import Kind
from assistant.domain import Answer, Citation, Evidence, FoundPaper, Quote, Retrieved, Sentence
from assistant.text.labels import label
from assistant.text.phrases import LONGEST_LABEL, shorten

LABELLED = frozenset({Kind.SURVEY, Kind.COMPARISON})
"""Kinds whose answer is a list of papers, each with its label."""

LEAD_SIMILARITY = 0.4
LEAD_WORDS = 60
"""An abstention shows the nearest sentence as a lead from this cosine on, if it is not longer than this."""

# An abstract's own "[3]" would be taken for a marker of ours.
_BRACKETED_NUMBERS = re.compile(r"\[(\d+(?:\s*[,–-]\s*\d+)*)\]")


@dataclass(frozen=True, slots=True)
class Part:
    """A paper of an answer with its number and the sentences quoted from it."""

    number: int
    found: FoundPaper
    sentences: tuple[Sentence, ...]


def write_line(kind: Kind, part: Part) -> str:
    """Return what the answer says of one paper: its sentences, a marker after each."""
    said = " ".join(f"{show_sentence(sentence.text)} [{part.number}]" for sentence in part.sentences)
    return f"{_call(part)}: {said}" if kind in LABELLED else said


def name_paper(part: Part) -> str:
    """Return the line of a paper that is only named; its source shows the sentence."""
    return f"{_call(part)} [{part.number}]"


def _call(part: Part) -> str:
    """Return what a line of a list calls its paper: its label, or the beginning of a long title."""
    called = label(part.found.paper)
    return called if len(called) <= LONGEST_LABEL else f"{shorten(called, LONGEST_LABEL)} …"


def count_papers(parts: Sequence[Part]) -> str:
    """Return the first line of a list of papers: how many there are."""
    return f"{len(parts)} papers:"


def show_sentence(text: str) -> str:
    """Return a sentence as it stands in an answer: in brackets of its own, "[3]" becomes "(3)"."""
    return _BRACKETED_NUMBERS.sub(r"(\1)", text)


def cite(part: Part) -> Citation:
    """Return the citation of a paper by the sentences that were quoted."""
    quotes = tuple(Quote(sentence.text, sentence.start, sentence.end) for sentence in part.sentences)
    return Citation(part.number, part.found.paper, label(part.found.paper), quotes)


def list_retrieved(evidence: Evidence) -> tuple[Retrieved, ...]:
    """Return what was found, cited or not, best first."""
    return tuple(Retrieved(found.paper, label(found.paper), found.score) for found in evidence.papers)


def abstain(question: str, evidence: Evidence, reason: str, answerer: str) -> Answer:
    """Return the answer that says why there is none, and what comes closest."""
    return Answer(
        question=question,
        standalone=evidence.question,
        text=f"The corpus does not answer this. {reason}{_find_lead(evidence)}",
        retrieved=list_retrieved(evidence),
        abstained=True,
        reason=reason,
        answerer=answerer,
    )


def _find_lead(evidence: Evidence) -> str:
    near = [scored for found in evidence.papers[:1] for scored in found.sentences]
    lead = max(near, key=lambda scored: scored.similarity, default=None)
    if lead is None or lead.similarity < LEAD_SIMILARITY or len(lead.sentence.text.split()) > LEAD_WORDS:
        return ""
    return f" Closest: \u201c{show_sentence(lead.sentence.text)}\u201d ({label(evidence.papers[0].paper)})"
