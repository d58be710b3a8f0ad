"""Decodes the letters that LaTeX spells with commands; formulas and all other commands stay as they are."""

import re
import unicodedata
from collections.abc import Iterator

# pylatexenc would decode too much: formulas, emphasis, and every command that it knows.
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å",
    "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
}  # fmt: skip
LONGEST_FORMULA = 4000
"""Characters; what is longer is no formula but a mark without its other half."""
_OPENING = re.compile(r"(?<!\\)\$\$?|\\[(\[]")
_CLOSING = {"$$": "$$", "$": "$", r"\(": r"\)", r"\[": r"\]"}
_BASE = r"(?:\{\s*(\\?[a-zA-Z])\s*\}|(\\[ij](?![a-zA-Z])|[a-zA-Z]))"
_SIGN_ACCENT = re.compile(rf"\\([`'^~=.\"])\s*{_BASE}")
_NAMED_ACCENT = re.compile(rf"\\([uvHtcdbkr])(?:\s+|(?=\{{)){_BASE}")
_LETTER = re.compile(
    r"\\(ss|ae|AE|oe|OE|aa|AA|dh|DH|th|TH|dj|DJ|ng|[oOlLij])(?![a-zA-Z])(?:\{\}|[^\S\n]+(?=[a-zA-Z]))?"
)
_BRACED = re.compile(r"\{([^\x00-\x7f]{1,2})\}")

_TOKEN = re.compile(r"\\([a-zA-Z]+)\*?\s*|\\[\s\S]|[{}]")
_STYLES = frozenset(
    "emph textbf textit textsc textrm texttt textsf text em bf it sc rm tt mbox hbox bfseries itshape".split()
)

_SYMBOLS = {
    "textless": "<", "textgreater": ">", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|",
    "textdegree": "°", "textunderscore": "_", "textdollar": "$", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textquotedblleft": "“", "textquotedblright": "”", "textquoteleft": "‘", "textquoteright": "’",
    "textendash": "–", "textemdash": "—", "textbackslash": "\\", "textbraceleft": "{", "textbraceright": "}",
}  # fmt: skip


def decode_accents(text: str) -> str:
    """Return a text with the letters for \\'e, {\\"o} and \\ss, outside of formulas."""
    if "\\" not in text:
        return text
    return "".join(part if is_formula else _decode(part) for is_formula, part in part_formulas(text))


def decode_text(text: str) -> str:
    """Return the text of a BibTeX value: accents decoded, without the braces that protect capitals and without styles.

    Formulas stay, and so does any other command with its braces.
    """
    braces: list[bool] = []  # one may close behind a formula
    return "".join(part if is_formula else _unwrap(_decode(part), braces) for is_formula, part in part_formulas(text))


def part_formulas(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in parts, each with whether it is a formula; a regular expression would search for too long."""
    place = start = 0
    while opening := _OPENING.search(text, place):
        mark = _CLOSING[opening[0]]
        end = text.find(mark, opening.end(), opening.end() + LONGEST_FORMULA)
        place = opening.end()
        if end < 0:
            continue
        yield False, text[start : opening.start()]
        start = place = end + len(mark)
        yield True, text[opening.start() : start]
    yield False, text[start:]


def _unwrap(text: str, braces: list[bool]) -> str:
    """Return a text without bare braces and styles; the braces of other commands, true among those open, are theirs."""
    kept: list[str] = []
    place, after_command = 0, False
    for token in _TOKEN.finditer(text):
        between = text[place : token.start()]
        kept.append(between.replace("~", " "))
        place, mark = token.end(), token[0]
        if mark == "{":
            braces.append(after_command and not between)
            mark = mark if braces[-1] else ""
        elif mark == "}":
            mark = mark if not braces or braces.pop() else ""
        elif token[1]:
            mark = "" if token[1] in _STYLES else _SYMBOLS.get(token[1], mark)
        else:
            mark = mark[1] if mark[1] in "&%_#$" else " " if mark[1].isspace() else mark
        after_command = mark.startswith("\\") and token[0] != "}" and token[1] not in _SYMBOLS
        kept.append(mark)
    return "".join([*kept, text[place:].replace("~", " ")])


def _decode(text: str) -> str:
    text = _SIGN_ACCENT.sub(_put_accent, text)
    text = _NAMED_ACCENT.sub(_put_accent, text)
    text = _LETTER.sub(lambda letter: _LETTERS[letter[1]], text)
    return _BRACED.sub(r"\1", text)


def _put_accent(found: re.Match[str]) -> str:
    base = (found[2] or found[3]).removeprefix("\\")
    accent = _ACCENTS.get(found[1])
    made = unicodedata.normalize("NFC", base + accent) if accent else found[0]
    # "\b" and "\d" stand for more than accents: what makes no letter of its own stays.
    return made if len(made) == 1 else found[0]
