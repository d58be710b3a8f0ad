"""Whether an answer solves its question: it cites, proves and states what it must, and is short."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.evaluation.facts import flatten, states
from assistant.evaluation.questions import Prediction, Question, ShownQuote
from assistant.evaluation.summary import Judgement

WORD_LIMITS = {
    "fact": 75,
    "numeric": 60,
    "paraphrase": 85,
    "acronym": 60,
    "followup": 75,
    "keyword": 80,
    "multilingual": 95,
    "summary": 130,
    "compare": 180,
    "survey": 330,
    "unanswerable": 100,
}
"""Words that an answer of a category may have; a category that is not named here has no limit."""

QUOTE_WORDS = 3
"""A quote proves a citation from so many words on."""

_MARKER = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Rates:
    """The recall and the precision of citations, reached or asked for."""

    recall: float
    precision: float


SURVEY_BAR = Rates(recall=0.8, precision=0.7)
USUAL_BAR = Rates(recall=1.0, precision=0.6)


@dataclass(frozen=True, slots=True)
class _Reply:
    """A prediction made ready to be measured."""

    cited: tuple[str, ...]
    words: int
    true_quotes: tuple[ShownQuote, ...]
    false_quotes: int
    stated: str
    proven: str


def judge(question: Question, prediction: Prediction, abstracts: Mapping[str, str]) -> Judgement:
    """Return how well a prediction answers its question; `abstracts` are by paper id."""
    true_quotes = tuple(quote for quote in prediction.quotes if _stands(quote, abstracts))
    reply = _Reply(
        cited=tuple(dict.fromkeys(prediction.citations)),
        words=count_words(prediction.answer),
        true_quotes=true_quotes,
        false_quotes=len(prediction.quotes) - len(true_quotes),
        stated=flatten(prediction.answer),
        proven=flatten(" ".join(quote.text for quote in true_quotes)),
    )
    if question.answerable:
        return _judge_answer(question, prediction, reply)
    return _judge_refusal(question, prediction, reply)


def count_words(answer: str) -> int:
    """Return how many words an answer has; markers and lone punctuation are none."""
    pieces = _MARKER.sub(" ", answer).split()
    return sum(any(character.isalnum() for character in piece) for piece in pieces)


def _judge_refusal(question: Question, prediction: Prediction, reply: _Reply) -> Judgement:
    fine = {*question.papers, *question.acceptable}
    corrected = bool(fine.intersection(reply.cited)) and any(
        states(reply.stated, wording) and states(reply.proven, wording) for wording in question.correction
    )
    right = prediction.abstained or corrected
    faults = _length_faults(question, reply) if right else ("neither abstained nor corrected",)
    return Judgement(question, prediction, faults, reply.words, reply.false_quotes)


def _judge_answer(question: Question, prediction: Prediction, reply: _Reply) -> Judgement:
    gold, cited = set(question.papers), set(reply.cited)
    recall = len(gold & cited) / len(gold)
    precision = len(cited & {*gold, *question.acceptable}) / len(cited) if cited else 0.0
    missing = [fact for fact in question.facts if not _any_stands(fact, reply.stated)]
    bare = [fact for fact in question.facts if fact not in missing and not _any_stands(fact, reply.proven)]
    faults = (
        *(("abstained",) if prediction.abstained else ()),
        *_citation_faults(question, reply, Rates(recall, precision)),
        *_fault("facts missing", (fact[0] for fact in missing)),
        *_fault("facts without a quote", (fact[0] for fact in bare)),
        *_length_faults(question, reply),
    )
    proven = 1 - (len(missing) + len(bare)) / len(question.facts) if question.facts else 1.0
    return Judgement(
        question, prediction, faults, reply.words, reply.false_quotes, recall=recall, precision=precision, facts=proven
    )


def _citation_faults(question: Question, reply: _Reply, reached: Rates) -> Iterable[str]:
    asked = SURVEY_BAR if question.category == "survey" else USUAL_BAR
    fine = {*question.papers, *question.acceptable}
    quoted = {quote.paper_id for quote in reply.true_quotes if len(quote.text.split()) >= QUOTE_WORDS}
    if reached.recall < asked.recall:
        yield from _fault("not cited", sorted(set(question.papers) - set(reply.cited)))
    if reached.precision < asked.precision:
        yield from _fault("also cited", (paper_id for paper_id in reply.cited if paper_id not in fine))
    yield from _fault("no quote from", (paper_id for paper_id in reply.cited if paper_id not in quoted))


def _length_faults(question: Question, reply: _Reply) -> tuple[str, ...]:
    limit = WORD_LIMITS.get(question.category, reply.words)
    return (f"{reply.words} words, limit {limit}",) if reply.words > limit else ()


def _fault(what: str, items: Iterable[str]) -> tuple[str, ...]:
    listed = ", ".join(items)
    return (f"{what}: {listed}",) if listed else ()


def _any_stands(wordings: Iterable[str], flat: str) -> bool:
    return any(states(flat, wording) for wording in wordings)


def _stands(quote: ShownQuote, abstracts: Mapping[str, str]) -> bool:
    return _spaced(quote.text) in _spaced(abstracts.get(quote.paper_id, ""))


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
