"""The work behind one question: build the library if there is none, then ask."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from assistant.chat.exchange import Happening
from assistant.domain import Event, History, Paper, Progress, Report, Step

BUILDING = "Nothing is indexed yet: reading the papers that come with the assistant"

_one_builder = threading.Lock()


class Responder(Protocol):
    """What the window asks of the assistant."""

    @property
    def built(self) -> bool:
        """Return whether there are papers to ask."""
        ...

    def index(self, paths: Sequence[str | Path] = (), progress: Callable[[Progress], None] | None = None) -> Report:
        """Read papers; those that come with the assistant where no path is given."""
        ...

    def stream(self, question: str, history: History = ()) -> Iterator[Event]:
        """Yield what happens for a question, last the Answer."""
        ...

    @property
    def answerer(self) -> str:
        """Return what writes the answers: "extractive", a model's name, or nothing where it is not known."""
        ...

    def count_papers(self) -> int:
        """Return how many papers there are."""
        ...

    def papers(self, most: int | None = None) -> tuple[Paper, ...]:
        """Return every paper, or the first ones."""
        ...


def respond(
    assistant: Responder, question: str, history: History, report: Callable[[Happening], None]
) -> Iterator[Happening]:
    """Yield what happens for a question; progress of a build goes to `report` as it is made."""
    if not assistant.built:
        yield Step(BUILDING)
        with _one_builder:
            if not assistant.built:
                assistant.index(progress=report)
    yield from assistant.stream(question, history)
