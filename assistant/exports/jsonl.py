"""JSON lines: every field of a paper, exactly."""

from collections.abc import Iterable, Iterator

from assistant.corpus.exported import MARK
from assistant.documents import dump
from assistant.domain import Paper


def write_jsonl(papers: Iterable[Paper]) -> Iterator[str]:
    """Yield a line a paper."""
    for paper in papers:
        yield f"{_dump(paper)}\n"


def _dump(paper: Paper) -> str:
    return dump(
        {
            "format": MARK,
            "id": paper.id,
            "title": paper.title,
            "authors": list(paper.authors),
            "year": paper.year,
            "venue": paper.venue,
            "url": paper.url,
            "doi": paper.doi,
            "abstract": paper.abstract,
            "source": paper.source,
            "extra": dict(paper.extra),
        }
    )
