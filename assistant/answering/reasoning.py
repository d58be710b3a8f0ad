"""Tells a model's reasoning from its answer: what stands in <think> at the start is not the answer."""

import re
from collections.abc import Generator, Iterator

_OPEN = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_MAY_OPEN = re.compile(r"\s*(?:<(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?\Z", re.IGNORECASE)
_CLOSE = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def drop_reasoning(pieces: Iterator[str]) -> Generator[str, None, None]:
    """Yield the pieces of the answer alone.

    A tag that is never closed does not swallow the answer: what follows it is yielded at the end.
    """
    held = ""
    for piece in pieces:
        held += piece
        if not _MAY_OPEN.match(held):
            break
    else:
        yield held
        return
    opened = _OPEN.match(held)
    if opened is None:
        yield held
        yield from pieces
        return
    yield from _after_close(held[opened.end() :], pieces)


def _after_close(held: str, pieces: Iterator[str]) -> Iterator[str]:
    looked = 0
    while (closed := _CLOSE.search(held, looked)) is None:
        # A tag may be cut by the end of a piece.
        looked = max(0, len(held) - len("</thinking>"))
        piece = next(pieces, None)
        if piece is None:
            yield held
            return
        held += piece
    said = held[closed.end() :].lstrip()
    while not said and (piece := next(pieces, None)) is not None:
        said = piece.lstrip()
    yield said
    yield from pieces
