"""Answers with the sentences of the corpus themselves: what it says, an abstract says."""

from collections.abc import Iterator, Sequence

from assistant.answering.abstention import doubt, doubt_names
from assistant.answering.composing import Part, abstain, cite, count_papers, list_retrieved, name_paper, write_line
from assistant.answering.fields import Field, asked_field, tell_field
from assistant.answering.kinds import SHAPES, Kind
from assistant.answering.papers import choose_papers, settle_kind
from assistant.answering.sentences import choose_sentences
from assistant.answering.smalltalk import reply_plainly
from assistant.answering.standalone import make_standalone
from assistant.domain import Answer, AnswerSentence, Draft, Event, Evidence, FoundPaper, History, Step
from assistant.text.labels import label

NAME = "extractive"


class ExtractiveAnswerer:
    """An Answerer that quotes: each of its sentences is verbatim, so it cannot invent."""

    def standalone(self, question: str, history: History) -> str:
        """Return the question with the subject of the conversation put into it where it leans on one."""
        return question if reply_plainly(question) else make_standalone(question, history)

    def answer(self, question: str, evidence: Evidence) -> Iterator[Event]:
        """Yield a step, each sentence with its citation, and last the Answer."""
        if reply := reply_plainly(question):
            yield Answer(question=question, standalone=question, text=reply, answerer=NAME)
            return
        kind = settle_kind(question, evidence)
        papers = choose_papers(kind, evidence)
        field = asked_field(question) if papers else None
        reason = doubt_names(kind, evidence, papers) if field else doubt(kind, question, evidence, papers)
        if reason:
            yield abstain(question, evidence, reason, NAME)
        elif field:
            yield from _answer_field(field, question, evidence, papers[0])
        else:
            yield from _answer_text(kind, question, evidence, papers)


def _answer_field(field: Field, question: str, evidence: Evidence, found: FoundPaper) -> Iterator[Event]:
    """Yield the answer from the record of a paper; its first words prove which paper is meant."""
    told = tell_field(field, found.paper)
    if not told:
        yield abstain(question, evidence, f"The record of {label(found.paper)} has no {field.name}.", NAME)
        return
    part = Part(1, found, (found.sentences[0].sentence,))
    yield AnswerSentence(told, (1,), "supported")
    yield _compose(question, evidence, f"{told} [1]", (part,))


def _answer_text(kind: Kind, question: str, evidence: Evidence, papers: Sequence[FoundPaper]) -> Iterator[Event]:
    yield Step(f"reading {len(papers)} {'paper' if len(papers) == 1 else 'papers'}")
    budget = SHAPES[kind].words // len(papers)
    parts = tuple(
        Part(number, found, choose_sentences(kind, evidence, found, budget))
        for number, found in enumerate(papers, start=1)
    )
    lines = [count_papers(parts)] if kind is Kind.SURVEY and len(parts) > 1 else []
    yield from (Draft(line + "\n\n") for line in lines)
    spent = 0
    for part in parts:
        spent += sum(len(sentence.text.split()) for sentence in part.sentences)
        told = spent <= SHAPES[kind].words or len(parts) == 1
        lines.append(write_line(kind, part) if told else name_paper(part))
        yield Draft(lines[-1] + "\n\n")
        yield from (AnswerSentence(sentence.text, (part.number,), "supported") for sentence in part.sentences if told)
    yield _compose(question, evidence, "\n\n".join(lines), parts)


def _compose(question: str, evidence: Evidence, text: str, parts: Sequence[Part]) -> Answer:
    return Answer(
        question=question,
        standalone=evidence.question,
        text=text,
        citations=tuple(cite(part) for part in parts),
        retrieved=list_retrieved(evidence),
        answerer=NAME,
    )
