"""Answers with the sentences of the corpus themselves: what it says, an abstract says."""

from collections.abc import Iterator, Sequence

from assistant.answering.abstention import doubt
from assistant.answering.kinds import SHAPES, Kind
from assistant.answering.papers import choose_papers, settle_kind
from assistant.answering.sentences import choose_sentences
from assistant.answering.standalone import make_standalone
from assistant.domain import (
    Answer,
    AnswerSentence,
    Citation,
    Draft,
    Event,
    Evidence,
    FoundPaper,
    History,
    Quote,
    Retrieved,
    Sentence,
    Step,
)
from assistant.text.labels import label

NAME = "extractive"
LABELLED = frozenset({Kind.SURVEY, Kind.COMPARISON})
"""Kinds whose answer is a list of papers, each with its label."""


class ExtractiveAnswerer:
    """An Answerer that quotes: each of its sentences is verbatim, so it cannot invent."""

    def standalone(self, question: str, history: History) -> str:
        """Return the question with the subject of the conversation put before it where it leans on one."""
        return make_standalone(question, history)

    def answer(self, question: str, evidence: Evidence) -> Iterator[Event]:
        """Yield a step, each sentence with its citation, and last the Answer."""
        kind = settle_kind(question, evidence)
        papers = choose_papers(kind, evidence)
        reason = doubt(kind, question, evidence, papers)
        if reason:
            yield abstain(question, evidence, reason)
            return
        yield Step(f"reading {len(papers)} {'paper' if len(papers) == 1 else 'papers'}")
        budget = SHAPES[kind].words // len(papers)
        parts = [(found, choose_sentences(kind, evidence, found, budget)) for found in papers]
        lines = []
        for number, (found, sentences) in enumerate(parts, start=1):
            line = write_line(kind, found, sentences, number)
            lines.append(line)
            yield Draft(line + "\n\n")
            for sentence in sentences:
                yield AnswerSentence(sentence.text, (number,), "supported")
        yield Answer(
            question=question,
            standalone=question,
            text="\n\n".join(lines),
            citations=tuple(cite(found, sentences, number) for number, (found, sentences) in enumerate(parts, start=1)),
            retrieved=list_retrieved(evidence),
            answerer=NAME,
        )


def write_line(kind: Kind, found: FoundPaper, sentences: Sequence[Sentence], number: int) -> str:
    """Return what the answer says of one paper: its sentences, a marker after each."""
    said = " ".join(f"{sentence.text} [{number}]" for sentence in sentences)
    return f"**{label(found.paper)}**: {said}" if kind in LABELLED else said


def cite(found: FoundPaper, sentences: Sequence[Sentence], number: int) -> Citation:
    """Return the citation of a paper by the sentences that were quoted."""
    quotes = tuple(Quote(sentence.text, sentence.start, sentence.end) for sentence in sentences)
    return Citation(number, found.paper, label(found.paper), quotes)


def list_retrieved(evidence: Evidence) -> tuple[Retrieved, ...]:
    """Return what was found, cited or not, best first."""
    return tuple(Retrieved(found.paper, label(found.paper), found.score) for found in evidence.papers)


def abstain(question: str, evidence: Evidence, reason: str) -> Answer:
    """Return the answer that says why there is none."""
    return Answer(
        question=question,
        standalone=question,
        text=f"The corpus does not answer this. {reason}",
        retrieved=list_retrieved(evidence),
        abstained=True,
        reason=reason,
        answerer=NAME,
    )
