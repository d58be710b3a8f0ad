"""Tells in which encoding a text was written: by its mark, else UTF-8, else what its bytes fit."""

import codecs
import re

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""UTF-32 before UTF-16, whose mark is the beginning of the other's."""
_OTHERS = ["gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1251", "cp1253", "cp1255", "cp1256"]
ENOUGH = 24
"""Bytes beyond ASCII that it takes to tell an encoding other than Latin-1 from noise."""
SAMPLE = 20_000
"""Bytes."""
_BEYOND = re.compile("[^\x00-\x7f]+")
_LETTER = re.compile(r"(?<=[A-Za-z])[^\W\d_]|[^\W\d_](?=[A-Za-z])")


def tell_marked(head: bytes) -> tuple[str, int]:
    """Return the encoding of a text by its mark, or by the zeros of wide characters, and the length of the mark."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding, len(mark)
    start = head[:64]
    if len(start) >= 4 and start[1::2].count(0) == len(start) // 2 and not start[::2].count(0):
        return "utf-16-le", 0
    if len(start) >= 4 and start[::2].count(0) == (len(start) + 1) // 2 and not start[1::2].count(0):
        return "utf-16-be", 0
    return "utf-8", 0


def guess_encoding(sample: bytes) -> str:
    """Return the encoding of bytes that are not UTF-8, empty where they may as well be noise."""
    beyond = b"\n".join(line for line in sample[:SAMPLE].split(b"\n") if not line.isascii())
    if _fits_latin(beyond):
        return "cp1252"
    if len(beyond) - sum(byte < 128 for byte in beyond) < ENOUGH:
        return ""
    from charset_normalizer import from_bytes

    best = from_bytes(beyond, cp_isolation=_OTHERS, preemptive_behaviour=False).best()
    return best.encoding if best and best.percent_chaos < 10 else ""


def _fits_latin(content: bytes) -> bool:
    """Return whether bytes read as Western text: single signs and letters, these beside plain letters."""
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        return False
    runs = _BEYOND.findall(text)
    letters = [letter for run in runs for letter in run if letter.isalpha()]
    beside = sum(not match[0].isascii() for match in _LETTER.finditer(text))
    return bool(runs) and sum(map(len, runs)) < 1.5 * len(runs) and beside >= 0.7 * len(letters)
