"""The same dozen invented papers come out of every format, and what is wrong in a file is told with its place."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.corpus import read_papers
from assistant.corpus.formats import list_suffixes, tell_suffix
from assistant.domain import Paper, Skipped
from assistant.errors import CorpusError

SAMPLES = Path(__file__).parent / "samples" / "papers"
INDEX = json.loads((SAMPLES / "index.json").read_text(encoding="utf-8"))
PAPERS = {paper["id"]: paper for paper in INDEX["papers"]}


@dataclass(frozen=True)
class Sample:
    path: Path
    fields: list[str]
    papers: list[str]
    told: list[tuple[int, str]]
    refused: str


def read_index() -> Iterator[Sample]:
    for name, about in INDEX["samples"].items():
        refused = [reason for line, reason in about["skipped"] if line == "refused"]
        told = [(line, reason) for line, reason in about["skipped"] if line != "refused"]
        yield Sample(SAMPLES / name, about["fields"], about["papers"], told, "".join(refused))


EVERY = list(read_index())
GOOD = [sample for sample in EVERY if not sample.refused]
SHOWN = [sample for sample in GOOD if sample.papers and tell_suffix(sample.path) not in {".txt", ".text"}]
"""Those whose content shows what they are; plain text shows by its suffix alone."""


def show(sample: Sample) -> str:
    return sample.path.name


def take(paper: Paper, fields: list[str]) -> dict[str, object]:
    """Return the fields that a format can hold; where a list was broken into lines is not the paper's."""
    values = {
        "title": paper.title,
        "abstract": " ".join(paper.abstract.split()),
        "authors": list(paper.authors),
        "year": paper.year,
        "doi": paper.doi,
    }
    return {field: values[field] for field in fields}


def test_there_are_at_least_40_samples_and_none_is_left_out_of_the_index() -> None:
    assert len(EVERY) >= 40
    assert {path.name for path in SAMPLES.iterdir()} == {sample.path.name for sample in EVERY} | {"index.json"}


def test_there_is_a_sample_of_every_format() -> None:
    others = {".bibtex", ".isi", ".ciw", ".markdown", ".medline", ".refer", ".tab", ".tsv"}
    """Other names of formats that have a sample."""
    assert set(list_suffixes()) - {tell_suffix(sample.path) for sample in EVERY} == others


@pytest.mark.parametrize("sample", GOOD, ids=show)
def test_the_papers_of_a_sample_are_the_papers(sample: Sample) -> None:
    read = [record for record in read_papers(sample.path) if isinstance(record, Paper)]
    expected = [{field: PAPERS[id][field] for field in sample.fields} for id in sample.papers]
    assert [take(paper, sample.fields) for paper in read] == expected
    assert {paper.source for paper in read} <= {sample.path.name}


@pytest.mark.parametrize("sample", GOOD, ids=show)
def test_what_is_wrong_in_a_sample_is_told_with_line_and_reason(sample: Sample) -> None:
    told = [record for record in read_papers(sample.path) if isinstance(record, Skipped)]
    places = [(f"{sample.path}:{line}" if line else str(sample.path), reason) for line, reason in sample.told]
    assert [(skipped.place, skipped.reason) for skipped in told] == places


@pytest.mark.parametrize("sample", [sample for sample in EVERY if sample.refused], ids=show)
def test_a_sample_that_cannot_be_read_is_refused_in_a_line(sample: Sample) -> None:
    with pytest.raises(CorpusError) as caught:
        list(read_papers(sample.path))
    assert str(caught.value) == f"{sample.path}: {sample.refused}"


@pytest.mark.parametrize("sample", SHOWN, ids=show)
def test_a_sample_reads_alike_without_a_suffix(sample: Sample, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.write_bytes(sample.path.read_bytes())
    read = [take(paper, sample.fields) for paper in read_papers(bare) if isinstance(paper, Paper)]
    assert read == [{field: PAPERS[id][field] for field in sample.fields} for id in sample.papers]
