"""What the formats have in common: further fields, and texts without what a text file cannot hold."""

import re

from assistant.corpus.fields import name_known
from assistant.domain import Paper

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")


def clean(text: str) -> str:
    """Return a text without control characters, which programs would act on; a line ends with LF."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def clean_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(clean(text).split())


def tell_year(paper: Paper) -> str:
    """Return the year, or what stands for it ("in press")."""
    return str(paper.year) if paper.year is not None else read_extra(paper, "year")


def read_extra(paper: Paper, name: str) -> str:
    """Return a further field of a paper, empty where there is none."""
    return next((value for field, value in paper.extra if field == name), "")


def list_further(paper: Paper) -> list[tuple[str, str]]:
    """Return the fields that no format has a place for, under names that stand for nothing else."""
    return [(name, value) for name, value in paper.extra if not name_known([name])]
