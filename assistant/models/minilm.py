"""The default embedder: all-MiniLM-L6-v2 as an int8 ONNX file that travels with the package."""

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.errors import EmbedderError
from assistant.ports import Vector, Vectors
from assistant.resources import data_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
LONGEST = 256
"""Word pieces of a text that are read; the rest of a longer text is not."""
MODEL_FILE = "all-MiniLM-L6-v2-int8.onnx"
TOKENIZER_FILE = "tokenizer.json"
SHA256 = {
    MODEL_FILE: "175a8fdcc9cb1357b25d582976d2e39a48c7a5b1700961cd1ff00540cc96108f",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
MOST_THREADS = 4


class _Session(Protocol):
    """What is asked of onnxruntime's InferenceSession, which has no types."""

    def run(self, outputs: list[str], inputs: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]: ...


class MiniLM:
    """Embeds English text on the processor; loads its files when first used and may be shared by threads."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder("embedder")
        self._lock = Lock()
        self._tokenizer: Tokenizer | None = None
        self._session: _Session | None = None

    @property
    def name(self) -> str:
        """Return the model's name."""
        return NAME

    @property
    def digest(self) -> str:
        """Return a hash of the two files, which are checked before they are used."""
        return hashlib.sha256("".join(SHA256.values()).encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, in order; an empty text has a vector too.

        Each text is run alone: int8 scales depend on the neighbours in a batch, so a batch would change them.
        """
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        tokenizer, session = self._load_tokenizer(), self._load_session()
        if len(texts) == 1:
            vectors[0] = _embed_one(tokenizer, session, texts[0])
        elif texts:
            with ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1)) as pool:
                for row, vector in enumerate(pool.map(lambda text: _embed_one(tokenizer, session, text), texts)):
                    vectors[row] = vector
        return vectors

    def count_pieces(self, text: str) -> int:
        """Return how many word pieces a text has."""
        return len(self._load_tokenizer().encode(_encodable(text), add_special_tokens=False).ids)

    def _load_tokenizer(self) -> "Tokenizer":
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _open_tokenizer(self._folder / TOKENIZER_FILE)
            return self._tokenizer

    def _load_session(self) -> _Session:
        with self._lock:
            if self._session is None:
                self._session = _open_session(self._folder / MODEL_FILE)
            return self._session


def _open_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(_read(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _open_session(path: Path) -> _Session:
    content = _read(path)
    # onnxruntime reports the machine to its makers unless it is told not to before its first import.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from onnxruntime import (  # type: ignore[import-untyped]
        InferenceSession,
        SessionOptions,
        disable_telemetry_events,
    )

    disable_telemetry_events()
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session: _Session = InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common base of their own
        reason = str(error).partition("\n")[0]
        raise EmbedderError(f"{path}: onnxruntime cannot load it ({reason}). Install onnxruntime again.") from error
    return session


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbedderError(f"{path}: cannot be read ({error.strerror}). Install paper-assistant again.") from error
    if hashlib.sha256(content).hexdigest() != SHA256[path.name]:
        raise EmbedderError(f"{path}: is not the file of {NAME} (wrong sha256). Install paper-assistant again.")
    return content


def _embed_one(tokenizer: "Tokenizer", session: _Session, text: str) -> Vector:
    ids = tokenizer.encode(_encodable(text)).ids
    if len(ids) > LONGEST + 2:  # the two marks around a text
        ids = [*ids[: LONGEST + 1], ids[-1]]
    pieces = np.array([ids], dtype=np.int64)
    (vectors,) = session.run(["sentence_embedding"], {"input_ids": pieces, "attention_mask": np.ones_like(pieces)})
    return np.asarray(vectors[0], dtype=np.float32)


def _encodable(text: str) -> str:
    """Return the text with "?" for lone surrogates, which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
