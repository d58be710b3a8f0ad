"""Times indexing and questions by the size of the library, beside the plain LangChain and Chroma way.

    python benchmarks/speed.py --corpus corpus.jsonl --sizes 1000,8000 [--embed 300] [--json OUT]

A library of a size is made of the corpus's abstracts and, beyond them, of copies with a tenth of the words drawn
from other abstracts. Only the first --embed papers are embedded, which gives the rate; the others get
the vectors of those, perturbed: a search costs the same whatever the numbers in a vector. So figures of
quality are not to be had from it.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.chunking import PASSAGE_SIZE, chunk, passage_text
from assistant.corpus import read_papers
from assistant.domain import Filters, Paper
from assistant.models.minilm import MiniLM
from assistant.models.splitter import split_long
from assistant.ports import Embedder, Record, Vectors
from assistant.retrieval.hybrid import HybridRetriever
from assistant.store import open_store

QUESTIONS = 200
K = 12
BATCH = 500
PARTS = ("query", "query CPU", "embed", "candidates", "rerank")
Figures = dict[str, float]


class Timed:
    """Passes calls on and adds up the seconds that they take."""

    def __init__(self, inner: object) -> None:
        self._inner = inner
        self.seconds = 0.0

    def __getattr__(self, name: str) -> object:
        found = getattr(self._inner, name)
        return self._time(found) if callable(found) else found

    def _time(self, call: Callable[..., object]) -> Callable[..., object]:
        def timed(*given: object, **named: object) -> object:
            start = time.perf_counter()
            try:
                return call(*given, **named)
            finally:
                self.seconds += time.perf_counter() - start

        return timed


def make_papers(corpus: Path, size: int) -> list[Paper]:
    """Return so many papers: those of the corpus, then copies of them with other words in places."""
    real = [paper for paper in read_papers(corpus) if isinstance(paper, Paper)]
    chance = random.Random(0)
    words = [word for paper in real[:2_000] for word in paper.abstract.split()]
    papers = [replace(paper, year=paper.year or 2000 + number % 25) for number, paper in enumerate(real[:size])]
    for number in range(len(papers), size):
        model = real[number % len(real)]
        other = " ".join(
            word if word.endswith(".") or chance.random() > 0.1 else chance.choice(words).rstrip(".")
            for word in model.abstract.split()
        )
        papers.append(replace(model, id=f"copy:{number}", abstract=other, year=2000 + number % 25))
    return papers


def time_embedding(papers: Sequence[Paper], embedder: Embedder) -> tuple[list[Record], Figures]:
    """Return the records of papers, and what the bare embedder and the rest of indexing took a paper."""
    start, cpu = time.perf_counter(), time.process_time()
    parts = [(paper, *chunk(paper, PASSAGE_SIZE, embedder.count_pieces, split_long)) for paper in papers]
    cut = time.process_time() - cpu
    texts = [
        text
        for paper, passages, sentences in parts
        for text in (*(passage_text(paper, passage) for passage in passages), *(cut.text for cut in sentences))
    ]
    start = time.perf_counter()
    vectors = embedder.embed(texts)
    seconds = time.perf_counter() - start
    records = []
    for paper, passages, sentences in parts:
        own, vectors = vectors[: len(passages) + len(sentences)], vectors[len(passages) + len(sentences) :]
        records.append(Record(paper, passages, own[: len(passages)], sentences, own[len(passages) :]))
    return records, {
        "bare embedder, papers/s": len(papers) / seconds,
        "chunking, CPU ms a paper": 1000 * cut / len(papers),
    }


def perturb(papers: Sequence[Paper], models: Sequence[Record], embedder: Embedder) -> Iterator[Record]:
    """Yield a record a paper, its vectors those of embedded papers with noise."""
    random_numbers = np.random.default_rng(0)
    passages_known = np.concatenate([record.passage_vectors for record in models])
    sentences_known = np.concatenate([record.sentence_vectors for record in models])
    width = sentences_known.shape[1]

    def draw(known: Vectors, count: int) -> Vectors:
        rows = known[random_numbers.integers(0, len(known), count)] + random_numbers.normal(0, 0.03, (count, width))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    for paper in papers:
        # The words are counted instead of the word pieces, which are a third more.
        passages, sentences = chunk(paper, PASSAGE_SIZE * 3 // 4, lambda text: len(text.split()), split_long)
        yield Record(
            paper, passages, draw(passages_known, len(passages)), sentences, draw(sentences_known, len(sentences))
        )


def measure_size(papers: Sequence[Paper], models: Sequence[Record], embedder: MiniLM, folder: Path) -> Figures:
    """Build a library, and ask it titles and sentences of its own."""
    figures: Figures = {"papers": len(papers)}
    with open_store(folder) as store:
        with store.writer(embedder, PASSAGE_SIZE) as writer:
            made = list(models[: len(papers)])
            spent = 0.0
            rest = perturb(papers[len(made) :], models, embedder)
            while made:
                cpu = time.process_time()
                writer.catalogue.add(made)
                spent += time.process_time() - cpu
                made = [record for record, _ in zip(rest, range(BATCH), strict=False)]
            start = time.perf_counter()
            writer.refresh_index()
            figures["library, CPU ms a paper"] = 1000 * spent / len(papers)
            figures["Chroma build, s"] = time.perf_counter() - start
        figures["disk, MB"] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
        library, index, timed_embedder = Timed(store.library), Timed(store.index), Timed(embedder)
        retriever = HybridRetriever(library, index, timed_embedder)  # type: ignore[arg-type]
        questions = [
            paper.title or paper.abstract.split(". ")[0] for paper in papers[:: max(1, len(papers) // QUESTIONS)]
        ]
        retriever.retrieve("warm up", K)
        for name, filters in (("", Filters()), (" with a filter", Filters(first_year=2005, last_year=2020))):
            spans = []
            for question in questions[:QUESTIONS]:
                library.seconds = index.seconds = timed_embedder.seconds = 0.0
                start, cpu = time.perf_counter(), time.process_time()
                retriever.retrieve(question, K, filters)
                total, cpu = time.perf_counter() - start, time.process_time() - cpu
                parts = (timed_embedder.seconds, index.seconds + library.seconds)
                spans.append((total, cpu, *parts, total - sum(parts)))
            for label, column in zip(PARTS, zip(*spans, strict=True), strict=True):
                figures[f"{label}{name} p50, ms"], figures[f"{label}{name} p95, ms"] = (
                    1000 * float(value) for value in np.percentile(column, [50, 95])
                )
    figures["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def measure_plain(papers: Sequence[Paper], embedder: MiniLM, folder: Path) -> Figures:
    """Do as tutorials do with the same embedder: chunks of 1,000 characters in Chroma, the four nearest."""
    from langchain_core.embeddings import Embeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Wrapped(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [row.tolist() for row in embedder.embed(texts)]

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    try:
        from langchain_chroma import Chroma  # type: ignore[import-not-found]
    except ImportError:
        print("langchain-chroma is not installed: the plain way is left out", file=sys.stderr)
        return {}
    splitter = RecursiveCharacterTextSplitter(chunk_size=1_000, chunk_overlap=200)
    start = time.perf_counter()
    chunks = splitter.create_documents([f"{paper.title}\n{paper.abstract}" for paper in papers])
    store = Chroma.from_documents(chunks, Wrapped(), persist_directory=str(folder))
    figures = {"papers/s": len(papers) / (time.perf_counter() - start)}
    spans = []
    for paper in papers:
        start = time.perf_counter()
        store.similarity_search(paper.title or paper.abstract[:80], k=4)
        spans.append(time.perf_counter() - start)
    figures["query p50, ms"], figures["query p95, ms"] = (1000 * float(x) for x in np.percentile(spans, [50, 95]))
    return figures


def print_figures(title: str, figures: Mapping[str, float]) -> None:
    """Print one column of figures."""
    print(f"\n{title}")
    for name, value in figures.items():
        print(f"  {name:40}{value:12.2f}")


def main() -> None:
    """Measure each size, print, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--sizes", default="1000,8000")
    parser.add_argument("--embed", type=int, default=300, help="papers that are really embedded")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    papers, embedder = make_papers(given.corpus, max(sizes)), MiniLM()
    models, embedding = time_embedding(papers[: given.embed], embedder)
    results: dict[str, Figures] = {"embedding": embedding}
    print_figures(f"embedding, {given.embed} papers", embedding)
    with tempfile.TemporaryDirectory() as folder:
        for size in sorted(sizes):
            results[str(size)] = measure_size(papers[:size], models, embedder, Path(folder) / str(size))
            print_figures(f"{size:,} papers", results[str(size)])
        results["plain"] = measure_plain(papers[: given.embed], embedder, Path(folder) / "plain")
        print_figures(f"plain LangChain and Chroma, {given.embed} papers", results["plain"])
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
