"""The doors of the core: what it asks of the outside, each satisfied by shape."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.domain import (
    NO_FILTERS,
    Event,
    Evidence,
    Filters,
    History,
    Origin,
    Paper,
    Passage,
    Sentence,
    Skipped,
)

Vector = NDArray[np.float32]
"""Shape (dimension,), of length 1."""
Vectors = NDArray[np.float32]
"""Shape (number of texts, dimension), each row of length 1."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells one embedder from another.

    Two embedders are the same when model, dimension and digest agree and their vectors of `PROBES`
    (embedding.py) have a cosine of at least .98: vectors are not the same bytes on each machine.
    """

    model: str
    dimension: int
    digest: str
    probes: tuple[tuple[float, ...], ...]


class Embedder(Protocol):
    """Turns text into vectors of length 1."""

    @property
    def name(self) -> str:
        """Return the model's name, with its provider."""
        ...

    @property
    def digest(self) -> str:
        """Return a hash of the model's files, empty where they cannot be seen."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, in order."""
        ...

    def count_pieces(self, text: str) -> int:
        """Return how many of the model's word pieces a text has."""
        ...


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper that a channel of retrieval found; scores compare within one channel only."""

    paper_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Holding:
    """A paper of the library with its sentences and their vectors, shape (sentences, dimension)."""

    paper: Paper
    sentences: tuple[Sentence, ...]
    vectors: Vectors


class Library(Protocol):
    """The papers, their sentences and the words in them."""

    def match(self, terms: Sequence[str], k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        """Return the k papers that hold the terms (text/terms.py) best: BM25, higher is better."""
        ...

    def fetch(self, paper_ids: Sequence[str]) -> tuple[Holding, ...]:
        """Return the holdings of the papers that exist, in the order of the ids."""
        ...

    def select(self, filters: Filters) -> frozenset[str]:
        """Return the ids of the papers that pass."""
        ...

    def count_holding(self, terms: Sequence[str]) -> tuple[int, ...]:
        """Return, for each term, how many papers hold it."""
        ...

    def count_papers(self) -> int:
        """Return how many papers there are."""
        ...


class Vocabulary(Protocol):
    """The terms that the papers hold."""

    def list_terms(self, first: str, shortest: int, longest: int) -> tuple[tuple[str, int], ...]:
        """Return the terms that begin so and have so many characters, each with how many papers hold it."""
        ...


@dataclass(frozen=True, slots=True)
class Record:
    """A paper with all that the library keeps of it.

    `passage_vectors` has shape (passages, dimension), `sentence_vectors` (sentences, dimension).
    """

    paper: Paper
    passages: tuple[Passage, ...]
    passage_vectors: Vectors
    sentences: tuple[Sentence, ...]
    sentence_vectors: Vectors


@dataclass(frozen=True, slots=True)
class Sighting:
    """That a paper was read somewhere: in a file that is called `source`, for a collection."""

    paper_id: str
    source: str
    origin: Origin


class Catalogue(Protocol):
    """The library as a writer sees it."""

    def papers(self) -> tuple[Paper, ...]:
        """Return every paper, in the order in which they were first added."""
        ...

    def add(self, records: Sequence[Record]) -> None:
        """Add papers, or replace those of the same id; on return they are on the disk."""
        ...

    def note(self, sightings: Sequence[Sighting]) -> None:
        """Take down where papers were read that are there, and may have been read elsewhere before."""
        ...


class Index(Protocol):
    """Finds the papers whose passages are nearest to a vector."""

    def search(self, vector: Vector, k: int, filters: Filters = NO_FILTERS) -> tuple[Hit, ...]:
        """Return the k nearest papers by cosine, each once, best first."""
        ...

    def measure(self, vector: Vector, paper_ids: Sequence[str]) -> Mapping[str, float]:
        """Return the cosine of the nearest passage of each of the papers."""
        ...


class ForeignIndex(Protocol):
    """Finds papers for questions in other languages, by vectors of an embedder that knows them."""

    @property
    def ready(self) -> bool:
        """Return whether there are vectors of any paper."""
        ...

    @property
    def fresh(self) -> bool:
        """Return whether there are vectors of every paper as it is now."""
        ...

    def search(self, vector: Vector, k: int, within: frozenset[str] | None = None) -> tuple[Hit, ...]:
        """Return the k papers, of those within, whose label or whose mean sentence is nearest, best first."""
        ...

    def fetch(self, papers: Sequence[Paper]) -> Mapping[str, Vectors]:
        """Return, for each paper that is there as it is now, the vector of its label, then one a sentence."""
        ...


class Retriever(Protocol):
    """Finds the evidence for a question."""

    def retrieve(self, question: str, k: int, filters: Filters = NO_FILTERS) -> Evidence:
        """Return at most k papers that pass the filters, best first."""
        ...


class Answerer(Protocol):
    """Writes the answer to a question from its evidence."""

    def standalone(self, question: str, history: History) -> str:
        """Return the question as it reads without the conversation before it."""
        ...

    def answer(self, question: str, evidence: Evidence) -> Iterator[Event]:
        """Yield events; the last one is the Answer. No model failure is raised."""
        ...


class Reader(Protocol):
    """Reads the papers of one file format."""

    def __call__(self, path: Path) -> Iterable[Paper | Skipped]:
        """Yield papers, and what had to be skipped, as the file has them."""
        ...


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template for a chat model: what it is told, with {name} where a value goes."""

    name: str
    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model may take, in seconds and characters.

    `first` counts until the first text, retries included; `idle` between two pieces of text; `total` from the
    first text to the last; `size` is the length of the text.
    """

    first: float = 60.0
    idle: float = 20.0
    total: float = 120.0
    size: int = 65_536


class ChatModel(Protocol):
    """Writes text for a prompt."""

    @property
    def name(self) -> str:
        """Return the model's name."""
        ...

    def stream(self, prompt: Prompt, values: Mapping[str, str], limits: Limits) -> Generator[str, None, None]:
        """Yield the text in pieces; raises ModelError when it does not come to its end.

        Closing the generator ends the request at once.
        """
        ...
