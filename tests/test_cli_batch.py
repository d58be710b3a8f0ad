import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from assistant.cli.batch import answer_all, read_lines
from assistant.domain import Answer, Citation, Quote
from assistant.errors import QuestionError
from tests.fakes import make_paper

PAPER = make_paper("reefs#1", "Corals bleach in warm water. They recover.")


class Asked:
    """Answers any question with one quote, and remembers what it was asked."""

    def __init__(self) -> None:
        self.questions: list[str] = []

    def __call__(self, question: str) -> Answer:
        self.questions.append(question)
        if question == "fail":
            raise QuestionError("The question cannot be asked.")
        quote = Quote("Corals bleach in warm water.", 0, 28)
        return Answer(
            question=question,
            standalone=question,
            text="=Corals bleach in warm water. [1]",
            citations=(Citation(1, PAPER, "Coral", (quote,)),),
        )


def test_questions_are_read_line_by_line_or_as_json(tmp_path: Path) -> None:
    file = tmp_path / "questions.txt"
    file.write_text('\ufeffWhy do corals bleach?\n\n{"id": 7, "question": "Do they recover?"}\n', encoding="utf-8")
    assert read_lines(file) == ("Why do corals bleach?", "Do they recover?")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "holds no question"),
        (b"\n \n", "holds no question"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'fine?\n{"q": 1}', ":2: is no JSON object"),
        (b"{broken", ":1: is no JSON object"),
    ],
)
def test_a_file_without_questions_is_refused_in_one_line(tmp_path: Path, content: bytes, fault: str) -> None:
    file = tmp_path / "questions.txt"
    file.write_bytes(content)
    with pytest.raises(QuestionError, match=fault) as raised:
        read_lines(file)
    assert str(file) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="No such file"):
        read_lines(tmp_path / "none.txt")


def test_answers_are_written_as_markdown_with_their_quotes(tmp_path: Path) -> None:
    out = tmp_path / "answers.md"
    assert answer_all(Asked(), ["Why?", "How?"], out, debug=False) == 0
    text = out.read_text(encoding="utf-8")
    assert text.count("## ") == 2
    assert "1. Coral (reefs#1)\n   > Corals bleach in warm water." in text


def test_a_spreadsheet_takes_no_cell_for_a_formula(tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    answer_all(Asked(), ["=1+1?", "Why?"], out, debug=False)
    rows = list(csv.DictReader(StringIO(out.read_text(encoding="utf-8"))))
    assert [row["question"] for row in rows] == ["'=1+1?", "Why?"]
    assert all(row["answer"].startswith("'=") for row in rows)
    assert rows[1]["papers"] == "reefs#1"


def test_answers_are_written_as_json_lines(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    answer_all(Asked(), ["Why?"], out, debug=False)
    (line,) = out.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["citations"][0]["paper_id"] == "reefs#1"


@pytest.mark.parametrize("suffix", [".md", ".csv", ".jsonl"])
def test_what_is_answered_already_is_not_asked_again(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"answers{suffix}"
    answer_all(Asked(), ["=Why?", "How?"], out, debug=False)
    again = Asked()
    answer_all(again, ["=Why?", "When?", "How?"], out, debug=False)
    assert again.questions == ["When?"]


def test_a_line_that_an_accident_cut_off_is_written_again(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    answer_all(Asked(), ["Why?", "How?"], out, debug=False)
    out.write_text(out.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    again = Asked()
    answer_all(again, ["Why?", "How?"], out, debug=False)
    assert again.questions == ["How?"]
    assert [json.loads(line)["question"] for line in out.read_text(encoding="utf-8").splitlines()] == ["Why?", "How?"]


def test_a_question_that_fails_costs_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = Asked()
    assert answer_all(asked, ["Why?", "fail", "How?"], tmp_path / "answers.md", debug=False) == 1
    assert asked.questions == ["Why?", "fail", "How?"]
    assert "cannot be asked" in capsys.readouterr().err


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    out.write_text("my diary\n")
    with pytest.raises(QuestionError, match="something else"):
        answer_all(Asked(), ["Why?"], out, debug=False)
    assert out.read_text() == "my diary\n"


@pytest.mark.parametrize("name", ["answers.docx", "answers"])
def test_an_unknown_form_of_answers_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(QuestionError, match=r"\.md, \.csv or \.jsonl"):
        answer_all(Asked(), ["Why?"], tmp_path / name, debug=False)
    assert not (tmp_path / name).exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="cannot be written to"):
        answer_all(Asked(), ["Why?"], tmp_path / "none" / "answers.md", debug=False)


def test_without_a_file_the_answers_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    answer_all(Asked(), ["Why?"], None, debug=False)
    assert capsys.readouterr().out.startswith("## Why?\n")
