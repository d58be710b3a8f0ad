"""Vectors as the library keeps them: half floats for passages, signed bytes for sentences.

Every vector has length 1, so a byte needs no scale beside it: what is read is brought back to length 1.
"""

from collections.abc import Sequence

import numpy as np

from assistant.errors import StoreDamaged
from assistant.ports import Vectors

NO_VECTORS = "The library holds vectors that are none: `assistant check --repair` makes them anew."


def pack_halves(vectors: Vectors) -> list[bytes]:
    """Return each vector as half floats."""
    return [row.tobytes() for row in vectors.astype("<f2")]


def unpack_halves(blobs: Sequence[bytes]) -> Vectors:
    """Return the vectors that `pack_halves` packed."""
    return _normalize(_stack(blobs, "<f2"))


def pack_bytes(vectors: Vectors) -> list[bytes]:
    """Return each vector as signed bytes, its largest component as 127."""
    largest = np.abs(vectors).max(axis=1, initial=0, keepdims=True)
    largest[largest == 0] = 1
    return [row.tobytes() for row in np.rint(vectors * (127 / largest)).astype(np.int8)]


def unpack_bytes(blobs: Sequence[bytes]) -> Vectors:
    """Return the vectors that `pack_bytes` packed."""
    return _normalize(_stack(blobs, "i1"))


def _stack(blobs: Sequence[bytes], kind: str) -> Vectors:
    if not blobs:
        return np.zeros((0, 0), dtype=np.float32)
    try:
        if len(set(map(len, blobs))) == 1:
            return np.frombuffer(b"".join(blobs), dtype=kind).reshape(len(blobs), -1).astype(np.float32)
    except (ValueError, TypeError) as error:
        raise StoreDamaged(NO_VECTORS) from error
    raise StoreDamaged(NO_VECTORS)


def _normalize(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths, dtype=np.float32)
