"""Makes a paper of the named fields of an entry, and says what is wrong with one that is none."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from assistant.corpus.dates import read_year
from assistant.corpus.fields import sort_fields
from assistant.corpus.files import show
from assistant.corpus.latex import decode_accents
from assistant.corpus.names import BadNames, read_names
from assistant.corpus.repair import drop_label, repair
from assistant.domain import Paper, Skipped

LONGEST_ID = 200
"""Characters."""
LONGEST_ABSTRACT = 100_000
"""Characters: ten times the longest abstract seen; what is longer is a whole paper, or none."""
WITHOUT_ABSTRACT = ("no abstract", "no words in the abstract")
"""Why a record that was read whole is no paper."""
MOST_EXTRA = 50
"""Further fields that are kept."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_DOI_PLACE = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv(?:\.org/(?:abs|pdf)/|[:.\s]*)|(?<![\w./-]))"
    r"(\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,2})?(?:\.pdf)?(?![\w/])",
    re.IGNORECASE,
)
_INNER_TEXT = (
    "value",
    "display_name",
    "name",
    "title",
    "text",
    "description",
    "literal",
    "url",
    "URL",
    "href",
    "source",
)


class BadEntry(Exception):
    """An entry is no paper, for the reason given; readers turn it into Skipped."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file says of one paper, at a line of it."""

    line: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Flaw:
    """What in a file is no entry, at a line of it, and why; `records` may be 0."""

    line: int
    reason: str
    records: int = 1


def make_papers(path: Path, found: Iterable[Entry | Flaw]) -> Iterator[Paper | Skipped]:
    """Yield the papers of a file's entries; the n-th record has the id `<file stem>#<n>` if it brings none."""
    stem, source, number = show(Path(path.stem)), show(Path(path.name)), 0
    for one in found:
        place = f"{show(path)}:{one.line}" if one.line else show(path)
        if isinstance(one, Flaw):
            number += one.records
            yield Skipped(place, one.reason, one.records)
            continue
        number += 1
        try:
            yield read_entry(one.fields, f"{stem}#{number}", source)
        except BadEntry as error:
            yield Skipped(place, str(error))


def read_entry(entry: Mapping[str, object], id: str, source: str) -> Paper:
    """Return the paper of an entry, whatever its fields are called; `id` is for one that brings none. Raises BadEntry.

    The abstract is kept as it is, without the white space around it and what a file certainly did to it.
    """
    known, rest = sort_fields(entry)
    url = _read_line(known, "url")
    doi = _read_doi(known, url)
    return Paper(
        id=_read_id(known.get("id")) or id,
        abstract=read_abstract(_read_abstract(known.get("abstract"))),
        title=decode_accents(repair(_read_line(known, "title"))),
        authors=_read_authors(known.get("authors")),
        year=read_year(known.get("year")),
        venue=decode_accents(repair(_read_line(known, "venue"))),
        url=url,
        doi=doi,
        source=source,
        extra=_read_extra(known, rest, f"{doi} {url}"),
    )


def read_abstract(text: str) -> str:
    """Return an abstract without what surrounds it; raises BadEntry if it is none."""
    text = drop_label(repair(check(text, "abstract")))
    if not any(letter.isalpha() for letter in text):
        raise BadEntry(WITHOUT_ABSTRACT[1] if text.strip() else WITHOUT_ABSTRACT[0])
    if len(text) > LONGEST_ABSTRACT:
        raise BadEntry(f"the abstract is longer than {LONGEST_ABSTRACT:,} characters")
    return text.strip()


def check(text: str, field: str) -> str:
    """Return a text that can be kept; raises BadEntry naming the field of one that cannot."""
    if "\0" in text or _SURROGATE.search(text):
        raise BadEntry(f"the {field} holds a broken character")
    return text


def _read_abstract(value: object) -> str:
    if isinstance(value, dict) and not isinstance(value.get("value"), str):
        return _order(value)
    if isinstance(value, list) and len(value) > 1 and all(isinstance(part, dict) for part in value):
        return "\n".join(_read_abstract(part.get("text")) for part in value)
    return _read_text({"abstract": value}, "abstract")


def _order(index: dict[object, object]) -> str:
    """Return the text of an inverted index: each word with the places where it stands (OpenAlex)."""
    places: list[tuple[int, str]] = []
    for word, where in index.items():
        if not isinstance(word, str) or not isinstance(where, list) or not all(type(one) is int for one in where):
            raise BadEntry("the abstract is not text")
        places += ((one, word) for one in where)
    return " ".join(word for _, word in sorted(places))


def _read_text(entry: Mapping[str, object], field: str) -> str:
    value = _reach_text(entry.get(field))
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadEntry(f"the {field} is not text")
    return check(value, field)


def _reach_text(value: object, depth: int = 0) -> object:
    """Return the text that a value holds: of a list the first, of an object its name or value."""
    if isinstance(value, list) and depth < 4 and (not value or isinstance(value[0], dict) or len(value) == 1):
        return _reach_text(value[0], depth + 1) if value else None
    if isinstance(value, dict) and depth < 4:
        inner = [value[name] for name in _INNER_TEXT if name in value]
        return _reach_text(next(filter(None, inner), ""), depth + 1) if inner else value
    return value


def _read_line(entry: Mapping[str, object], field: str) -> str:
    return " ".join(_read_text(entry, field).split())


def _read_id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str | None):
        raise BadEntry("the id is not text")
    id = (value or "").strip()
    if len(id) > LONGEST_ID:
        raise BadEntry(f"the id is longer than {LONGEST_ID} characters")
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for letter in id):
        raise BadEntry("the id holds a character that cannot be printed")
    return id


def _read_authors(value: object) -> tuple[str, ...]:
    try:
        names = read_names(value)
    except BadNames:
        raise BadEntry("the authors are not a list of names") from None
    return tuple(repair(check(name, "authors")) for name in names)


def _read_doi(known: Mapping[str, object], url: str) -> str:
    """Return the DOI without the address of its resolver; one that stands in the url alone counts."""
    text = _read_line(known, "doi")
    if found := _DOI.search(text):
        return found[0].rstrip(".,;")
    if not text and "doi.org/" in url and (found := _DOI.search(url)):
        return found[0]
    return _DOI_PLACE.sub("", text)


def _read_extra(known: Mapping[str, object], rest: Mapping[str, object], places: str) -> tuple[tuple[str, str], ...]:
    fields: dict[str, object] = {}
    if arxiv := _ARXIV.search(str(known.get("arxiv") or "")) or _find_arxiv(places, known.get("id")):
        fields["arxiv"] = arxiv[1]
    if keywords := _join(known.get("keywords")):
        fields["keywords"] = keywords
    if known.get("year") not in (None, "") and read_year(known["year"]) is None:
        fields["year"] = known["year"]
    scalars = (
        (check(name, "name of a field"), check(str(value), name))
        for name, value in (fields | dict(rest)).items()
        if isinstance(value, str | int | float) and value != ""
    )
    return tuple(islice(scalars, MOST_EXTRA))


def _find_arxiv(places: str, id: object) -> re.Match[str] | None:
    where = f"{places} {id if isinstance(id, str) else ''}"
    return _ARXIV.search(where) if "arxiv" in where.lower() else None


def _join(value: object) -> str:
    if isinstance(value, list):
        words = [_reach_text(one) for one in value]
        return "; ".join(word.strip() for word in words if isinstance(word, str) and word.strip())
    reached = _reach_text(value)
    return " ".join(reached.split()) if isinstance(reached, str) else ""
