"""A question at work in a thread of its own, followed from an event loop."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass

from assistant.domain import Event

SILENCE = 0.5
"""Seconds without an event after which the follower is told that there is none."""


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None


async def follow(events: Iterator[Event], done: Callable[[], None]) -> AsyncGenerator[Event | None, None]:
    """Yield the events as they come, and None for a while of silence; raises what the events raise.

    `done` is called in the event loop when the work has ended. Work that nobody follows ends at its next event.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[Event | _End] = asyncio.Queue()
    unwanted = threading.Event()

    def tell(happening: Event | _End) -> None:
        # A loop that has ended has nobody left to be told.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(arrived.put_nowait, happening)

    def work() -> None:
        error = _work_through(events, tell, unwanted)
        # First: whoever is answered may ask again at once.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(done)
        tell(_End(error))

    # A daemon: a model that never answers must not keep the program from ending.
    threading.Thread(target=work, name="question", daemon=True).start()
    try:
        while True:
            try:
                happening = await asyncio.wait_for(arrived.get(), SILENCE)
            except TimeoutError:
                yield None
                continue
            if isinstance(happening, _End):
                if happening.error is not None:
                    raise happening.error
                return
            yield happening
    finally:
        unwanted.set()


def _work_through(
    events: Iterator[Event], tell: Callable[[Event], None], unwanted: threading.Event
) -> BaseException | None:
    try:
        for event in events:
            if unwanted.is_set():
                break
            tell(event)
        if isinstance(events, Generator):
            events.close()
    except BaseException as error:
        return error
    return None
