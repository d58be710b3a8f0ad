"""An assistant that plays a script: what the chat window is tried with."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assistant.domain import (
    Answer,
    AnswerSentence,
    Citation,
    Event,
    History,
    Paper,
    Progress,
    Quote,
    Report,
    Retrieved,
    Step,
    Timings,
)
from assistant.errors import ModelUnavailable, QuestionError
from tests.fakes import make_paper

SPARROW = make_paper(
    "list#1",
    "Attention is costly: $O(n^2)$ of memory, $5 to $10 an hour. We propose Sparrow, a sparse attention method. "
    "It halves the memory of training.",
    title="Sparrow: sparse attention for long documents",
    authors=("Ada Lovelace", "Alan Turing", "Grace Hopper", "Katherine Johnson"),
    year=2025,
    venue="ICML",
    doi="10.1234/sparrow.1",
)
HERON = make_paper(
    "list#2",
    "Graphs grow. We present Heron, which samples a<b and c>d neighbours. Heron is twice as fast as full training.",
    title="Heron: neighbour sampling for graphs",
    url="https://www.example.org/heron?a=1&b=2",
)
STORK = make_paper("list#3", "Stork delivers labels.\n\nIt needs no annotators.", title="Stork: labels for free")
PAPERS = (SPARROW, HERON, STORK)


def quote(paper: Paper, words: str) -> Quote:
    """Return the quote of some words of a paper."""
    start = paper.abstract.index(words)
    return Quote(words, start, start + len(words))


def cite(number: int, paper: Paper, *words: str) -> Citation:
    """Return a citation that quotes some words of a paper."""
    return Citation(number, paper, paper.title, tuple(quote(paper, each) for each in words))


def answer_from(question: str, text: str, *citations: Citation, papers: Sequence[Paper] = PAPERS) -> Answer:
    """Return an answer for which all of the papers were retrieved."""
    retrieved = tuple(Retrieved(paper, paper.title, 0.5) for paper in papers)
    return Answer(question, question, text, citations, retrieved, timings=Timings(retrieval=0.02, answering=0.01))


class ScriptedAssistant:
    """Answers from three papers, by what the question says; keeps what it was asked."""

    def __init__(self, papers: tuple[Paper, ...] = PAPERS, pause: float = 0.0, built: bool = True) -> None:
        self._papers = papers
        self._pause = pause
        self.built = built
        self.answerer = "extractive"
        self.asked: list[tuple[str, History]] = []
        self.closed = threading.Event()
        self.gate = threading.Event()
        self._sparrow = next((paper for paper in papers if SPARROW.abstract in paper.abstract), SPARROW)

    def index(self, paths: Sequence[str | Path] = (), progress: Callable[[Progress], None] | None = None) -> Report:
        for done in range(len(self._papers) + 1):
            if progress is not None:
                progress(Progress("Reading", done, len(self._papers)))
        self.built = True
        return Report(new=len(self._papers))

    def count_papers(self) -> int:
        return len(self._papers)

    def papers(self, most: int | None = None) -> tuple[Paper, ...]:
        return self._papers[:most]

    def stream(self, question: str, history: History = ()) -> Iterator[Event]:
        self.asked.append((question, tuple(history)))
        if len(question) > 4_000:
            raise QuestionError(f"The question has {len(question):,} characters; 4,000 is the limit.")
        try:
            yield Step("Searching 3 papers")
            time.sleep(self._pause)
            yield Step("Reading 3 papers")
            yield from self._answer(question)
        finally:
            self.closed.set()

    def _answer(self, question: str) -> Iterator[Event]:
        if "model" in question:
            raise ModelUnavailable("The model at http://127.0.0.1:9/v1 did not answer. Start it and ask again.")
        if "broken" in question:
            raise RuntimeError("planted-secret")
        if "endless" in question:
            yield from self._endless()
        if "Heron" in question:
            sentences = ["Heron is twice as fast as full training."]
            citations = [cite(1, HERON, sentences[0])]
        else:
            sentences = ["We propose Sparrow, a sparse attention method.", "It halves the memory of training."]
            citations = [cite(1, self._sparrow, *sentences)]
        for sentence in sentences:
            time.sleep(self._pause)
            yield AnswerSentence(f"{sentence} [1]", (1,), "supported")
        text = " ".join(f"{sentence} [1]" for sentence in sentences)
        yield answer_from(question, text, *citations, papers=self._papers)

    def _endless(self) -> Iterator[Event]:
        while not self.gate.wait(0.02):
            yield AnswerSentence("And so on.", (), "unchecked")
