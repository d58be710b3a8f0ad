"""The eval command: every question asked once, its history with it, each reply written as it comes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.cli.evaluate import ask_all
from assistant.domain import Answer, Citation, History, Quote, Turn
from assistant.errors import AssistantError, QuestionError
from assistant.evaluation import Question
from tests.fakes import make_paper

PAPER = make_paper()
QUESTIONS = (
    Question("q1", "fact", "What is Sparrow?", papers=("list#1",)),
    Question("q2", "followup", "And its memory?", papers=("list#1",), history=(Turn("user", "What is Sparrow?"),)),
)


class ScriptedAssistant:
    """Answers every question but those that it is told to refuse; remembers the histories."""

    def __init__(self, refused: Sequence[str] = (), stopped_at: str = "") -> None:
        self._refused = refused
        self._stopped_at = stopped_at
        self.histories: list[History] = []

    def ask(self, question: str, history: History = (), k: int | None = None) -> Answer:
        if question == self._stopped_at:
            raise KeyboardInterrupt
        if question in self._refused:
            raise QuestionError("The question is too long.")
        self.histories.append(history)
        quote = Quote("We propose Sparrow, a sparse attention method.", 0, 46)
        return Answer(question, question, "A method [1].", (Citation(1, PAPER, "Sparrow", (quote,)),))


def read_rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_question_is_asked_with_its_history_and_written(place: Path) -> None:
    assistant = ScriptedAssistant()
    first, second = ask_all(assistant, QUESTIONS, place / "out.jsonl", debug=False)
    assert assistant.histories == [(), (Turn("user", "What is Sparrow?"),)]
    rows = read_rows(place / "out.jsonl")
    assert rows[0] == {
        "id": "q1",
        "answer": "A method [1].",
        "citations": ["list#1"],
        "abstained": False,
        "quotes": [{"paper": "list#1", "text": "We propose Sparrow, a sparse attention method."}],
        "seconds": first.seconds,
        "answerer": "extractive",
        "retrieved": [],
    }
    assert (first.id, second.id, rows[1]["id"]) == ("q1", "q2", "q2")
    assert first.seconds is not None


def test_a_reply_is_on_the_disk_before_the_next_question_is_asked(place: Path) -> None:
    written: list[int] = []

    class Watching(ScriptedAssistant):
        def ask(self, question: str, history: History = (), k: int | None = None) -> Answer:
            written.append(len(read_rows(place / "out.jsonl")))
            return super().ask(question, history, k)

    ask_all(Watching(), QUESTIONS, place / "out.jsonl", debug=False)
    assert written == [0, 1]


def test_a_question_that_fails_is_told_and_the_next_one_is_asked(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assistant = ScriptedAssistant(refused=["What is Sparrow?"])
    first, second = ask_all(assistant, QUESTIONS, place / "out.jsonl", debug=False)
    assert (first.answer, second.answer) == ("", "A method [1].")
    assert [row["id"] for row in read_rows(place / "out.jsonl")] == ["q2"]
    assert capsys.readouterr().err == "error: q1: The question is too long.\n"


def test_ctrl_c_keeps_what_was_answered_and_says_where(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = place / "out.jsonl"
    with pytest.raises(RuntimeError):
        ask_all(ScriptedAssistant(stopped_at="And its memory?"), QUESTIONS, out, debug=False)
    assert [row["id"] for row in read_rows(out)] == ["q1"]
    assert capsys.readouterr().err == f"stopped: what was answered is in {out}\n"


def test_predictions_that_cannot_be_written_are_refused_before_anything_is_asked(place: Path) -> None:
    assistant = ScriptedAssistant()
    with pytest.raises(AssistantError, match=r"cannot be written"):
        ask_all(assistant, QUESTIONS, place / "no" / "such" / "folder.jsonl", debug=False)
    assert assistant.histories == []
