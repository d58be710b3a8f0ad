"""JSON lines as `assistant export` writes them: every field of a paper as it is, and read back so."""

from collections.abc import Mapping

from assistant.corpus.entry import LONGEST_ABSTRACT, BadEntry, check
from assistant.domain import Paper

MARK = "paper-assistant/1"
"""What the field `format` of an exported entry holds: nothing in it is to be guessed or repaired."""


def is_exported(entry: Mapping[str, object]) -> bool:
    """Return whether an entry was written by `assistant export`."""
    return entry.get("format") == MARK


def read_exported(entry: Mapping[str, object], source: str) -> Paper:
    """Return the paper of an exported entry; raises BadEntry where somebody changed what kind of value a field has."""
    year, authors, extra = entry.get("year"), entry.get("authors", []), entry.get("extra", {})
    if year is not None and type(year) is not int:
        raise BadEntry("the year is not a number")
    if not isinstance(authors, list) or not isinstance(extra, dict):
        raise BadEntry("the authors are not a list, or extra is not an object")
    abstract, id = _read(entry, "abstract"), _read(entry, "id")
    if not abstract.strip() or not id.strip():
        raise BadEntry("no abstract" if id.strip() else "no id")
    if len(abstract) > LONGEST_ABSTRACT:
        raise BadEntry(f"the abstract is longer than {LONGEST_ABSTRACT:,} characters")
    return Paper(
        id=id,
        abstract=abstract,
        title=_read(entry, "title"),
        authors=tuple(_check(name, "authors") for name in authors),
        year=year,
        venue=_read(entry, "venue"),
        url=_read(entry, "url"),
        doi=_read(entry, "doi"),
        source=_read(entry, "source") or source,
        extra=tuple((_check(name, "extra"), _check(value, "extra")) for name, value in extra.items()),
    )


def _read(entry: Mapping[str, object], field: str) -> str:
    return _check(entry.get(field, ""), field)


def _check(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise BadEntry(f"the {field} is not text")
    return check(value, field)
