"""How much is done at once, how much waits, and when nothing more is begun."""

import asyncio
import threading
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic

from assistant.errors import ServerBusy

AT_ONCE = 8
WAITING = 56
PATIENCE = 10.0
"""Seconds that a question waits for its turn."""
CLIENTS_REMEMBERED = 10_000
BUSY = "Too many questions at once: ask again in a moment."
STOPPING = "The server is stopping: ask again when it is back."


class Gate:
    """Lets a few questions through at once and a few more wait; the rest are told that it is busy.

    All but `answering` belongs to one event loop.
    """

    def __init__(self, at_once: int = AT_ONCE, waiting: int = WAITING, patience: float = PATIENCE) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._room = at_once + waiting
        self._patience = patience
        self._inside = 0

    @property
    def answering(self) -> int:
        """Return how many questions are at work or wait."""
        return self._inside

    async def enter(self) -> None:
        """Wait for a place; raises ServerBusy at once where too many wait, later where none comes free."""
        if self._inside >= self._room:
            raise ServerBusy(BUSY)
        self._inside += 1
        try:
            await asyncio.wait_for(self._places.acquire(), self._patience)
        except TimeoutError:
            self._inside -= 1
            raise ServerBusy(BUSY) from None
        except BaseException:
            self._inside -= 1
            raise

    def leave(self) -> None:
        """Give the place to the next."""
        self._inside -= 1
        self._places.release()


class Closing:
    """Whether the server is about to stop: first nothing new is begun, then what is unfinished says so.

    `working` counts the requests that were begun and whose response is not sent yet; reading ones are left out.
    """

    def __init__(self) -> None:
        self.working = 0
        self._begun = threading.Event()
        self._over = threading.Event()

    @property
    def begun(self) -> bool:
        """Return whether nothing new is to be begun."""
        return self._begun.is_set()

    @property
    def over(self) -> bool:
        """Return whether the time for what was begun is over."""
        return self._over.is_set()

    def begin(self) -> None:
        """Let nothing new begin."""
        self._begun.set()

    def end(self) -> None:
        """Let what is unfinished end."""
        self._over.set()


@dataclass(slots=True)
class _Allowance:
    left: float
    at: float


class Rate:
    """So many requests a minute and client; a client that was silent may send a minute's worth at once."""

    def __init__(self, a_minute: int) -> None:
        self._a_minute = a_minute
        self._allowances: OrderedDict[str, _Allowance] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count a request of a client; return the seconds after which it would be let in, 0 where it is."""
        now = monotonic()
        known = self._allowances.pop(client, None) or _Allowance(self._a_minute, now)
        left = min(self._a_minute, known.left + (now - known.at) * self._a_minute / 60)
        allowed = left >= 1
        self._allowances[client] = _Allowance(left - 1 if allowed else left, now)
        if len(self._allowances) > CLIENTS_REMEMBERED:
            self._allowances.popitem(last=False)
        return 0.0 if allowed else (1 - left) * 60 / self._a_minute
