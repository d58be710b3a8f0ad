"""Plain text: a heading line, then abstracts parted by empty lines, without titles."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assistant.corpus.entry import BadEntry, read_abstract
from assistant.corpus.files import LONGEST_LINE, read_lines, show
from assistant.corpus.formats import reader
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

LONGEST_HEADING = 100
"""Characters."""
_SENTENCE_END = re.compile(r"[.!?;,。！？；，][\"'”’)\]*_]*\Z")


@dataclass(slots=True)
class _Block:
    """Lines without an empty one between them; those over the limit are counted and not kept."""

    line: int
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str | None) -> None:
        self.size += LONGEST_LINE + 1 if text is None else len(text) + bool(self.lines)
        if text is not None and self.size <= LONGEST_LINE:
            self.lines.append(text)


@reader(".txt")
def read_plaintext(path: Path) -> Iterator[Paper | Skipped]:
    """Yield a paper a block; its id is `<file stem>#<n>`, n from 1.

    The first of several blocks is the file's heading, not a paper, when it is one line of at most 100 characters
    that does not end like a sentence. Line breaks become LF; apart from that an abstract is kept as it is.
    """
    stem, source = show(Path(path.stem)), show(Path(path.name))
    for number, block in enumerate(_drop_heading(_read_blocks(path)), start=1):
        try:
            yield Paper(id=f"{stem}#{number}", abstract=_read_block(block), source=source)
        except BadEntry as error:
            yield Skipped(f"{show(path)}:{block.line}", str(error))


def _read_blocks(path: Path) -> Iterator[_Block]:
    block = None
    for line in read_lines(path):
        text = None if line.content is None else _decode(path, line.number, line.content)
        if text is not None and not text.strip():
            if block:
                yield block
            block = None
        else:
            block = block or _Block(line.number)
            block.add(text)
    if block:
        yield block


def _decode(path: Path, number: int, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"{show(path)}:{number}"
        raise CorpusError(f"{place}: byte {error.start + 1} is not UTF-8. Save the file again as UTF-8.") from error


def _drop_heading(blocks: Iterator[_Block]) -> Iterator[_Block]:
    first, second = next(blocks, None), next(blocks, None)
    if first and not (second and _is_heading(first)):
        yield first
    if second:
        yield second
    yield from blocks


def _is_heading(block: _Block) -> bool:
    if len(block.lines) != 1 or len(block.lines[0]) > LONGEST_HEADING:
        return False
    return _SENTENCE_END.search(block.lines[0].rstrip()) is None


def _read_block(block: _Block) -> str:
    if block.size > LONGEST_LINE:
        raise BadEntry(f"longer than {LONGEST_LINE:,} characters")
    text = "\n".join(block.lines)
    if "\0" in text:
        raise BadEntry("the abstract holds a broken character")
    return read_abstract(text)
