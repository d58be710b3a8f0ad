"""Figures in a text, in digits or in words."""

import re

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|twice|double|hundreds?|thousands?|millions?)\b",
    re.IGNORECASE,
)


def states_number(text: str) -> bool:
    """Tell whether a text states a number."""
    return _NUMBER.search(text) is not None
