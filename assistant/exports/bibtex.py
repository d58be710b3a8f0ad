"""BibTeX, with letters in UTF-8 and LaTeX's signs escaped."""

import re
from collections.abc import Iterable, Iterator

from assistant.corpus.latex import part_formulas
from assistant.domain import Paper
from assistant.exports.fields import clean, clean_line, list_further, read_extra, tell_year

_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%_#$"},
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
}
_SIGN = re.compile("[" + re.escape("".join(_SIGNS)) + "]")
_NOT_KEY = re.compile(r"[^A-Za-z0-9:.+/_-]+")
_MEETING = re.compile(r"proceedings|conference|workshop|symposium|meeting", re.IGNORECASE)
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
_OWN = frozenset({"author", "editor", "file", "date", "year", "id", "key"})


def write_bibtex(papers: Iterable[Paper]) -> Iterator[str]:
    """Yield an entry a paper; further fields are written where they have a name that BibTeX knows no other use for."""
    keys: set[str] = set()
    for paper in papers:
        key = _choose_key(paper.id, keys)
        keys.add(key)
        kind, venue = _choose_kind(paper)
        fields = [
            ("id", "" if key == paper.id else _write_plain(paper.id)),
            ("title", f"{{{write_text(paper.title)}}}" if paper.title else ""),
            ("author", " and ".join(map(_write_name, paper.authors))),
            ("year", write_text(tell_year(paper))),
            (venue, write_text(paper.venue)),
            ("doi", _write_plain(paper.doi)),
            ("url", _write_plain(paper.url)),
            ("eprint", _write_plain(read_extra(paper, "arxiv"))),
            ("keywords", write_text(read_extra(paper, "keywords"))),
            *((name, write_text(value)) for name, value in list_further(paper) if _is_free(name)),
            ("abstract", write_text(paper.abstract)),
        ]
        lines = "".join(f",\n  {name} = {{{value}}}" for name, value in fields if value)
        yield f"@{kind}{{{key}{lines}\n}}\n\n"


def write_text(text: str) -> str:
    """Return a text as a value: formulas as they are, every other sign that means something to LaTeX escaped.

    A line break becomes an empty line, as only that parts paragraphs in LaTeX.
    """
    parts = ((formula and _is_balanced(part), part) for formula, part in part_formulas(clean(text)))
    whole = "".join(part if kept else _SIGN.sub(_escape, part) for kept, part in parts)
    return "\n\n  ".join(joined for line in whole.split("\n") if (joined := " ".join(line.split())))


def _escape(sign: re.Match[str]) -> str:
    return _SIGNS[sign[0]]


def _is_balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0


def _is_free(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in _OWN


def _choose_kind(paper: Paper) -> tuple[str, str]:
    if _MEETING.search(paper.venue):
        return "inproceedings", "booktitle"
    return ("article", "journal") if paper.venue else ("misc", "howpublished")


def _choose_key(id: str, taken: set[str]) -> str:
    key = _NOT_KEY.sub("-", id).strip("-") or "paper"
    names = [key, *(f"{key}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


def _write_name(name: str) -> str:
    text = write_text(name)
    return f"{{{text}}}" if "," in name or " and " in name.lower() else text


def _write_plain(text: str) -> str:
    """Return an id or address, in which only braces cannot stand."""
    return clean_line(text).replace("{", "%7B").replace("}", "%7D")
