"""A question at work in a thread of its own, so that Stop is heard while a model is silent."""

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from queue import Empty, SimpleQueue

from assistant.chat.exchange import Happening, Problem
from assistant.errors import AssistantError

LOG = logging.getLogger("assistant.chat")
PAUSE = 0.05
"""Seconds between two updates of the page: more would only be sent, not seen."""
SILENCE = 1.0
"""Seconds without news after which the page is asked whether it is still there."""
UNEXPECTED = "Something went wrong inside the assistant. Nothing is lost; its log has the details. Please ask again."

Work = Callable[[Callable[[Happening], None]], Iterator[Happening]]


class Run:
    """What happens for one question, gathered until the page asks for it."""

    def __init__(self, work: Work) -> None:
        self._happenings: SimpleQueue[Happening | None] = SimpleQueue()
        self._stop = threading.Event()
        # A daemon: a model that never answers must not keep the program from ending.
        threading.Thread(target=self._gather, args=(work,), name="question", daemon=True).start()

    @property
    def stopped(self) -> bool:
        """Return whether Stop was asked for."""
        return self._stop.is_set()

    def stop(self) -> None:
        """End the run: the page is free at once, the work at its next event."""
        self._stop.set()
        self._happenings.put(None)

    def batches(self) -> Iterator[list[Happening]]:
        """Yield what has happened, at most 20 times a second, and an empty list for a second of silence."""
        while not self.stopped:
            batch = self._next_batch()
            going_on = None not in batch
            if not self.stopped:
                yield [happening for happening in batch if happening is not None]
            if not going_on:
                return
            time.sleep(PAUSE)

    def _next_batch(self) -> list[Happening | None]:
        batch: list[Happening | None] = []
        try:
            batch.append(self._happenings.get(timeout=SILENCE))
            while batch[-1] is not None:
                batch.append(self._happenings.get_nowait())
        except Empty:
            pass
        return batch

    def _gather(self, work: Work) -> None:
        try:
            self._work_through(work(self._happenings.put))
        except AssistantError as error:
            self._happenings.put(Problem(str(error)))
        except Exception:
            LOG.exception("A question failed")
            self._happenings.put(Problem(UNEXPECTED))
        finally:
            self._happenings.put(None)

    def _work_through(self, happenings: Iterator[Happening]) -> None:
        try:
            for happening in happenings:
                if self.stopped:
                    return
                self._happenings.put(happening)
        finally:
            if isinstance(happenings, Generator):
                happenings.close()
