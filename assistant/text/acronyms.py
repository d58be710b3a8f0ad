"""Acronyms that a text explains: "state space model (SSM)", and "SSM (state space model)"."""

import re
from functools import lru_cache

_SHORT = r"[A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|[A-Z]{2,}s?"
_AFTER = re.compile(rf"(?P<long>[\w'’\- /]{{4,80}}?)\ ?\((?P<short>{_SHORT})\)")
_BEFORE = re.compile(rf"(?<![\w-])(?P<short>{_SHORT})\ \((?P<long>[A-Za-z][\w'’\- ]{{4,80}})\)")
LONGEST = 10
"""Letters of an acronym."""


@lru_cache(maxsize=2_048)
def find_acronyms(text: str) -> tuple[tuple[str, str], ...]:
    """Return (acronym, long form) as a text gives them, each once; the plural's s is left off the acronym.

    The letters of the acronym must be found in the long form in order, the first one at its start (the rule of
    Schwartz and Hearst, 2003).
    """
    if "(" not in text:
        return ()
    found = []
    for pattern in (_AFTER, _BEFORE):
        for match in pattern.finditer(text):
            short = match["short"].removesuffix("s")
            long = _find_start(short, match["long"].strip())
            if long and 1 < len(short) <= LONGEST:
                found.append((short, long))
    return tuple(dict.fromkeys(found))


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
