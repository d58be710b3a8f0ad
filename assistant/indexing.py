"""Puts papers into the library: compares them with what is there, and embeds only what is new."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from assistant.chunking import PASSAGE_SIZE, SplitLong, chunk, passage_text
from assistant.domain import Likeness, Paper, Progress, Report, Show, Skipped
from assistant.errors import EmbedderError
from assistant.identity import Register
from assistant.ports import Catalogue, Embedder, Record, Sighting

AT_ONCE = 64
"""Papers of one transaction: what an interruption can cost, and whose vectors are in memory."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class Comparison:
    """What is to be done with the papers that were read, and where those were seen that are here or will be."""

    wanted: list[Paper] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    standings: Counter[str] = field(default_factory=Counter)
    sightings: list[Sighting] = field(default_factory=list)
    likenesses: tuple[Likeness, ...] = ()

    def report(self) -> Report:
        """Return what was found."""
        done = self.standings
        counts = (done["new"], done["same"], done["updated"], done["merged"])
        return Report(*counts, skipped=tuple(self.skipped), likenesses=self.likenesses)


def index_papers(
    papers: Iterable[Paper | Skipped],
    catalogue: Catalogue,
    embedder: Embedder,
    split_long: SplitLong,
    show: Show = lambda progress: None,
) -> Report:
    """Add the papers that are new or changed, and return what was done with each.

    Whatever stops it, each batch that was added stays; the same call again embeds only the rest.
    The report's `embedded` counts texts: passages and sentences.
    """
    started = perf_counter()
    compared = compare(papers, catalogue.papers())
    embedded = carry_out(compared, catalogue, embedder, split_long, show)
    return replace(compared.report(), embedded=embedded, seconds=perf_counter() - started)


def compare(papers: Iterable[Paper | Skipped], known: Iterable[Paper]) -> Comparison:
    """Return how papers that were read stand to those known; nothing is changed."""
    compared, register = Comparison(), Register(known)
    for standing, paper in register.place(_sift(papers, compared.skipped)):
        compared.standings[standing] += 1
        if standing in {"new", "updated"}:
            compared.wanted.append(paper)
        if paper.origin:
            compared.sightings.append(Sighting(paper.id, paper.source, paper.origin))
    compared.likenesses = tuple(register.find_likenesses())
    return compared


def carry_out(
    compared: Comparison,
    catalogue: Catalogue,
    embedder: Embedder,
    split_long: SplitLong,
    show: Show = lambda progress: None,
) -> int:
    """Add what is new or changed, and take down where each paper was seen; return how many texts were embedded."""
    embedded = add_papers(compared.wanted, catalogue, embedder, split_long, show)
    catalogue.note(compared.sightings)
    return embedded


def add_papers(
    papers: Sequence[Paper],
    catalogue: Catalogue,
    embedder: Embedder,
    split_long: SplitLong,
    show: Show = lambda progress: None,
) -> int:
    """Add papers as they are, new or not, in batches; return how many texts were embedded for them."""
    embedded, total = 0, len(papers)
    for first in range(0, total, AT_ONCE):
        show(Progress("embedding", first, total))
        records = make_records(papers[first : first + AT_ONCE], embedder, split_long)
        catalogue.add(records)
        embedded += sum(len(record.passages) + len(record.sentences) for record in records)
    show(Progress("embedding", total, total))
    return embedded


def _sift(papers: Iterable[Paper | Skipped], skipped: list[Skipped]) -> Iterator[Paper]:
    for paper in papers:
        if isinstance(paper, Skipped):
            skipped.append(paper)
        elif reason := _find_fault(paper):
            skipped.append(Skipped(ascii(paper.id), reason))
        else:
            yield paper


def _find_fault(paper: Paper) -> str:
    """Return why a paper cannot be kept, empty if it can: readers see to it, other callers may not."""
    if not paper.abstract.strip():
        return "no abstract"
    extra = [part for pair in paper.extra for part in pair]
    texts = (paper.id, paper.abstract, paper.title, *paper.authors, paper.venue, paper.url, paper.doi, paper.source)
    return "it holds a broken character" if _SURROGATE.search("".join((*texts, *extra))) else ""


def make_records(papers: Sequence[Paper], embedder: Embedder, split_long: SplitLong) -> list[Record]:
    """Return papers cut and embedded, in one call, since a model behind a network is best asked once."""
    parts = [(paper, *chunk(paper, PASSAGE_SIZE, embedder.count_pieces, split_long)) for paper in papers]
    texts: list[str] = []
    for paper, passages, sentences in parts:
        texts += [passage_text(paper, passage) for passage in passages]
        texts += [sentence.text for sentence in sentences]
    vectors = embedder.embed(texts)
    if len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise EmbedderError(
            f"The embedder {embedder.name} gave no usable vectors for {papers[0].id} and those after it."
        )
    records = []
    for paper, passages, sentences in parts:
        own, vectors = vectors[: len(passages) + len(sentences)], vectors[len(passages) + len(sentences) :]
        records.append(Record(paper, passages, own[: len(passages)], sentences, own[len(passages) :]))
    return records
