"""JSON: a list of entries, an object that holds such a list, one that holds entries by their ids, or one entry."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.fields import is_entry, reduce
from assistant.corpus.files import show
from assistant.corpus.formats import reader
from assistant.corpus.lines import read_text
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

LONGEST_VALUE = 2**22
"""Characters of one entry: what is in memory at a time. A list may be of any length."""
MOST_FIELDS = 10_000
_DEEPEST = 4
_LISTS = frozenset(
    "results data notes items entries entry papers records docs documents articles works hits publications value list"
    " abstracts submissions searchresults rows collection response content result".split()
)
_HOLDERS = frozenset(
    "message response searchresults feed data result results hits payload body papers entries records items collection"
    " articles resultlist".split()
)
_SPACE = re.compile(r"[ \t\n\r]*")


class _NotJson(Exception):
    """What stands at the place is not JSON, for the reason given."""


class _Scanner:
    """Reads JSON values from blocks of text one after the other, each at most `LONGEST_VALUE` long."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self._blocks = blocks
        self._text = ""
        self._place = 0
        self.line = 1
        self._decoder = json.JSONDecoder(parse_constant=_drop_constant)

    def peek(self) -> str:
        """Return the next character after white space without taking it, empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._place)
            self._advance(space.end() if space else self._place)
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._fill():
                return ""

    def take(self, expected: str) -> None:
        """Take the next character, which must be one of those expected."""
        if self.peek() not in expected or not self.peek():
            raise _NotJson(f"expected {' or '.join(expected)}")
        self._advance(self._place + 1)

    def decode(self) -> object:
        """Take the next value whole."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                if self._grow():
                    continue
                raise _NotJson(error.msg) from None
            except RecursionError:
                raise _NotJson("nested too deeply") from None
            except ValueError:
                raise _NotJson("a number that is too long") from None
            if end == len(self._text) and self._grow():  # a number may go on
                continue
            self._advance(end)
            return value

    def _grow(self) -> bool:
        """Double what is read ahead, so that a long value is not decoded too often; false where that is all."""
        wanted = 2 * (len(self._text) - self._place)
        grown = False
        while len(self._text) - self._place <= min(wanted, LONGEST_VALUE) and self._fill():
            grown = True
        return grown

    def _fill(self) -> bool:
        for block in self._blocks:
            self._text = self._text[self._place :] + block
            self._place = 0
            return True
        return False

    def _advance(self, place: int) -> None:
        self.line += self._text.count("\n", self._place, place)
        self._place = place


def looks_like_json(head: str) -> bool:
    """Return whether a text begins like a JSON document of objects."""
    return re.match(r"\[\s*\{|\{\s*\"", head) is not None and not _are_lines(head)


@reader(".json", looks=looks_like_json)
def read_json(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers of a JSON document, however long; raises CorpusError where it is not JSON (any more)."""
    return make_papers(path, _read(path))


def _read(path: Path) -> Iterator[Entry | Flaw]:
    scanner = _Scanner(block.replace("\r\n", "\n") for block in read_text(path))
    try:
        while start := scanner.peek():
            if start not in "[{":
                scanner.take("[{")
            yield from _read_list(scanner) if start == "[" else _read_object(scanner, 0)
    except _NotJson as error:
        raise CorpusError(f"{show(path)}:{scanner.line}: not JSON ({error}).") from None


def _read_list(scanner: _Scanner) -> Iterator[Entry | Flaw]:
    scanner.take("[")
    while scanner.peek() != "]":
        line, value = scanner.line, scanner.decode()
        yield Entry(line, value) if isinstance(value, dict) else Flaw(line, "not an entry (no JSON object)")
        if scanner.peek() != "]":
            scanner.take(",]")
    scanner.take("]")


def _read_object(scanner: _Scanner, depth: int) -> Iterator[Entry | Flaw]:
    """Yield the entries in an object; where there are none, it is the entry itself."""
    line, own, found = scanner.line, dict[str, object](), False
    scanner.take("{")
    while scanner.peek() != "}":
        key = scanner.decode()
        if not isinstance(key, str):
            raise _NotJson("expected a name in quotes")
        scanner.take(":")
        for one in _read_member(scanner, key, own, depth):
            found = True
            yield one
        if scanner.peek() != "}":
            scanner.take(",}")
    scanner.take("}")
    if not found and (depth == 0 or is_entry(own)):
        yield Entry(line, own) if is_entry(own) else Flaw(line, "no papers in this object", records=0)


def _read_member(scanner: _Scanner, key: str, own: dict[str, object], depth: int) -> Iterator[Entry | Flaw]:
    start, name, line = scanner.peek(), reduce(key), scanner.line
    if not is_entry(own):
        if start == "[" and name in _LISTS:
            yield from _read_list(scanner)
            return
        if start == "{" and name in _HOLDERS and depth < _DEEPEST:
            yield from _read_object(scanner, depth + 1)
            return
    value = scanner.decode()
    if isinstance(value, dict) and is_entry(value) and not is_entry(own) and name != "content" and "id" not in own:
        yield Entry(line, {"id": key} | value)
    elif len(own) < MOST_FIELDS:
        own[key] = value


def _drop_constant(_: str) -> None:
    """Read NaN as nothing: Python writes it for what is missing."""


def _are_lines(head: str) -> bool:
    """Return whether more than one line of a text begins an object, as no document in JSON has it."""
    return re.match(r'\{".*\}\s*\n\s*\{', head) is not None
