"""PubMed's tagged text, as MEDLINE or .nbib."""

import re
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.lines import read_lines
from assistant.corpus.tagged import Tags, read_tagged
from assistant.domain import Paper, Skipped

TAGS = Tags(
    line=re.compile(r"([A-Z]{2,4})\s{0,2}- ?(.*)\Z"),
    fields={
        "id": ("PMID",),
        "title": ("TI", "BTI"),
        "abstract": ("AB", "OAB"),
        "authors": ("FAU", "AU", "CN"),
        "year": ("DP", "DEP", "EDAT"),
        "venue": ("JT", "TA"),
        "doi": ("LID", "AID"),
        "keywords": ("OT", "MH"),
    },
    start=frozenset({"PMID"}),
    parted_by_blank=True,
)
_DOI = re.compile(r"(\S+) \[doi\]")


def looks_like_pubmed(head: str) -> bool:
    """Return whether a text begins with the number of a record."""
    return re.match(r"PMID\s{0,2}- ?\d", head) is not None


@reader(".nbib", ".medline", looks=looks_like_pubmed)
def read_pubmed(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the records, which begin with their number."""
    return make_papers(path, map(_choose_doi, read_tagged(read_lines(path), TAGS)))


def _choose_doi(found: Entry | Flaw) -> Entry | Flaw:
    """Return a record with the DOI of several identifiers; its link is that of its number."""
    if isinstance(found, Flaw):
        return found
    doi = _DOI.search(str(found.fields.get("doi", "")))
    url = {"url": f"https://pubmed.ncbi.nlm.nih.gov/{found.fields['id']}/"} if found.fields.get("id") else {}
    return Entry(found.line, {**found.fields, **url, "doi": doi[1] if doi else ""})
