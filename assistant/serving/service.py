"""The assistant as servers ask it: from an event loop, a bounded number of questions at once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing, asynccontextmanager
from typing import Protocol, TypeVar

from assistant.domain import NO_FILTERS, Answer, Event, Evidence, Filters, History, Paper, Report
from assistant.errors import ServerBusy
from assistant.serving.admission import STOPPING, Closing, Gate
from assistant.serving.logs import log_question
from assistant.serving.work import follow

Result = TypeVar("Result")
ONE_WRITER = "Papers are being added or removed by another request: try again when it has finished."


class Answering(Protocol):
    """What a server asks of the assistant."""

    @property
    def answerer(self) -> str:
        """Return what writes the answers: "extractive", a model's name, or nothing where it is not known."""
        ...

    def stream(
        self, question: str, history: History = (), k: int | None = None, filters: Filters = NO_FILTERS
    ) -> Iterator[Event]:
        """Yield what happens for a question, last the Answer."""
        ...

    def retrieve(self, question: str, k: int | None = None, filters: Filters = NO_FILTERS) -> Evidence:
        """Return the papers found, best first."""
        ...

    def list_papers(self, filters: Filters, first: int, most: int) -> tuple[Paper, ...]:
        """Return papers that pass, in the order of adding."""
        ...

    def count_papers(self, filters: Filters = NO_FILTERS) -> int:
        """Return how many papers pass."""
        ...

    def paper(self, id: str) -> Paper:
        """Return one paper."""
        ...

    def add(self, papers: Iterable[Paper]) -> Report:
        """Add what is new of some papers."""
        ...

    def remove(self, *ids: str) -> tuple[str, ...]:
        """Remove papers."""
        ...


class Service:
    """One assistant for all the protocols of a server."""

    def __init__(self, assistant: Answering, gate: Gate | None = None, closing: Closing | None = None) -> None:
        self.assistant = assistant
        self.gate = gate or Gate()
        self.closing = closing or Closing()
        self._writing = asyncio.Lock()

    async def stream(
        self, question: str, history: History = (), k: int | None = None, filters: Filters = NO_FILTERS
    ) -> AsyncGenerator[Event | None, None]:
        """Yield the events of an answer, None while there are none; raises ServerBusy and what the assistant does."""
        log_question(question)
        await self.gate.enter()
        events = self.assistant.stream(question, history, k, filters)
        async with aclosing(follow(events, self.gate.leave)) as happenings:
            async for event in happenings:
                if self.closing.over and not isinstance(event, Answer):
                    raise ServerBusy(STOPPING)
                yield event

    async def ask(
        self, question: str, history: History = (), k: int | None = None, filters: Filters = NO_FILTERS
    ) -> Answer:
        """Return the answer to a question; raises ServerBusy and what the assistant does."""
        async with aclosing(self.stream(question, history, k, filters)) as events:
            answers = [event async for event in events if isinstance(event, Answer)]
        return answers[-1]

    async def search(self, question: str, k: int | None = None, filters: Filters = NO_FILTERS) -> Evidence:
        """Return the papers found for a question, best first."""
        async with self._inside():
            return await asyncio.to_thread(self.assistant.retrieve, question, k, filters)

    async def write(self, work: Callable[[], Result]) -> Result:
        """Change the store; raises ServerBusy where another request does so."""
        if self._writing.locked():
            raise ServerBusy(ONE_WRITER)
        async with self._writing:
            return await asyncio.to_thread(work)

    @asynccontextmanager
    async def _inside(self) -> AsyncIterator[None]:
        await self.gate.enter()
        try:
            yield
        finally:
            self.gate.leave()
