"""Questions with known answers, written by others than the rules: what was reached stays reached."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant import Assistant
from assistant.domain import Answer, Turn
from assistant.evaluation import judge, read_questions, summarise
from assistant.evaluation.questions import predict
from assistant.evaluation.summary import Figures
from assistant.markers import MARKER

QUESTIONS = Path(__file__).parent / "questions"
PAPERS = QUESTIONS / "soil_and_water_papers.jsonl"


@dataclass(frozen=True)
class Reached:
    """What a set of questions must reach at least; false abstentions at most."""

    solved: float
    recall: float
    precision: float
    facts: float
    abstained: float
    false_abstentions: float


@pytest.fixture(scope="module")
def seeds(seeds_store: Path) -> Iterator[Assistant]:
    with Assistant(seeds_store) as assistant:
        yield assistant


@pytest.fixture(scope="module")
def soil_and_water(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    with Assistant(tmp_path_factory.mktemp("soil") / "store") as assistant:
        assistant.index([PAPERS])
        yield assistant


def measure(assistant: Assistant, path: Path) -> Figures:
    abstracts = {paper.id: f"{paper.title}\n{paper.abstract}" for paper in assistant.papers()}
    questions = read_questions(path)
    return summarise(
        [
            judge(asked, predict(asked, assistant.ask(asked.question, asked.history), 0.0), abstracts)
            for asked in questions
        ]
    )


def assert_reached(figures: Figures, reached: Reached) -> None:
    assert figures.false_quotes == 0
    assert figures.overall.solved >= reached.solved
    assert (figures.overall.recall or 0) >= reached.recall
    assert (figures.overall.precision or 0) >= reached.precision
    assert (figures.overall.facts or 0) >= reached.facts
    assert (figures.abstention_recall or 0) >= reached.abstained
    assert (figures.false_abstention or 0) <= reached.false_abstentions


def test_the_questions_over_the_seeds_are_answered_as_well_as_they_were(seeds: Assistant) -> None:
    reached = Reached(solved=0.78, recall=0.9, precision=0.89, facts=0.84, abstained=0.78, false_abstentions=0.03)
    assert_reached(measure(seeds, QUESTIONS / "seeds.jsonl"), reached)


def test_the_questions_of_another_field_are_answered_as_well_as_they_were(soil_and_water: Assistant) -> None:
    reached = Reached(solved=0.7, recall=0.9, precision=0.93, facts=0.76, abstained=0.54, false_abstentions=0.05)
    assert_reached(measure(soil_and_water, QUESTIONS / "soil_and_water.jsonl"), reached)


WORDS = st.sampled_from(
    """what which how many papers are about does TabFlex and SKIM or it them [1] [99] "quoted" NOT near(a b) $x^2$
    \\ell_1 <b> 神经 الشبكات ? ! ; : -- compare list summarise who wrote Authors 2024 % 5x the second one why not
    energy""".split()
)
ASKED = st.one_of(st.text(min_size=1, max_size=200), st.lists(WORDS, min_size=1, max_size=14).map(" ".join))


@settings(
    max_examples=int(os.environ.get("GENERATED_QUESTIONS", "1000")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(question=ASKED.filter(lambda text: text.strip()), before=st.lists(ASKED, max_size=2))
def test_whatever_is_asked_each_quote_is_verbatim_and_each_marker_has_its_source(
    seeds: Assistant, question: str, before: list[str]
) -> None:
    history = tuple(turn for text in before for turn in (Turn("user", text), Turn("assistant", f"{text} [1]")))
    assert_proven(seeds.ask(question, history))


def assert_proven(answer: Answer) -> None:
    for citation in answer.citations:
        assert citation.quotes
        assert all(citation.paper.abstract[quote.start : quote.end] == quote.text for quote in citation.quotes)
    numbers = {int(number) for marker in MARKER.findall(answer.text) for number in marker.strip("[]").split(",")}
    assert numbers == {citation.number for citation in answer.citations}
    assert answer.text.strip()
