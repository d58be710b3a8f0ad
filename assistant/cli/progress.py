"""How far the work is: a bar on a terminal, now and then a line elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.cli.terminal import note
from assistant.domain import Progress, Show

SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def shown_progress(seconds_between_lines: float = SECONDS_BETWEEN_LINES) -> Iterator[Show]:
    """Give what shows progress while the work inside runs; it leaves no trace on a terminal."""
    if sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _lines(seconds_between_lines)


@contextmanager
def _bar() -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def show(progress: Progress) -> None:
            if progress.phase not in tasks:
                tasks[progress.phase] = bars.add_task(progress.phase)
            bars.update(tasks[progress.phase], completed=progress.done, total=progress.total or None)

        yield show


def _lines(seconds: float) -> Show:
    last = time.monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            note(f"{progress.phase}: {progress.done} of {progress.total}")

    return show
