"""Reads the names of authors from the forms in which lists have them, each as "Given Family"."""

import re

from assistant.corpus.latex import decode_accents

MOST_AUTHORS = 5000
_PARTS = (
    ("given", "family"),
    ("first", "last"),
    ("firstname", "lastname"),
    ("forename", "surname"),
    ("initials", "lastname"),
)
_WHOLE = (
    "name",
    "fullname",
    "displayname",
    "literal",
    "rawauthorname",
    "authorname",
    "author",
    "value",
    "collectivename",
)
_OTHERS = re.compile(r"(?:and\s+)?(?:others|et\s+al)\.?\Z", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\((?:\d{6,}|[A-Z]{1,3}-\d{4}-\d{4})\)\Z")
AFTER = frozenset("jr sr ii iii iv phd md dphil frs".split())
_FIRM = frozenset("inc ltd llc gmbh corp co".split())
_AND = re.compile(r"\s+(?:and|&)\s+|\s*,\s*(?:and|&)\s+")


class BadNames(Exception):
    """What stands for authors holds no names."""


def read_names(value: object) -> tuple[str, ...]:
    """Return the names in a list or a text; raises BadNames."""
    if value is None:
        return ()
    if isinstance(value, dict):
        value = value["value"] if isinstance(value.get("value"), list | str) else [value]
    items = _split(value) if isinstance(value, str) else value
    if not isinstance(items, list):
        raise BadNames
    names = (_clean(_turn(decode_accents(_read_name(item)))) for item in items[:MOST_AUTHORS])
    return tuple(name for name in names if name and not _OTHERS.match(name))


def _split(text: str) -> list[str]:
    """Return the names of a text: parted by lines, ";", "|", "and", or by commas between whole names."""
    for mark in (";", "\n", "|"):
        if mark in text:
            return [name for name in text.split(mark) if name.strip()]
    text = " ".join(text.split())  # a run of white space would be searched again from each of its places
    parts = _AND.split(text)
    commas = [part.strip() for part in parts[0].split(",")]
    # "Balázs, C. and Berger, E." has a family name before each comma, "C. Balázs, E. Berger" whole names.
    if len(commas) > 1 and all(len(part.split()) > 1 for part in commas):
        return [name for part in parts for name in part.split(",")]
    return parts


def _read_name(item: object) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, list) and all(isinstance(part, str) for part in item):
        # arXiv's authors_parsed: family, given, what comes after, affiliation
        family, given, after = (*item[:3], "", "", "")[:3]
        return " ".join(part for part in (given, family, after) if part)
    if not isinstance(item, dict):
        raise BadNames
    fields = {re.sub(r"[^a-z]", "", str(key).casefold()): value for key, value in item.items()}
    for given, family in _PARTS:
        if isinstance(fields.get(family), str):
            parts = (fields.get(given), fields.get("nondroppingparticle"), fields[family], fields.get("suffix"))
            return " ".join(part for part in parts if isinstance(part, str))
    for key in _WHOLE:
        if fields.get(key):
            return _read_name(fields[key])
    raise BadNames


def _turn(name: str) -> str:
    """Return "Given Family" for "Family, Given" and for "Family, Jr, Given"."""
    parts = [" ".join(part.split()) for part in _NUMBER.sub("", name).split(",")]
    if len(parts) == 1 or len(parts) > 3 or not all(parts) or parts[-1].lower().strip(".") in _FIRM:
        return ", ".join(part for part in parts if part)
    after = next((part for part in parts[1:] if part.lower().strip(".") in AFTER), "")
    given = " ".join(part for part in parts[1:] if part != after)
    return " ".join(part for part in (given, parts[0], after) if part)


def _clean(name: str) -> str:
    return " ".join(name.replace("{", "").replace("}", "").split()).strip(" ,;")
