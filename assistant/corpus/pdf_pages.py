"""Reads the first pages of a PDF from standard input and writes what stands in them as JSON: a process of its own.

pypdf is careful, and a PDF can still keep it busy for ever or fill the memory: the caller sets the time, the limits
are set here.
"""

import json
import sys
from contextlib import suppress
from typing import IO, TypedDict

MOST_PAGES = 3
MOST_MEMORY = 2**30
"""Bytes of address space."""
MOST_SECONDS = 20
MOST_TEXT = 60_000
"""Characters of a page."""


class Piece(TypedDict):
    """A run of text of one size, in points, upright or not."""

    text: str
    size: float
    upright: bool


class Pages(TypedDict):
    """What the first pages hold; `fault` says why nothing could be read."""

    fault: str
    title: str
    author: str
    texts: list[str]
    pieces: list[Piece]


def read_pages(file: IO[bytes]) -> Pages:
    """Return the text of the first pages, and the runs of text of the first with their sizes."""
    import logging

    from pypdf import PdfReader

    logging.getLogger("pypdf").disabled = True
    found = Pages(fault="", title="", author="", texts=[], pieces=[])
    reader = PdfReader(file)
    if reader.is_encrypted and not reader.decrypt(""):
        found["fault"] = "is encrypted"
        return found
    with suppress(Exception):  # pypdf raises anything on a damaged catalogue, which the text can do without
        found["title"], found["author"] = _read_information(reader.metadata)
    for number, page in enumerate(reader.pages[:MOST_PAGES]):
        listener = _listen_to(found["pieces"]) if number == 0 else None
        found["texts"].append(page.extract_text(visitor_text=listener)[:MOST_TEXT])
    return found


def _read_information(information: object) -> tuple[str, str]:
    title, author = (getattr(information, name, None) for name in ("title", "author"))
    return str(title or ""), str(author or "")


def _listen_to(pieces: list[Piece]):  # type: ignore[no-untyped-def]  # noqa: ANN202
    def listen(text: str, _: object, matrix: list[float], font: object, size: float) -> None:
        if text.strip() and len(pieces) < 2000:
            scale = (matrix[2] ** 2 + matrix[3] ** 2) ** 0.5
            pieces.append(Piece(text=text, size=round(abs(size) * scale, 1), upright=abs(matrix[1]) < 0.01))

    return listen


def _limit() -> None:
    """Keep this process from filling the memory, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def main() -> None:
    """Read standard input, write one line of JSON."""
    _limit()
    try:
        found = read_pages(sys.stdin.buffer)
    except MemoryError:
        found = Pages(fault="takes too much memory", title="", author="", texts=[], pieces=[])
    except Exception as error:  # whatever pypdf raises is the file's fault
        name = type(error).__name__
        fault = "cannot be decrypted" if "Dependency" in name or "Decrypt" in name else f"is damaged ({name})"
        found = Pages(fault=fault, title="", author="", texts=[], pieces=[])
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
