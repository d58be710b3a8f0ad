"""Near-duplicates: papers that say the same in nearly the same words, as versions of one paper do."""

from collections.abc import Mapping, Sequence

import numpy as np

from assistant.ports import Hit, Holding, Vector

ALIKE = 0.97
"""Cosine of two papers, each the mean of its sentences, from which one repeats the other.

Two papers of the seeds on one topic reach .8 at most; an abstract with a sentence reworded stays above .98.
"""


def put_repeats_last(hits: Sequence[Hit], holdings: Mapping[str, Holding], k: int) -> tuple[Hit, ...]:
    """Return the hits with k in front that repeat no better one; what was passed over comes after those."""
    kept: list[Hit] = []
    means: list[Vector] = []
    repeats: list[Hit] = []
    for hit in hits:
        if len(kept) == k:
            break
        mean = _mean(holdings[hit.paper_id])
        if means and float((np.stack(means) @ mean).max()) >= ALIKE:
            repeats.append(hit)
        else:
            kept.append(hit)
            means.append(mean)
    return (*kept, *repeats, *hits[len(kept) + len(repeats) :])


def _mean(holding: Holding) -> Vector:
    if not len(holding.vectors):
        return np.zeros(holding.vectors.shape[-1], dtype=np.float32)
    mean = holding.vectors.mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)
