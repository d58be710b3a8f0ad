"""Makes a paper of the named fields of an entry, and says what is wrong with one that is none."""

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


class BadEntry(Exception):
    """An entry is no paper, for the reason given; readers turn it into Skipped."""


def read_entry(entry: Mapping[str, object], id: str, source: str) -> Paper:
    """Return the paper of an entry; `id` is for one that brings none. Raises BadEntry.

    The abstract is kept as it is, without the white space around it.
    """
    return Paper(
        id=_read_id(entry.get("id")) or id,
        abstract=read_abstract(_read_text(entry, "abstract")),
        title=_read_line(entry, "title"),
        authors=_read_authors(entry.get("authors")),
        year=_read_year(entry.get("year")),
        venue=_read_line(entry, "venue"),
        url=_read_line(entry, "url"),
        doi=_read_line(entry, "doi"),
        source=source,
        extra=_read_extra(entry),
    )


def read_abstract(text: str) -> str:
    """Return an abstract without the white space around it; raises BadEntry if it is none."""
    if not any(letter.isalpha() for letter in text):
        raise BadEntry("no words in the abstract" if text.strip() else "no abstract")
    return text.strip()


def _read_text(entry: Mapping[str, object], field: str) -> str:
    value = entry.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadEntry(f"the {field} is not text")
    return _check(value, field)


def _check(text: str, field: str) -> str:
    if "\0" in text or _SURROGATE.search(text):
        raise BadEntry(f"the {field} holds a broken character")
    return text


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
    """Return the names of a list, or of a text: "A; B" or "A and B"."""
    if isinstance(value, str):
        value = value.split(";") if ";" in value else re.split(r"\s+and\s+", value)
    if not isinstance(value, list | None):
        raise BadEntry("the authors are not a list of names")
    names = []
    for name in value or ():
        if not isinstance(name, str):
            raise BadEntry("the authors are not a list of names")
        names.append(" ".join(_check(name, "authors").split()))
    return tuple(name for name in names if name)


def _read_year(value: object) -> int | None:
    """Return the year, or None where it cannot be told: "in press", "2019/2020"."""
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 10_000:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 2999:
        return value
    found = _YEAR.findall(value) if isinstance(value, str) else []
    if len(found) != 1:
        return None
    return int(found[0])


def _read_extra(entry: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    scalars = (
        (_check(key, "name of a field"), _check(str(value), key))
        for key, value in entry.items()
        if _is_extra(key, value) and isinstance(value, str | int | float)
    )
    return tuple(islice(scalars, MOST_EXTRA))


def _is_extra(field: str, value: object) -> bool:
    """Return whether a field has no place of its own, as what stands for a year and is none."""
    return field not in FIELDS or (field == "year" and value != "" and _read_year(value) is None)
