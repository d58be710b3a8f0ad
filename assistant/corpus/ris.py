"""RIS: what most databases and reference managers export."""

import re
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import make_papers
from assistant.corpus.formats import reader
from assistant.corpus.lines import read_lines
from assistant.corpus.tagged import Tags, read_tagged
from assistant.domain import Paper, Skipped

# rispy 0.10 drops a record without ER, fails on a tag without a value, and knows no lines.
TAGS = Tags(
    line=re.compile(r"\s{0,3}([A-Z][A-Z0-9])\s{1,3}-(?:\s+(.*)|())\Z"),
    fields={
        "id": ("ID",),
        "title": ("TI", "T1", "CT", "BT", "ST"),
        "abstract": ("AB", "N2"),
        "authors": ("AU", "A1"),
        "year": ("PY", "Y1", "DA"),
        "venue": ("JO", "JF", "T2", "JA", "J2", "T3"),
        "url": ("UR", "LK", "L2"),
        "doi": ("DO",),
        "arxiv": ("AX",),
        "keywords": ("KW",),
    },
    start=frozenset({"TY"}),
    end=frozenset({"ER"}),
)


def looks_like_ris(head: str) -> bool:
    """Return whether a text holds the line that begins a record."""
    return re.search(r"^TY\s{1,3}- [A-Z]{3,8}\s*$", head[:5000], re.MULTILINE) is not None


@reader(".ris", looks=looks_like_ris)
def read_ris(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the records; one that is not ended ends where the next begins."""
    return make_papers(path, read_tagged(read_lines(path), TAGS))
