"""The command that writes papers to a file."""

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from assistant.cli.ending import explained
from assistant.cli.filtering import AuthorOption, MatchOption, SourceOption, VenueOption, YearOption, read_years
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import CollectionOption, DebugOption, StoreOption
from assistant.cli.terminal import note
from assistant.domain import Filters
from assistant.errors import CorpusError
from assistant.text.invisible import remove_invisible

EXAMPLES = """\b
Examples:
  assistant export --out papers.jsonl
  assistant export --format bibtex --year 2024- > recent.bib
  assistant export --out icml.ris --collection icml
"""


def export(  # noqa: PLR0913, PLR0917  one parameter an option
    format: Annotated[  # noqa: A002  the option's name
        Literal["jsonl", "bibtex", "ris", "csv"] | None,
        typer.Option("--format", help="The form; else that of the file's suffix, else jsonl."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="The file to write; else the output.")
    ] = None,
    year: YearOption = None,
    venue: VenueOption = "",
    author: AuthorOption = "",
    source: SourceOption = "",
    match: MatchOption = "",
    collection: CollectionOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Write the papers, or those that pass the filters, so that `assistant index` reads them back.

    JSON lines hold every field exactly; BibTeX, RIS and CSV what they have a place for.
    """
    filters = Filters(*read_years(year), venue, author, source, match=match)
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        build_if_missing(assistant)
        from assistant.exports import FORMATS, SUFFIXES

        papers = assistant.list_papers(filters, 0, assistant.count_papers())
        chosen = format or SUFFIXES.get(Path(out).suffix.lower() if out else "", "jsonl")
        pieces = FORMATS[chosen](papers)
        if out is None:
            _print(pieces)
        else:
            write_file(Path(out), pieces)
            note(f"{len(papers)} papers written to {out} as {chosen}")


def write_file(path: Path, pieces: Iterable[str]) -> None:
    """Write a file, whole or not at all; raises CorpusError."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".unfinished", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CorpusError(f"{path}: cannot be written ({error.strerror}). Name another file with --out.") from error


def _print(pieces: Iterable[str]) -> None:
    # What is hidden in a text must not act on a terminal; a file or a pipe gets it as it is.
    for piece in pieces:
        sys.stdout.write(remove_invisible(piece) if sys.stdout.isatty() else piece)
    sys.stdout.flush()
