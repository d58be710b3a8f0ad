"""Text of papers, users and models, made safe for a page.

Nothing of theirs ever becomes markup: each string passes `escape`, and every tag of the page is written here or in
the modules that use this one.
"""

import re
from collections.abc import Sequence
from html import escape as escape_html
from itertools import pairwise
from urllib.parse import quote as percent_encode
from urllib.parse import urlsplit

from assistant.domain import Citation, Paper, Quote
from assistant.markers import MARKER
from assistant.text.invisible import remove_invisible

_MARKER = re.compile(f"( *){MARKER.pattern}")
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*\n]{1,300})(?<=[^\s*])\*\*")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
# No user name, no address by number, no single word: none of them is where a paper stands.
_WEB = re.compile(r"https?://(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]+(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_URL_SIGNS = "%/:=&?~#+!$,;'@()*[]"
_DOI_SIGNS = "/:;()._-"
TOOLTIP_LENGTH = 240


def escape(text: str) -> str:
    """Return the text as HTML that shows it literally, in an element or in a quoted attribute."""
    return escape_html(remove_invisible(text), quote=True)


def shorten(text: str, length: int) -> str:
    """Return at most `length` characters of the text, with an ellipsis where it was cut."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def mark_quotes(abstract: str, quotes: Sequence[Quote]) -> str:
    """Return the abstract as HTML with the quoted words marked; quotes that overlap share a mark."""
    spans = _merge(abstract, quotes)
    edges = [0, *(edge for span in spans for edge in span), len(abstract)]
    pieces = []
    for place, (start, end) in enumerate(pairwise(edges)):
        piece = _BLANK_LINES.sub("<br><br>", escape(abstract[start:end]))
        pieces.append(f"<mark>{piece}</mark>" if place % 2 else piece)
    return "".join(pieces)


def _merge(abstract: str, quotes: Sequence[Quote]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(quote.start, 0), min(quote.end, len(abstract))) for quote in quotes):
        if start >= end:
            continue
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def anchor(turn: int, number: int) -> str:
    """Return the id of the card of a citation: one of its own in each turn."""
    return f"t{turn}-{number}"


def link_markers(text: str, turn: int, citations: Sequence[Citation]) -> str:
    """Return the text as HTML whose markers [n] lead to the cards of the turn; **words** are bold."""
    known = {str(citation.number): citation for citation in citations}

    def chip(match: re.Match[str]) -> str:
        citation = known.get(match[2])
        # A number must not start a line of its own.
        return match[0] if citation is None else ("&nbsp;" if match[1] else "") + _chip(turn, citation)

    return _MARKER.sub(chip, _BOLD.sub(r"<strong>\1</strong>", escape(text)))


def _chip(turn: int, citation: Citation) -> str:
    words = " … ".join(quote.text for quote in citation.quotes)
    tooltip = escape(f"{citation.label}\n“{shorten(' '.join(words.split()), TOOLTIP_LENGTH)}”")
    place = anchor(turn, citation.number)
    brackets = f"<i>[</i>{citation.number}<i>]</i>"
    return f'<a class="chip" href="#{place}" title="{tooltip}">{brackets}</a>'


def split_paragraphs(text: str) -> list[str]:
    """Return the parts of the text that blank lines separate."""
    return [part.strip() for part in re.split(r"\n[ \t]*\n", remove_invisible(text)) if part.strip()]


def address(paper: Paper) -> str:
    """Return the web address of the paper, its own or its DOI's; empty where neither can be trusted."""
    return _web_address(paper.url) or _doi_address(paper.doi)


def host(url: str) -> str:
    """Return the host of an address, as a reader should see it before a click."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _web_address(url: str) -> str:
    bare = remove_invisible(url).strip()
    return percent_encode(bare, safe=_URL_SIGNS) if _WEB.fullmatch(bare) else ""


def _doi_address(doi: str) -> str:
    bare = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", remove_invisible(doi).strip(), flags=re.IGNORECASE)
    return f"https://doi.org/{percent_encode(bare, safe=_DOI_SIGNS)}" if _DOI.fullmatch(bare) else ""
