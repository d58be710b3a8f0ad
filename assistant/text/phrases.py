"""Phrases brought to the length of a label: cut where a phrase may end, nothing left open."""

import re

LONGEST_LABEL = 90
"""Characters."""

_OPEN = (
    "a|an|the|and|or|but|of|for|to|in|on|by|with|from|that|which|as|at|into|over|via|using|under|through|across|without|"
    "within|between|where|when|while|than|is|are|be|can|its|their|our|this|these|such|both|based|capable|corresponding|"
    "related|due|able|we|it|they|not|also"
)
_OPEN_END = re.compile(rf"(?:[\s,;:–—-]+(?:{_OPEN}))*[\s,;:.–—-]*\Z", re.IGNORECASE)
_CLAUSE = re.compile(
    r"""\s*(?:
      ; | : | — | ---?\s | \s[–-]\s | \.\Z | \((?:e\.g|i\.e)
    | ,?\ (?:thereby|whereas|while|although|such\ that|in\ order)\b
    | ,\ (?:which|that|where|thus|so|but|with|by|as|when|if|e\.g|i\.e|called|namely|including)\b
    | ,\ (?:based|designed|built|created|derived|inspired|motivated)\b
    | ,\ (?:and\ )?(?:then\ )?(?:we|it|this|prov\w+|show|demonstrat\w+|introduc\w+|propos\w+|develop|provid\w+|use)\b
    | \ and\ (?:prove|show|demonstrate|introduce|propose|develop|provide|derive|evaluate|apply)\b
    | ,\ (?:and\ )?(?!processing|training|learning|reasoning|planning|testing)[a-z]+ing\b
    )""",
    re.VERBOSE,
)
_RELATIVE = re.compile(
    r",? (?:that|which|where|whose)\b|,? to (?=[a-z]+(?:ly)? )|,? (?:designed|tailored|dedicated|aimed) "
)
_SOFT = re.compile(
    r"""(?:,?\ (?=(?:for|to|in|(?<!based\ )on|by|with|from|that|which|using|via|under|through|across|without|within
    |between|as|at|into|over|based|where|when|while|than|against|during|after|before)\b) | ,\  | \ \()""",
    re.VERBOSE,
)
_FRONT = re.compile(r"(?:(?:a|an|the|our|some|novel|new|innovative)(?:,? and |, | ))+", re.IGNORECASE)
_BACK_REFERENCE = re.compile(r"\b(?:these|this|such|it|them|their|its|those|aforementioned|above)\b")
_SAY_LITTLE = frozenset(
    """approach approaches method methods framework technique techniques algorithm algorithms model models strategy
    scheme paradigm solution direct general unified simple efficient effective alternative two-stage two-step
    three-stage shortcut holistic principled as an a the of and for methodology pipeline system theoretical analysis
    practical""".split()
)


def shorten(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, cut at a phrase's end where there is one."""
    if len(text) > limit:
        ends = [match.start() for match in _SOFT.finditer(text, 0, limit + 2) if match.start() <= limit]
        space = text.rfind(" ", 0, limit + 1)
        end = ends[-1] if ends and ends[-1] >= limit // 3 else space
        text = text[: end if end > 0 else limit]
    return _close(text)


def cut_clause(text: str, least: int) -> str:
    """Return a text up to the clause that goes on after at least so many words, or whole."""
    for end in _CLAUSE.finditer(text):
        before = text[: end.start()]
        if len(before.split()) >= least + 2 * end[0].strip().startswith(":"):
            return before
    return text


def cut_relative(text: str, enough: int) -> str:
    """Return a text without what is said of its noun ("that ..."), if enough words stand before that."""
    for end in _RELATIVE.finditer(text):
        before, after = text[: end.start()], text[end.end() :]
        if before.count(" ") >= enough - 1 or _BACK_REFERENCE.search(after[:40]):
            return before
    return text


def drop_front(text: str) -> str:
    """Return a noun phrase without its article and without "novel" and the like."""
    return _FRONT.sub("", text, count=1) if _FRONT.match(text) else text


def raise_first(text: str) -> str:
    """Return the text with its first letter in upper case, unless its first word is a coined name."""
    first = text.split(" ", 1)[0]
    coined = any(letter.isupper() for letter in first[1:]) or not first[:1].isascii()
    return text if coined else text[:1].upper() + text[1:]


def count_telling(text: str) -> int:
    """Return how many words say more than "approach", "framework" and the like."""
    return sum(word.lower() not in _SAY_LITTLE for word in text.split())


def _close(text: str) -> str:
    """Return a text without an open bracket or quote and without words that lead nowhere."""
    for opening, closing in ("()", "[]", "“”"):
        while text.count(opening) > text.count(closing):
            text = text[: text.rfind(opening)]
    if text.count('"') % 2:
        text = text[: text.rfind('"')]
    return _OPEN_END.sub("", text.rstrip()).strip()
