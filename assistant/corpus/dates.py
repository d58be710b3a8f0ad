"""Reads the year from what stands for a date: a number, a text, a list of parts, milliseconds."""

import re
from datetime import UTC, datetime

_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_DATE = re.compile(r"\s*([12]\d{3})(?:-\d\d(?!\d)|[/.]\d\d?(?!\d)|/|\s*\Z)")
_MILLISECONDS = range(3 * 10**11, 5 * 10**12)
"""1979 to 2128: what no year can be."""


def read_year(value: object, depth: int = 0) -> int | None:
    """Return the year, or None where it cannot be told: "in press", "2019/2020"."""
    if isinstance(value, bool) or depth > 4:
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**13:
        value = int(value)
    if isinstance(value, int):
        if value in _MILLISECONDS:
            return datetime.fromtimestamp(value / 1000, UTC).year
        return value if 1000 <= value <= 2999 else None
    if isinstance(value, str):
        return _read_text(value)
    return _reach(value, depth)


def _reach(value: object, depth: int) -> int | None:
    """Return the year of CSL's {"date-parts": [[2020, 3]]}, of {"value": 2020}, of arXiv's list of versions."""
    if isinstance(value, list) and value:
        return read_year(value[0], depth + 1)
    if isinstance(value, dict):
        for name in ("date-parts", "value", "created", "year", "raw", "literal"):
            if name in value:
                return read_year(value[name], depth + 1)
    return None


def _read_text(text: str) -> int | None:
    text = text[:200]
    if date := _DATE.match(text):
        tail = text[date.end() :]
        if not _YEAR.search(tail) or re.match(r"[-/.\d\sT:]*\d\d:\d\d", tail):
            return int(date[1])
    found = _YEAR.findall(text)
    return int(found[0]) if len(found) == 1 else None
