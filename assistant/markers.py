"""Reads the markers that a model writes: known ones are numbered anew, unknown ones taken out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MARKER = re.compile(r"\[([0-9]+)\]")
"""A marker as an answer has it. What a model writes is read more generously: [1, 3], [2-4], [Source 1], 【1】."""

_BRACKETS = re.compile(r"\[[^\[\]【】\n]{1,120}\]|【[^\[\]【】\n]{1,120}】")
_HALF = re.compile(r"[\[【][^\[\]【】\n]{0,120}\Z")
_SPACE = re.compile(r"[ \t]{1,3}\Z")
_BETWEEN = re.compile(r"[ \t]{0,3}(?:[,;][ \t]{0,3})?")
_NUMBER = (
    r"(?:(?:source|paper|document|doc|evidence|passage|abstract|reference|ref|citation)s?[ .:]{0,2})?"
    r"[#^]?-?[0-9]{1,120}(?:\.[0-9]{1,120})?"
)
_NUMBERS = re.compile(rf"\s{{0,3}}{_NUMBER}(?:\s{{0,3}}(?:,|;|and|&|-|–)\s{{0,3}}{_NUMBER})*\s{{0,3}}", re.IGNORECASE)
_RANGE = re.compile(r"([0-9]{1,3})\s{0,3}[-–]\s{0,3}([0-9]{1,3})(?![0-9.])")
_FIGURE = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_NO_AUTHOR = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October"
    r"|November|December|Spring|Summer|Autumn|Fall|Winter|In|Since|By|From|Until|Before|After|During|As|The|An?)\b"
)
_AUTHOR = rf"(?!{_NO_AUTHOR})(?:(?:van|von|de[nrl]?|di|da|la|le|el|al)\s){{0,2}}[^\W\d_a-z][\w'’.-]{{0,40}}"
_AUTHORS = rf"{_AUTHOR}(?:(?:,?\s(?:and|&)\s|,\s|\s){_AUTHOR}){{0,9}}"
_YEAR = r",?\s\(?(?:19|20)[0-9]{2}[a-z]?\)?"
_AUTHOR_YEAR = re.compile(rf"{_AUTHORS}(?:{_YEAR}|,?\set\sal\.?(?:{_YEAR})?)(?:,\s\S{{1,10}}(?:\s[0-9]{{1,5}})?)?")
"""Smith 2031; Smith and Doe, 1999a; van der Berg et al. (2020). Not: released in 2023; May 2023."""
_WORD = re.compile(r"[a-z#^]", re.IGNORECASE)
_AFTER = re.compile(r"[ \t,;]{0,3}")
_OMITTED = "…"
"""Stands where a marker was taken out of another bracket, so that what is left makes no new one."""


class Numbering:
    """Numbers the markers of a text that comes in pieces, by first appearance.

    A marker [n] means the n-th of `known` papers; any other is taken out and counted in `removed`. What has been
    returned is final; what may still become part of a marker is held back.
    """

    def __init__(self, known: int) -> None:
        self.removed = 0
        self._known = known
        self._numbers: dict[int, int] = {}
        self._held = ""
        self._run: dict[int, None] | None = None
        self._space = ""
        self._inside = False

    @property
    def order(self) -> tuple[int, ...]:
        """Return the papers that are cited, in the order of their new numbers."""
        return tuple(self._numbers)

    def feed(self, piece: str) -> str:
        """Take the next piece and return what is settled by it."""
        text = self._held + piece
        done = []
        position = 0
        for match in _BRACKETS.finditer(text):
            marked = _read(match[0][1:-1], self._known)
            if marked is None:
                continue
            between = text[position : match.start()]
            if self._run is None or not _BETWEEN.fullmatch(between):
                done.append(self._pass(between))
                self._run = {}
            self.removed += marked.removed
            self._run.update(dict.fromkeys(marked.numbers))
            position = match.end()
        done.append(self._hold(text[position:]))
        return "".join(done)

    def flush(self) -> str:
        """Return what was held back; the text may go on after it with a new sentence."""
        held, self._held = self._held, ""
        done = self._pass(held) + self._space
        self._space = ""
        return done

    def _hold(self, rest: str) -> str:
        """Keep what may become a marker, or part of a run of markers, and return the text before it."""
        half = _HALF.search(rest, max(0, len(rest) - 121))
        clear = rest[: half.start()] if half else rest
        if self._run is not None and _BETWEEN.fullmatch(clear):
            self._held = rest
            return ""
        self._held = rest[len(clear) :]
        return self._pass(clear)

    def _pass(self, text: str) -> str:
        """Return the open run of markers and the text after it, but for the space at its end."""
        done = self._end_run() + text if self._run is not None else self._space + text
        space = _SPACE.search(done)
        self._space = space[0] if space else ""
        done = done[: len(done) - len(self._space)]
        self._inside = done.rfind("[") > done.rfind("]") or (self._inside and "]" not in done)
        return done

    def _end_run(self) -> str:
        run, self._run = self._run or {}, None
        space, self._space = self._space, ""
        if not run:
            return _OMITTED if self._inside else ""
        return space + "".join(f"[{self._numbers.setdefault(number, len(self._numbers) + 1)}]" for number in run)


def holds_marker(text: str) -> bool:
    """Tell whether a text has a bracket that is read as a marker."""
    return any(_read(match[0][1:-1], 0) for match in _BRACKETS.finditer(text))


def skip_markers(text: str, start: int, end: int) -> int:
    """Return where the markers that begin at a place end, with the space after them; the place if none begins."""
    while (match := _BRACKETS.match(text, start, end)) and _read(match[0][1:-1], 0):
        start = _skip_space(text, match.end(), end)
    return start


def may_go_on(text: str, start: int) -> bool:
    """Tell whether what stands from a place to the end of a text, space aside, may be the beginning of a marker."""
    rest = skip_markers(text, len(text) - len(text[start:].lstrip()), len(text))
    return rest == len(text) or _HALF.fullmatch(text, rest) is not None


def defuse_markers(text: str) -> str:
    """Return the text with round brackets where it has markers."""
    return _BRACKETS.sub(lambda match: f"({match[0][1:-1]})" if _read(match[0][1:-1], 0) else match[0], text)


def _skip_space(text: str, start: int, end: int) -> int:
    match = _AFTER.match(text, start, end)
    return match.end() if match else start


@dataclass(frozen=True, slots=True)
class _Marked:
    numbers: tuple[int, ...]
    removed: int


def _read(inside: str, known: int) -> _Marked | None:
    """Return the known numbers in a bracket and how many are unknown; None if it is no marker."""
    inside = inside.partition("†")[0]
    if not _NUMBERS.fullmatch(inside):
        works = [work.strip() for work in inside.split(";")]
        return _Marked((), 1) if all(_AUTHOR_YEAR.fullmatch(work) for work in works) else None
    spelled = _RANGE.sub(lambda match: ",".join(map(str, _expand(int(match[1]), int(match[2]), known))), inside)
    figures = _FIGURE.findall(spelled)
    if len(figures) > 1 and not _WORD.search(inside) and any(not _may_count(figure) for figure in figures):
        return None
    numbers = tuple(int(figure) for figure in figures if figure.isdigit() and 1 <= int(figure) <= known)
    return _Marked(numbers, len(figures) - len(numbers))


def _may_count(figure: str) -> bool:
    """Tell whether a figure may be the number of a source: an interval such as [0, 1] has one that may not."""
    return figure.isdigit() and int(figure[:6]) > 0


def _expand(first: int, last: int, known: int) -> Sequence[int]:
    return range(first, last + 1) if 1 <= first < last <= known else (first, last)
