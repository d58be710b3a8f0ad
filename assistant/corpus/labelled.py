"""Fields that are named in a text: "Title: ...", "**Authors:** ...", "Abstract." on a line of its own."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_NAMES = {
    "title": "title", "paper title": "title", "abstract": "abstract", "summary": "abstract", "author": "authors",
    "authors": "authors", "by": "authors", "year": "year", "date": "year", "published": "year", "venue": "venue",
    "journal": "venue", "conference": "venue", "published in": "venue", "doi": "doi", "url": "url", "link": "url",
    "keywords": "keywords", "arxiv": "arxiv", "id": "id", "pmid": "id",
}  # fmt: skip
_LABEL = re.compile(
    r"\s{0,3}(?:[-*+]\s+)?(?:\*\*|__|\*|_)?(" + "|".join(sorted(_NAMES, key=len, reverse=True)) + r")"
    r"(?:(?:\*\*|__|\*|_)\s*[:：—]|[:：—](?:\*\*|__|\*|_)?|\s*[:：—]|\.?(?:\*\*|__|\*|_)|\.?\s*\Z)\s*(.*)\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s{0,3}(?:\[(\d{1,5})\]|\((\d{1,5})\)|(\d{1,5})[.)])\s+(?=\S)")


@dataclass(slots=True)
class Named:
    """The fields that were named so far for one paper, which begins at a line."""

    line: int
    texts: dict[str, list[str]] = field(default_factory=dict)
    last: str = ""

    def put(self, name: str, text: str) -> None:
        """Begin a field."""
        self.texts[name] = [text] if text else []
        self.last = name

    def go_on(self, text: str) -> None:
        """Add a line to the field that was begun last."""
        if self.last:
            self.texts[self.last].append(text)

    def finish(self) -> dict[str, object]:
        """Return each field as one text; an abstract keeps its lines."""
        return {name: ("\n" if name == "abstract" else " ").join(lines).strip() for name, lines in self.texts.items()}


def read_label(line: str) -> tuple[str, str]:
    """Return the field that a line names and what follows; two empty texts where it names none."""
    found = _LABEL.match(line[:200])
    if not found:
        return "", ""
    return _NAMES[" ".join(found[1].lower().split())], line[found.start(2) :].strip()


def read_number(line: str) -> tuple[int, str]:
    """Return the number that a line begins with ("12.", "[12]", "(12)") and what follows; 0 where there is none."""
    found = _NUMBER.match(line)
    return (int(found[1] or found[2] or found[3]), line[found.end() :]) if found else (0, line)


def are_consecutive(numbers: Iterable[int]) -> bool:
    """Return whether there are numbers, and they count up from 0 or 1 without a gap."""
    found = list(numbers)
    return bool(found) and found[0] in {0, 1} and found == list(range(found[0], found[0] + len(found)))


def read_named(blocks: Iterator[tuple[int, list[str]]]) -> Iterator[Named]:
    """Yield the papers of blocks of lines in which fields are named.

    A field that is named again begins the next paper, and so do lines before the names in a block: they are the
    title and, below it, the authors. A block without names goes on with the field before it, unless it is a short
    one before a block of names: then it is a title too. What stands before the first paper is a heading.
    """
    paper: Named | None = None
    following = next(blocks, None)
    while following:
        (line, lines), following = following, next(blocks, None)
        head, rest = _part(lines)
        begins = bool(head) and (bool(rest) or bool(following and _is_head(head) and _begins_named(following[1])))
        if begins:
            if paper:
                yield paper
            paper = _begin(line, head)
        elif head and paper:
            paper.go_on("")
            for text in head:
                paper.go_on(text)
        for place, text in enumerate(rest, line + len(head)):
            name, value = read_label(text)
            if paper is None or (name and paper.texts.get(name)):
                if paper:
                    yield paper
                paper = Named(place)
            _put(paper, name, value, text)
    if paper:
        yield paper


def _put(paper: Named, name: str, value: str, text: str) -> None:
    if name:
        paper.put(name, value)
    else:
        paper.go_on(text)


def _part(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines before the first that names a field, and the rest."""
    first = next((place for place, text in enumerate(lines) if read_label(text)[0]), len(lines))
    return lines[:first], lines[first:]


def _is_head(lines: list[str]) -> bool:
    return len(lines) <= 3 and sum(map(len, lines)) <= 400


def _begins_named(lines: list[str]) -> bool:
    return read_label(lines[0])[0] not in {"", "title"}


def _begin(line: int, head: list[str]) -> Named:
    paper = Named(line)
    paper.put("title", read_number(head[0])[1].strip())
    if len(head) > 1:
        paper.put("authors", head[1].strip())
    return paper
