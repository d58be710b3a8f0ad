"""How near two spellings are: letters left out, put in, changed or swapped with their neighbours."""

from collections.abc import Iterable

from rapidfuzz.distance import OSA


def measure_distance(one: str, other: str, farthest: int) -> int:
    """Return how many letters differ, anything beyond `farthest` as one more than that."""
    return int(OSA.distance(one, other, score_cutoff=farthest))


def rank_beginnings(word: str, stems: Iterable[tuple[str, int]], farthest: int) -> tuple[str, ...]:
    """Return the stems that a word may begin with, nearest first, of those as near the one that counts most.

    The end of a mistyped word is no ending that a stemmer knows, so its own stem says little.
    """
    ranked = []
    for stem, count in stems:
        cuts = {word[: len(stem) + more] for more in (-1, 0, 1)}
        distance = min(measure_distance(stem, cut, farthest) for cut in cuts)
        if distance <= farthest:
            ranked.append((distance, -count, stem))
    return tuple(stem for *_, stem in sorted(ranked))
