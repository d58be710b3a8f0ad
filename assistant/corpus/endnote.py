"""EndNote's tagged text (.enw), which is Refer's."""

import re
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import make_papers
from assistant.corpus.formats import reader
from assistant.corpus.lines import read_lines
from assistant.corpus.tagged import Tags, read_tagged
from assistant.domain import Paper, Skipped

TAGS = Tags(
    line=re.compile(r"(%[0-9A-Za-z!@#$&()*+,:;<=>?\[\]^~|{}])(?:\s+(.*)|())\Z"),
    fields={
        "id": ("%F", "%M"),
        "title": ("%T",),
        "abstract": ("%X",),
        "authors": ("%A",),
        "year": ("%D", "%8"),
        "venue": ("%J", "%B", "%S"),
        "url": ("%U", "%>"),
        "doi": ("%R",),
        "keywords": ("%K",),
    },
    start=frozenset({"%0"}),
)


def looks_like_endnote(head: str) -> bool:
    """Return whether a text begins with the line that begins a record."""
    return re.match(r"%0 [A-Z][A-Za-z ]+\n", head) is not None


@reader(".enw", ".refer", looks=looks_like_endnote)
def read_endnote(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the records, each of which begins with %0."""
    return make_papers(path, read_tagged(read_lines(path), TAGS))
