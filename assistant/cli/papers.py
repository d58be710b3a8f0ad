"""The commands that search for papers and show them."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.ending import explained
from assistant.cli.filtering import (
    AuthorOption,
    MatchOption,
    OnlyOption,
    SourceOption,
    VenueOption,
    WithoutOption,
    YearOption,
    read_years,
)
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import CollectionOption, DebugOption, JsonOption, KOption, StoreOption
from assistant.cli.show import evidence_lines, listed, paper_lines
from assistant.cli.terminal import join_words, note, write
from assistant.documents import dump, evidence_document, paper_document
from assistant.domain import NO_FILTERS, Filters, Paper
from assistant.errors import PaperMissing

if TYPE_CHECKING:
    from assistant.assistant import Assistant

SIMILAR_EXAMPLES = """\b
Example:
  assistant similar 000_7fa5d757957c3112#6
"""
SEARCH_EXAMPLES = """\b
Examples:
  assistant search "linear attention"
  assistant search --k 20 --json quantization
  assistant search --year 2023-2025 --venue ICML quantization
"""
PAPERS_EXAMPLES = """\b
Examples:
  assistant papers
  assistant papers 000_7fa5d757957c3112#6
  assistant papers --year 2024- --match attention
"""


def search(  # noqa: PLR0913, PLR0917  one parameter an option
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="What to look for.")],
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
    """Find papers by words and by meaning, best first, each with its best sentence."""
    filters = Filters(*read_years(year), venue, author, source, tuple(only or ()), tuple(without or ()))
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        build_if_missing(assistant)
        evidence = assistant.retrieve(join_words(words), k, filters)
        for line in assistant.take_notices():
            note(line)
        if as_json:
            print(dump(evidence_document(evidence)))
        else:
            write(evidence_lines(evidence))


def similar(
    id: Annotated[str, typer.Argument(metavar="ID", help="The paper to start from.")],
    as_json: JsonOption = False,
    k: KOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """List the papers that are nearest to one, best first."""
    with explained(debug), open_assistant(store) as assistant:
        build_if_missing(assistant)
        found = [near.paper for near in assistant.similar(find_paper(assistant, id).id, k)]
        if as_json:
            for paper in found:
                print(dump(paper_document(paper)))
        else:
            width = max((len(paper.id) for paper in found), default=0)
            write(listed(paper, width) for paper in found)


def papers(  # noqa: PLR0913, PLR0917  one parameter an option
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The paper to show whole; none: all, as a list.")
    ] = None,
    as_json: JsonOption = False,
    year: YearOption = None,
    venue: VenueOption = "",
    author: AuthorOption = "",
    source: SourceOption = "",
    match: MatchOption = "",
    collection: CollectionOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """List the papers in the store, or those that pass the filters, or show one with its abstract."""
    filters = Filters(*read_years(year), venue, author, source, match=match)
    if id is not None and filters != NO_FILTERS:
        raise typer.BadParameter("one paper is shown by its ID, several are listed by filters: give one of the two.")
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        build_if_missing(assistant)
        if id is None:
            found = assistant.list_papers(filters, 0, assistant.count_papers())
            width = max((len(paper.id) for paper in found), default=0)
            lines = (listed(paper, width) for paper in found)
        else:
            found = (find_paper(assistant, join_words([id])),)
            lines = (line for paper in found for line in paper_lines(paper))
        if as_json:
            for paper in found:
                print(dump(paper_document(paper)))
        else:
            write(lines)
        if not found:
            note("no paper passes these filters")


def find_paper(assistant: "Assistant", id: str) -> Paper:
    """Return a paper; raises PaperMissing naming the ids that are most like the one given."""
    try:
        return assistant.paper(id)
    except PaperMissing as error:
        near = get_close_matches(id, [paper.id for paper in assistant.papers()], cutoff=0.5)
        if not near:
            raise
        raise PaperMissing(f"{error} Ids like it: {', '.join(near)}.") from error
