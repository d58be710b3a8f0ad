"""JSON lines: an entry a line, with the fields of `fields.py` under any of their names."""

import json
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import BadEntry, read_entry
from assistant.corpus.exported import is_exported, read_exported
from assistant.corpus.files import show
from assistant.corpus.formats import reader
from assistant.corpus.lines import Line, read_lines
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

ENOUGH = 1000
"""Lines that are not JSON before the file is taken for what its name says."""
_NOT_JSON = "not JSON ("


def looks_like_jsonl(head: str) -> bool:
    """Return whether a text begins with an object that its first line may hold whole."""
    return head.startswith('{"')


@reader(".jsonl", ".ndjson", looks=looks_like_jsonl)
def read_jsonl(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers line by line; a line that is none is skipped and the rest is read.

    A file in which no line is JSON is refused: it is something else, and nothing of it is to be told.
    Of a name that stands twice in an entry the last value counts. An entry without an id is `<file stem>#<line>`.
    """
    held: list[Skipped] = []
    sure = False
    for line in read_lines(path):
        if not line.fault and not line.text.strip():
            continue
        found = _read(path, line)
        sure = sure or isinstance(found, Paper) or not found.reason.startswith(_NOT_JSON) or len(held) == ENOUGH
        if sure:
            yield from held
            held.clear()
            yield found
        elif isinstance(found, Skipped):
            held.append(found)
    if len(held) > 1:
        raise CorpusError(f"{held[0].place}: {held[0].reason}, nor is any other line.")
    yield from held


def _read(path: Path, line: Line) -> Paper | Skipped:
    try:
        entry, source = _parse(line), show(Path(path.name))
        if is_exported(entry):
            return read_exported(entry, source)
        return read_entry(entry, f"{show(Path(path.stem))}#{line.number}", source)
    except BadEntry as error:
        return Skipped(f"{show(path)}:{line.number}", str(error))


def _parse(line: Line) -> dict[str, object]:
    if line.fault:
        raise BadEntry(line.fault)
    try:
        entry = json.loads(line.text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadEntry(f"not JSON ({error.msg} at column {error.colno})") from None
    except RecursionError:
        raise BadEntry("not an entry (nested too deeply)") from None
    except ValueError:
        raise BadEntry("not an entry (a number that is too long)") from None
    if not isinstance(entry, dict):
        raise BadEntry("not an entry (no JSON object)")
    return entry


def _refuse_constant(name: str) -> float:
    raise BadEntry(f"not an entry ({name} is not JSON)")
