"""RIS, for reference managers."""

from collections.abc import Iterable, Iterator

from assistant.corpus.names import AFTER, BadNames, read_names
from assistant.domain import Paper
from assistant.exports.fields import clean, clean_line, read_extra, tell_year

INDENT = " " * 6
"""Before the further lines of an abstract: what is not indented could be taken for a tag."""


def write_ris(papers: Iterable[Paper]) -> Iterator[str]:
    """Yield a record a paper; of further fields only keywords and the id at arXiv have a tag."""
    for paper in papers:
        lines = [f"{tag}  - {value}\n" for tag, value in _list_tags(paper) if value]
        yield "".join([*lines, "ER  - \n\n"])


def _list_tags(paper: Paper) -> Iterator[tuple[str, str]]:
    yield "TY", "JOUR" if paper.venue else "GEN"
    yield "ID", clean_line(paper.id)
    yield "TI", clean_line(paper.title)
    for name in paper.authors:
        yield "AU", turn_name(clean_line(name))
    yield "PY", clean_line(tell_year(paper))
    yield "T2", clean_line(paper.venue)
    yield "DO", clean_line(paper.doi)
    yield "UR", clean_line(paper.url)
    yield "AX", clean_line(read_extra(paper, "arxiv"))
    for keyword in read_extra(paper, "keywords").split("; "):
        yield "KW", clean_line(keyword)
    yield "AB", f"\n\n{INDENT}".join(clean_line(part) for part in clean(paper.abstract).split("\n") if part.strip())


def turn_name(name: str) -> str:
    """Return "Family, Given", or the name as it is where that would be read as another one."""
    given, _, family = name.rpartition(" ")
    if family.lower().strip(".") in AFTER:
        return name
    turned = f"{family}, {given}"
    try:
        return turned if given and read_names([turned]) == (name,) else name
    except BadNames:
        return name
