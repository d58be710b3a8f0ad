"""Any LangChain `Embeddings` object as an embedder."""

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.errors import EmbedderError
from assistant.ports import Vectors

CHARACTERS_A_PIECE = 4
"""Of English text, about: the model's own tokenizer cannot be seen."""


class Embeddings(Protocol):
    """What is asked of a LangChain `Embeddings` object."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        ...


class LangChainEmbedder:
    """Embeds with a LangChain object; questions and papers alike go through `embed_documents`."""

    def __init__(self, embeddings: Embeddings, name: str = "") -> None:
        self._embeddings = embeddings
        self._name = name or _find_name(embeddings)

    @property
    def name(self) -> str:
        """Return the name of the object's class and of its model."""
        return self._name

    @property
    def digest(self) -> str:
        """Return nothing: the model's files cannot be seen."""
        return ""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, in order, of length 1; raises EmbedderError for what is no vector."""
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        # A foreign exception may hold a key: it is neither told nor kept as the cause or context of ours.
        reason = ""
        try:
            rows = self._embeddings.embed_documents(list(texts))
        except Exception as error:
            reason = type(error).__name__
        if reason:
            raise EmbedderError(f"{self.name}: did not embed {len(texts)} texts ({reason}). Check the model.")
        return self._check(rows, len(texts))

    def count_pieces(self, text: str) -> int:
        """Return about how many word pieces a text has: a quarter of its characters, rounded up."""
        return math.ceil(len(text) / CHARACTERS_A_PIECE)

    def _check(self, rows: Sequence[Sequence[float]], expected: int) -> Vectors:
        vectors = _read_vectors(rows)
        if vectors is None:
            raise EmbedderError(f"{self.name}: returned no list of vectors of one length. Check the model.")
        if vectors.ndim != 2 or len(vectors) != expected or vectors.shape[1] == 0:
            shape = "x".join(map(str, vectors.shape)) or "no"
            raise EmbedderError(f"{self.name}: returned {shape} numbers for {expected} texts. Check the model.")
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise EmbedderError(f"{self.name}: returned a vector of zeros or with a value that is no number.")
        return np.asarray(vectors / lengths, dtype=np.float32)


def _read_vectors(rows: Sequence[Sequence[float]]) -> NDArray[np.float64] | None:
    try:
        return np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _find_name(embeddings: Embeddings) -> str:
    for attribute in ("model", "model_name", "model_id"):
        model = getattr(embeddings, attribute, None)
        if isinstance(model, str) and model:
            return f"{type(embeddings).__name__}/{model}"
    return type(embeddings).__name__
