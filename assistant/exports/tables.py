"""CSV: a row a paper, with a column for each further field that some paper has."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from assistant.corpus.names import read_names
from assistant.corpus.tables import FORMULA
from assistant.domain import Paper
from assistant.exports.fields import clean, list_further, read_extra, tell_year

COLUMNS = ("id", "title", "authors", "year", "venue", "doi", "url", "abstract", "arxiv", "keywords")
_NAME = re.compile(r"[^\W\d_][\w .()/-]{0,59}")
"""What the heading of a table can hold without being taken for something else."""


def write_table(papers: Iterable[Paper]) -> Iterator[str]:
    """Yield the heading and a row a paper; no cell is a formula to a spreadsheet."""
    held = tuple(papers)
    further = list(dict.fromkeys(name for paper in held for name, _ in list_further(paper) if _NAME.fullmatch(name)))
    yield _write_row([*COLUMNS, *further])
    for paper in held:
        yield _write_row([guard(clean(cell)) for cell in _list_cells(paper, further)])


def guard(cell: str) -> str:
    """Return a cell that a spreadsheet takes for text: the reader takes the mark off again."""
    return f"'{cell}" if FORMULA.match(cell) else cell


def _list_cells(paper: Paper, further: Sequence[str]) -> list[str]:
    rest = dict(list_further(paper))
    return [
        paper.id,
        paper.title,
        _join_names(paper.authors),
        tell_year(paper),
        paper.venue,
        paper.doi,
        paper.url,
        paper.abstract,
        read_extra(paper, "arxiv"),
        read_extra(paper, "keywords"),
        *(rest.get(name, "") for name in further),
    ]


def _join_names(names: Sequence[str]) -> str:
    joined = "; ".join(names)
    # A name alone may look like two: "Institute of Physics and Chemistry".
    return joined if not names or read_names(joined) == tuple(names) else f"{joined};"


def _write_row(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()
