"""JSON lines: an entry a line with abstract and, if there are any, id, title, authors, year, venue, url, doi."""

import json
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.entry import BadEntry, read_entry
from assistant.corpus.files import LONGEST_LINE, Line, read_lines, show
from assistant.corpus.formats import reader
from assistant.domain import Paper, Skipped


@reader(".jsonl", ".ndjson")
def read_jsonl(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers line by line; a line that is none is skipped and the rest is read.

    Of a name that stands twice in an entry the last value counts. An entry without an id is `<file stem>#<line>`.
    """
    for line in read_lines(path):
        if line.content is not None and not line.content.strip():
            continue
        try:
            yield read_entry(_parse(line), f"{show(Path(path.stem))}#{line.number}", show(Path(path.name)))
        except BadEntry as error:
            yield Skipped(f"{show(path)}:{line.number}", str(error))


def _parse(line: Line) -> dict[str, object]:
    if line.content is None:
        raise BadEntry(f"longer than {LONGEST_LINE:,} bytes")
    try:
        entry = json.loads(line.content.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadEntry(f"not UTF-8 at byte {error.start + 1}") from None
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
