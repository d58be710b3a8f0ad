"""The command that reads papers into the store."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.ending import explained, keeping
from assistant.cli.opening import open_assistant
from assistant.cli.options import DebugOption, IntoOption, StoreOption
from assistant.cli.progress import shown_progress
from assistant.cli.show import summarise
from assistant.cli.terminal import Line, note, on_one_line, write
from assistant.domain import Report

if TYPE_CHECKING:
    from assistant.assistant import Assistant

SKIPPED_SHOWN = 20

EXAMPLES = """\b
Examples:
  assistant index
  assistant index papers.jsonl
  assistant index ~/reading --store ~/reading/store
  assistant index ~/reading --prune --dry-run
  assistant index icml.bib --collection icml
"""


def index(  # noqa: PLR0913, PLR0917  one parameter an option
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Files and folders of papers; none: the seeds.")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove papers of these files and folders that are gone from them.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")] = False,
    collection: IntoOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Read papers into the store; what it holds already is not read anew.

    A path is a file or a folder: lists in plain text or Markdown, JSON, CSV, BibTeX, RIS, EndNote,
    PubMed, Web of Science, arXiv, and PDF. Without a path the papers that come with the assistant are
    read.
    """
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        if dry_run:
            show_report(assistant.preview(paths or []), assistant, prune, "would be removed")
        else:
            read_into(assistant, paths or [], prune)


def read_into(assistant: "Assistant", paths: list[str], prune: bool) -> None:
    """Read papers into the assistant's store and print what that did."""
    kept = f"what was added stays in {assistant.store}, and the same command goes on from there"
    with keeping(kept), shown_progress() as show:
        report = (assistant.sync if prune else assistant.index)(paths, progress=show)
    show_report(report, assistant, prune, "removed")


def show_report(report: Report, assistant: "Assistant", prune: bool, verb: str) -> None:
    """Print what an index run did, or would do."""
    for line in (*_skipped(report), *_likely(report), *report.notices):
        note(line)
    if prune:
        for unread in report.unpruned:
            note(f"{unread.place}: {unread.reason}")
        shown = report.pruned[:SKIPPED_SHOWN]
        write([Line(f"{verb}: {on_one_line(id)}") for id in shown])
        write([Line(f"{len(report.pruned)} papers {verb} that are gone from their sources")])
    summary = summarise(report, assistant.store)
    write([Line(summary if verb == "removed" else f"nothing was changed; {summary}")])


def _likely(report: Report) -> Iterator[str]:
    for likeness in report.likenesses[:SKIPPED_SHOWN]:
        yield f"likely duplicates: {likeness.id} and {likeness.other} ({likeness.reason})"
    more = len(report.likenesses) - SKIPPED_SHOWN
    if more > 0:
        yield f"likely duplicates: {more} pairs more"


def _skipped(report: Report) -> Iterator[str]:
    for skipped in report.skipped[:SKIPPED_SHOWN]:
        yield f"skipped {skipped.place}: {skipped.reason}"
    more = len(report.skipped) - SKIPPED_SHOWN
    if more > 0:
        yield f"skipped {more} more"
