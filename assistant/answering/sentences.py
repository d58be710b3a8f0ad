"""Chooses the sentences of a paper that an answer quotes."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answering.kinds import Kind
from assistant.domain import Evidence, FoundPaper, ScoredSentence, Sentence
from assistant.text.labels import label
from assistant.text.names import find_names
from assistant.text.numbers import states_number
from assistant.text.terms import STOP_WORDS, terms, topic_terms, words

WITHIN = {
    Kind.FACT: 1.4,
    Kind.FIGURE: 0.8,
    Kind.DEFINITION: 0.6,
    Kind.SUMMARY: math.inf,
    Kind.COMPARISON: 1.6,
    Kind.SURVEY: 0.5,
}
"""A further sentence is quoted when it is worth at most this much less than the best one."""

OWN = 2.0
"""What a term that a follow-up itself asks for counts more than one of its subject."""
LIMITS = 0.5
"""What a sentence that says where something ends is worth more to a question that asks for that."""

CONCLUDES = 0.6
"""What a sentence under the heading "CONCLUSION" of a structured abstract is worth more."""

_CONTRIBUTION = re.compile(
    r"\b(?:we|this (?:paper|work|article|study)|here)\b.{0,30}"
    r"\b(?:propos|introduc|present|develop|show|design|formulat|study|investigat|address|provid|offer|establish|explor)"
    r"|\bour (?:method|approach|framework|model|work)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:experiments?|results?|evaluations?|empirical\w*|demonstrat\w+|outperform\w*|achiev\w+|improv\w+)\b",
    re.IGNORECASE,
)
# The headings of structured abstracts, in medicine for the most part.
_CONCLUSION = re.compile(r"^(?:CONCLUSIONS?|INTERPRETATION|Conclusions?:)\b")
_ASKS_LIMIT = re.compile(
    r"\b(?:not|cannot|can't|doesn't|don't|fails?|failed|limit(?:s|ed|ations?)?|drawbacks?|weakness(?:es)?|downsides?"
    r"|shortcomings?|problems? with|caveats?|catch|worse|stop working)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:not|cannot|no|fails?|failed|limit(?:s|ed|ations?)?|only|except|unless|worse|doubled|lost|however|though|despite"
    r"|remains?|unable|should not)\b",
    re.IGNORECASE,
)
_LEFTOVER = re.compile(
    r"\b(?:code|data|models?|implementation)\b.{0,40}\b(?:available|released?|at https?:)", re.IGNORECASE
)
_BRACKETED = re.compile(r"\(([^()]{2,20})\)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence beside its paper: what its neighbours and its place say of it."""

    scored: ScoredSentence
    telling: float
    place: int
    background: bool
    naming: bool


def choose_sentences(kind: Kind, evidence: Evidence, found: FoundPaper, budget: int) -> tuple[Sentence, ...]:
    """Return the sentences to quote, in the order of the abstract, of about `budget` words at most."""
    question = evidence.question
    weighed = [(_weigh(kind, question, candidate), candidate.scored.sentence) for candidate in _place(evidence, found)]
    (best, first), *others = sorted(weighed, key=lambda pair: -pair[0])
    chosen = [first]
    spent = len(first.text.split())
    for worth, sentence in others:
        length = len(sentence.text.split())
        if worth >= best - WITHIN[kind] and spent + length <= budget:
            chosen.append(sentence)
            spent += length
    return tuple(sorted(chosen, key=lambda sentence: sentence.start))


def _place(evidence: Evidence, found: FoundPaper) -> tuple[Candidate, ...]:
    texts = [scored.sentence.text for scored in found.sentences]
    own = next((place for place, text in enumerate(texts) if _CONTRIBUTION.search(text)), 0)
    names = find_names(label(found.paper))[:1]
    telling = _rate_terms(evidence, [frozenset(terms(text)) for text in texts])
    return tuple(
        Candidate(scored, telling[place], place, place < own, any(name in scored.sentence.text for name in names))
        for place, scored in enumerate(found.sentences)
    )


def _rate_terms(evidence: Evidence, held: Sequence[frozenset[str]]) -> tuple[float, ...]:
    """Return, for each sentence, the share of the question's terms that it holds, by their rarity in the paper.

    A term that most sentences of the paper hold says which paper is meant; one that a single sentence holds
    says where the answer stands.
    """
    often = Counter(stem for stems in held for stem in stems)
    weights = {
        term.stem: math.log(1 + (len(held) - often[term.stem] + 0.5) / (often[term.stem] + 0.5))
        for term in evidence.terms
        if often[term.stem]
    }
    # What a follow-up asks itself counts more than the subject that was put before it.
    subject, _, asked = evidence.question.rpartition(": ")
    own = frozenset(topic_terms(asked)) if subject else frozenset[str]()
    weights = {stem: weight * (OWN if stem in own else 1.0) for stem, weight in weights.items()}
    total = sum(weights.values()) or 1.0
    return tuple(sum(weight for stem, weight in weights.items() if stem in stems) / total for stems in held)


def _weigh(kind: Kind, question: str, candidate: Candidate) -> float:
    """Return how well a sentence serves an answer of the kind.

    The weights are rounded from a pairwise logistic regression on 102 questions over the seeds; on 50 by another
    author they raised the share whose facts are all quoted from .78 to .92, on 28 about medicine from .64 to .79.
    """
    text = candidate.scored.sentence.text
    worth = 0.5 * candidate.scored.similarity + 0.5 * candidate.scored.coverage + candidate.telling
    worth -= 0.8 * candidate.background + 0.3 * (candidate.place == 0)
    worth += 0.3 * states_number(text) + 0.2 * bool(_CONTRIBUTION.search(text)) + 0.3 * min(1.0, text.count(",") / 4)
    worth += LIMITS * bool(_ASKS_LIMIT.search(question) and _LIMIT.search(text))
    worth += CONCLUDES * bool(_CONCLUSION.search(text))
    return worth + _weigh_kind(kind, question, candidate)


def _weigh_kind(kind: Kind, question: str, candidate: Candidate) -> float:
    text = candidate.scored.sentence.text
    if kind is Kind.FIGURE:
        return 0.4 * states_number(text)
    if kind is Kind.DEFINITION:
        return 2.0 * _defines(text, question)
    leftover = 0.5 * bool(_LEFTOVER.search(text))
    if kind is Kind.SUMMARY:
        return 0.5 * bool(_CONTRIBUTION.search(text)) + 0.3 * bool(_RESULT.search(text)) - leftover
    if kind is Kind.SURVEY:
        return (
            0.5 * bool(_CONTRIBUTION.search(text))
            + 1.5 * candidate.naming
            - leftover
            - 0.3 * max(0, len(text.split()) - 25) / 25
        )
    return 0.0


def _defines(text: str, question: str) -> bool:
    """Tell whether a sentence spells out a name of the question: "Long Form (NAME)" or "NAME (long form)"."""
    asked = set(words(question)) - STOP_WORDS
    bracketed = (set(words(name)) for name in _BRACKETED.findall(text))
    opened = (re.search(rf"{re.escape(name)}\s*[(:,]", text) for name in find_names(question))
    return any(asked & name for name in bracketed) or any(opened)
