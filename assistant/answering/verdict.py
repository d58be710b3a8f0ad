"""Judges whether a sentence says what the papers that it cites say, by its words, figures and names.

What it cannot see: a claim of the paper's own words put together wrongly.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assistant.citations import LEAST_TERMS, missing_figures
from assistant.domain import FoundPaper, Verdict
from assistant.markers import MARKER
from assistant.text.names import find_names, is_coined
from assistant.text.terms import STOP_WORDS, fold, terms, words

LEAST_HELD, MOST_HELD = 0.3, 0.45
"""A sentence of whose terms the papers hold less than the first share is not theirs, less than the second partly.

Of 110 true sentences, in other words than the abstracts', two fall below .45; of 110 untrue ones, one in eight.
"""
LEAST_SMALL = 0.15
"""A sentence with a smaller share of English stop words is in another language, whose words no abstract has."""
_UNITS = {
    "points": r"(?:percent(?:age)? |% )?points?\b|pp\b",
    "percent": r"%|per ?cent\b",
    "times": r"x\b|times\b|-?fold\b",
    "milliseconds": r"ms\b|milliseconds?\b",
    "seconds": r"s\b|sec\b|seconds?\b",
    "minutes": r"min\b|minutes?\b",
    "hours": r"h\b|hr\b|hours?\b",
    "days": r"days?\b",
    "weeks": r"weeks?\b",
    "months": r"months?\b",
    "years": r"years?\b",
    "millions": r"m\b|millions?\b",
    "billions": r"b\b|billions?\b",
    "thousands": r"k\b|thousands?\b",
    "micrograms": r"ug\b|mug\b|micrograms?\b",
    "milligrams": r"mg\b|milligrams?\b",
    "grams": r"g\b|grams?\b",
    "kilograms": r"kg\b|kilograms?\b",
    "millimetres": r"mm\b|millimet(?:re|er)s?\b",
    "megabytes": r"mb\b|megabytes?\b",
    "gigabytes": r"gb\b|gigabytes?\b",
}
_UNIT = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _UNITS.items()))
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_MEASURED = re.compile(rf"(?<![\w.])({_NUMBER})(%|x\b)?(?: ?(?:-|–|to|and) ?({_NUMBER}))?[ -]?")


def judge(sentence: str, cited: Sequence[FoundPaper]) -> Verdict:
    """Return how well the cited papers, as far as there are any, bear a sentence out."""
    claim = MARKER.sub("", sentence)
    wanted = frozenset(terms(claim))
    if len(wanted) < LEAST_TERMS and not (cited and wanted):
        return "unchecked"
    if not cited or missing_figures(claim, cited) or _has_other_unit(claim, cited) or _has_other_name(claim, cited):
        return "not supported"
    if len(wanted) < LEAST_TERMS:
        return "supported"
    known = frozenset[str]().union(*(_terms(_text(found)) for found in cited))
    held = len(wanted & known) / len(wanted)
    if held >= MOST_HELD:
        return "supported"
    if not _is_english(claim):
        return "unchecked"
    return "not supported" if held < LEAST_HELD else "partly"


def _is_english(claim: str) -> bool:
    """Tell whether a claim has as many of English's small words as English has."""
    said = words(claim)
    return sum(word in STOP_WORDS for word in said) >= LEAST_SMALL * len(said)


def _has_other_name(claim: str, cited: Sequence[FoundPaper]) -> bool:
    """Tell whether a claim has a coined name that no cited paper has, whatever their hyphens and capitals."""
    known = " ".join(_squeeze(_text(found)) for found in cited)
    return any(is_coined(name) and _squeeze(name).rstrip("s") not in known for name in find_names(claim))


def _has_other_unit(claim: str, cited: Sequence[FoundPaper]) -> bool:
    """Tell whether a figure of a claim stands in the papers, and always with another unit."""
    known: dict[str, set[str]] = {}
    for found in cited:
        for figure, unit in _measures(_text(found)):
            known.setdefault(figure, set()).add(unit)
    said = [(figure, unit) for figure, unit in _measures(claim) if unit]
    return any(unit not in known[figure] and "" not in known[figure] for figure, unit in said if figure in known)


def _measures(text: str) -> Iterator[tuple[str, str]]:
    """Yield the figures of a text with their units, "" for one that is not in the table."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", fold(text))
    for match in _MEASURED.finditer(plain):
        unit = _UNIT.match(plain, match.end())
        name = (unit.lastgroup or "") if unit else ""
        first = {"%": "percent", "x": "times"}.get(match[2] or "", name)
        yield match[1], first
        if match[3]:
            yield match[3], name


def _text(found: FoundPaper) -> str:
    return f"{found.paper.title} {found.paper.abstract}"


@lru_cache(maxsize=256)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]", "", fold(text))
