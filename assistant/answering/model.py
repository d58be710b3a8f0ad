"""Answers with a model, and without it when it fails."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from assistant.answering.composing import list_retrieved
from assistant.answering.prose import Prose
from assistant.answering.reasoning import drop_reasoning
from assistant.answering.refusal import is_refusal
from assistant.answering.sources import (
    BUDGET,
    REFUSAL,
    Source,
    choose_sources,
    fill_answer,
    fill_standalone,
    read_answer_prompt,
    read_standalone_prompt,
)
from assistant.domain import Answer, Draft, Event, Evidence, History, Step, Timings
from assistant.errors import ModelError, PromptTooLong
from assistant.markers import MARKER, Numbering
from assistant.ports import Answerer, ChatModel, Limits
from assistant.text.invisible import remove_invisible
from assistant.text.terms import terms

STANDALONE_SECONDS = 10.0
LONGEST_STANDALONE = 600


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What a request for an answer came to; `failure` says why the text did not come to its end."""

    prose: Prose
    failure: ModelError | None


class ModelAnswerer:
    """An Answerer that lets a model write from the evidence; `fallback` steps in when the model fails."""

    def __init__(self, model: ChatModel, fallback: Answerer, limits: Limits | None = None) -> None:
        self._model = model
        self._fallback = fallback
        self._limits = limits or Limits()
        self._answer_prompt = read_answer_prompt()
        self._standalone_prompt = read_standalone_prompt()

    def standalone(self, question: str, history: History) -> str:
        """Return the question as the model rewrites it, or as the fallback does when that is of no use."""
        if not history:
            return question
        seconds = min(max(STANDALONE_SECONDS, self._limits.first / 6), self._limits.first)
        limits = Limits(first=seconds, idle=min(seconds, self._limits.idle), total=seconds, size=4 * LONGEST_STANDALONE)
        values = fill_standalone(question, history)
        try:
            with closing(self._model.stream(self._standalone_prompt, values, limits)) as pieces:
                written = " ".join(remove_invisible("".join(drop_reasoning(pieces))).split()).strip('"“”')
        except ModelError:
            written = ""
        return written if _is_rewritten(written, question) else self._fallback.standalone(question, history)

    def answer(self, question: str, evidence: Evidence) -> Generator[Event, None, None]:
        """Yield a step, the text as it comes, its sentences, and last the Answer; no model failure is raised."""
        if not evidence.papers:
            yield from self._fallback.answer(question, evidence)
            return
        started = time.monotonic()
        yield Step(f"writing with {self._model.name}")
        attempt = yield from self._write(evidence, BUDGET, self._limits)
        if isinstance(attempt.failure, PromptTooLong) and not attempt.prose.text:
            left = self._limits.first - (time.monotonic() - started)
            limits = replace(self._limits, first=max(left, self._limits.first / 2))
            attempt = yield from self._write(evidence, BUDGET // 3, limits)
        if attempt.failure and not attempt.prose.stands:
            yield from self._fall_back(question, evidence, str(attempt.failure))
            return
        answer = self._compose(question, evidence, attempt)
        yield replace(answer, timings=Timings(answering=time.monotonic() - started))

    def _write(self, evidence: Evidence, budget: int, limits: Limits) -> Generator[Event, None, _Attempt]:
        """Yield the drafts and sentences of one request and return what it came to."""
        sources = choose_sources(evidence, budget)
        shown = replace(evidence, papers=evidence.papers[: len(sources)])
        prose, draft = Prose(shown), Numbering(len(sources))
        failure = None
        try:
            with closing(self._stream(evidence.question, sources, limits)) as pieces:
                for piece in pieces:
                    if settled := remove_invisible(draft.feed(piece)):
                        yield Draft(settled)
                    yield from prose.feed(piece)
            if rest := remove_invisible(draft.flush()):
                yield Draft(rest)
        except ModelError as error:
            failure = error
        yield from prose.finish(whole=failure is None)
        return _Attempt(prose, failure or self._miss(prose))

    def _stream(self, question: str, sources: tuple[Source, ...], limits: Limits) -> Generator[str, None, None]:
        values = fill_answer(question, sources)
        with closing(self._model.stream(self._answer_prompt, values, limits)) as pieces:
            yield from drop_reasoning(pieces)

    def _miss(self, prose: Prose) -> ModelError | None:
        """Return why a text that came to its end is still no answer."""
        if MARKER.sub("", prose.text).strip():
            return None
        return ModelError(f"{self._model.name} gave no answer: try again, or another model.")

    def _compose(self, question: str, evidence: Evidence, attempt: _Attempt) -> Answer:
        answer = Answer(
            question=question,
            standalone=evidence.question,
            text=attempt.prose.text,
            retrieved=list_retrieved(evidence),
            answerer=self._model.name,
            removed_markers=attempt.prose.removed,
            sentences=tuple(attempt.prose.sentences),
        )
        if is_refusal(answer.text) and not attempt.failure:
            reason = f"{self._model.name} found no answer in the papers that are closest to the question."
            return replace(answer, text=REFUSAL, abstained=True, reason=reason, sentences=())
        cut = f"{attempt.failure} The answer is incomplete." if attempt.failure else ""
        notice = " ".join(part for part in (cut, _doubt(attempt.prose)) if part)
        return replace(answer, citations=attempt.prose.cite(), notice=notice, incomplete=attempt.failure is not None)

    def _fall_back(self, question: str, evidence: Evidence, why: str) -> Iterator[Event]:
        for event in self._fallback.answer(question, evidence):
            yield replace(event, notice=f"{why} Answered without the model.") if isinstance(event, Answer) else event


def _doubt(prose: Prose) -> str:
    """Return what a reader must know of a whole answer, empty when there is nothing."""
    if not any(sentence.numbers for sentence in prose.sentences):
        return "Not supported by the library: no sentence of this answer could be tied to a paper."
    doubtful = sum(sentence.verdict in {"partly", "not supported"} for sentence in prose.sentences)
    if not doubtful:
        return ""
    which = f"{doubtful} of {len(prose.sentences)} sentences" if len(prose.sentences) > 1 else "what it says"
    return f"Not supported by the library: {which} cannot be found in the papers cited."


def _is_rewritten(written: str, question: str) -> bool:
    """Tell whether a model's rewriting can be the same question."""
    if not written or len(written) > max(LONGEST_STANDALONE, 2 * len(question)):
        return False
    asked = set(terms(question))
    return not asked or bool(asked & set(terms(written)))
