"""Makes a paper of the named fields of a record, and says what is wrong with one that is none."""

import re
import unicodedata
from collections.abc import Mapping
from itertools import islice

from assistant.domain import Paper

LONGEST_ID = 200
"""Characters."""
MOST_EXTRA = 50
"""Further fields that are kept."""
FIELDS = ("id", "title", "abstract", "authors", "year", "venue", "url", "doi")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_SURROGATE = re.compile("[\ud800-\udfff]")


class BadRecord(Exception):
    """A record is no paper, for the reason given; readers turn it into Skipped."""


def read_record(record: Mapping[str, object], id: str, source: str) -> Paper:
    """Return the paper of a record; `id` is for one that brings none. Raises BadRecord.

    The abstract is kept as it is, without the white space around it.
    """
    return Paper(
        id=_read_id(record.get("id")) or id,
        abstract=read_abstract(_read_text(record, "abstract")),
        title=_read_line(record, "title"),
        authors=_read_authors(record.get("authors")),
        year=_read_year(record.get("year")),
        venue=_read_line(record, "venue"),
        url=_read_line(record, "url"),
        doi=_read_line(record, "doi"),
        source=source,
        extra=_read_extra(record),
    )


def read_abstract(text: str) -> str:
    """Return an abstract without the white space around it; raises BadRecord if it is none."""
    if not any(letter.isalpha() for letter in text):
        raise BadRecord("no words in the abstract" if text.strip() else "no abstract")
    return text.strip()


def _read_text(record: Mapping[str, object], field: str) -> str:
    value = record.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRecord(f"the {field} is not text")
    return _check(value, field)


def _check(text: str, field: str) -> str:
    if "\0" in text or _SURROGATE.search(text):
        raise BadRecord(f"the {field} holds a broken character")
    return text


def _read_line(record: Mapping[str, object], field: str) -> str:
    return " ".join(_read_text(record, field).split())


def _read_id(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str | None):
        raise BadRecord("the id is not text")
    id = (value or "").strip()
    if len(id) > LONGEST_ID:
        raise BadRecord(f"the id is longer than {LONGEST_ID} characters")
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for letter in id):
        raise BadRecord("the id holds a character that cannot be printed")
    return id


def _read_authors(value: object) -> tuple[str, ...]:
    """Return the names of a list, or of a text: "A; B" or "A and B"."""
    if isinstance(value, str):
        value = value.split(";") if ";" in value else re.split(r"\s+and\s+", value)
    if not isinstance(value, list | None):
        raise BadRecord("the authors are not a list of names")
    names = []
    for name in value or ():
        if not isinstance(name, str):
            raise BadRecord("the authors are not a list of names")
        names.append(" ".join(_check(name, "authors").split()))
    return tuple(name for name in names if name)


def _read_year(value: object) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 10_000:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 2999:
        return value
    found = _YEAR.findall(value) if isinstance(value, str) else []
    if len(found) != 1:
        raise BadRecord("the year is not a year")
    return int(found[0])


def _read_extra(record: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    scalars = (
        (_check(key, "name of a field"), _check(str(value), key))
        for key, value in record.items()
        if key not in FIELDS and isinstance(value, str | int | float)
    )
    return tuple(islice(scalars, MOST_EXTRA))
