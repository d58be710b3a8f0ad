"""Markdown: a heading or a list item a paper, with named fields or the abstract below."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.labelled import Named, read_label, read_number
from assistant.corpus.lines import LONGEST_LINE, Line, read_lines
from assistant.corpus.phrasing import ends_sentence
from assistant.domain import Paper, Skipped

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\Z")
_ITEM = re.compile(r"(?:[-*+]|\d{1,5}[.)])\s+(.*)\Z")
_BOLD = re.compile(r"(?:\*\*|__)(?!\s)(.+?)(?:\*\*|__)\s*[.:—–-]*\s*(.*)\Z", re.DOTALL)
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\]){1,500})\]\((\S{1,1000}?)\)\s*[.:—–-]*\s*(.*)\Z", re.DOTALL)
_SLANTED = re.compile(r"(?:\*(?!\*)([^*]+)\*|_(?!_)([^_]+)_)\Z")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_YEAR = re.compile(r"\(?([12]\d{3})\)?[.,:]?\s*")
_LAST_YEAR = re.compile(r"[\s,(]{1,5}([12]\d{3})\)?\Z")
_QUOTE = re.compile(r"(?:>\s?)+")
_RULE = re.compile(r"\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*\Z")


@dataclass(slots=True)
class _Section:
    """A heading, or an item of a list, with the paragraphs below it."""

    line: int
    title: str
    level: int
    paragraphs: list[list[str]] = field(default_factory=list)
    fault: str = ""
    size: int = 0

    def add(self, line: Line) -> None:
        self.size += len(line.text)
        self.fault = (
            self.fault or line.fault or (f"longer than {LONGEST_LINE:,} characters" if self.size > LONGEST_LINE else "")
        )
        if self.fault:
            return
        if not line.text.strip() or _RULE.match(line.text):
            if self.paragraphs and self.paragraphs[-1]:
                self.paragraphs.append([])
            return
        if not self.paragraphs:
            self.paragraphs.append([])
        self.paragraphs[-1].append(_QUOTE.sub("", line.text.strip()))

    @property
    def empty(self) -> bool:
        return not any(self.paragraphs) and not self.fault


def looks_like_markdown(head: str) -> bool:
    """Return whether a text has several headings of sections, or several items that begin with a bold title."""
    return (
        len(re.findall(r"^#{1,6} \S", head, re.MULTILINE)) > 1
        or len(re.findall(r"^(?:[-*+]|\d+\.) +(?:\*\*|\[)", head, re.MULTILINE)) > 1
    )


@reader(".md", ".markdown", looks=looks_like_markdown)
def read_markdown(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers: sections that have no sections in them, and list items, each with a title and an abstract."""
    return make_papers(path, _read(path))


def _read(path: Path) -> Iterator[Entry | Flaw]:
    held: _Section | None = None
    alone = True
    for section in _cut(read_lines(path)):
        alone = held is None
        if held and (not held.empty or not section.level > held.level):
            yield from _finish(held, contains=section.level > held.level)
        held = section
    if held and alone and held.level < 7 and _is_list(held):
        yield from (Entry(held.line, {"abstract": "\n".join(lines)}) for lines in held.paragraphs if lines)
    elif held:
        yield from _finish(held, contains=False)


def _is_list(section: _Section) -> bool:
    """Return whether the only section of a file is a list of abstracts: sentences below a heading or none."""
    paragraphs = [lines for lines in section.paragraphs if lines]
    sentences = all(ends_sentence(lines[-1]) and not read_label(lines[0])[0] for lines in paragraphs)
    return not section.fault and sentences and len(paragraphs) > (1 if section.title else 0)


def _finish(section: _Section, *, contains: bool) -> Iterator[Entry | Flaw]:
    """Yield the paper of a section; what stands before the papers that a section contains is an introduction."""
    if section.fault:
        yield Flaw(section.line, section.fault)
    elif contains or section.level == 0:
        if not section.empty:
            yield Flaw(section.line, "text before the papers of a section", records=0)
    else:
        yield Entry(section.line, _read_fields(section))


def _cut(lines: Iterator[Line]) -> Iterator[_Section]:
    section, fenced = _Section(1, "", 0), False
    for line in lines:
        if _FENCE.match(line.text):
            fenced = not fenced
        started = None if fenced or line.fault else _begin(line, section)
        if not started:
            section.add(line)
        elif read_label(started.title)[0] and not read_label(started.title)[1]:
            section.add(Line(line.number, ""))
            section.add(Line(line.number, f"{started.title}:"))
        else:
            if section.title or not section.empty:
                yield section
            section = started
    yield section


def _begin(line: Line, section: _Section) -> _Section | None:
    """Return the section that a line begins: at a heading, or at an item with a title or outside of any paper."""
    if heading := _HEADING.match(line.text):
        return _Section(line.number, heading[2], len(heading[1]))
    item = _ITEM.match(line.text)
    if not item or read_label(line.text)[0]:
        return None
    if section.level < 7 and (section.level and section.title and not section.empty):
        return None  # a list inside an abstract
    titled = _BOLD.match(item[1]) or _LINK.match(item[1])
    begun = _Section(line.number, item[1] if titled else "", 7)
    if not titled:
        begun.add(Line(line.number, item[1]))
    return begun


def _read_fields(section: _Section) -> dict[str, object]:
    named = Named(section.line)
    title, url, rest = _read_title(section.title)
    if title:
        named.put("title", title)
    if url:
        named.put("url", url)
    named.last = ""
    if rest and (year := _YEAR.match(rest)):
        named.put("year", year[1])
        rest = rest[year.end() :]
    if rest and not ends_sentence(rest) and any(section.paragraphs):
        # What stands beside a title and is no sentence, above an abstract: names, perhaps with a year.
        if year := _LAST_YEAR.search(rest[-20:]):
            named.put("year", year[1])
            rest = rest[: len(rest) - len(year[0])]
        named.put("authors", rest)
        named.last, rest = "", ""
    paragraphs = [[rest]] if rest else []
    for paragraph in [*paragraphs, *section.paragraphs]:
        _read_paragraph(paragraph, named)
    return named.finish()


def _read_paragraph(paragraph: list[str], named: Named) -> None:
    """Put the lines of a paragraph into the fields that they name, are in their form (*names*), or go on with."""
    fresh = True
    for line in paragraph:
        name, value = read_label(line)
        slanted = _SLANTED.match(line)
        if name:
            named.put(name, value)
        elif slanted and "abstract" not in named.texts and "authors" not in named.texts:
            named.put("authors", (slanted[1] or slanted[2]).strip())
            named.last = ""
        elif named.last == "abstract" or (named.last and not fresh):
            named.go_on(f"\n{line}" if fresh and named.texts["abstract"] else line)
        else:
            named.put("abstract", line)
        fresh = False


def _read_title(text: str) -> tuple[str, str, str]:
    """Return a title without its marks and number, its link, and what follows it in the line."""
    text = read_number(text)[1]
    title, rest = text, ""
    if bold := _BOLD.match(text):
        title, rest = bold[1], bold[2]
    if link := _LINK.match(title):
        return link[1].strip("*_ "), link[2], link[3] or rest
    return title.strip().rstrip(".") if not ends_sentence(title) or title.endswith(".") else title, "", rest
