"""Reads text: files as lines or as blocks, in whatever encoding they are, with a limit for each line."""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from assistant.corpus.encodings import guess_encoding, tell_marked
from assistant.corpus.files import check_text, read_blocks, read_head, show
from assistant.errors import CorpusError

LONGEST_LINE = 2**20
"""Bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, numbered from 1, without its break; `fault` says why one has no text."""

    number: int
    text: str
    fault: str = ""


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a text file; a line ends at LF, CR LF or CR alone.

    A line that is not UTF-8 is read in the encoding that it, or the beginning of the file, was written in.
    """
    guessed = ""
    for number, content in enumerate(_cut(_normalise(read_utf8(path))), start=1):
        if content is None:
            yield Line(number, "", f"longer than {LONGEST_LINE:,} bytes")
            continue
        try:
            yield Line(number, content.decode("utf-8"))
        except UnicodeDecodeError as error:
            guessed = guessed or guess_encoding(read_head(path)) or guess_encoding(content)
            text = _decode(content, guessed)
            yield Line(number, text, "" if text else f"not UTF-8 at byte {error.start + 1}")


def read_text(path: Path) -> Iterator[str]:
    """Yield a text file in blocks; what cannot be decoded becomes a lone surrogate, which no paper may hold."""
    head = read_head(path)
    encoding = "utf-8"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        wide = tell_marked(head)[0] != "utf-8"
        encoding = "utf-8" if wide else guess_encoding(head) or "utf-8"
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    for block in read_utf8(path):
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def read_utf8(path: Path) -> Iterator[bytes]:
    """Yield a text file in blocks, without the mark of its encoding, UTF-16 and UTF-32 as UTF-8, others as is."""
    blocks = read_blocks(path)
    head = next(blocks, b"")
    check_text(path, head)
    encoding, length = tell_marked(head)
    rest = chain([head[length:]], blocks)
    yield from rest if encoding == "utf-8" else _recode(path, rest, encoding)


def _decode(content: bytes, encoding: str) -> str:
    """Return the text of a line in another encoding, empty where it cannot be in it."""
    try:
        return content.decode(encoding) if encoding else ""
    except UnicodeDecodeError:
        return ""


def _recode(path: Path, blocks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0
    try:
        for block in blocks:
            yield decoder.decode(block).encode()
            position += len(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        name = encoding[:6].upper()
        raise CorpusError(
            f"{show(path)}: is not {name} after byte {position:,}. Save the file again as UTF-8."
        ) from error


def _cut(blocks: Iterable[bytes]) -> Iterator[bytes | None]:
    """Yield the lines of blocks, None for one that is too long, of which no more than the limit is ever held."""
    line, too_long = bytearray(), False
    for block in blocks:
        *whole, rest = block.split(b"\n")
        for piece in whole:
            too_long = too_long or len(line) + len(piece) > LONGEST_LINE
            yield None if too_long else bytes(line + piece)
            too_long = False
            line.clear()
        too_long = too_long or len(line) + len(rest) > LONGEST_LINE
        line = bytearray() if too_long else line + rest
    if line or too_long:
        yield None if too_long else bytes(line)


def _normalise(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks with LF for every line break."""
    held = b""
    for block in blocks:
        text = held + block
        held = b"\r" if text.endswith(b"\r") else b""
        yield text.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if held:
        yield b"\n"
