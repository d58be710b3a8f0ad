"""Cuts an abstract into its sentences, and packs them into passages."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from assistant.domain import Paper, Passage, Sentence
from assistant.text.sentences import Span, split_sentences

PASSAGE_SIZE = 256
"""Word pieces of the embedder: what the default one was trained on."""

CountPieces = Callable[[str], int]


class SplitLong(Protocol):
    """Cuts a text that is too long for one passage."""

    def __call__(self, text: str, size: int, count_pieces: CountPieces) -> Sequence[Span]:
        """Return the spans of the parts, in order, each of at most `size` word pieces."""
        ...


def chunk(
    paper: Paper, size: int, count_pieces: CountPieces, split_long: SplitLong
) -> tuple[tuple[Passage, ...], tuple[Sentence, ...]]:
    """Return the passages of a paper, of at most `size` word pieces each, and its sentences, in order.

    A passage holds whole sentences; only a sentence that is longer than a passage is cut, for passages alone.
    The title goes before each passage (`passage_text`), so it takes its room, though never more than half.
    """
    room = max(size - count_pieces(_heading(paper)), (size + 1) // 2)
    spans = split_sentences(paper.abstract)
    packed = _pack(paper.abstract, spans, room, count_pieces, split_long)
    passages = tuple(Passage(paper.id, start, end) for start, end in packed)
    sentences = tuple(Sentence(paper.id, start, end, paper.abstract[start:end]) for start, end in spans)
    return passages, sentences


def passage_text(paper: Paper, passage: Passage) -> str:
    """Return what is embedded for a passage: its words, after the title where there is one."""
    return _heading(paper) + paper.abstract[passage.start : passage.end]


def _heading(paper: Paper) -> str:
    return f"{paper.title}\n" if paper.title else ""


def _pack(
    text: str, spans: Sequence[Span], room: int, count_pieces: CountPieces, split_long: SplitLong
) -> Iterator[Span]:
    packed: Span | None = None
    for start, end in spans:
        if packed and count_pieces(text[packed[0] : end]) <= room:
            packed = packed[0], end
            continue
        if packed:
            yield packed
        packed = None
        if count_pieces(text[start:end]) <= room:
            packed = start, end
        else:
            parts = split_long(text[start:end], room, count_pieces)
            yield from ((start + first, start + last) for first, last in parts)
    if packed:
        yield packed
