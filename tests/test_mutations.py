"""No change of a few bytes makes a reader fail or hang, in any format.

A thousand changes are tried; MUTATIONS=10000 in the environment tries as many as it says.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.corpus import read_papers
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples" / "papers").iterdir() if path.name != "index.json")
MUTATIONS = int(os.environ.get("MUTATIONS", "1000"))
LONGEST = 2.0
"""Seconds of one file, of the processor; of a PDF twenty of the clock, since another process reads it."""
PIECES = [
    *(
        b"{",
        b"}",
        b'"',
        b"'",
        b"@",
        b",",
        b"\n",
        b"\n\n",
        b"\r",
        b"\t",
        b";",
        b"|",
        b"#",
        b"%",
        b"\\",
        b"$",
        b"&",
        b"<",
    ),
    *(
        b">",
        b"]]>",
        b"</",
        b"&#0;",
        b"&x;",
        b"<!ENTITY a 'b'>",
        b"\0",
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
    ),
    *(
        b"[",
        b"]",
        b"null",
        b"1e999",
        b"-",
        b"\\u0000",
        b"\\ud800",
        b"TY  - ",
        b"ER  - ",
        b"PMID- ",
        b"%0 ",
        b"PT J",
        b"Abstract:",
    ),
    *(
        b"{" * 500,
        b"[" * 2000,
        b"<a>" * 200,
        b"x" * 5000,
        b"\n" * 500,
        b"9" * 5000,
        b"@string{a = a # a}\n",
        b"\xf0\x9f\x98\x80",
    ),
]


def mutate(content: bytes, chance: random.Random) -> bytes:
    """Return the content after one to four changes: cut off, cut out, put in, put twice, or other bytes."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(content))
        end = min(len(content), start + chance.choice([1, 1, 2, 8, 100, 2000]))
        kind = chance.randrange(6)
        if kind == 0:
            content = content[:start]
        elif kind == 1:
            content = content[:start] + content[end:]
        elif kind == 2:
            content = content[:end] + content[start:]
        elif kind == 3:
            content = content[:start] + chance.randbytes(end - start) + content[end:]
        else:
            content = content[:start] + chance.choice(PIECES) + content[start:]
    return content


@contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    """Fail where the work inside does not end in time."""

    def fail(*_: object) -> None:
        raise TimeoutError(f"not read in {seconds} s")

    signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_file_with_changed_bytes_is_read_or_refused_in_a_line_and_in_time(path: Path, tmp_path: Path) -> None:
    chance = random.Random(path.name)
    content = path.read_bytes()
    # Each PDF takes a process.
    tries = max(MUTATIONS // 100, 5) if path.suffix == ".pdf" else -(-MUTATIONS // (len(SAMPLES) - 3))
    for number in range(tries):
        broken = mutate(content, chance)
        target = tmp_path / path.name
        target.write_bytes(broken)
        started = time.process_time()
        with no_longer_than(60):
            try:
                read = list(read_papers(target))
            except CorpusError as error:
                assert str(error).startswith(str(target)), number
                assert str(error).isprintable(), number
                continue
        assert time.process_time() - started < LONGEST, number
        for record in read:
            if isinstance(record, Skipped):
                assert f"{record.place} {record.reason}".isprintable(), number
            else:
                assert isinstance(record, Paper)
                assert record.abstract.encode().strip(), number
                assert repr(record).encode(), number
