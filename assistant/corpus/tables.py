"""Tables: CSV and TSV with a heading row, as Scopus, Web of Science, Zotero and Kaggle have them."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.fields import name_known, sort_fields
from assistant.corpus.files import show
from assistant.corpus.formats import reader
from assistant.corpus.lines import LONGEST_LINE, Line, read_lines
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

DELIMITERS = ",\t;|"
FORMULA = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
"""How a cell begins that a spreadsheet would take for a formula, also behind the marks that say that it is none."""
MOST_LINES = 1000
"""Lines of one row: a quote that is open for longer was never meant to be."""
LONGEST_NAME = 60
"""Characters of the name of a column."""
BEFORE_HEADING = 20
"""Lines in which the heading is looked for."""
_RULE = re.compile(r"\s*:?-*:?\s*\Z")
"""Cells of the line that Markdown sets below a heading, and empty ones."""
_TAG_NAMES = {
    "DI": "doi",
    "DE": "keywords",
    "ID": "keywords plus",
    "UT": "id",
    "AF": "author full names",
    "SO": "venue",
}
"""Web of Science's tab-delimited export is headed by the tags of its other one."""


class _Open(Exception):
    """A row does not end: a quote in it is not closed."""


class _Rows:
    """Cuts lines into rows; the lines of a row whose quote is not closed are read again without its first."""

    def __init__(self, lines: Iterator[Line], delimiter: str) -> None:
        self._lines = lines
        self._delimiter = delimiter
        self._again: deque[Line] = deque()
        self._taken: list[Line] = []

    def read(self, width: int) -> Iterator[tuple[int, list[str] | str]]:
        """Yield for each row its line and its cells, or what is wrong with it."""
        # The limit is the process's; one lower than a line would refuse abstracts that we accept.
        csv.field_size_limit(max(csv.field_size_limit(), 2 * LONGEST_LINE))
        while (line := self._next()) is not None:
            if line.fault:
                yield line.number, line.fault
                continue
            if not line.text.strip():
                continue
            row = self._read_row(line, width)
            if row is None:
                self._again.extendleft(reversed(self._taken[1:]))
            yield line.number, "a quote that is not closed" if row is None else row

    def _read_row(self, first: Line, width: int) -> list[str] | None:
        """Return the cells of a row; None where a quote runs on into other rows."""
        self._taken = [first]
        try:
            row = next(csv.reader(self._feed(first), delimiter=self._delimiter), [])
            if len(self._taken) > 1:
                # Of several lines a quote must end at a delimiter: else it ends in the next open quote.
                texts = [line.text + "\n" for line in self._taken]
                row = next(csv.reader(texts, delimiter=self._delimiter, strict=True), [])
                return row if len(row) == width else None
        except (_Open, csv.Error):
            return None
        return row

    def _next(self) -> Line | None:
        return self._again.popleft() if self._again else next(self._lines, None)

    def _feed(self, first: Line) -> Iterator[str]:
        yield first.text + "\n"
        size = len(first.text)
        while (line := self._next()) is not None:
            self._taken.append(line)
            size += len(line.text)
            if line.fault or len(self._taken) > MOST_LINES or size > LONGEST_LINE:
                raise _Open
            yield line.text + "\n"
        raise _Open


def looks_like_table(head: str) -> bool:
    """Return whether the first line of a text names the abstract and something else, parted by a delimiter."""
    first = head.partition("\n")[0]
    return _find_delimiter(first) != "" and len(name_known(_split(first, _find_delimiter(first)))) > 1


@reader(".csv", ".tsv", ".tab", looks=looks_like_table)
def read_table(path: Path) -> Iterator[Paper | Skipped]:
    """Yield a paper a row; the first row that names an abstract is the heading, whatever parts its cells."""
    return make_papers(path, _read(path))


def _read(path: Path) -> Iterator[Entry | Flaw]:
    lines = read_lines(path)
    names, delimiter = _read_heading(path, lines)
    if not names:
        return
    for number, row in _Rows(lines, delimiter).read(len(names)):
        if isinstance(row, str):
            yield Flaw(number, row)
        elif all(_RULE.match(cell) for cell in row):
            continue
        elif len(row) < 2 and len(names) > 1:
            yield Flaw(number, "a row of one cell")
        elif any(cell.strip() for cell in row[len(names) :]):
            yield Flaw(number, f"{len(row)} cells, but the heading has {len(names)}")
        else:
            yield Entry(number, dict(zip(names, map(_read_cell, row), strict=False)))


def _read_heading(path: Path, lines: Iterator[Line]) -> tuple[list[str], str]:
    """Return the names of the cells and what parts them; raises CorpusError where no line names an abstract."""
    first = ""
    for line in islice(lines, BEFORE_HEADING):
        first = first or line.text.strip()
        if delimiter := _find_delimiter(line.text):
            return _split(line.text, delimiter), delimiter
        if line.text.strip() and _is_abstract([line.text]):
            return [line.text.strip()], ","
    if not first:
        return [], ""
    found = ", ".join(show(Path(name)) for name in _split(first, _most_frequent(first))[:8])
    raise CorpusError(f"{show(path)}:1: no column is called abstract; found: {found[:200]}. Name it in the first row.")


def _find_delimiter(heading: str) -> str:
    delimiters = (mark for mark in DELIMITERS if mark in heading and _is_abstract(_split(heading, mark)))
    return max(delimiters, key=heading.count, default="")


def _is_abstract(names: list[str]) -> bool:
    # A line of prose may hold the word as well: no name of a column is as long.
    return "abstract" in sort_fields({name: "x" for name in names if len(name) <= LONGEST_NAME})[0]


def _most_frequent(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def _split(heading: str, delimiter: str) -> list[str]:
    """Return the names in a heading; of Web of Science's tags what they stand for."""
    try:
        names = [name.strip().lstrip("\ufeff") for name in next(csv.reader([heading], delimiter=delimiter), [])]
    except csv.Error:
        return []
    tagged = {"AB", "TI", "AU"} <= set(names)
    return [_TAG_NAMES.get(name, name) for name in names] if tagged else names


def _read_cell(text: str) -> str:
    """Return a cell, without the mark before a text that a spreadsheet would take for a formula."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text
