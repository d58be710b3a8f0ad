"""Opens files and reads their bytes, without trusting what they are or hold."""

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from assistant.errors import CorpusError

LARGEST_FILE = 2**31
"""Bytes; of a compressed file those before and after it is inflated."""
BLOCK = 2**16
_GZIP = b"\x1f\x8b"
_NOT_TEXT = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive or an office document",
    b"PK\x05\x06": "a zip archive or an office document",
    b"\x1f\x8b": "compressed twice with gzip",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x80\x04\x95": "a pickle",
    b"\xd0\xcf\x11\xe0": "an office document",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
    b"MZ\x00": "a program",
    b"MZ\x90": "a program",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"{\\rtf": "a text of a word processor",
}
_TAR = slice(257, 262)


def show(path: Path) -> str:
    """Return a path on one line, with escapes for what cannot be printed."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in str(path)
    )


def tell_reason(error: OSError | ValueError) -> str:
    """Return why the system refused a path, in its words."""
    return (error.strerror if isinstance(error, OSError) else None) or "not a path"


@contextmanager
def open_plain(path: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    """Open a regular file to be read, inflated where it is compressed with gzip; raises CorpusError."""
    with _open(path) as file:
        try:
            if file.read(len(_GZIP)) != _GZIP:
                file.seek(0)
                yield file
                return
            file.seek(0)
            with gzip.open(file) as inflated:
                yield inflated
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise CorpusError(f"{show(path)}: the gzip file is damaged. Copy it again from where it came.") from error
        except OSError as error:
            raise CorpusError(f"{show(path)}: {tell_reason(error)}.") from error


def read_blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, inflated where it is compressed; raises CorpusError over the limit."""
    size = 0
    with open_plain(path) as file:
        while block := file.read(BLOCK):
            size += len(block)
            if size > LARGEST_FILE:
                raise CorpusError(f"{show(path)}: inflates to more than {LARGEST_FILE:,} bytes. Split it.")
            yield block


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, inflated where it is compressed."""
    with open_plain(path) as file:
        return file.read(BLOCK)


def check_text(path: Path, head: bytes) -> None:
    """Raise CorpusError if the first bytes of a file are those of something else than text."""
    kind = next((kind for signature, kind in _NOT_TEXT.items() if head.startswith(signature)), "")
    if head[_TAR] == b"ustar":
        kind = "a tar archive"
    if kind:
        raise CorpusError(f"{show(path)}: is {kind}, not a text file of papers.")


def _open(path: Path) -> BinaryIO:
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
