"""Where the sentences of a scientific abstract begin and end, decided by rules."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

Span = tuple[int, int]

# Stand before what they belong to, so their full stop ends no sentence.
_NEVER_LAST = frozenset(
    """e.g i.e eg ie cf vs viz fig figs eq eqs eqn eqns secs sect ref refs tab thm lem prop def cor alg chap
    vol vols ca approx incl esp dept univ Dr Prof Mr Mrs Ms Mt St Messrs yahoo""".split()
)
# May end a sentence: they do before a word that starts one.
_SELDOM_LAST = frozenset(
    """al etc inc ltd corp co jr sr resp ph.d w.r.t i.i.d a.k.a a.m p.m spp sp subsp var wt mol app est rev
    jan feb mar apr jun jul aug sept oct nov dec""".split()
)
# End a sentence unless a number follows.
_BEFORE_NUMBERS = frozenset("no nos art avg max min sec std temp ch pp p".split())
_STARTERS = frozenset(
    """A Across Additionally Adding After All Also Although Among An And Another Applying As At Based Because Besides
    Beyond Both Building But By Code Collectively Combined Compared Consequently Conversely Current Currently Data
    Despite Due During Each Empirically Even Existing Experimental Experiments Extensive Finally First Firstly Following
    For From Further Furthermore Given Hence Here How However If Importantly In Inspired Instead Is It Its Last Lastly
    Many More Moreover Most Motivated Nevertheless New Next No Nonetheless Not Notably On One Only Our Overall Previous
    Prior Prompted Rather Recent Recently Results Second Secondly Several Similarly Since So Some Specifically Still
    Subsequently Such Surprisingly Taken That The Their Then Theoretically There Therefore These They Third This Those
    Though Through Thus To Together Two Unlike Unfortunately Using We What When Where Whereas Whether Which While Why
    With Within Without Yet""".split()
)

_LATIN_END = re.compile(r"[.!?…]+")
_CLOSERS = re.compile(r"(?:\[\d{1,3}(?:[,–-] ?\d{1,3}){0,9}\]|[\"'”’»)\]}*_`$])*")
_CHINESE_END = re.compile(r"[。！？｡]+[”’」』）》\"')]*")
_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\n[^\S\n]*(?=(?:[-*+•‣▪–—]|\(?\d{1,2}[.)])[^\S\n]+\S)")
_LABELS = (
    r"(?:BACKGROUND|CONTEXT|INTRODUCTION|OBJECTIVES?|AIMS?|PURPOSE|HYPOTHESIS|RATIONALE|DESIGN|SETTING|PATIENTS"
    r"|PARTICIPANTS|INTERVENTIONS?|MATERIALS?|METHODS?|METHODOLOGY|MEASUREMENTS?|MAIN OUTCOME MEASURES?|RESULTS?"
    r"|FINDINGS?|DISCUSSION|INTERPRETATION|CONCLUSIONS?|SIGNIFICANCE|LIMITATIONS?|FUNDING)"
)
_LABEL = re.compile(_LABELS, re.IGNORECASE)
_HEADING = re.compile(rf"\s(?={_LABELS}(?: (?:AND|/) [A-Z]{{3,20}}(?: [A-Z]{{3,20}})?)?:\s)")
_MATHS = re.compile(
    r"\$\$[^$]{1,2000}\$\$|\$\s[^$]{0,400}\s\$|\$(?!\s)[^$]{0,400}(?<!\s)\$(?!\d)|\\\([^$]{1,400}?\\\)|\\\[[^$]{1,400}?\\\]"
)
_OPENING = {"(": ")", "[": "]", "（": "）"}
_CLOSING = {close: opening for opening, close in _OPENING.items()}
_BRACKETS = re.compile(r"[()\[\]（）]")
_LONGEST_ASIDE = 400
_LOOKED_BACK = 1000
_WORD_END = re.compile(r"[a-z]{3}\)?\Z")
_WORD_BEFORE = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*\Z")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*\Z")
_ITEM = re.compile(r"\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])\)\s|\d{1,2}\.\s")
_ITEM_INSIDE = re.compile(r"(?<=\s)(?:\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])\)|\d{1,2}\.)(?=\s)")
_OPENERS = re.compile(r"[\"'“‘«„(\[{*_`#]*")
_COINED = re.compile(r"[a-z]{1,12}-?[A-Z0-9]|[a-z]-[a-zA-Z]")
_CAPITALISED = re.compile(r"([A-Z][a-z]*)[\s,:]")
_SPACE = re.compile(r"\s+")
_NEVER_FIRST = frozenset(",;:)]}=<>+/%&|^.!?…")


def split_sentences(text: str) -> tuple[Span, ...]:
    """Return the spans of the sentences in order, trimmed, together holding every non-space character.

    Maths and asides in brackets are never cut; a list (1) ... (2) ... stays in the sentence that opens it.
    """
    spans: list[Span] = []
    start = 0
    for end in (*_ends(text), len(text)):
        piece = text[start:end]
        if piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            last = start + len(piece.rstrip())
            if spans and not any(character.isalnum() for character in piece):
                first = spans.pop()[0]
            spans.append((first, last))
        start = end
    return tuple(spans)


def _ends(text: str) -> Iterator[int]:
    """Yield where sentences end, rising."""
    guarded = _Guarded(text)
    items = [match.start() for match in _ITEM_INSIDE.finditer(text)]
    breaks = [match.start() for pattern in (_BREAK, _HEADING) for match in pattern.finditer(text)]
    breaks += [match.end() for match in _CHINESE_END.finditer(text)]
    forced = sorted(end for end in breaks if not guarded.holds(end))
    start, passed = 0, 0
    for match in _LATIN_END.finditer(text):
        end = _skip(_CLOSERS, text, match.end())
        while passed < len(forced) and forced[passed] <= end:
            start = forced[passed]
            yield start
            passed += 1
        following = _skip(_SPACE, text, end)
        if end <= start or guarded.holds(end) or not _ends_sentence(text, match, start, end, following):
            continue
        listed = bisect_right(items, _skip(_SPACE, text, start)) < bisect_left(items, following)
        if listed and _ITEM.match(text, following):
            continue
        yield end
        start = end
    yield from forced[passed:]


def _ends_sentence(text: str, stop: re.Match[str], start: int, end: int, following: int) -> bool:
    """Say whether the stop, closed at `end`, parts the sentence begun at `start` from what comes at `following`."""
    if following == len(text):
        return True
    begins = _CAPITALISED.match(text, _skip(_OPENERS, text, following))
    starter = begins is not None and begins[1] in _STARTERS
    sentence = text[max(start, stop.start() - _LOOKED_BACK) : stop.start()]
    if following == end:
        return starter and end == stop.end() and _WORD_END.search(sentence) is not None
    if not _may_begin(text, following):
        return False
    if "…" in stop[0] or "..." in stop[0]:
        return starter
    return stop[0] not in {".", "!"} or not _ends_in_abbreviation(sentence, text[following], starter)


def _ends_in_abbreviation(sentence: str, following: str, starter: bool) -> bool:
    found = _WORD_BEFORE.search(sentence[-40:])
    if found is None:
        return False
    word, lower = found[0], found[0].lower()
    if word in _NEVER_LAST or lower in _NEVER_LAST or (lower in _BEFORE_NUMBERS and following.isdigit()):
        return True
    if lower in _SELDOM_LAST or (_INITIALS.match(word) and not sentence.endswith("/" + word)):
        return not starter
    return _LABEL.fullmatch(sentence.strip()) is not None or _numbers_item(sentence.removesuffix(word), word)


def _may_begin(text: str, position: int) -> bool:
    first = text[position]
    if first in _NEVER_FIRST:
        return False
    inner = _skip(_OPENERS, text, position)
    if inner >= len(text) or not text[inner].islower() or not text[inner].isascii():
        return True
    return _COINED.match(text, inner) is not None or _ITEM.match(text, position) is not None


def _numbers_item(before: str, word: str) -> bool:
    """Say whether the word is the number of a list's item: "two techniques: 1. A greedy ... and 2. A ..."."""
    if not word.isdecimal() or len(word) > 2:
        return False
    if before and not before[-1].isspace():
        return False
    before = before.rstrip()
    return not before or before[-1] in ":;." or f" {int(word) - 1}. " in before


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


class _Guarded:
    """The stretches of a text that no sentence ends in: maths, and asides in brackets."""

    def __init__(self, text: str) -> None:
        spans = sorted((*(match.span() for match in _MATHS.finditer(text)), *_asides(text)))
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            if not self._ends or end > self._ends[-1]:
                self._starts.append(start)
                self._ends.append(end)

    def holds(self, position: int) -> bool:
        """Say whether a position is inside such a stretch, not at its ends."""
        last = bisect_left(self._starts, position) - 1
        return last >= 0 and position < self._ends[last]


def _asides(text: str) -> Iterable[Span]:
    open_at: dict[str, list[int]] = {opening: [] for opening in _OPENING}
    for match in _BRACKETS.finditer(text):
        if match[0] in _OPENING:
            open_at[match[0]].append(match.start())
        elif open_at[_CLOSING[match[0]]]:
            opened = open_at[_CLOSING[match[0]]].pop()
            if match.end() - opened <= _LONGEST_ASIDE:
                yield opened, match.end()
