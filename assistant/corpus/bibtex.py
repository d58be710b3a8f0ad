"""BibTeX and BibLaTeX."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.latex import decode_text
from assistant.corpus.lines import LONGEST_LINE, Line, read_lines
from assistant.corpus.tagged import join_lines
from assistant.domain import Paper, Skipped

# bibtexparser 2.1 leaves "a # b" unjoined and reads a file whole, pybtex 0.26 ends at the first error: what is here
# cuts the file at the lines that begin an entry, so that memory is bounded and an open brace costs one entry.
LONGEST_VALUE = 200_000
"""Characters that a value may have once its macros stand in it: macros can be made to double each other."""
MOST_MACROS = 10_000
_START = re.compile(r"(?<![\w.%])@\s*([A-Za-z]\w*)\s*([{(])\s*")
_KEY = re.compile(r"([^\s,={}()\"#]*)\s*(?:,|(?=[})]))")
_NAME = re.compile(r"[\s,]*([^\s,={}\"#()]+)\s*=\s*")
_WORD = re.compile(r"[^\s,={}\"#()]+")
_JOINT = re.compile(r"\s*#\s*")
_BRACE = re.compile(r"[{}]")
_QUOTED = re.compile(r'[{}"]')
_AND = re.compile(r" and ", re.IGNORECASE)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_PLAIN = frozenset({"url", "doi", "eprint", "file", "date", "year", "id"})
_MUST_BE_TEXT = frozenset({"title", "abstract"})


class _Bad(Exception):
    """An entry is not BibTeX, for the reason given."""


@dataclass(slots=True)
class _Block:
    """The lines from one that begins an entry to where its braces close, or to the next that begins one."""

    line: int
    round: bool
    lines: list[str] = field(default_factory=list)
    size: int = 0
    depth: int = 0
    fault: str = ""

    def add(self, line: Line) -> None:
        """Add a line; what is over the limit is not kept."""
        self.size += len(line.text) + 1
        too_long = f"longer than {LONGEST_LINE:,} characters" if self.size > LONGEST_LINE else ""
        self.fault = self.fault or line.fault or too_long
        if not self.fault:
            self.lines.append(line.text)
            self.depth += line.text.count("{") - line.text.count("}")

    @property
    def closed(self) -> bool:
        """Return whether the braces close; of "@article(" the line must end with the other parenthesis."""
        ended = not self.round or self.lines[-1].rstrip().endswith(")")
        return not self.fault and self.depth <= 0 and ended


def looks_like_bibtex(head: str) -> bool:
    """Return whether a line begins an entry with a key, or a macro, with no more than a few words before."""
    start = _START.search(head)
    before = head[: start.start()] if start else ""
    if not start or before.count("\n\n") > 5 or before.rpartition("\n")[2].strip():
        return False
    return start[1].lower() in {"string", "preamble", "comment"} or _KEY.match(head, start.end()) is not None


@reader(".bib", ".bibtex", looks=looks_like_bibtex)
def read_bibtex(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the entries; accents are decoded, formulas stay, and text between entries is a comment, as in BibTeX."""
    return make_papers(path, _read(path))


def _read(path: Path) -> Iterator[Entry | Flaw]:
    macros: dict[str, str | None] = {month: month.title() for month in _MONTHS}
    for block in _cut(read_lines(path)):
        fault = block.fault or ("" if block.closed else "not closed: a brace is missing")
        if fault:
            yield Flaw(block.line, fault)
        else:
            yield from _read_block(block, macros)


def _cut(lines: Iterator[Line]) -> Iterator[_Block]:
    block: _Block | None = None
    for line in lines:
        start = _START.search(line.text) if "@" in line.text else None
        if block and start and start.start() == 0:
            yield block
            block = None
        if not block and (start or line.fault):
            block = _Block(line.number, round=bool(start and start[2] == "("))
        if block:
            block.add(line)
            if block.closed:
                yield block
                block = None
    if block:
        yield block


def _read_block(block: _Block, macros: dict[str, str | None]) -> Iterator[Entry | Flaw]:
    """Yield the entries of a block: more than one where they stand in one line."""
    text = "\n".join(block.lines)
    start = _START.search(text)
    while start:
        kind, line = start[1].lower(), block.line + text.count("\n", 0, start.start())
        parser = _Parser(text, start.end(), "}" if start[2] == "{" else ")", macros)
        try:
            if kind == "string":
                parser.read_macros()
            elif kind in {"comment", "preamble"}:
                return
            else:
                yield Entry(line, parser.read_entry())
        except _Bad as error:
            yield Flaw(line, str(error), records=0 if kind == "string" else 1)
        start = _START.search(text, max(parser.place, start.end()))


class _Parser:
    """Reads the values of one entry."""

    def __init__(self, text: str, place: int, closing: str, macros: dict[str, str | None]) -> None:
        self.place = place
        self._text = text
        self._closing = closing
        self._macros = macros

    def read_entry(self) -> dict[str, object]:
        """Return the fields of an entry, as text, with its key."""
        fields: dict[str, object] = {}
        if key := _KEY.match(self._text, self.place):
            self.place = key.end()
            fields["key"] = key[1]
        for name, value in self._read_fields():
            if name in _MUST_BE_TEXT and value is None:
                raise _Bad(f"the {name} is a macro that is not defined, or too long")
            fields[name] = _read_value(name, value or "")
        if len(fields) < 2:
            raise _Bad("an entry without fields")
        return fields

    def read_macros(self) -> None:
        """Put down what the names of a @string stand for; None where that cannot be told."""
        for name, value in self._read_fields():
            if len(self._macros) < MOST_MACROS:
                self._macros[name] = value

    def _read_fields(self) -> Iterator[tuple[str, str | None]]:
        while name := _NAME.match(self._text, self.place):
            self.place = name.end()
            yield name[1].lower(), self._read_sum()
        rest = re.compile(r"[\s,]*").match(self._text, self.place)
        self.place = rest.end() if rest else self.place
        if self._text[self.place : self.place + 1] != self._closing:
            raise _Bad("not a field: a name, = and a value in braces or quotes")
        self.place += 1

    def _read_sum(self) -> str | None:
        """Return parts joined by #; None where one is a macro that has no value, or all are too long."""
        parts = [self._read_part()]
        while joint := _JOINT.match(self._text, self.place):
            self.place = joint.end()
            parts.append(self._read_part())
        whole = "".join(part for part in parts if part is not None)
        return None if None in parts or (len(parts) > 1 and len(whole) > LONGEST_VALUE) else whole

    def _read_part(self) -> str | None:
        opening = self._text[self.place : self.place + 1]
        if opening and opening in '{"':
            return self._read_group(opening)
        word = _WORD.match(self._text, self.place)
        if not word:
            raise _Bad("a field has no value")
        self.place = word.end()
        return word[0] if word[0].isdigit() else self._macros.get(word[0].lower())

    def _read_group(self, opening: str) -> str:
        """Return what stands in braces, or in quotes, in which braces hide a quote."""
        start, depth = self.place + 1, 0
        for mark in (_BRACE if opening == "{" else _QUOTED).finditer(self._text, start):
            if depth == 0 and mark[0] == ("}" if opening == "{" else '"'):
                self.place = mark.end()
                return self._text[start : mark.start()]
            depth += {"{": 1, "}": -1, '"': 0}[mark[0]]
        raise _Bad("not closed: a brace or a quote is missing")


def _read_value(name: str, value: str) -> object:
    if name in {"author", "editor"}:
        return [" ".join(decode_text(part).split()) for part in _split_names(value)]
    if name in _PLAIN:
        return re.sub(r"\\url\s*\{([^{}]*)\}", r"\1", value).replace("\\_", "_").replace("\\%", "%").strip("{} \n")
    return join_lines(decode_text(value))


def _split_names(value: str) -> Iterator[str]:
    """Yield the names parted by "and"; one in braces may hold it."""
    name = ""
    for part in _AND.split(" ".join(value.split())):
        name = f"{name} and {part}" if name else part
        if name.count("{") <= name.count("}"):
            yield name
            name = ""
    if name:
        yield name
