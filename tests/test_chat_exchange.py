"""What a question comes to, event by event, and the thread that works on it."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from assistant.chat.examples import suggest_questions
from assistant.chat.exchange import Exchange, Happening, Problem, follow, history
from assistant.chat.run import UNEXPECTED, Run
from assistant.chat.work import BUILDING, respond
from assistant.domain import Answer, AnswerSentence, Draft, Progress, Step, Turn
from assistant.errors import StoreBusy
from tests.fakes import make_paper
from tests.scripted import ScriptedAssistant

Report = Callable[[Happening], None]


def after(*happenings: Happening) -> Exchange:
    exchange = Exchange(1, "Q?")
    for happening in happenings:
        exchange = follow(exchange, happening)
    return exchange


def test_sentences_are_written_one_after_the_other_with_their_markers() -> None:
    one = AnswerSentence("First.", (1, 2), "supported")
    two = AnswerSentence("Second. [1]", (1,), "supported")
    assert after(Step("Searching"), one, two).text == "First. [1][2] Second. [1]"


def test_a_draft_is_shown_as_it_comes_and_its_sentences_are_not_repeated() -> None:
    sentence = AnswerSentence("Fast.", (1,), "supported")
    assert after(Draft("Fa"), Draft("st."), sentence, Draft(" Very.")).text == "Fast. Very."


def test_the_answer_replaces_what_was_drafted() -> None:
    exchange = after(Draft("Wrong"), Answer("Q?", "Q?", "Right [1]"))
    assert (exchange.text, exchange.working) == ("Right [1]", False)


def test_a_step_ends_the_progress_before_it() -> None:
    assert after(Progress("Embedding", 3, 55)).phase == "Embedding: 3 of 55"
    assert after(Progress("Embedding", 3, 55), Step("Searching")).phase == ""


def test_only_answered_questions_are_history_as_plain_text() -> None:
    answered = Exchange(1, "One?", answer=Answer("One?", "One?", "a<b [1]"))
    exchanges = (answered, Exchange(2, "Two?", problem="Busy."), Exchange(3, "Three?", stopped=True, text="Half"))
    assert history(exchanges) == (Turn("user", "One?"), Turn("assistant", "a<b [1]"))


def gather(run: Run) -> list[Happening]:
    return [happening for batch in run.batches() for happening in batch]


def test_a_run_yields_everything_in_order() -> None:
    steps = [Step(str(number)) for number in range(200)]
    assert gather(Run(lambda report: iter(steps))) == steps


def test_an_error_of_ours_is_told_in_its_own_words() -> None:
    def fail(report: Report) -> Iterator[Happening]:
        yield Step("Searching")
        raise StoreBusy("Process 12 is writing to /papers. Try again when it is done.")

    assert gather(Run(fail)) == [
        Step("Searching"),
        Problem("Process 12 is writing to /papers. Try again when it is done."),
    ]


def test_any_other_error_is_logged_and_told_in_one_plain_line(caplog: pytest.LogCaptureFixture) -> None:
    def fail(report: Report) -> Iterator[Happening]:
        raise RuntimeError("planted-secret")

    assert gather(Run(fail)) == [Problem(UNEXPECTED)]
    assert "planted-secret" in caplog.text
    assert "\n" not in UNEXPECTED


def test_stop_is_heard_while_the_work_is_silent_and_closes_it_at_its_next_event() -> None:
    closed, silence = threading.Event(), threading.Event()

    def work(report: Report) -> Iterator[Happening]:
        try:
            yield Step("Searching")
            silence.wait(10)
            while True:
                yield Step("More")
        finally:
            closed.set()

    run = Run(work)
    batches = run.batches()
    assert next(batches) == [Step("Searching")]
    started = time.monotonic()
    threading.Timer(0.1, run.stop).start()
    assert list(batches) == []
    assert time.monotonic() - started < 0.7
    silence.set()
    assert closed.wait(2)


def test_an_empty_store_is_built_before_the_question_is_asked() -> None:
    assistant = ScriptedAssistant(built=False)
    happenings = gather(Run(lambda report: respond(assistant, "What is Sparrow?", (), report)))
    assert happenings[0] == Step(BUILDING)
    assert Progress("Reading", 3, 3) in happenings
    assert isinstance(happenings[-1], Answer)


def test_examples_name_the_methods_and_a_topic_of_the_papers_at_hand() -> None:
    papers = [make_paper(f"list#{n}", f"We study protein folding with tool {n}.") for n in range(5)]
    labels = ["FoldNet: folding fast", "A survey of things", "Geese: many birds", "On ducks", "R2D2: robots"]
    asked = suggest_questions(papers, labels)
    assert asked == (
        "What is FoldNet?",
        "Which papers deal with protein folding?",
        "How does Geese work?",
        "What does R2D2 improve?",
    )


def test_examples_fall_back_on_labels_and_no_papers_make_none() -> None:
    papers = [make_paper("a#1", "Short."), make_paper("a#2", "Shorter.")]
    assert suggest_questions(papers, ["On ducks", "On geese"]) == (
        "What is known about On ducks?",
        "What is known about On geese?",
    )
    assert suggest_questions([], []) == ()
