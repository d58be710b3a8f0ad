"""Formats of tagged lines: RIS, PubMed, EndNote and Web of Science differ in their tags and in how records end."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from assistant.corpus.entry import Entry, Flaw
from assistant.corpus.lines import Line

LONGEST_RECORD = 2**20
"""Characters."""


@dataclass(frozen=True, slots=True)
class Tags:
    """How a format writes its lines: `line` matches a tag and its value, `fields` says what each tag stands for.

    A record begins with one of `start`, and ends with one of `end` or where the next begins; of several tags for
    a field those named first in `fields` count.
    """

    line: re.Pattern[str]
    fields: Mapping[str, tuple[str, ...]]
    start: frozenset[str] = frozenset()
    end: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    parted_by_blank: bool = False


@dataclass(slots=True)
class _Record:
    line: int
    values: dict[str, list[str]] = field(default_factory=dict)
    tag: str = ""
    size: int = 0
    fault: str = ""

    def add(self, tag: str, text: str) -> None:
        self.values.setdefault(tag, []).append(text.strip())
        self.tag = tag

    def go_on(self, text: str) -> None:
        """Add a line to the value before it."""
        values = self.values.get(self.tag)
        if values:
            values[-1] = f"{values[-1]}\n{text.strip()}" if values[-1] else text.strip()


def read_tagged(lines: Iterable[Line], tags: Tags) -> Iterator[Entry | Flaw]:
    """Yield the records of tagged lines; lines outside of any record are told, the first of them each time."""
    record: _Record | None = None
    outside = False
    for line in lines:
        found = None if line.fault else tags.line.match(line.text)
        tag = found[1] if found else ""
        if tag in tags.ignored and tag:
            continue
        if tag in tags.end and tag:
            if record:
                yield _finish(record, tags)
            record = None
            continue
        blank = not line.fault and not line.text.strip()
        if record and (tag in tags.start or (blank and tags.parted_by_blank)):
            yield _finish(record, tags)
            record = None
        if not record and tag and (not tags.start or tag in tags.start):
            record, outside = _Record(line.number), False
        if record:
            _add(record, line, found)
        elif not outside and (line.fault or line.text.strip("\ufeff \t\x1a\x1b\f")):
            outside = True
            yield Flaw(line.number, line.fault or "outside of any record", records=0)
    if record:
        yield _finish(record, tags)


def _add(record: _Record, line: Line, found: re.Match[str] | None) -> None:
    record.size += len(line.text)
    if line.fault or record.size > LONGEST_RECORD:
        record.fault = record.fault or line.fault or f"longer than {LONGEST_RECORD:,} characters"
    elif found:
        record.add(found[1], found[2] or "")
    else:
        record.go_on(line.text)


def _finish(record: _Record, tags: Tags) -> Entry | Flaw:
    if record.fault:
        return Flaw(record.line, record.fault)
    fields: dict[str, object] = {}
    for name, candidates in tags.fields.items():
        for tag in candidates:
            if values := [value for value in record.values.get(tag, ()) if value]:
                fields[name] = _join(name, values)
                break
    if not fields:
        return Flaw(record.line, "an empty record")
    return Entry(record.line, fields)


def _join(name: str, values: list[str]) -> object:
    if name in {"authors", "keywords"}:
        return [part for value in values for part in re.split(r"\n|;\s", value) if part.strip()]
    if name == "abstract":
        return join_lines("\n".join(values))
    return " ".join(values[0].split()) if name != "doi" else " ".join(" ".join(values).split())


def join_lines(text: str) -> str:
    """Return a text whose lines were broken to a width in one line again; what stood apart stays apart."""
    paragraphs = re.split(r"\n\s*\n", text)
    return "\n".join(joined for part in paragraphs if (joined := " ".join(part.split())))
