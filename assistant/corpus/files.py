"""Reads files as lines, without trusting what they are or hold."""

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assistant.errors import CorpusError

LONGEST_LINE = 2**20
"""Bytes of UTF-8."""
LARGEST_FILE = 2**31
"""Bytes."""
BLOCK = 2**16
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_NOT_TEXT = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive or an office document",
    b"\x1f\x8b": "compressed with gzip",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x80\x04\x95": "a pickle",
    b"\xd0\xcf\x11\xe0": "an office document",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"\x89PNG": "a picture",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, numbered from 1: its bytes in UTF-8 without the break, or None if it is too long."""

    number: int
    content: bytes | None


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a text file in UTF-8 or, by its mark, UTF-16; a line ends at LF, CR LF or CR alone."""
    number, line, too_long = 1, bytearray(), False
    for block in _normalise(_read_utf8(path)):
        *whole, rest = block.split(b"\n")
        for piece in whole:
            too_long = too_long or len(line) + len(piece) > LONGEST_LINE
            yield Line(number, None if too_long else bytes(line + piece))
            number, too_long = number + 1, False
            line.clear()
        too_long = too_long or len(line) + len(rest) > LONGEST_LINE
        line = bytearray() if too_long else line + rest
    if line or too_long:
        yield Line(number, None if too_long else bytes(line))


def show(path: Path) -> str:
    """Return a path on one line, with escapes for what cannot be printed."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in str(path)
    )


def tell_reason(error: OSError | ValueError) -> str:
    """Return why the system refused a path, in its words."""
    return (error.strerror if isinstance(error, OSError) else None) or "not a path"


def _open(path: Path) -> IO[bytes]:
    """Open a regular file; the kind is asked of what was opened, and a pipe does not block."""
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{show(path)}: {tell_reason(error)}.") from error
    status = os.fstat(number)
    reason = ""
    if not stat.S_ISREG(status.st_mode):
        reason = "is not a regular file"
    elif status.st_size > LARGEST_FILE:
        reason = f"is too large ({status.st_size:,} bytes; at most {LARGEST_FILE:,}). Split it"
    if reason:
        os.close(number)
        raise CorpusError(f"{show(path)}: {reason}.")
    return os.fdopen(number, "rb")


def _read_utf8(path: Path) -> Iterator[bytes]:
    """Yield the file's blocks in UTF-8, without the mark of the encoding."""
    with _open(path) as file:
        try:
            block = file.read(BLOCK)
            for signature, kind in _NOT_TEXT.items():
                if block.startswith(signature):
                    raise CorpusError(f"{show(path)}: is {kind}, not a text file of papers.")
            encoding = _UTF16.get(block[:2])
            if encoding:
                yield from _recode(path, file, block[2:], encoding)
                return
            yield block.removeprefix(codecs.BOM_UTF8)
            while block := file.read(BLOCK):
                yield block
        except OSError as error:
            raise CorpusError(f"{show(path)}: {tell_reason(error)}.") from error


def _recode(path: Path, file: IO[bytes], block: bytes, encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 2
    try:
        while block:
            yield decoder.decode(block).encode()
            position = file.tell()
            block = file.read(BLOCK)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{show(path)}: is not UTF-16 after byte {position:,}. Save the file again as UTF-8."
        ) from error


def _normalise(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks with LF for every line break."""
    held = b""
    for block in blocks:
        text = held + block
        held = b"\r" if text.endswith(b"\r") else b""
        yield text.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if held:
        yield b"\n"
