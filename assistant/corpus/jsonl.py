"""JSON lines: a record a line with abstract and, if there are any, id, title, authors, year, venue, url, doi."""

import json
from collections.abc import Iterator
from pathlib import Path

from assistant.corpus.files import LONGEST_LINE, Line, read_lines, show
from assistant.corpus.formats import reader
from assistant.corpus.record import BadRecord, read_record
from assistant.domain import Paper, Skipped


@reader(".jsonl", ".ndjson")
def read_jsonl(path: Path) -> Iterator[Paper | Skipped]:
    """Yield the papers line by line; a line that is none is skipped and the rest is read.

    Of a name that stands twice in a record the last value counts. A record without an id is `<file stem>#<line>`.
    """
    for line in read_lines(path):
        if line.content is not None and not line.content.strip():
            continue
        try:
            yield read_record(_parse(line), f"{show(Path(path.stem))}#{line.number}", show(Path(path.name)))
        except BadRecord as error:
            yield Skipped(f"{show(path)}:{line.number}", str(error))


def _parse(line: Line) -> dict[str, object]:
    if line.content is None:
        raise BadRecord(f"longer than {LONGEST_LINE:,} bytes")
    try:
        record = json.loads(line.content.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadRecord(f"not UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise BadRecord(f"not JSON ({error.msg} at column {error.colno})") from None
    except RecursionError:
        raise BadRecord("not a record (nested too deeply)") from None
    except ValueError:
        raise BadRecord("not a record (a number that is too long)") from None
    if not isinstance(record, dict):
        raise BadRecord("not a record (no JSON object)")
    return record


def _refuse_constant(name: str) -> float:
    raise BadRecord(f"not a record ({name} is not JSON)")
