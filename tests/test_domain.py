"""The domain's own arithmetic."""

import dataclasses

import pytest

from assistant.domain import Answer, AnswerSentence, Conversation, Report, Skipped, Timings, Turn, Verdict
from tests.fakes import make_paper


def test_a_report_adds_up_to_what_was_read() -> None:
    report = Report(new=3, same=2, updated=1, merged=4, skipped=(Skipped("list.txt:7", "is empty"),))
    assert report.read == 11


def test_timings_add_up() -> None:
    assert Timings(0.5, 1.0, 2.0).total == 3.5


def test_a_conversation_grows_into_a_new_one() -> None:
    before = Conversation((Turn("user", "Hello?"),))
    after = before.after("What is Sparrow?", Answer("What is Sparrow?", "What is Sparrow?", "A method [1]."))
    assert before.turns == (Turn("user", "Hello?"),)
    assert after.turns == (
        Turn("user", "Hello?"),
        Turn("user", "What is Sparrow?"),
        Turn("assistant", "A method [1]."),
    )


def test_a_paper_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        make_paper().abstract = "other words"  # type: ignore[misc]


def test_the_doubtful_sentences_are_those_that_the_papers_do_not_hold_whole() -> None:
    verdicts: tuple[Verdict, ...] = ("supported", "partly", "not supported", "unchecked")
    sentences = tuple(AnswerSentence(f"It is {verdict}.", (1,), verdict) for verdict in verdicts)
    answer = Answer("q", "q", " ".join(sentence.text for sentence in sentences), sentences=sentences)
    assert answer.doubtful == sentences[1:3]


def test_a_file_that_was_passed_over_costs_no_record() -> None:
    report = Report(new=1, skipped=(Skipped("empty.txt", "no papers in it", records=0), Skipped("a.txt:3", "no words")))
    assert (report.read, report.lost) == (2, 1)
