"""Acronyms that a text explains: "state space model (SSM)", and "SSM (state space model)"."""

import re
from functools import lru_cache

_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_SHORT = re.compile(r"[A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|[A-Z]{2,}s?")
_SHORT_BEFORE = re.compile(r"(?<![\w-])([A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|[A-Z]{2,}s?)\s\Z")
_WORDS = re.compile(r"[\w'’\- /]{4,}\Z")
"""Words without a mark between them."""
LONGEST = 10
"""Letters of an acronym."""
FARTHEST = 80
"""Characters before an acronym in brackets that are looked at for its long form."""


@lru_cache(maxsize=2_048)
def find_acronyms(text: str) -> tuple[tuple[str, str], ...]:
    """Return (acronym, long form) as a text gives them, each once; the plural's s is left off the acronym.

    The letters of the acronym must be found in the long form in order, the first one at its start (the rule of
    Schwartz and Hearst, 2003).
    """
    if "(" not in text:
        return ()
    given = (pair for match in _BRACKETS.finditer(text) if (pair := _pair(text, match)))
    pairs = ((short.removesuffix("s"), spelt.strip()) for short, spelt in given)
    found = ((short, _find_start(short, spelt)) for short, spelt in pairs if 1 < len(short) <= LONGEST)
    return tuple(dict.fromkeys(pair for pair in found if pair[1]))


def _pair(text: str, match: re.Match[str]) -> tuple[str, str] | None:
    """Return what may be an acronym, and the words at whose end or start its long form may stand."""
    before, inside = text[max(0, match.start() - FARTHEST) : match.start()], match[1]
    if _SHORT.fullmatch(inside):
        spelt = _WORDS.search(before)
        return (inside, spelt[0]) if spelt else None
    short = _SHORT_BEFORE.search(before[-LONGEST - 3 :])
    return (short[1], inside) if short and _WORDS.fullmatch(inside) else None


def _find_start(short: str, before: str) -> str:
    """Return the end of a text that spells the acronym out, empty if none does."""
    place = len(before)
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    folded = before.casefold()
    for count, letter in enumerate(reversed(letters), start=1):
        place = folded.rfind(letter, 0, place)
        first = count == len(letters)
        while place > 0 and first and (folded[place - 1].isalnum() or folded[place - 1] == "-"):
            place = folded.rfind(letter, 0, place)
        if place < 0:
            return ""
    long = before[place:]
    spelt = re.findall(r"\w+", long)
    enough = 1 < len(spelt) <= min(len(letters) + 5, 2 * len(letters))
    return long if enough and short.casefold() not in (word.casefold() for word in spelt) else ""
