"""Tells one embedder from another: vectors of two embedders must never meet in one store."""

import numpy as np

from assistant.ports import Embedder, Fingerprint

PROBES = (
    "We propose a sparse attention method that halves the memory of training.",
    "Mice without the gene aged faster than their littermates did.",
    "What is known about the convergence of stochastic gradient descent?",
)
LEAST_COSINE = 0.98
"""int8 arithmetic differs between processors; another model is far below this."""


def fingerprint(embedder: Embedder) -> Fingerprint:
    """Return what tells this embedder from others."""
    vectors = embedder.embed(PROBES)
    probes = tuple(tuple(float(value) for value in vector) for vector in vectors)
    return Fingerprint(embedder.name, vectors.shape[1], embedder.digest, probes)


def same_embedder(a: Fingerprint, b: Fingerprint) -> bool:
    """Say whether two fingerprints are of one embedder, perhaps on two machines."""
    if (a.model, a.dimension, a.digest, len(a.probes)) != (b.model, b.dimension, b.digest, len(b.probes)):
        return False
    cosines = (np.array(a.probes) * np.array(b.probes)).sum(axis=1)
    return bool((cosines >= LEAST_COSINE).all())
