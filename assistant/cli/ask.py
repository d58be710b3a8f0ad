"""The command that answers questions."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.batch import answer_all, read_lines
from assistant.cli.ending import FAILED, complain, explained
from assistant.cli.filtering import (
    AuthorOption,
    OnlyOption,
    SourceOption,
    VenueOption,
    WithoutOption,
    YearOption,
    read_years,
)
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import CollectionOption, DebugOption, JsonOption, KOption, StoreOption
from assistant.cli.show import answer_lines
from assistant.cli.terminal import Line, is_watched, join_words, note, on_one_line, write
from assistant.cli.watching import watch
from assistant.documents import answer_document, dump
from assistant.domain import Answer, Conversation, Filters, History
from assistant.errors import QuestionError

if TYPE_CHECKING:
    from assistant.assistant import Assistant

PROMPT = "> "

EXAMPLES = """\b
Examples:
  assistant ask "How much faster is TabFlex than XGBoost?"
  assistant ask --json --k 4 "Which papers prune models?"
  assistant ask --year 2024- --author Wang "Which papers prune models?"
  assistant ask < questions.txt
  assistant ask --from questions.txt --out answers.md
"""

Reply = Callable[[str, History], Answer]


@dataclass(frozen=True, slots=True)
class Looking:
    """How many papers are looked at, and which may be."""

    k: int | None
    filters: Filters


def ask(  # noqa: PLR0913, PLR0917  one parameter an option
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="None: questions are read line by line.")
    ] = None,
    from_file: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Answer each line of a file, by itself.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the answers here: .md, .csv or .jsonl; with --from.")
    ] = None,
    as_json: JsonOption = False,
    k: KOption = None,
    year: YearOption = None,
    venue: VenueOption = "",
    author: AuthorOption = "",
    source: SourceOption = "",
    only: OnlyOption = None,
    without: WithoutOption = None,
    collection: CollectionOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Answer a question with sentences that carry their sources.

    Every marker [1] in the answer names a numbered source, shown with the exact words that it rests on.
    Without a question each line of the input is one; they make one conversation, and Ctrl-D ends it.
    """
    looking = Looking(k, Filters(*read_years(year), venue, author, source, tuple(only or ()), tuple(without or ())))
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        if question is not None:
            check_early(join_words(question))
        listed = read_listed(question, from_file, out, as_json)
        build_if_missing(assistant)
        if listed:
            failed = answer_all(partial(ask_alone, assistant, looking), listed, out, debug)
            if failed:
                note(f"error: {failed} of {len(listed)} questions got no answer, as told above.")
                raise typer.Exit(FAILED)
            return
        reply = partial(reply_in_json if as_json else reply_in_text, assistant, looking)
        if question is not None:
            reply(join_words(question), ())
        elif sys.stdin.isatty() and is_watched():
            converse(reply, _typed_questions(), debug)
        else:
            converse(reply, _piped_questions() if as_json else _echoed(_piped_questions()), debug)


def read_listed(question: list[str] | None, from_file: Path | None, out: Path | None, as_json: bool) -> tuple[str, ...]:
    """Return the questions of --from, none without it; raises QuestionError for options that exclude each other."""
    if from_file is None:
        if out:
            raise QuestionError("--out needs --from: it keeps the answers to the questions of a file.")
        return ()
    if question is not None or as_json:
        raise QuestionError("--from takes no QUESTION and no --json: --out answers.jsonl writes JSON.")
    return read_lines(from_file)


def ask_alone(assistant: "Assistant", looking: Looking, question: str) -> Answer:
    """Return the answer to a question that belongs to no conversation."""
    return assistant.ask(question, (), looking.k, looking.filters)


def check_early(question: str) -> None:
    """Refuse a question that cannot be asked before a store is built for it."""
    from assistant.assistant import check_question

    check_question(question)


def reply_in_text(assistant: "Assistant", looking: Looking, question: str, history: History) -> Answer:
    """Print the answer and its sources; on a terminal its making is seen as well."""
    asked = (question, history, looking.k, looking.filters)
    answer = watch(assistant.stream(*asked)) if is_watched() else assistant.ask(*asked)
    write(answer_lines(answer))
    return answer


def reply_in_json(assistant: "Assistant", looking: Looking, question: str, history: History) -> Answer:
    """Print the answer as one line of JSON."""
    answer = assistant.ask(question, history, looking.k, looking.filters)
    print(dump(answer_document(answer)), flush=True)
    return answer


def converse(reply: Reply, questions: Iterable[str], debug: bool) -> None:
    """Answer questions as one conversation; one that fails is told, and the next one is asked."""
    conversation = Conversation()
    failed = False
    for question in questions:
        try:
            conversation = conversation.after(question, reply(question, conversation.turns))
        except BrokenPipeError:
            raise
        except Exception as error:
            complain(error, debug)
            failed = True
    if failed:
        raise typer.Exit(FAILED)


def _typed_questions() -> Iterator[str]:
    with suppress(ImportError):
        import readline  # noqa: F401  makes input() keep a history

    note("Ask about the papers, one question a line; Ctrl-D ends.")
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            print()
            return
        if line:
            yield line
            print()


def _piped_questions() -> Iterator[str]:
    return (line.strip() for line in sys.stdin if line.strip())


def _echoed(questions: Iterable[str]) -> Iterator[str]:
    for question in questions:
        write([Line(PROMPT + on_one_line(question))])
        yield question
        write([Line("")])
