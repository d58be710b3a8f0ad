"""The measures of an evaluation, with values worked out by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.domain import Answer, Citation, Quote, Retrieved, Turn
from assistant.errors import QuestionError
from assistant.evaluation import Prediction, Question, ShownQuote, judge, read_questions, summarise
from assistant.evaluation.facts import flatten, states
from assistant.evaluation.judging import count_words
from assistant.evaluation.questions import predict
from tests.fakes import make_paper

ABSTRACTS = {
    "list#1": "Sparrow is a sparse attention method. It is 2-fold faster than dense attention\non 1,200 tasks.",
    "list#2": "Wren prunes models. It needs no training data.",
    "list#3": "Supervised learning is preferable when there is one student.",
}
FACT = Question(
    id="q1",
    category="numeric",
    question="How much faster is Sparrow?",
    papers=("list#1",),
    facts=(("2x", "twice"), ("dense attention",)),
)
RIGHT = Prediction(
    id="q1",
    answer="Sparrow is 2 times faster than dense attention [1].",
    citations=("list#1",),
    quotes=(ShownQuote("list#1", "It is 2-fold faster than dense attention on 1,200 tasks."),),
    seconds=0.2,
)
PREMISE = Question(
    id="q2",
    category="unanswerable",
    question="Why is distillation always better?",
    answerable=False,
    acceptable=("list#3",),
    correction=("supervised learning is preferable",),
)
CORRECTED = Prediction(
    id="q2",
    answer="It is not: supervised learning is preferable with one student [1].",
    citations=("list#3",),
    quotes=(ShownQuote("list#3", "Supervised learning is preferable"),),
)


@pytest.mark.parametrize(
    ("written", "flat"),
    [
        ("2 times, 2-fold and $2\\times$", "2x, 2x and 2x"),
        ("×3 and x 3.5", "3x and 3.5x"),
        ("12 percent, 12 Prozent, 12 %", "12%, 12%, 12%"),
        ("1,200 and 12,00", "1200 and 12,00"),
        ("**Non-Negative** _factors_", "non negative factors"),
        (r"\frac{1}{2} of \mathcal{O}(\sqrt{n})", "1/2 of osqrtn"),
        ("naïve “words” it’s", 'naive "words" it\'s'),
        ("GPT + data / cost", "gpt+data/cost"),
    ],
)
def test_figures_formulas_and_hyphens_are_flattened_to_one_form(written: str, flat: str) -> None:
    assert flatten(written) == flat


@pytest.mark.parametrize(
    ("text", "wording", "holds"),
    [
        ("it takes 15 steps", "5", False),
        ("it takes 1.5 steps", "5", False),
        ("it takes 5 steps", "5", True),
        ("up to 97.1 points", "97", False),
        ("about 97. Next", "97", True),
        ("the condensed graph", "condens", True),
        ("precondensed graph", "condens", False),
        ("two LLMs", "LLM", True),
        ("the SSTable format", "SST", False),
        ("on behalf of", "half", False),
        ("anything", "$$", False),
    ],
)
def test_a_wording_stands_in_a_text_only_as_a_whole_figure_or_name(text: str, wording: str, holds: bool) -> None:
    assert states(flatten(text), wording) is holds


def test_markers_and_lone_punctuation_are_not_words() -> None:
    assert count_words("It is 2x faster [1][2] - really.") == 5


def test_an_answer_that_cites_states_and_proves_is_solved() -> None:
    judged = judge(FACT, RIGHT, ABSTRACTS)
    assert judged.solved
    assert (judged.recall, judged.precision, judged.facts, judged.false_quotes) == (1.0, 1.0, 1.0, 0)


@pytest.mark.parametrize(
    ("prediction", "faults"),
    [
        (replace(RIGHT, abstained=True), ("abstained",)),
        (
            replace(RIGHT, citations=("list#2",)),
            ("not cited: list#1", "also cited: list#2", "no quote from: list#2"),
        ),
        (
            replace(RIGHT, citations=("list#1", "list#2")),
            ("also cited: list#2", "no quote from: list#2"),
        ),
        (replace(RIGHT, answer="It is 3x faster than dense attention [1]."), ("facts missing: 2x",)),
        (
            replace(RIGHT, quotes=(ShownQuote("list#1", "It is 2-fold faster"),)),
            ("facts without a quote: dense attention",),
        ),
        (
            replace(RIGHT, quotes=(ShownQuote("list#1", "It is 3-fold faster"),)),
            ("no quote from: list#1", "facts without a quote: 2x, dense attention"),
        ),
        (replace(RIGHT, answer=RIGHT.answer + " word" * 60), ("68 words, limit 60",)),
        (
            Prediction("q1"),
            ("not cited: list#1", "facts missing: 2x, dense attention"),
        ),
    ],
)
def test_each_fault_of_an_answer_is_told(prediction: Prediction, faults: tuple[str, ...]) -> None:
    judged = judge(FACT, prediction, ABSTRACTS)
    assert judged.faults == faults
    assert not judged.solved


def test_a_quote_of_two_words_proves_no_citation() -> None:
    short = replace(RIGHT, quotes=(ShownQuote("list#1", "dense attention"), ShownQuote("list#1", "2-fold")))
    assert judge(FACT, short, ABSTRACTS).faults == ("no quote from: list#1",)


def test_white_space_is_not_part_of_what_makes_a_quote_verbatim() -> None:
    spaced = replace(RIGHT, quotes=(ShownQuote("list#1", "It is 2-fold  faster than dense attention on 1,200"),))
    assert judge(FACT, spaced, ABSTRACTS).solved


def test_a_false_quote_and_a_quote_of_another_paper_are_counted() -> None:
    quotes = (*RIGHT.quotes, ShownQuote("list#1", "It is slower."), ShownQuote("list#2", "Sparrow is a sparse"))
    judged = judge(FACT, replace(RIGHT, quotes=quotes), ABSTRACTS)
    assert judged.false_quotes == 2
    assert judged.solved


def test_a_survey_may_miss_a_fifth_of_its_papers_and_cite_three_others_in_ten() -> None:
    ids = tuple(f"s#{n}" for n in range(1, 6))
    abstracts = dict.fromkeys((*ids, "other#1", "other#2"), "A paper about pruning models.")
    survey = Question("q", "survey", "Which papers prune?", papers=ids, facts=(("prun",),))

    def reply(*cited: str) -> Prediction:
        return Prediction("q", "They prune.", cited, quotes=tuple(ShownQuote(c, abstracts[c]) for c in cited))

    assert judge(survey, reply(*ids[:4]), abstracts).solved
    assert judge(survey, reply(*ids[:3]), abstracts).faults == ("not cited: s#4, s#5",)
    assert judge(survey, reply(*ids[:4], "other#1"), abstracts).precision == 0.8
    too_many = judge(survey, reply(*ids[:4], "other#1", "other#2"), abstracts)
    assert too_many.faults == ("also cited: other#1, other#2",)


def test_an_unanswerable_question_is_solved_by_abstaining_or_by_a_proven_correction() -> None:
    assert judge(PREMISE, Prediction("q2", "The corpus does not say.", abstained=True), ABSTRACTS).solved
    assert judge(PREMISE, CORRECTED, ABSTRACTS).solved


@pytest.mark.parametrize(
    ("prediction", "fault"),
    [
        (replace(CORRECTED, quotes=()), "neither abstained nor corrected"),
        (replace(CORRECTED, citations=()), "neither abstained nor corrected"),
        (replace(CORRECTED, answer="Because it is [1]."), "neither abstained nor corrected"),
        (replace(CORRECTED, answer=CORRECTED.answer + " word" * 91), "101 words, limit 100"),
    ],
)
def test_a_correction_without_its_proof_or_at_length_solves_nothing(prediction: Prediction, fault: str) -> None:
    assert judge(PREMISE, prediction, ABSTRACTS).faults == (fault,)


def test_an_unanswerable_question_has_no_recall_to_average() -> None:
    judged = judge(PREMISE, CORRECTED, ABSTRACTS)
    assert (judged.recall, judged.precision, judged.facts) == (None, None, None)


def test_a_summary_counts_by_category_and_overall() -> None:
    judgements = [
        judge(FACT, RIGHT, ABSTRACTS),
        judge(replace(FACT, id="q3", papers=("list#1", "list#2")), replace(RIGHT, seconds=0.4), ABSTRACTS),
        judge(PREMISE, Prediction("q2", "No.", abstained=True, seconds=0.9), ABSTRACTS),
    ]
    figures = summarise(judgements)
    numeric, unanswerable = figures.categories
    assert (numeric.category, numeric.questions, numeric.solved) == ("numeric", 2, 0.5)
    assert (numeric.recall, numeric.precision, numeric.facts, numeric.words) == (0.75, 1.0, 1.0, 8)
    assert (unanswerable.recall, unanswerable.solved, unanswerable.abstained) == (None, 1.0, 1.0)
    assert figures.overall.questions == 3
    assert figures.overall.solved == pytest.approx(2 / 3)
    assert (figures.abstention_recall, figures.false_abstention) == (1.0, 0.0)
    assert (figures.quotes, figures.false_quotes) == (2, 0)
    assert (figures.seconds_p50, figures.seconds_p95) == (0.4, 0.4)


def test_a_summary_without_times_or_answerable_questions_says_none() -> None:
    figures = summarise([judge(PREMISE, CORRECTED, ABSTRACTS)])
    assert (figures.seconds_p50, figures.seconds_p95) == (None, None)
    assert (figures.overall.recall, figures.false_abstention, figures.abstention_recall) == (None, None, 0.0)


def test_a_prediction_holds_what_the_answer_showed() -> None:
    paper, other = make_paper("list#1"), make_paper("list#2")
    answer = Answer(
        question=FACT.question,
        standalone=FACT.question,
        text="We propose Sparrow [1].",
        citations=(Citation(1, paper, "Sparrow", (Quote("We propose Sparrow", 0, 18),)),),
        retrieved=(Retrieved(paper, "Sparrow", 0.9), Retrieved(other, "Wren", 0.2)),
    )
    assert predict(FACT, answer, 0.5) == Prediction(
        id="q1",
        answer="We propose Sparrow [1].",
        citations=("list#1",),
        quotes=(ShownQuote("list#1", "We propose Sparrow"),),
        seconds=0.5,
        answerer="extractive",
        retrieved=("list#1", "list#2"),
    )


LINE = {"id": "q", "category": "fact", "question": "Why?", "papers": ["a#1"], "facts": [["x"]], "answerable": True}


def test_questions_are_read_with_their_history_and_corrections(place: Path) -> None:
    full = {
        **LINE,
        "history": [{"role": "user", "content": "What is it?"}, {"role": "assistant", "content": "A bird."}],
        "acceptable": ["a#2"],
        "correction": ["it is not"],
    }
    path = place / "questions.jsonl"
    path.write_text("\ufeff" + json.dumps(full) + "\n\n" + json.dumps({**LINE, "id": "r"}), encoding="utf-8")
    first, second = read_questions(path)
    assert first.history == (Turn("user", "What is it?"), Turn("assistant", "A bird."))
    assert (first.facts, first.acceptable, first.correction) == ((("x",),), ("a#2",), ("it is not",))
    assert (second.id, second.history) == ("r", ())


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        (json.dumps({**LINE, "id": 7}), "'id' must be a text that is not empty"),
        (json.dumps({**LINE, "question": " "}), "'question' must be a text that is not empty"),
        (json.dumps({**LINE, "answerable": "yes"}), "'answerable' must be true or false"),
        (json.dumps({**LINE, "papers": "a#1"}), "'papers' must be a list of texts"),
        (json.dumps({**LINE, "papers": []}), "an answerable question needs 'papers', the ids to cite"),
        (json.dumps({**LINE, "facts": {}}), "'facts' must be a list of lists of texts"),
        (json.dumps({**LINE, "facts": ["x"]}), "'facts' must be a list of texts"),
        (json.dumps({**LINE, "facts": [[]]}), "each of 'facts' needs at least one wording"),
        (json.dumps({**LINE, "history": "x"}), "'history' must be a list of turns"),
        (json.dumps({**LINE, "history": [{"role": "system", "content": "x"}]}), "a turn of 'history' needs a 'role'"),
    ],
)
def test_a_bad_line_is_named_by_path_and_number(place: Path, line: str, fault: str) -> None:
    path = place / "questions.jsonl"
    path.write_text(json.dumps({**LINE, "id": "good"}) + "\n" + line, encoding="utf-8")
    with pytest.raises(QuestionError) as caught:
        read_questions(path)
    assert str(caught.value).startswith(f"{path}:2: {fault}")


def test_an_id_given_twice_is_refused(place: Path) -> None:
    path = place / "questions.jsonl"
    path.write_text((json.dumps(LINE) + "\n") * 2, encoding="utf-8")
    with pytest.raises(QuestionError, match=r":2: the id 'q' is given twice"):
        read_questions(path)


def test_a_missing_an_empty_a_binary_file_and_a_folder_are_refused_by_name(place: Path) -> None:
    (place / "empty.jsonl").write_text("\n")
    (place / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    for name, fault in (
        ("missing.jsonl", "there is no such file"),
        ("empty.jsonl", "holds no questions"),
        ("binary.jsonl", "not a file of UTF-8 text"),
        (".", "cannot be read"),
    ):
        with pytest.raises(QuestionError, match=fault) as caught:
            read_questions(place / name)
        assert str(place) in str(caught.value)
