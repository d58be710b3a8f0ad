"""Records for the tests of the store: papers with everything the library keeps of them."""

import contextlib
from pathlib import Path

from assistant.domain import Paper, Passage
from assistant.ports import Embedder, Record
from assistant.store.library import SqliteLibrary
from assistant.store.manifest import read_manifest
from assistant.store.schema import NAME, create_library
from assistant.store.writing import SqliteCatalogue
from tests.fakes import FakeEmbedder, make_paper, make_sentences

PASSAGE_SIZE = 256


def make_record(paper: Paper, embedder: Embedder) -> Record:
    """Return a paper as one passage and its sentences, embedded."""
    sentences = make_sentences(paper)
    passages = (Passage(paper.id, 0, len(paper.abstract)),)
    texts = [sentence.text for sentence in sentences]
    return Record(paper, passages, embedder.embed([paper.abstract]), sentences, embedder.embed(texts))


def make_numbered(count: int, first: int = 0) -> list[Paper]:
    """Return papers that differ in every word that carries meaning."""
    numbers = range(first, first + count)
    return [make_paper(f"p{n}", f"Method m{n}x learns from corpus c{n}y. It beats rival r{n}z.") for n in numbers]


def build_library(folder: Path, *papers: Paper, embedder: Embedder | None = None) -> SqliteLibrary:
    """Make a library in the folder, with these papers in it."""
    embedder = embedder or FakeEmbedder()
    if not (folder / NAME).exists():
        create_library(folder / NAME, read_manifest(embedder, PASSAGE_SIZE))
    add_papers(folder, *papers, embedder=embedder)
    return SqliteLibrary(folder / NAME)


def add_papers(folder: Path, *papers: Paper, embedder: Embedder | None = None) -> None:
    """Add papers to the library of the folder, as another process would."""
    embedder = embedder or FakeEmbedder()
    with contextlib.closing(SqliteCatalogue(folder / NAME)) as catalogue:
        catalogue.add([make_record(paper, embedder) for paper in papers])


def remove_papers(folder: Path, *ids: str) -> None:
    """Remove papers from the library of the folder."""
    with contextlib.closing(SqliteCatalogue(folder / NAME)) as catalogue:
        catalogue.remove(ids)
