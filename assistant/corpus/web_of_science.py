"""Web of Science's tagged export ("PT J", "TI", "AB", "ER"); its tab-delimited one is a table (tables.py)."""

import re
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import make_papers
from assistant.corpus.formats import reader
from assistant.corpus.lines import read_lines
from assistant.corpus.tagged import Tags, read_tagged
from assistant.domain import Paper, Skipped

TAGS = Tags(
    line=re.compile(r"([A-Z][A-Z0-9])(?: (.*)|())\Z"),
    fields={
        "id": ("UT",),
        "title": ("TI",),
        "abstract": ("AB",),
        "authors": ("AF", "AU"),
        "year": ("PY", "EA"),
        "venue": ("SO", "CT", "J9"),
        "doi": ("DI",),
        "keywords": ("DE",),
    },
    start=frozenset({"PT"}),
    end=frozenset({"ER"}),
    ignored=frozenset({"FN", "VR", "EF"}),
)


def looks_like_web_of_science(head: str) -> bool:
    """Return whether a text begins as the export does, or with a record of it."""
    return re.match(r"(?:FN .*\nVR .*\n+)?PT [A-Z]\n(?:[A-Z][A-Z0-9] |   )", head) is not None


@reader(".ciw", ".isi", looks=looks_like_web_of_science)
def read_web_of_science(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the records, from PT to ER; a line that begins with blanks goes on with the one before."""
    return make_papers(path, read_tagged(read_lines(path), TAGS))
