"""The command that reads papers into the store."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.ending import explained, keeping
from assistant.cli.opening import open_assistant
from assistant.cli.options import DebugOption, StoreOption
from assistant.cli.progress import shown_progress
from assistant.cli.show import summarise
from assistant.cli.terminal import Line, note, write
from assistant.domain import Report

if TYPE_CHECKING:
    from assistant.assistant import Assistant

SKIPPED_SHOWN = 20

EXAMPLES = """\b
Examples:
  assistant index
  assistant index papers.jsonl
  assistant index ~/reading --store ~/reading/store
"""


def index(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files and folders of papers; none: the seeds.")
    ] = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Read papers into the store; what it holds already is not read anew.

    A path is a file or a folder: lists in plain text or Markdown, JSON, CSV, BibTeX, RIS, EndNote,
    PubMed, Web of Science, arXiv, and PDF. Without a path the papers that come with the assistant are
    read.
    """
    with explained(debug), open_assistant(store) as assistant:
        read_into(assistant, paths or [])


def read_into(assistant: "Assistant", paths: list[str]) -> None:
    """Read papers into the assistant's store and print what that did."""
    kept = f"what was added stays in {assistant.store}, and the same command goes on from there"
    with keeping(kept), shown_progress() as show:
        report = assistant.index(paths, progress=show)
    for line in (*_skipped(report), *report.notices):
        note(line)
    write([Line(summarise(report, assistant.store))])


def _skipped(report: Report) -> Iterator[str]:
    for skipped in report.skipped[:SKIPPED_SHOWN]:
        yield f"skipped {skipped.place}: {skipped.reason}"
    more = len(report.skipped) - SKIPPED_SHOWN
    if more > 0:
        yield f"skipped {more} more"
