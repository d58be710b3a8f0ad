"""The commands that take papers out of the store and list its collections."""

from typing import Annotated

import typer

from assistant.cli.ending import explained
from assistant.cli.opening import open_assistant, require_collection
from assistant.cli.options import CollectionOption, DebugOption, StoreOption
from assistant.cli.show import listed
from assistant.cli.terminal import Line, join_words, on_one_line, write

REMOVE_EXAMPLES = """\b
Examples:
  assistant remove 000_7fa5d757957c3112#6 --dry-run
  assistant remove smith2021 doe2020
  assistant remove smith2021 --collection icml
"""
COLLECTIONS_EXAMPLES = """\b
Example:
  assistant collections
"""


def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The papers to remove.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed, and change nothing.")] = False,
    collection: CollectionOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Remove papers from the store, or from one collection; all of them or none.

    Papers that are in other collections too stay in those.
    """
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        wanted = [join_words([id]) for id in ids]
        papers = assistant.find(*wanted)
        gone = () if dry_run else assistant.remove(*wanted)
        width = max(len(paper.id) for paper in papers)
        write(listed(paper, width) for paper in papers)
        if dry_run:
            write([Line(f"{len(papers)} papers would be removed; nothing was changed")])
            return
        kept = len(papers) - len(gone)
        rest = f"; {kept} stay in other collections" if kept else ""
        left = f"{assistant.status().papers or 0} papers left in {assistant.store}"
        write([Line(f"{len(papers)} papers removed{rest}; {left}")])


def collections(store: StoreOption = None, debug: DebugOption = False) -> None:
    """List the collections of the store, each with how many papers it has."""
    with explained(debug), open_assistant(store) as assistant:
        require_collection(assistant)
        found = assistant.collections()
        width = max((len(name) for name, _ in found), default=0)
        write(Line(f"{on_one_line(name):<{width}}  {count:>6} papers") for name, count in found)
