"""Writes papers in formats that the assistant, and other programs, read back."""

from collections.abc import Callable, Iterable, Iterator

from assistant.domain import Paper
from assistant.exports.bibtex import write_bibtex
from assistant.exports.jsonl import write_jsonl
from assistant.exports.ris import write_ris
from assistant.exports.tables import write_table

Write = Callable[[Iterable[Paper]], Iterator[str]]
"""Yields the text of a file in pieces, each of whole lines."""

FORMATS: dict[str, Write] = {"jsonl": write_jsonl, "bibtex": write_bibtex, "ris": write_ris, "csv": write_table}
SUFFIXES = {".jsonl": "jsonl", ".bib": "bibtex", ".bibtex": "bibtex", ".ris": "ris", ".csv": "csv"}
"""The format of a file by its suffix."""

__all__ = ["FORMATS", "SUFFIXES", "write_bibtex", "write_jsonl", "write_ris", "write_table"]
