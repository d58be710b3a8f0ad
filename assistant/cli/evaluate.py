"""The command that measures answers against questions with known answers."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.documents import figures_document, prediction_document
from assistant.cli.ending import FAILED, complain, explained, keeping
from assistant.cli.figures import fault_lines, figure_lines
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import DebugOption, JsonOption, StoreOption
from assistant.cli.progress import shown_progress
from assistant.cli.terminal import note, write
from assistant.documents import dump
from assistant.domain import Progress, Show
from assistant.errors import AssistantError, QuestionError
from assistant.evaluation import Prediction, Question, judge, read_questions, summarise
from assistant.evaluation.questions import predict

if TYPE_CHECKING:
    from assistant.assistant import Assistant

EXAMPLES = """\b
Examples:
  assistant eval questions.jsonl
  assistant eval questions.jsonl --out predictions.jsonl --fails 10
"""

Keep = Callable[[Prediction], None]


def evaluate(  # noqa: PLR0913  an option each
    path: Annotated[Path, typer.Argument(metavar="QUESTIONS", help="JSON lines: one question and its answer each.")],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was answered here, as JSON lines.")
    ] = None,
    fails: Annotated[int, typer.Option(metavar="N", min=0, help="Show so many of the questions not solved.")] = 0,
    as_json: JsonOption = False,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Ask questions whose answers are known, and count what was solved.

    A question is {id, category, question, papers, facts, answerable} and, where needed, {history,
    acceptable, correction}. It is solved when the answer cites its papers and few others, quotes each
    word for word, states and quotes its facts, and is short; one that the papers do not answer is
    solved by saying so.
    """
    with explained(debug):
        questions = read_questions(path)
        with open_assistant(store) as assistant:
            build_if_missing(assistant)
            abstracts = {paper.id: paper.abstract for paper in assistant.papers()}
            predictions = ask_all(assistant, questions, _refusing_to_overwrite(path, out), debug)
        judgements = [judge(*pair, abstracts) for pair in zip(questions, predictions, strict=True)]
        failed = sum(not prediction.answer for prediction in predictions)
        if as_json:
            print(dump(figures_document(summarise(judgements), failed)))
        else:
            write(figure_lines(summarise(judgements)))
            write(fault_lines(judgements, fails))
        if failed:
            note(f"error: {failed} of {len(questions)} questions got no answer, as told above.")
            raise typer.Exit(FAILED)


def ask_all(
    assistant: "Assistant", questions: Sequence[Question], out: Path | None, debug: bool
) -> tuple[Prediction, ...]:
    """Return a prediction for each question, an empty one where asking failed; each is written at once."""
    kept = f"what was answered is in {out}" if out else "no answers were kept (--out FILE keeps them)"
    with keeping(kept), _open_predictions(out) as keep, shown_progress() as show:
        return tuple(_ask_each(assistant, questions, keep, show, debug))


def _ask_each(
    assistant: "Assistant", questions: Sequence[Question], keep: Keep, show: Show, debug: bool
) -> Iterator[Prediction]:
    for number, question in enumerate(questions, 1):
        try:
            prediction = _ask(assistant, question)
            keep(prediction)
        except AssistantError as error:
            complain(QuestionError(f"{question.id}: {error}"), debug)
            prediction = Prediction(question.id)
        show(Progress("asking", number, len(questions)))
        yield prediction


def _ask(assistant: "Assistant", question: Question) -> Prediction:
    start = time.perf_counter()
    answer = assistant.ask(question.question, question.history)
    return predict(question, answer, round(time.perf_counter() - start, 4))


@contextmanager
def _open_predictions(out: Path | None) -> Iterator[Keep]:
    if out is None:
        yield lambda prediction: None
        return
    try:
        file = out.open("w", encoding="utf-8", errors="replace")
    except OSError as error:
        raise AssistantError(f"{out}: cannot be written ({error.strerror}).") from error
    with file:

        def keep(prediction: Prediction) -> None:
            file.write(dump(prediction_document(prediction)) + "\n")
            file.flush()

        yield keep


def _refusing_to_overwrite(path: Path, out: Path | None) -> Path | None:
    if out is not None and out.exists() and out.samefile(path):
        raise AssistantError(f"{out}: holds the questions. Choose another file for --out.")
    return out
