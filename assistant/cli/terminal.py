"""What is written to the terminal: text without hidden characters, lines that fit."""

import io
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.text.invisible import remove_invisible

# Python hands on each byte of a command line that it cannot read as one of the other surrogates.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
NARROWEST = 20
"""Columns that a line has at least, however narrow the terminal says it is."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of output; a style is a name that rich knows, and only a terminal shows it."""

    text: str
    indent: int = 0
    style: str = ""


def prepare_streams() -> None:
    """Make the standard streams speak UTF-8 whatever the locale says; what cannot be written becomes "?".

    A stream that the shell has closed (`>&-`) takes what is written and holds nothing to read.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def is_watched() -> bool:
    """Tell whether a person sees both what is printed and what happens meanwhile."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def write(lines: Iterable[Line]) -> None:
    """Print lines: wrapped at words and styled on a terminal, as they are elsewhere."""
    if sys.stdout.isatty():
        _write_wrapped(lines)
        return
    for line in lines:
        print(" " * line.indent + remove_invisible(line.text))
    sys.stdout.flush()


def note(text: str) -> None:
    """Print a line about what is being done, apart from the output."""
    print(on_one_line(text), file=sys.stderr, flush=True)


def on_one_line(text: str) -> str:
    """Return the text without hidden characters and line ends."""
    return " ".join(remove_invisible(text).split())


def join_words(words: Iterable[str]) -> str:
    """Return the words of a command line as one text in UTF-8, whatever the locale; a byte that is none becomes "?"."""
    text = _NO_BYTE.sub("?", " ".join(words))
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\ufffd", "?")


def silence_output() -> None:
    """Send the rest of the output nowhere: its reader has gone, and the interpreter still flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _write_wrapped(lines: Iterable[Line]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines:
        text = Text(remove_invisible(line.text), style=line.style)
        for part in text.wrap(console, max(console.width - line.indent, NARROWEST)):
            part.rstrip()
            console.print(" " * line.indent, part, sep="", soft_wrap=True)
