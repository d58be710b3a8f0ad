"""What the command line prints: answers, papers and figures, as text and as JSON."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.cli.documents import figures_document
from assistant.cli.figures import fault_lines, figure_lines
from assistant.cli.show import answer_lines, evidence_lines, listed, paper_lines, summarise
from assistant.cli.terminal import Line, join_words, note, write
from assistant.documents import answer_document, dump, evidence_document, paper_document
from assistant.domain import (
    Answer,
    AnswerSentence,
    Citation,
    Evidence,
    FoundPaper,
    Quote,
    Report,
    Retrieved,
    ScoredSentence,
    Skipped,
    Timings,
)
from assistant.evaluation import Prediction, Question, judge
from assistant.evaluation import summarise as summarise_judgements
from tests.fakes import make_paper, make_sentences

PAPER = make_paper(title="Sparrow: sparse attention", url="https://example.org/sparrow", year=2025)
ANSWER = Answer(
    question="What is Sparrow?",
    standalone="What is Sparrow?",
    text="Sparrow is a sparse attention method [1].",
    citations=(Citation(1, PAPER, PAPER.title, (Quote("We propose Sparrow, a sparse attention method.", 0, 46),)),),
    retrieved=(Retrieved(PAPER, PAPER.title, 0.91236), Retrieved(make_paper("list#2"), "Wren", 0.25)),
    timings=Timings(0.001, 0.01, 0.03),
)
ABSTAINED = Answer("Why?", "Why?", "The papers do not answer this.", abstained=True, reason="Nothing fits.")
HOSTILE = "red \x1b[31mred\x1b[0m \x9b2J \u202eback\u202c zero\u200bwidth \x07bell\U000e0041"
HIDDEN = "\x1b\x9b\u202e\u202c\u200b\x07\U000e0041"


def text_of(lines: list[Line]) -> str:
    return "\n".join(" " * line.indent + line.text for line in lines)


def test_an_answer_is_followed_by_its_numbered_sources_and_their_words() -> None:
    assert text_of(list(answer_lines(ANSWER))) == (
        "Sparrow is a sparse attention method [1].\n"
        "\n"
        "Sources\n"
        "[1] Sparrow: sparse attention (list#1)\n"
        "    “We propose Sparrow, a sparse attention method.”\n"
        "    https://example.org/sparrow"
    )


def test_an_abstention_says_why_and_lists_no_sources() -> None:
    assert text_of(list(answer_lines(ABSTAINED))) == "The papers do not answer this.\nNothing fits."


def test_a_fallback_says_why_below_the_answer() -> None:
    lines = text_of(list(answer_lines(replace(ANSWER, notice="The model did not answer."))))
    assert "[1].\nNote: The model did not answer.\n\nSources" in lines


def test_removed_citations_and_an_answer_that_breaks_off_are_told_once() -> None:
    lines = text_of(list(answer_lines(replace(ANSWER, removed_markers=1, incomplete=True))))
    assert "Note: A citation that names no paper was removed.\nNote: The answer is incomplete.\n\nSources" in lines
    told = text_of(list(answer_lines(replace(ANSWER, incomplete=True, notice="Cut. The answer is incomplete."))))
    assert told.count("The answer is incomplete.") == 1


def test_sentences_that_the_papers_do_not_hold_are_named_below_the_answer() -> None:
    sentences = (
        AnswerSentence("Sparrow is sparse [1].", (1,), "supported"),
        AnswerSentence("It cures\ncancer [1].", (1,), "not supported"),
        AnswerSentence("It is cheap.", (), "not supported"),
        AnswerSentence("It is fast [1][2].", (1, 2), "partly"),
    )
    answer = replace(ANSWER, sentences=sentences)
    assert [line.text for line in answer_lines(answer)][1:4] == [
        "Not found in the cited paper: “It cures cancer [1].”",
        "No paper cited: “It is cheap.”",
        "Only in part found in the cited papers: “It is fast [1][2].”",
    ]
    assert json.loads(dump(answer_document(answer)))["sentences"][1] == {
        "text": "It cures\ncancer [1].",
        "numbers": [1],
        "verdict": "not supported",
    }


def test_a_quote_over_two_lines_is_shown_on_one() -> None:
    quote = Quote("sparse\n  attention", 0, 18)
    lines = list(answer_lines(replace(ANSWER, citations=(Citation(1, PAPER, "Sparrow", (quote,)),))))
    assert "“sparse attention”" in [line.text for line in lines]


def test_found_papers_stand_with_score_label_id_and_best_sentence() -> None:
    first, second = make_sentences(PAPER)
    found = FoundPaper(PAPER, 0.9, (ScoredSentence(first, 0.2), ScoredSentence(second, 0.7)))
    evidence = Evidence("memory", (found,))
    assert text_of(list(evidence_lines(evidence))) == (
        " 1  0.900  Sparrow: sparse attention (list#1)\n    It halves the memory of training."
    )
    document = json.loads(dump(evidence_document(evidence)))
    assert document["question"] == "memory"
    assert document["papers"][0]["sentences"][1] == {"text": second.text, "start": 47, "end": 80, "score": 0.7}


def test_finding_nothing_is_said() -> None:
    assert "No paper" in text_of(list(evidence_lines(Evidence("xyz", ()))))


def test_one_paper_is_shown_whole_without_empty_lines_for_what_is_unknown() -> None:
    shown = text_of(list(paper_lines(PAPER)))
    assert shown.startswith("Sparrow: sparse attention\nid: list#1\nyear: 2025\nurl: https://example.org/sparrow\n\n")
    assert shown.endswith(PAPER.abstract)


def test_a_list_of_papers_has_an_id_a_year_and_a_label_a_line() -> None:
    assert listed(PAPER, width=8).text == "list#1    2025  Sparrow: sparse attention"
    assert listed(replace(PAPER, year=None), width=6).text == "list#1        Sparrow: sparse attention"


def test_a_report_adds_up_in_its_closing_line() -> None:
    report = Report(new=50, same=2, updated=1, merged=1, skipped=(Skipped("a:1", "empty"),), seconds=4.06)
    assert summarise(report, Path("/s")) == (
        "read 55 = 50 new + 2 same + 1 updated + 1 merged + 1 skipped, in 4.1 s; store: /s"
    )


def test_the_json_of_an_answer_has_exactly_the_fields_that_are_promised() -> None:
    assert json.loads(dump(answer_document(ANSWER))) == {
        "question": "What is Sparrow?",
        "answer": "Sparrow is a sparse attention method [1].",
        "abstained": False,
        "answerer": "extractive",
        "seconds": 0.041,
        "citations": [
            {
                "number": 1,
                "paper_id": "list#1",
                "title": "Sparrow: sparse attention",
                "url": "https://example.org/sparrow",
                "quotes": [{"text": "We propose Sparrow, a sparse attention method.", "start": 0, "end": 46}],
            }
        ],
        "retrieved": [{"paper_id": "list#1", "score": 0.9124}, {"paper_id": "list#2", "score": 0.25}],
        "reason": "",
        "notice": "",
        "removed_markers": 0,
        "sentences": [],
    }


def test_the_json_of_an_abstention_says_why() -> None:
    document = json.loads(dump(answer_document(ABSTAINED)))
    assert (document["abstained"], document["reason"], document["citations"]) == (True, "Nothing fits.", [])


def test_json_keeps_every_character_but_shows_none_that_a_terminal_acts_on() -> None:
    paper = make_paper(abstract=f"Größe 模型 {HOSTILE}\nnext", title=HOSTILE)
    line = dump(paper_document(paper))
    assert line.isprintable()
    assert "Größe 模型" in line
    assert json.loads(line)["abstract"] == paper.abstract


def test_printed_text_carries_no_hidden_or_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    citation = Citation(1, make_paper(HOSTILE, url=HOSTILE), HOSTILE, (Quote(HOSTILE, 0, 1),))
    write(answer_lines(replace(ANSWER, text=HOSTILE, notice=HOSTILE, reason=HOSTILE + "x", citations=(citation,))))
    write(paper_lines(make_paper(HOSTILE, HOSTILE, title=HOSTILE, authors=(HOSTILE,), venue=HOSTILE)))
    note(f"error: {HOSTILE}\nsecond line")
    printed = capsys.readouterr()
    assert not set(HIDDEN) & set(printed.out + printed.err)
    assert "zerowidth" in printed.out
    assert printed.err.count("\n") == 1


def test_words_of_a_command_line_that_are_no_utf8_become_text() -> None:
    assert join_words(["what", "is", "x\udcff!", "\ud800"]) == "what is x?! ?"


def test_a_table_of_figures_has_a_row_a_category_and_one_for_all() -> None:
    question = Question("q1", "fact", "Why?", papers=("a#1",), facts=(("x",),))
    refused = Question("q2", "unanswerable", "Why not?", answerable=False)
    judgements = [
        judge(question, Prediction("q1", "Because.", retrieved=("a#1", "a#2"), seconds=0.5), {}),
        judge(refused, Prediction("q2", "It does not say.", abstained=True, seconds=0.25), {}),
    ]
    figures = summarise_judgements(judgements)
    rows = text_of(list(figure_lines(figures))).splitlines()
    assert rows[0].split() == ["category", "n", "solved", "recall", "prec.", "facts", "abst.", "words"]
    assert rows[1].split() == ["fact", "1", "0.000", "0.000", "0.000", "0.000", "0.000", "1"]
    assert rows[2].split() == ["unanswerable", "1", "1.000", "-", "-", "-", "1.000", "4"]
    assert rows[3].split() == ["all", "2", "0.500", "0.000", "0.000", "0.000", "0.500", "2"]
    assert "abstained from 1.000 of the questions that cannot be answered" in rows
    assert "abstained from 0.000 of those that can" in rows
    assert "quotes: 0, of which 0 not word for word" in rows
    assert "seconds: 0.375 (p50), 0.250 (p95)" in rows

    assert text_of(list(fault_lines(judgements, 5))) == (
        "\nq1 [fact] Why?\n    not cited: a#1; facts missing: x\n    retrieved: a#1, a#2"
    )
    assert list(fault_lines(judgements, 0)) == []

    document = json.loads(dump(figures_document(figures, 0)))
    assert (document["n"], document["solved"], document["abstention_recall"]) == (2, 0.5, 1.0)
    assert document["categories"]["unanswerable"]["citation_recall"] is None
