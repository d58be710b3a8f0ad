import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import typer

from assistant import Assistant
from assistant.cli import run
from assistant.cli.filtering import read_years
from assistant.domain import Filters
from assistant.errors import PaperMissing
from assistant.ports import Hit
from assistant.retrieval.duplicates import put_repeats_last
from assistant.settings import Settings
from assistant.store import index as index_module
from tests.fakes import FakeEmbedder, make_holding, make_paper

RECORDS = (
    {"id": "a", "abstract": "Corals bleach in warm water.", "year": 2021, "venue": "ICML", "authors": ["Ann Müller"]},
    {
        "id": "b",
        "abstract": "Warm water bleaches coral reefs.",
        "year": 2024,
        "venue": "NeurIPS",
        "authors": ["Bo Wang"],
    },
    {"id": "c", "abstract": "Sea urchins graze on algae in warm water.", "venue": "ICML 2025"},
)


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    (tmp_path / "reefs.jsonl").write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    (tmp_path / "more.txt").write_text("More\n\nWarm water is less dense than cold water.\n", encoding="utf-8")
    with Assistant(tmp_path / "store", settings=Settings(), embedder=FakeEmbedder()) as made:
        made.index([tmp_path / "reefs.jsonl", tmp_path / "more.txt"])
        yield made


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (Filters(), {"a", "b", "c", "more#1"}),
        (Filters(first_year=2022), {"b"}),
        (Filters(first_year=2021, last_year=2021), {"a"}),
        (Filters(venue="icml"), {"a", "c"}),
        (Filters(author="MÜLLER"), {"a"}),
        (Filters(author="wang"), {"b"}),
        (Filters(source="more"), {"more#1"}),
        (Filters(only=("a", "c")), {"a", "c"}),
        (Filters(without=("a",)), {"b", "c", "more#1"}),
        (Filters(venue="icml", without=("c",)), {"a"}),
        (Filters(venue="100%"), set()),
    ],
)
@pytest.mark.parametrize("exactly", [5_000, 0])
def test_only_papers_that_pass_are_found(
    assistant: Assistant, filters: Filters, found: set[str], exactly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "EXACTLY", exactly)
    evidence = assistant.retrieve("warm water", 4, filters)
    assert {paper.paper.id for paper in evidence.papers} == found


def test_filters_are_applied_before_ranking_so_a_lone_paper_is_found_at_k_1(assistant: Assistant) -> None:
    evidence = assistant.retrieve("corals bleach in warm water", 1, Filters(only=("c",)))
    assert [paper.paper.id for paper in evidence.papers] == ["c"]


def test_an_answer_rests_on_papers_that_pass(assistant: Assistant) -> None:
    answer = assistant.ask("Which papers are on warm water?", filters=Filters(only=("b",)))
    assert {found.paper.id for found in answer.retrieved} == {"b"}


@pytest.mark.parametrize(
    ("text", "years"),
    [("2024", (2024, 2024)), ("2023-2025", (2023, 2025)), ("2023-", (2023, None)), ("-2020", (None, 2020))],
)
def test_years_are_read(text: str, years: tuple[int | None, int | None]) -> None:
    assert read_years(text) == years


@pytest.mark.parametrize("text", ["", "-", "24", "20232025", "soon"])
def test_what_is_no_year_is_refused_with_examples(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="2023-2025"):
        read_years(text)


def test_the_command_line_filters(seeds_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "quantization", "--source", "001_", "--k", "3", "--json", "--store", str(seeds_store)]) == 0
    ids = [found["paper_id"] for found in json.loads(capsys.readouterr().out)["papers"]]
    assert ids
    assert all(id.startswith("001_") for id in ids)
    assert run(["search", "quantization", "--year", "soon", "--store", str(seeds_store)]) == 2


def test_the_papers_nearest_to_one_are_listed_without_it(assistant: Assistant) -> None:
    assert assistant.similar("a", 2)[0].paper.id == "b"
    assert "a" not in {near.paper.id for near in assistant.similar("a", 10)}
    with pytest.raises(PaperMissing):
        assistant.similar("nowhere")


def test_the_command_line_lists_similar_papers(seeds_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["similar", "000_7fa5d757957c3112#8", "--k", "2", "--store", str(seeds_store)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_paper_that_repeats_a_better_one_comes_after_the_others() -> None:
    embedder = FakeEmbedder()
    texts = ("Corals bleach in warm water.", "In warm water corals bleach.", "Urchins graze.", "Worms live in vents.")
    holdings = {name: make_holding(make_paper(name, text), embedder) for name, text in zip("abcd", texts, strict=True)}
    hits = [Hit(name, score) for name, score in zip("abcd", np.linspace(1, 0.5, 4).tolist(), strict=True)]
    assert [hit.paper_id for hit in put_repeats_last(hits, holdings, 2)] == ["a", "c", "b", "d"]
    assert [hit.paper_id for hit in put_repeats_last(hits, holdings, 4)] == ["a", "c", "d", "b"]
