"""Reads from a model with a clock that does not depend on it."""

import time
from collections.abc import Callable, Generator, Iterable
from queue import Empty, SimpleQueue
from threading import Thread

from assistant.errors import ModelUnavailable
from assistant.ports import Limits

_RAISE = "raise ASSISTANT_TIMEOUT"


def derive_limits(seconds: float) -> Limits:
    """Return the limits that follow from how long the first text is waited for: a slow model is slow all through."""
    usual = Limits()
    slowness = max(1.0, seconds / usual.first)
    return Limits(first=seconds, idle=usual.idle * slowness, total=usual.total * slowness)


def read_within(
    limits: Limits, write: Callable[[], Iterable[str]], hang_up: Callable[[], None], who: str
) -> Generator[str, None, None]:
    """Yield what `write` yields, in a thread of its own; raises ModelUnavailable when it takes too long.

    `hang_up` ends the writing: it is called when the text is complete, late, or no longer wanted. A thread that
    does not hear it is left behind.
    """
    pieces: SimpleQueue[str | Exception | None] = SimpleQueue()
    started = time.monotonic()
    first = latest = 0.0
    try:
        Thread(target=_pump, args=(write, pieces), name="model", daemon=True).start()
        while True:
            end = min(latest + limits.idle, first + limits.total) if first else started + limits.first
            try:
                piece = pieces.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                break
            if piece is None:
                return
            if isinstance(piece, Exception):
                raise piece
            latest = time.monotonic()
            first = first or latest
            yield piece
            if latest > first + limits.total:
                break
        raise ModelUnavailable(_explain(limits, first, time.monotonic(), who))
    finally:
        hang_up()


def _pump(write: Callable[[], Iterable[str]], pieces: SimpleQueue[str | Exception | None]) -> None:
    try:
        for piece in write():
            pieces.put(piece)
        pieces.put(None)
    except Exception as error:
        pieces.put(error)


def _explain(limits: Limits, first: float, now: float, who: str) -> str:
    if not first:
        return f"{who} did not answer within {limits.first:g} s: try again, or {_RAISE}."
    if now >= first + limits.total:
        return f"{who} was still writing after {limits.total:g} s: ask for less, or {_RAISE}."
    return f"{who} went silent for {limits.idle:g} s: try again, or {_RAISE}."
