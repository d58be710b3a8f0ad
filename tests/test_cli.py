"""The command line over the seeds, and over what goes wrong."""

import io
import json
import socket
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant import cli
from tests.openai_server import refuse_key, serve

QUESTION = "How much faster is TabFlex than XGBoost?"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command printed, said meanwhile on stderr, and its exit code."""

    code: int
    output: str
    notes: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs a command in this process, with an input and settings."""

    def run(*arguments: str | Path, stdin: str = "", **settings: str) -> Outcome:
        output, notes = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch, redirect_stdout(output), redirect_stderr(notes):
            patch.setattr("sys.stdin", io.StringIO(stdin))
            for name, value in settings.items():
                patch.setenv(name, value)
            code = cli.run([str(argument) for argument in arguments])
        return Outcome(code, output.getvalue(), notes.getvalue())

    return run


def refused(outcome: Outcome, *parts: str, code: int = 1) -> None:
    """Check that a command ended with one line on stderr that holds the parts, and nothing else."""
    assert (outcome.code, outcome.output) == (code, "")
    assert outcome.notes.startswith("error: ")
    assert outcome.notes.count("\n") == 1
    for part in parts:
        assert part in outcome.notes


def test_an_answer_is_shown_with_its_sources_and_their_words(run: Run, seeds_store: Path) -> None:
    outcome = run("--store", seeds_store, "ask", QUESTION)
    assert (outcome.code, outcome.notes) == (0, "")
    text, _, sources = outcome.output.partition("\nSources\n")
    assert "1.5" in text
    assert sources.startswith("[1] ")
    assert "(001_0cc1cb446cb33a97#2)" in sources
    assert "    “" in sources


def test_words_that_are_not_quoted_are_one_question(run: Run, seeds_store: Path) -> None:
    outcome = run("ask", "--store", seeds_store, "--json", *QUESTION.split())
    assert json.loads(outcome.output)["question"] == QUESTION


def test_an_answer_as_json_quotes_the_abstract_word_for_word(run: Run, seeds_store: Path) -> None:
    outcome = run("ask", QUESTION, "--json", "--k", "3", "--store", seeds_store)
    answer = json.loads(outcome.output)
    keys = "question answer abstained answerer seconds citations retrieved reason notice removed_markers sentences"
    assert list(answer) == keys.split()
    assert (answer["abstained"], answer["answerer"]) == (False, "extractive")
    assert len(answer["retrieved"]) == 3
    citation = answer["citations"][0]
    paper = json.loads(run("papers", citation["paper_id"], "--json", "--store", seeds_store).output)
    for quote in citation["quotes"]:
        assert paper["abstract"][quote["start"] : quote["end"]] == quote["text"]


def test_an_abstention_is_no_error(run: Run, seeds_store: Path) -> None:
    outcome = run("ask", "Who won the football world cup in 1998?", "--json", "--store", seeds_store)
    answer = json.loads(outcome.output)
    assert (outcome.code, answer["abstained"], answer["citations"]) == (0, True, [])
    assert answer["reason"]


def test_piped_lines_are_one_conversation(run: Run, seeds_store: Path) -> None:
    lines = f"What is TabFlex?\n\nHow much faster is it than XGBoost?\n{'x' * 5000}\nWhich papers prune models?\n"
    outcome = run("ask", "--json", "--store", seeds_store, stdin=lines)
    answers = [json.loads(line) for line in outcome.output.splitlines()]
    assert [answer["question"] for answer in answers] == [
        "What is TabFlex?",
        "How much faster is it than XGBoost?",
        "Which papers prune models?",
    ]
    assert answers[1]["citations"][0]["paper_id"] == "001_0cc1cb446cb33a97#2"
    assert outcome.notes.startswith("error: ")
    assert outcome.notes.count("\n") == 1
    assert outcome.code == 1

    as_text = run("ask", "--store", seeds_store, stdin="What is TabFlex?\nWhich papers prune models?\n").output
    assert [line for line in as_text.splitlines() if line.startswith("> ")] == [
        "> What is TabFlex?",
        "> Which papers prune models?",
    ]


def test_a_search_ranks_papers_and_a_list_has_them_all(run: Run, seeds_store: Path) -> None:
    found = run("search", "linear attention", "--k", "2", "--store", seeds_store).output.splitlines()
    assert [line[:4] for line in found[::2]] == [" 1  ", " 2  "]
    assert found[1].startswith("    ")
    papers = json.loads(run("search", "linear attention", "--json", "--store", seeds_store).output)["papers"]
    assert [paper["score"] for paper in papers] == sorted((paper["score"] for paper in papers), reverse=True)
    listed = run("papers", "--store", seeds_store).output.splitlines()
    assert len(listed) == 55
    assert listed[0].startswith("000_7fa5d757957c3112#1 ")
    assert len(run("papers", "--json", "--store", seeds_store).output.splitlines()) == 55


def test_an_evaluation_writes_its_predictions_and_prints_figures(run: Run, seeds_store: Path, place: Path) -> None:
    rows = [
        {
            "id": "q1",
            "category": "numeric",
            "question": QUESTION,
            "papers": ["001_0cc1cb446cb33a97#2"],
            "facts": [["1.5x"]],
            "answerable": True,
        },
        {"id": "q2", "category": "unanswerable", "question": "Who won the world cup?", "answerable": False},
    ]
    (place / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    outcome = run("eval", "questions.jsonl", "--out", "out.jsonl", "--fails", "5", "--store", seeds_store)
    assert (outcome.code, outcome.notes) == (0, "")
    assert outcome.output.splitlines()[3].split()[:4] == ["all", "2", "1.000", "1.000"]
    predictions = [json.loads(line) for line in (place / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["id"], row["abstained"]) for row in predictions] == [("q1", False), ("q2", True)]
    refused(run("eval", "questions.jsonl", "--out", "questions.jsonl", "--store", seeds_store), "holds the questions")


def test_a_question_with_control_characters_comes_back_without_them(run: Run, seeds_store: Path) -> None:
    outcome = run("ask", "--store", seeds_store, stdin="What is \x1b[31mTabFlex\x1b[0m\x9b2J\u202e?\n")
    assert outcome.code == 0
    assert not set("\x1b\x9b\u202e") & set(outcome.output + outcome.notes)


def test_what_is_skipped_is_listed_by_place_and_counted(run: Run, place: Path) -> None:
    good = json.dumps({"id": "a", "title": "Sparrow", "abstract": "We propose Sparrow, a sparse attention method."})
    (place / "list.jsonl").write_text("\n".join([good, *["{"] * 25]), encoding="utf-8")
    outcome = run("index", "list.jsonl", "--store", "s")
    assert outcome.output.startswith("read 26 = 1 new + 0 same + 0 updated + 0 merged + 25 skipped, in ")
    notes = outcome.notes.splitlines()
    assert len(notes) == 21
    assert notes[0].startswith("skipped list.jsonl:2: ")
    assert notes[20] == "skipped 5 more"


def test_an_evaluation_in_which_a_question_fails_is_an_error_with_figures(
    run: Run, seeds_store: Path, place: Path
) -> None:
    long = {"id": "q1", "category": "unanswerable", "question": "why " * 2000, "answerable": False}
    (place / "questions.jsonl").write_text(json.dumps(long), encoding="utf-8")
    outcome = run("eval", "questions.jsonl", "--json", "--store", seeds_store)
    figures = json.loads(outcome.output)
    assert (outcome.code, figures["n"], figures["failed"], figures["solved"]) == (1, 1, 1, 0)
    assert outcome.notes.splitlines()[-1] == "error: 1 of 1 questions got no answer, as told above."


def test_a_missing_file_is_named(run: Run, place: Path) -> None:
    refused(run("index", "missing.jsonl", "--store", "s"), "missing.jsonl")


def test_a_folder_without_papers_is_named(run: Run, place: Path) -> None:
    (place / "empty").mkdir()
    refused(run("index", "empty", "--store", "s"), "empty")


@pytest.mark.parametrize("question", ["", "   ", "\u3000"])
def test_an_empty_question_is_refused(run: Run, seeds_store: Path, question: str) -> None:
    refused(run("ask", question, "--store", seeds_store), "question")


def test_a_question_of_5000_characters_is_refused_with_the_limit(run: Run, seeds_store: Path) -> None:
    refused(run("ask", "why? " * 1000, "--store", seeds_store), "4,000")


def test_a_store_that_is_a_file_is_refused_by_name(run: Run, place: Path) -> None:
    (place / "file").write_text("not a store")
    refused(run("ask", QUESTION, "--store", "file"), str(place / "file"))
    assert (place / "file").read_text() == "not a store"


def test_a_store_without_a_name_is_refused(run: Run) -> None:
    refused(run("papers", "--store", ""), "--store")


def test_an_unknown_setting_and_a_wrong_value_are_refused(run: Run, seeds_store: Path) -> None:
    refused(run("ask", QUESTION, "--store", seeds_store, ASSISTANT_MODLE="x"), "ASSISTANT_MODLE")
    refused(run("ask", QUESTION, "--store", seeds_store, ASSISTANT_K="many"), "ASSISTANT_K")


def test_a_wrong_key_costs_no_answer_and_is_not_shown(run: Run, seeds_store: Path) -> None:
    with serve(refuse_key) as server:
        settings = {"ASSISTANT_MODEL": "m", "ASSISTANT_BASE_URL": server.base_url, "ASSISTANT_API_KEY": "sk-secret"}
        outcome = run("ask", QUESTION, "--json", "--store", seeds_store, **settings)
    answer = json.loads(outcome.output)
    assert (outcome.code, answer["answerer"]) == (0, "extractive")
    assert answer["notice"]
    assert "sk-secret" not in outcome.output + outcome.notes


def test_a_port_in_use_is_named(run: Run, seeds_store: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        refused(run("chat", "--no-browser", "--port", port, "--store", seeds_store), port, "in use")


def test_an_unknown_paper_is_refused_with_ids_like_it(run: Run, seeds_store: Path) -> None:
    refused(run("papers", "000_7fa5d757957c3112#66", "--store", seeds_store), "000_7fa5d757957c3112#6")


def test_questions_that_cannot_be_read_are_named(run: Run, seeds_store: Path, place: Path) -> None:
    (place / "bad.jsonl").write_text('{"id": "q1"}\n')
    refused(run("eval", "bad.jsonl", "--store", seeds_store), "bad.jsonl:1: ")
    refused(run("eval", "missing.jsonl", "--store", seeds_store), "missing.jsonl")


def test_debug_shows_the_traceback_before_the_line(run: Run, seeds_store: Path) -> None:
    for arguments in (("--debug", "papers", "x"), ("papers", "x", "--debug")):
        outcome = run(*arguments, "--store", seeds_store)
        assert outcome.code == 1
        assert outcome.notes.startswith("Traceback")
        assert outcome.notes.splitlines()[-1].startswith("error: ")


def test_an_empty_path_is_refused_and_does_not_stand_for_the_current_folder(run: Run, place: Path) -> None:
    (place / "list.txt").write_text("List\n\nWe read words.\n", encoding="utf-8")
    refused(run("index", "", "--store", "s"), "The path is empty: give a file or folder of papers.")


def test_the_only_file_being_empty_is_an_error_and_nothing_read(run: Run, place: Path) -> None:
    (place / "empty.txt").touch()
    refused(run("index", "empty.txt", "--store", "s"), "empty.txt: no papers in it.")
