"""arXiv's answers, in Atom."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from assistant.corpus.entry import Entry, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.xml_records import read_records, text_of
from assistant.domain import Paper, Skipped

_NUMBER = re.compile(r"arxiv\.org/abs/(.+?)(?:v\d+)?\Z")


def looks_like_atom(head: str) -> bool:
    """Return whether a text begins as a feed."""
    return re.match(r"(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:\w+:)?feed[\s>]", head, re.DOTALL) is not None


@reader(".atom", looks=looks_like_atom)
def read_atom(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of the feed's entries; a paper's id is its number at arXiv, without the version."""
    return make_papers(path, (Entry(line, _read(entry)) for line, entry in read_records(path, "entry")))


def _read(entry: Element) -> dict[str, object]:
    address = text_of(entry.find("id"))
    number = _NUMBER.search(address)
    return {
        "id": number[1] if number else address,
        "title": text_of(entry.find("title")),
        "abstract": text_of(entry.find("summary")),
        "authors": [text_of(author.find("name")) for author in entry.findall("author")],
        "year": text_of(entry.find("published")),
        "venue": text_of(entry.find("journal_ref")),
        "url": address,
        "doi": text_of(entry.find("doi")),
        "arxiv": number[1] if number else "",
        "keywords": [category.get("term") for category in entry.findall("category")],
    }
