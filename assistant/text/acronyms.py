"""Acronyms that a text explains: "state space model (SSM)", and "SSM (state space model)"."""

import re
from functools import lru_cache

_SHORT = r"[A-Za-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*|[A-Z]{2,}s?"
_BRACKETED = re.compile(rf"\((?P<short>{_SHORT})\)")
# What stands before the bracket: words without a mark between them.
_WORDS_BEFORE = re.compile(r"[\w'’\- /]{4,}\Z")
_BEFORE = re.compile(rf"(?<![\w-])(?P<short>{_SHORT})\ \((?P<long>[A-Za-z][\w'’\- ]{{4,80}})\)")
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
    after = (
        (match["short"], text[max(0, match.start() - FARTHEST) : match.start()]) for match in _BRACKETED.finditer(text)
    )
    long = ((short, spelt[0]) for short, before in after if (spelt := _WORDS_BEFORE.search(before)))
    given = (*long, *((match["short"], match["long"]) for match in _BEFORE.finditer(text)))
    pairs = ((short.removesuffix("s"), spelt.strip()) for short, spelt in given)
    found = ((short, _find_start(short, spelt)) for short, spelt in pairs if 1 < len(short) <= LONGEST)
    return tuple(dict.fromkeys(pair for pair in found if pair[1]))


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
