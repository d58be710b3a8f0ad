"""Chroma, as far as we use it: one collection of vectors, written once, then only read.

Imported when the first vector is searched or the first index is built: it takes over a second.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path

import chromadb
from chromadb.api import ClientAPI
from chromadb.api.collection_configuration import CreateHNSWConfiguration, UpdateHNSWConfiguration
from chromadb.config import Settings

from assistant.errors import StoreError
from assistant.ports import Vector
from assistant.store.disk import describe_space
from assistant.store.library import StoredPassages

NAME = "passages"
AT_ONCE = 1000
"""Chroma refuses more than 5,461 in a call."""
_EF_SEARCH = 300
"""Neighbours that the graph looks at: 100 papers are asked for at a time, of up to two passages each."""
_EF_FIRST = 10
"""The same until `widen`: what finds itself among so few does so among more, and it takes a tenth of the time."""
_EF_CONSTRUCTION = 200
_MAX_NEIGHBORS = 32
"""With the usual 100 and 16 the graph lost up to 7 of 160 passages that were much alike."""
_WRITES = 8
"""Times that the files are written in a build: each time all of them, and until then all is written twice."""


class Collection:
    """One generation, opened for reading."""

    def __init__(self, path: Path) -> None:
        # Chroma makes what it does not find.
        if not (path / "chroma.sqlite3").is_file():
            raise StoreError(f"The index {path} is gone: `assistant index` builds it again.", "it is gone")
        self._path = path
        self._client: ClientAPI | None = None
        with self._explained():
            self._client = _connect(path)
            self._collection = self._client.get_collection(NAME, embedding_function=None)
            self.size = self._collection.count()

    def nearest(self, vector: Vector, k: int) -> list[tuple[int, float]]:
        """Return the ids of the k nearest passages with their cosines, best first."""
        with self._explained():
            found = self._collection.query(query_embeddings=vector.reshape(1, -1), n_results=k, include=["distances"])
        distances = found["distances"] or [[]]
        return [(int(id), 1.0 - distance) for id, distance in zip(found["ids"][0], distances[0], strict=True)]

    def find_missed(self, passages: StoredPassages) -> list[int]:
        """Return the ids of the passages that do not find themselves: the graph may not reach each one."""
        with self._explained():
            found = self._collection.query(query_embeddings=passages.vectors, n_results=min(10, self.size), include=[])
        return [id for id, near in zip(passages.ids, found["ids"], strict=True) if str(id) not in near]

    def close(self) -> None:
        """Let go of the files."""
        client, self._client = self._client, None
        if client:
            _close(client)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise StoreError for whatever Chroma raises: errors of its own, of SQLite, of pickle, and Rust's panics."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic is no Exception
            self.close()
            what = str(error).partition("\n")[0]
            raise StoreError(
                f"The index {self._path} cannot be read ({what}): `assistant index` builds it again.", what
            ) from error


def write_collection(path: Path, size: int, batches: Iterable[StoredPassages]) -> None:
    """Write passages, in the batches of `plan_batches`, into a new folder; raises StoreError.

    Until `widen` it looks at few neighbours only.
    """
    every = _plan_step(size) * _plan_group(size)
    shape = CreateHNSWConfiguration(
        space="cosine",
        ef_search=_EF_FIRST,
        ef_construction=_EF_CONSTRUCTION,
        max_neighbors=_MAX_NEIGHBORS,
        batch_size=min(100, every),
        sync_threshold=every,
    )
    with _writing(path) as client:
        collection = client.create_collection(NAME, embedding_function=None, configuration={"hnsw": shape})
        for batch in batches:
            collection.upsert(ids=[str(id) for id in batch.ids], embeddings=batch.vectors)


def widen(path: Path) -> None:
    """Let searches look at as many neighbours as they should, from the next opening on; raises StoreError."""
    shape = UpdateHNSWConfiguration(ef_search=_EF_SEARCH)
    with _writing(path) as client, warnings.catch_warnings():
        # Chroma warns of the embedding function that it has itself written down for "none".
        warnings.filterwarnings("ignore", "legacy embedding function", DeprecationWarning)
        client.get_collection(NAME, embedding_function=None).modify(configuration={"hnsw": shape})


def plan_batches(ids: Sequence[int]) -> list[Sequence[int]]:
    """Cut the ids into batches of one size; the last may repeat ids of the one before.

    Chroma writes its files after each group of batches. A remainder would be read anew at each opening.
    """
    step = _plan_step(len(ids))
    return [ids[min(first, len(ids) - step) :][:step] for first in range(0, len(ids), step)]


def _plan_group(size: int) -> int:
    return ceil(size / AT_ONCE / _WRITES)


def _plan_step(size: int) -> int:
    group = _plan_group(size)
    return ceil(size / (group * ceil(size / AT_ONCE / group)))


@contextmanager
def _writing(path: Path) -> Iterator[ClientAPI]:
    client: ClientAPI | None = None
    try:
        client = _connect(path)
        yield client
    except (StoreError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of Chroma's Rust part is no Exception
        raise StoreError(f"The index {path} cannot be written ({error}), {describe_space(path.parent)}.") from error
    finally:
        if client:
            _close(client)


def _connect(path: Path) -> ClientAPI:
    return chromadb.PersistentClient(path, settings=Settings(anonymized_telemetry=False))


def _close(client: ClientAPI) -> None:
    # Without it Chroma keeps each folder that was ever opened. Its declared type lacks the method.
    client.close()  # type: ignore[attr-defined]
