"""Characters that a reader does not see: taken out on the way to a prompt, a page or a terminal."""

import re

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|[@-Z\\^_])?")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # Joiners shape Persian, Indic scripts and emoji; after anything else they only hide.
    "|(?<![^\x00-\x7f\u200c\u200d])[\u200c\u200d]+"
)


def remove_invisible(text: str) -> str:
    """Return the text without control, direction, tag and zero-width characters; lines end in a line feed."""
    return _INVISIBLE.sub("", _ESCAPES.sub("", _LINE_ENDS.sub("\n", text)))
