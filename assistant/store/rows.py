"""Papers as rows of the library, and back."""

import hashlib
import json
from collections.abc import Sequence

from assistant.domain import Paper
from assistant.errors import StoreDamaged

COLUMNS = "id, hash, abstract, title, authors, year, venue, url, doi, source, extra"

Row = tuple[str, str, str, str, str, int | None, str, str, str, str, str]


def write_row(paper: Paper) -> Row:
    """Return the row of a paper, in the order of COLUMNS."""
    authors, extra = json.dumps(paper.authors, ensure_ascii=False), json.dumps(paper.extra, ensure_ascii=False)
    rest = (paper.title, authors, paper.year, paper.venue, paper.url, paper.doi, paper.source, extra)
    return (paper.id, _hash((paper.id, paper.abstract, *rest)), paper.abstract, *rest)


def read_row(row: Row) -> Paper:
    """Return the paper of a row in the order of COLUMNS; raises StoreDamaged."""
    id, _, abstract, title, authors, year, venue, url, doi, source, extra = row
    try:
        pairs = tuple((str(name), str(value)) for name, value in json.loads(extra))
        return Paper(id, abstract, title, tuple(json.loads(authors)), year, venue, url, doi, source, pairs)
    except (TypeError, ValueError) as error:
        raise StoreDamaged(f"The paper {id!r} of the library is damaged: `assistant check` says more.") from error


def _hash(values: Sequence[str | int | None]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
