"""The index: a Chroma generation, and exact search over the passages that it does not find, newer ones above all."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assistant.domain import NO_FILTERS, Filters
from assistant.errors import StoreError, StoreForbidden
from assistant.ports import Hit, Vector
from assistant.store.disk import is_full
from assistant.store.folders import hold, release
from assistant.store.generation import Generation, read_current, serves
from assistant.store.library import SqliteLibrary, StoredPassages
from assistant.store.meta import State
from assistant.store.opening import marked
from assistant.store.reaching import reaching
from assistant.store.screening import condemn, describe_fault, screen

if TYPE_CHECKING:
    from assistant.store.chroma import Collection

_PASSAGES_A_PAPER = 2

EXACTLY = 5_000
"""So many papers that pass a filter, or fewer, are searched exactly; of more, the index is asked for more."""

Within = frozenset[str] | None
"""The papers that may be found; None: all."""


@dataclass(frozen=True, slots=True)
class _Opened:
    generation: Generation
    collection: "Collection"
    handle: int | None


@dataclass(frozen=True, slots=True)
class _Outside:
    """The passages that a generation does not find, as they were at a revision of the library."""

    state: State
    generation: Generation | None
    passages: StoredPassages


class ChromaIndex:
    """An Index over the passages of a library; any number of threads may ask it.

    Where there is no generation, or Chroma cannot open it, all passages are searched exactly: right, but
    slower. So it is in a folder that cannot be written to, which Chroma does not open.
    """

    def __init__(self, store: Path, library: SqliteLibrary, tell: Callable[[str], None] = lambda line: None) -> None:
        """`tell` is given a line for the user when a generation turns out to be damaged."""
        self._store = store
        self._library = library
        self._tell = tell
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._broken: Generation | None = None
        self._outside: _Outside | None = None

    def search(self, vector: Vector, k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        """Return the k nearest papers by cosine, each once, best first."""
        with reaching(self._store):
            return self._search(vector, k, filters)

    def _search(self, vector: Vector, k: int, filters: Filters) -> tuple[Hit, ...]:
        within = None if filters == NO_FILTERS else self._library.select(filters)
        if k < 1 or within == frozenset():
            return ()
        if within is not None and len(within) <= EXACTLY:
            return _list_best(self.measure(vector, tuple(within)), k)
        # The state is read first: what is added after it is read at the next search.
        state = self._library.state()
        with self._lock:
            indexed, generation = self._search_generation(state, vector, k, within)
        exact = _rank(self._read_outside(state, generation), vector, k, within)
        return _list_best(_keep_best((*indexed.items(), *exact.items())), k)

    def measure(self, vector: Vector, paper_ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine of the nearest passage of each of the papers that exist."""
        passages = self._library.read_passages_of(paper_ids)
        if not passages.ids:
            return {}
        return _keep_best(zip(passages.paper_ids, (passages.vectors @ vector).tolist(), strict=True))

    def close(self) -> None:
        """Let go of the generation."""
        with self._lock:
            self._close_opened()
            self._outside = None

    def _search_generation(
        self, state: State, vector: Vector, k: int, within: Within
    ) -> tuple[dict[str, float], Generation | None]:
        current = self._choose_generation(state)
        if current is None:
            return {}, None
        # Until it has answered once it may take the process down, and the next one must know.
        with nullcontext() if self._opened else marked(current.locate(self._store)):
            opened = self._opened = self._opened or self._open(current)
            if opened is None:
                return {}, None
            try:
                return self._search_collection(opened.collection, vector, k, within), current
            except StoreError as error:
                self._close_opened()
                self._give_up(current, error.fault)
                return {}, None

    def _search_collection(self, collection: "Collection", vector: Vector, k: int, within: Within) -> dict[str, float]:
        # A paper may have several passages, and passages of replaced papers are still in the generation.
        wanted = k * _PASSAGES_A_PAPER
        while True:
            near = collection.nearest(vector, min(wanted, collection.size))
            papers = self._library.name_papers([id for id, _ in near])
            best = _keep_best((papers[id], cosine) for id, cosine in near if _passes(papers.get(id), within))
            if len(best) >= k or wanted >= collection.size:
                return best
            wanted *= 4

    def _choose_generation(self, state: State) -> Generation | None:
        """Return the generation that is open or may be opened."""
        current = read_current(self._store)
        if self._opened and self._opened.generation != current:
            self._close_opened()
        if current is None or current == self._broken or not serves(current, state):
            return None
        if not os.access(self._store, os.W_OK):
            return None
        return current if self._opened or self._may_open(current) else None

    def _may_open(self, generation: Generation) -> bool:
        # Chroma writes a little at each opening, and on a full disk it may never come back.
        if is_full(self._store):
            return False
        try:
            fault = screen(self._store, generation)
        except StoreForbidden as error:
            self._broken = generation
            self._tell(f"{error} The papers are searched without that index.")
            return False
        # It may have been replaced, and removed, since `current` was read.
        if fault and read_current(self._store) in {None, generation}:
            self._broken = generation
            self._tell(describe_fault(self._store, generation, fault))
        return fault == ""

    def _open(self, generation: Generation) -> _Opened | None:
        from assistant.store.chroma import Collection

        folder = generation.locate(self._store)
        handle = hold(folder)
        try:
            return _Opened(generation, Collection(folder), handle)
        except StoreError as error:
            release(handle)
            if read_current(self._store) == generation:
                self._give_up(generation, error.fault)
            return None

    def _give_up(self, generation: Generation, fault: str) -> None:
        self._broken = generation
        condemn(self._store, generation)
        self._tell(describe_fault(self._store, generation, fault))

    def _close_opened(self) -> None:
        if self._opened:
            self._opened.collection.close()
            release(self._opened.handle)
            self._opened = None

    def _read_outside(self, state: State, generation: Generation | None) -> StoredPassages:
        known = self._outside
        if known is None or (known.state, known.generation) != (state, generation):
            after, missed = (generation.last_passage, generation.missed) if generation else (0, ())
            known = _Outside(state, generation, self._library.read_passages(after, also=missed))
            self._outside = known
        return known.passages


def _passes(paper_id: str | None, within: Within) -> bool:
    return paper_id is not None and (within is None or paper_id in within)


def _list_best(cosines: Mapping[str, float], k: int) -> tuple[Hit, ...]:
    ranked = sorted(cosines.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(id, min(1.0, cosine)) for id, cosine in ranked[:k])


def _rank(passages: StoredPassages, vector: Vector, k: int, within: Within) -> dict[str, float]:
    """Return the k nearest papers with their cosines."""
    best: dict[str, float] = {}
    if not passages.ids:
        return best
    cosines = passages.vectors @ vector
    for position in np.argsort(-cosines, kind="stable"):
        if _passes(passages.paper_ids[position], within):
            best.setdefault(passages.paper_ids[position], float(cosines[position]))
        if len(best) == k:
            break
    return best


def _keep_best(scores: Iterable[tuple[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for id, score in scores:
        best[id] = max(score, best.get(id, score))
    return best
