"""Tells titles from sentences, as lists in plain text and Markdown need it."""

import re

LONGEST_TITLE = 250
"""Characters."""
_SENTENCE_END = re.compile(r"[.!?;,。！？；，][\"'”’)\]*_]*\Z")


def ends_sentence(line: str) -> bool:
    """Return whether a line ends like a sentence or a part of one."""
    return _SENTENCE_END.search(line.rstrip()) is not None


def is_title(line: str) -> bool:
    """Return whether a line may be a title: it is short and ends like none, or with a question mark."""
    text = line.strip()
    if not 3 <= len(text) <= LONGEST_TITLE or not (text[0].isupper() or not text[0].isalpha() or not text[0].isascii()):
        return False
    return not ends_sentence(text) or text.endswith("?")
