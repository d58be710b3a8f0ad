"""Plain text: abstracts parted by empty lines, with or without a heading, titles, numbers and labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.formats import reader
from assistant.corpus.labelled import are_consecutive, read_label, read_named, read_number
from assistant.corpus.lines import LONGEST_LINE, read_lines
from assistant.corpus.phrasing import ends_sentence, is_title
from assistant.domain import Paper, Skipped

LONGEST_HEADING = 100
"""Characters."""
LOOKED_AT = 60
"""Blocks from which the form of a list is told."""
MOST_HELD = 2**20
"""Characters of them."""


@dataclass(slots=True)
class _Block:
    """Lines without an empty one between them; those over the limit are counted and not kept."""

    line: int
    lines: list[str] = field(default_factory=list)
    size: int = 0
    fault: str = ""

    def add(self, text: str, fault: str) -> None:
        self.size += len(text) + bool(self.lines)
        too_long = f"longer than {LONGEST_LINE:,} characters" if self.size > LONGEST_LINE else ""
        self.fault = self.fault or fault.replace("bytes", "characters") or too_long
        if not self.fault:
            self.lines.append(text)


def looks_like_plaintext(_: str) -> bool:
    """Return that nothing shows it: every other format is asked first what a .txt holds."""
    return False


@reader(".txt", ".text", looks=looks_like_plaintext)
def read_plaintext(path: Path) -> Iterator[Paper | Skipped]:
    """Yield a paper a block; its id is `<file stem>#<n>`, n from 1.

    The first of several blocks is the file's heading, not a paper, when it is one line of at most 100 characters
    that does not end like a sentence. Where fields are named ("Abstract:"), or every abstract has its title before
    it, that is how the list is read. Line breaks become LF; apart from that an abstract is kept as it is.
    """
    return make_papers(path, _read(_read_blocks(path)))


def _read(blocks: Iterator[_Block]) -> Iterator[Entry | Flaw]:
    first = _hold(blocks)
    rest = chain(first, blocks)
    if _is_named(first):
        yield from _read_named(rest)
        return
    kept = first[1:] if len(first) > 1 and _is_heading(first[0], first[1]) else first
    rest = chain(kept, blocks)
    numbered = len(kept) > 1 and _is_numbered(kept)
    if _has_titles(kept, numbered):
        yield from map(_read_titled, rest)
    elif _alternates(kept):
        yield from _read_pairs(rest)
    else:
        yield from (_read_block(block, numbered) for block in rest)


def _hold(blocks: Iterator[_Block]) -> list[_Block]:
    held: list[_Block] = []
    size = 0
    for block in islice(blocks, LOOKED_AT):
        held.append(block)
        size += block.size
        if size > MOST_HELD:
            break
    return held


def _read_blocks(path: Path) -> Iterator[_Block]:
    block = None
    for line in read_lines(path):
        if not line.fault and not line.text.strip():
            if block:
                yield block
            block = None
        else:
            block = block or _Block(line.number)
            block.add(line.text, line.fault)
    if block:
        yield block


def _is_heading(block: _Block, following: _Block) -> bool:
    """Return whether a first block is the heading of the file; the first of equally short ones is a paper."""
    if len(block.lines) != 1 or block.fault or len(block.lines[0]) > LONGEST_HEADING:
        return False
    numbers = read_number(block.lines[0])[0], read_number(following.lines[0])[0] if following.lines else 0
    return not ends_sentence(block.lines[0]) and numbers[0] == 0


def _is_named(blocks: Sequence[_Block]) -> bool:
    """Return whether fields are named: titles and abstracts, or an abstract in every third block."""
    names = [name for block in blocks for text in block.lines if (name := read_label(text)[0])]
    abstracts = names.count("abstract")
    return (
        abstracts > 0 and ("title" in names or abstracts > 1 or len(blocks) <= 3) and 3 * abstracts >= len(blocks) - 1
    )


def _is_numbered(blocks: Sequence[_Block]) -> bool:
    numbers = [read_number(block.lines[0])[0] if block.lines else -1 for block in blocks]
    return are_consecutive(numbers) or are_consecutive(numbers[::2])


def _has_titles(blocks: Sequence[_Block], numbered: bool) -> bool:
    """Return whether each block is a title in its first line and an abstract in lines that are not cut to a width."""

    def is_titled(block: _Block) -> bool:
        head, *body = [*block.lines, ""]
        title = read_number(head)[1] if numbered else head
        return len(body) > 1 and is_title(title) and max(map(len, body)) > 1.5 * len(head) and ends_sentence(body[-2])

    return bool(blocks) and all(map(is_titled, blocks))


def _alternates(blocks: Sequence[_Block]) -> bool:
    """Return whether every other block is a title of one line and the next an abstract of sentences."""
    titles, abstracts = blocks[::2], blocks[1::2]
    if len(blocks) < 4 or any(not block.lines for block in blocks):
        return False
    return all(len(block.lines) == 1 and is_title(read_number(block.lines[0])[1]) for block in titles) and all(
        ends_sentence(block.lines[-1]) and block.size > len(title.lines[0])
        for title, block in zip(titles, abstracts, strict=False)
    )


def _read_block(block: _Block, numbered: bool) -> Entry | Flaw:
    if block.fault:
        return Flaw(block.line, block.fault)
    head, *rest = block.lines
    return Entry(block.line, {"abstract": "\n".join([read_number(head)[1] if numbered else head, *rest])})


def _read_titled(block: _Block) -> Entry | Flaw:
    if block.fault:
        return Flaw(block.line, block.fault)
    title, *lines = block.lines
    fields: dict[str, object] = {"title": read_number(title)[1]}
    if len(lines) > 1 and not ends_sentence(lines[0]) and len(lines[0]) < 300 and len(lines[1]) > len(lines[0]):
        fields["authors"] = lines.pop(0)
    return Entry(block.line, {**fields, "abstract": "\n".join(lines)})


def _read_pairs(blocks: Iterator[_Block]) -> Iterator[Entry | Flaw]:
    for title in blocks:
        block = next(blocks, None)
        fault = title.fault or (block.fault if block else "")
        if fault:
            yield Flaw(title.line, fault)
            continue
        yield Entry(
            title.line,
            {"title": read_number(" ".join(title.lines))[1], "abstract": "\n".join(block.lines) if block else ""},
        )


def _read_named(blocks: Iterator[_Block]) -> Iterator[Entry | Flaw]:
    faults: list[Flaw] = []

    def sound() -> Iterator[tuple[int, list[str]]]:
        for block in blocks:
            if block.fault:
                faults.append(Flaw(block.line, block.fault))
            else:
                yield block.line, block.lines

    for named in read_named(sound()):
        yield Entry(named.line, named.finish())
        yield from faults
        faults.clear()
    yield from faults
