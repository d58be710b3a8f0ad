"""The PDF of a paper: title and abstract from its first pages."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.corpus.entry import Entry, Flaw, make_papers
from assistant.corpus.files import read_blocks, read_head, show
from assistant.corpus.formats import reader
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

if TYPE_CHECKING:
    from assistant.corpus.pdf_pages import Pages, Piece

LONGEST_WAIT = 15.0
"""Seconds; a paper takes one."""
LARGEST_PDF = 2**28
"""Bytes."""
LONGEST_ABSTRACT = 6000
"""Characters: an abstract that does not end by then was not the one."""
SHORTEST_ABSTRACT = 40
_BEGIN = re.compile(
    r"^[ \t]*(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary)[ \t]*(?:[:.—–-]+[ \t]*|$)", re.IGNORECASE | re.MULTILINE
)
_BEGIN_LOOSE = re.compile(r"^[ \t]*(?i:abstract)[ \t]+(?=[A-Z])", re.MULTILINE)
_END = re.compile(
    r"^[ \t]*(?:(?:[1I]\.?|§\s?1)?[ \t]*introduction\b|key\s?words?\b|index terms\b|ccs concepts\b"
    r"|categories and subject|general terms\b|acm reference format|pacs\b|msc\b|jel classification|contents[ \t]*$"
    r"|1\.?[ \t]+[A-Z][a-z]+[ \t]*$|copyright\b|©|\*\s?equal contribution|correspondence to:|preprint\b|arxiv:)",
    re.IGNORECASE | re.MULTILINE,
)
_NO_TITLE = re.compile(r"(?:microsoft|untitled|\S+\.(?:docx?|pdf|tex|dvi|indd|qxd)\b|arxiv:|doi:|\W*\Z)", re.IGNORECASE)
_STAMP = re.compile(r"arXiv:\s?(\d{4}\.\d{4,5})(?:v\d+)?(?:\s*\[[\w.-]+\])?(?:\s+\d{1,2}\s+\w{3}\s+(\d{4}))?")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_LIGATURE_GAP = re.compile(r"([\ufb00-\ufb06])\s(?=[a-z])")


@reader(".pdf", looks=lambda head: head.startswith("%PDF-"))
def read_pdf(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the one paper of a file, or why it was not found; a scan and an encrypted file hold none."""
    return make_papers(path, _read(path))


def _read(path: Path) -> Iterator[Entry | Flaw]:
    if not read_head(path).strip(b"\xef\xbb\xbf \t\r\n"):
        return
    pages = _read_pages(path)
    if pages["fault"]:
        raise CorpusError(f"{show(path)}: this PDF {pages['fault']}.")
    if not any(letter.isalpha() for text in pages["texts"] for letter in text):
        yield Flaw(0, "a PDF without text: a scan?")
        return
    text = "\n".join(pages["texts"])
    abstract = find_abstract(text)
    if not abstract:
        yield Flaw(0, "a PDF without an abstract on its first pages")
        return
    stamp, doi = _STAMP.search(pages["texts"][0]), _DOI.search(pages["texts"][0])
    yield Entry(
        0,
        {
            "title": find_title(pages),
            "abstract": abstract,
            "authors": pages["author"],
            "arxiv": stamp[1] if stamp else "",
            "year": stamp[2] if stamp else "",
            "doi": doi[0].rstrip(".,;)") if doi else "",
        },
    )


def find_abstract(text: str) -> str:
    """Return what stands between the word Abstract and the next heading, in one line; empty where it is not found."""
    text = text.replace("\xad\n", "").replace("\xa0", " ")
    for begin in (*_BEGIN.finditer(text), *_BEGIN_LOOSE.finditer(text)):
        rest = text[begin.end() :]
        end = _END.search(rest, 1)
        abstract = join_lines(rest[: end.start() if end else 2 * LONGEST_ABSTRACT])
        if SHORTEST_ABSTRACT <= len(abstract) < LONGEST_ABSTRACT:
            return abstract
    return ""


def join_lines(text: str) -> str:
    """Return lines as one; a word that was parted at a line's end is whole, unless it has its hyphen elsewhere too."""

    def join(found: re.Match[str]) -> str:
        hyphened = f"{found[1]}-{found[2]}"
        return hyphened if re.search(rf"\b{re.escape(hyphened)}", text) else found[1] + found[2]

    joined = re.sub(r"(\w*[^\W\d_])[-\u2010][ \t]*\n[ \t]*([a-z]\w*)", join, _LIGATURE_GAP.sub(r"\1", text))
    return " ".join(joined.split())


def find_title(pages: "Pages") -> str:
    """Return the title that the file says it has, if it stands on the first page, else the largest upright text."""
    given = " ".join(pages["title"].split())
    first = "".join(pages["texts"][:1])
    if len(given) > 3 and not _NO_TITLE.match(given) and _letters(given) in _letters(first):
        return given
    return _find_largest(pages["pieces"]) or ("" if _NO_TITLE.match(given) else given)


def _find_largest(pieces: "Sequence[Piece]") -> str:
    sizes: dict[float, list[str]] = {}
    last = 0.0
    for piece in pieces:
        if not piece["upright"]:
            continue
        if piece["size"] in sizes and piece["size"] != last:
            continue  # the same size again further down is something else
        sizes.setdefault(piece["size"], []).append(piece["text"])
        last = piece["size"]
    titles = (join_lines("\n".join(sizes[size])) for size in sorted(sizes, reverse=True))
    return next((title for title in titles if 10 <= len(title) <= 300), "")


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _read_pages(path: Path) -> "Pages":
    """Return what a process of its own reads, so that a file that never ends costs no more than the wait."""
    with tempfile.TemporaryFile() as plain:
        for block in read_blocks(path):
            plain.write(block)
            if plain.tell() > LARGEST_PDF:
                raise CorpusError(f"{show(path)}: is too large for a PDF (at most {LARGEST_PDF:,} bytes).")
        plain.seek(0)
        # As a file and with -P: modules beside it or in the current folder are not taken for the library's.
        command = [sys.executable, "-P", str(Path(__file__).with_name("pdf_pages.py"))]
        try:
            child = subprocess.run(command, stdin=plain, capture_output=True, timeout=LONGEST_WAIT, check=True)
            pages: Pages = json.loads(child.stdout)
        except subprocess.TimeoutExpired:
            raise CorpusError(f"{show(path)}: this PDF could not be read in {LONGEST_WAIT:.0f} s.") from None
        except (subprocess.CalledProcessError, OSError, ValueError) as error:
            raise CorpusError(f"{show(path)}: this PDF is damaged.") from error
    return pages
