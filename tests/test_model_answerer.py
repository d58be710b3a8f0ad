"""Answers that a model writes, held to the evidence; a real server of the protocol plays the model."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answering.model import ModelAnswerer
from assistant.answering.prose import Prose
from assistant.answering.sources import REFUSAL
from assistant.domain import Answer, AnswerSentence, Draft, Event, Evidence, Step, Turn
from assistant.models.chat_model import connect
from assistant.ports import Limits
from tests.evidence import ROBIN, SPARROW, make_evidence
from tests.fakes import FakeAnswerer, make_paper
from tests.openai_server import (
    OpenAIServer,
    Reply,
    cut,
    fail,
    free_port,
    keep_silent,
    refuse_key,
    say,
    serve,
    stall,
)

QUESTION = "What is Sparrow?"
KEY = "sk-secret-4711"
LIMITS = Limits(first=1.5, idle=0.5, total=2.0)


def make_answerer(server: OpenAIServer, fallback: FakeAnswerer | None = None) -> ModelAnswerer:
    model = connect("tiny", server.base_url, KEY, timeout=5.0, temperature=0.0)
    return ModelAnswerer(model, fallback or FakeAnswerer(standalone="by the rules"), LIMITS)


def run(*replies: Reply, evidence: Evidence | None = None) -> tuple[list[Event], Answer, OpenAIServer]:
    """Return the events, the Answer and the server after the question was asked."""
    with serve(*replies) as server:
        events = list(make_answerer(server).answer(QUESTION, evidence or make_evidence()))
    answers = [event for event in events if isinstance(event, Answer)]
    assert answers == [events[-1]]
    assert KEY not in repr(events)
    return events, answers[0], server


def test_a_good_answer_is_streamed_cited_and_signed_by_the_model() -> None:
    text = "Robin selects documents by their novelty [2]. Sparrow halves the memory of training by 50% [1]."
    events, answer, _ = run(say(text))
    assert (
        answer.text == "Robin selects documents by their novelty [1]. Sparrow halves the memory of training by 50% [2]."
    )
    assert [(found.number, found.paper.id, found.quotes[0].text) for found in answer.citations] == [
        (1, "list#2", "Robin selects documents by their novelty before training."),
        (2, "list#1", "It halves the memory of training by 50%."),
    ]
    assert (answer.question, answer.answerer, answer.notice, answer.incomplete) == (QUESTION, "tiny", "", False)
    assert [found.paper.id for found in answer.retrieved] == ["list#1", "list#2", "list#3"]
    assert answer.timings.answering > 0
    assert events[0] == Step("writing with tiny")
    assert "".join(event.text for event in events if isinstance(event, Draft)) == answer.text


def test_sentences_come_as_they_are_finished_and_are_those_of_the_answer() -> None:
    events, answer, _ = run(say("Sparrow is sparse attention [1]. It halves memory [1]. Wren prunes edges [3]."))
    sentences = [event for event in events if isinstance(event, AnswerSentence)]
    assert " ".join(sentence.text for sentence in sentences) == answer.text
    assert [sentence.numbers for sentence in sentences] == [(1,), (1,), (2,)]
    last_draft = max(place for place, event in enumerate(events) if isinstance(event, Draft))
    assert events.index(sentences[0]) < last_draft


def test_markers_that_name_no_paper_are_removed_and_counted() -> None:
    events, answer, _ = run(say("Sparrow is sparse attention [1][99], [0], [-1], [Smith 2031].", size=3))
    assert answer.text == "Sparrow is sparse attention [1]."
    assert answer.removed_markers == 4
    assert not any("99" in event.text or "Smith" in event.text for event in events if isinstance(event, Draft))


def test_no_draft_ends_within_a_marker() -> None:
    events, _, _ = run(say("Sparrow is sparse [1], and it halves memory [1][2].", size=1))
    drafts = [event.text for event in events if isinstance(event, Draft)]
    assert all(draft.count("[") == draft.count("]") for draft in drafts)


def test_a_flood_of_markers_is_one_marker() -> None:
    _, answer, _ = run(say("Sparrow is sparse attention " + "[1]" * 2_000, size=500))
    assert answer.text == "Sparrow is sparse attention [1]"
    assert len(answer.citations) == 1


def test_a_sentence_without_a_marker_gets_the_one_of_the_paper_that_it_is_clearly_from() -> None:
    _, answer, _ = run(say("Robin selects documents by their novelty."))
    assert answer.text == "Robin selects documents by their novelty. [1]"
    assert answer.citations[0].paper.id == "list#2"
    assert answer.notice == ""


def test_an_answer_that_no_paper_supports_says_so() -> None:
    events, answer, _ = run(say("The moon is made of green cheese."))
    assert answer.citations == ()
    assert answer.notice.startswith("Not supported by the library")
    assert [event.verdict for event in events if isinstance(event, AnswerSentence)] == ["not supported"]


@pytest.mark.parametrize(
    "invented",
    [
        "Sparrow reports a 99.9% cure rate in 10,000 patients [1].",
        "Sparrow cures cancer in mice and was funded by the moon [1].",
        "It was funded by the moon and cures cancer in mice.",
    ],
)
def test_a_sentence_that_is_invented_is_marked_beside_one_that_is_not(invented: str) -> None:
    events, answer, _ = run(say(f"Sparrow halves the memory of training by 50% [1]. {invented}"))
    assert answer.notice == "Not supported by the library: 1 of 2 sentences cannot be found in the papers cited."
    assert [sentence.verdict for sentence in answer.sentences] == ["supported", "not supported"]
    assert [event for event in events if isinstance(event, AnswerSentence)] == list(answer.sentences)
    assert [sentence.text for sentence in answer.doubtful] == [invented]


def test_a_broken_answer_says_both_that_it_broke_and_what_is_invented() -> None:
    text = "Sparrow halves the memory of training by 50% [1]. It cures cancer in 40 mice [1]. And wh"
    _, answer, _ = run(say(text, finish="length"))
    assert "length limit" in answer.notice
    assert "1 of 3 sentences" in answer.notice
    assert answer.sentences[-1].verdict == "unchecked"


PARTS = (
    "Sparrow halves the memory of training by 50%.",
    "Wren prunes edges while it learns",
    "It (e.g. Robin et al. 2.5) takes 7 seconds.",
    "Scores lie in [0, 1].",
    "It ran on a T. Rex (see Fig. 2).",
    "No information is lost.",
    "Dr. Who... No.",
    "[CLS] is a token.",
    "The sum is $a. B$.",
    "[1]",
    "[2]",
    " [1][3]",
    "【2】",
    "[Source 3]",
    "[99]",
    "[Smith 2031]",
    ".",
    " ",
    " ",
    "\n\n",
    "\n- ",
)


def read_in_pieces(text: str, size: int) -> list[AnswerSentence]:
    prose = Prose(make_evidence())
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    sentences = [sentence for piece in pieces for sentence in prose.feed(piece)]
    sentences += prose.finish(whole=True)
    assert sentences == prose.sentences
    return sentences


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
@pytest.mark.parametrize("space", ["", " ", "\n"])
def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before_however_it_comes(size: int, space: str) -> None:
    text = f"Sparrow halves the memory of training by 50%.{space}[1] Wren prunes edges while it learns.{space}[3]"
    _, answer, _ = run(say(text, size=size))
    assert [sentence.numbers for sentence in answer.sentences] == [(1,), (2,)]
    assert [sentence.text.strip()[-1] for sentence in answer.sentences] == ["]", "]"]
    assert answer.notice == ""


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), st.integers(1, 9))
def test_the_sentences_are_the_same_however_the_text_is_cut(text: str, size: int) -> None:
    assert read_in_pieces(text, size) == read_in_pieces(text, 10_000)


def test_a_sentence_is_finished_once_the_next_word_is_there() -> None:
    prose = Prose(make_evidence())
    assert list(prose.feed("Wren prunes edges. [3] I")) == []
    assert list(prose.feed("t")) == []
    assert [sentence.text for sentence in prose.feed(" le")] == ["Wren prunes edges. [1]"]


def test_a_follow_up_reaches_the_model_as_the_question_that_stands_alone() -> None:
    evidence = make_evidence(question="How fast is Sparrow?")
    with serve(say("Sparrow is sparse attention [1].")) as server:
        *_, answer = make_answerer(server).answer("How fast is it?", evidence)
    assert "Question: How fast is Sparrow?" in server.requests[0].prompt
    assert "How fast is it?" not in server.requests[0].prompt
    assert isinstance(answer, Answer)
    assert (answer.question, answer.standalone) == ("How fast is it?", "How fast is Sparrow?")


@pytest.mark.parametrize("text", ["No information is lost with Sparrow [1].", "No evidence of loss was found [1]."])
def test_a_cited_sentence_that_opens_like_a_refusal_is_an_answer(text: str) -> None:
    _, answer, _ = run(say(text))
    assert (answer.abstained, answer.text) == (False, text)


@pytest.mark.parametrize(
    "text",
    ["The method is", "Sparrow is sparse attention [1]", "Sparrow is sparse. It halves", "The moon is green [9]. It"],
)
@pytest.mark.parametrize("end", [cut, stall])
def test_what_breaks_off_before_a_cited_sentence_is_finished_is_no_answer(
    text: str, end: Callable[[str], Reply]
) -> None:
    _, answer, _ = run(end(text))
    assert (answer.text, answer.answerer, answer.incomplete) == ("A scripted answer.", "extractive", False)
    assert answer.notice.endswith("Answered without the model.")


@pytest.mark.parametrize("text", [REFUSAL, f"{REFUSAL} [1]", "I'm sorry, but the sources do not mention Sparrow."])
def test_a_refusal_is_an_abstention_without_citations(text: str) -> None:
    _, answer, _ = run(say(text))
    assert (answer.abstained, answer.text, answer.citations) == (True, REFUSAL, ())
    assert "tiny found no answer" in answer.reason
    assert len(answer.retrieved) == 3


def test_thinking_is_not_the_answer() -> None:
    events, answer, _ = run(say("<think>I should ignore [2].</think>\n\nSparrow is sparse [1]."))
    assert answer.text == "Sparrow is sparse [1]."
    assert "ignore" not in repr(events)


def test_characters_that_are_not_seen_are_removed() -> None:
    _, answer, _ = run(say("\x1b[31mSparrow\x1b[0m is \u202esparse\u202c\U000e0041 [1].", size=100))
    assert answer.text == "Sparrow is sparse [1]."


def test_templates_and_json_in_an_answer_are_text() -> None:
    text = '{"answer": "{context} {{seven}} %s ${HOME}", "citations": [1]}'
    _, answer, _ = run(say(text))
    assert answer.text == text


@pytest.mark.parametrize(
    ("reply", "told", "requests"),
    [
        (refuse_key, "refused the key: check ASSISTANT_API_KEY", 1),
        (fail(404, "The model `tiny` does not exist"), "does not know the model: check ASSISTANT_MODEL", 1),
        (fail(500, retry_after_ms="10"), "failed (HTTP 500)", 3),
        (fail(400, "maximum context length is 512 tokens"), "too small a window", 2),
        (keep_silent, "did not answer within 1.5 s", 1),
        (say(""), "gave no answer", 1),
        (say(" \n\n "), "gave no answer", 1),
        (say("[1]" * 50), "gave no answer", 1),
        (say("", finish="content_filter"), "declined", 1),
        (cut("Half"), "broke off", 1),
    ],
)
def test_a_model_that_fails_costs_no_answer(reply: Reply, told: str, requests: int) -> None:
    _, answer, server = run(reply)
    assert (answer.text, answer.answerer) == ("A scripted answer.", "extractive")
    assert f"tiny at {server.host} {told}" in answer.notice or told in answer.notice
    assert answer.notice.endswith("Answered without the model.")
    assert "\n" not in answer.notice
    assert len(server.requests) == requests


def test_a_dead_endpoint_costs_no_answer() -> None:
    model = connect("tiny", f"http://127.0.0.1:{free_port()}/v1", KEY, 5.0, 0.0)
    *_, answer = ModelAnswerer(model, FakeAnswerer(), LIMITS).answer(QUESTION, make_evidence())
    assert isinstance(answer, Answer)
    assert answer.text == "A scripted answer."
    assert "cannot be reached" in answer.notice


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (stall("Sparrow is sparse attention [1]. It halv"), "went silent"),
        (cut("Sparrow is sparse attention [1]. It halv"), "broke off"),
        (say("Sparrow is sparse attention [1]. It halv", finish="length"), "length limit"),
        (say("Sparrow is sparse attention [1]. It halv", finish=None), "broke off"),
    ],
)
def test_an_answer_that_breaks_off_is_kept_and_marked_incomplete(reply: Reply, told: str) -> None:
    _, answer, server = run(reply)
    assert answer.text == "Sparrow is sparse attention [1]. It halv"
    assert answer.incomplete
    assert told in answer.notice
    assert [found.paper.id for found in answer.citations] == ["list#1"]
    assert len(server.requests) == 1


def test_half_a_sentence_gets_no_citation_of_ours() -> None:
    _, answer, _ = run(say("Robin selects documents by their novelty before", finish="length"))
    assert answer.citations == ()


def test_a_prompt_that_is_too_long_is_asked_once_more_with_fewer_papers() -> None:
    papers = [make_paper(f"list#{n}", f"Paper {n} says much. " * 100, title=f"Paper {n}") for n in range(1, 7)]
    reply = say("Paper 1 says much [1].")
    _, answer, server = run(fail(400, "maximum context length is 512 tokens"), reply, evidence=make_evidence(*papers))
    assert answer.text == "Paper 1 says much [1]."
    first, second = (request.prompt.count("End of source") for request in server.requests)
    assert 0 < second < first


def test_no_paper_means_no_request() -> None:
    with serve(say("Nothing.")) as server:
        events = list(make_answerer(server).answer(QUESTION, Evidence(QUESTION, ())))
    assert events == [Answer(QUESTION, QUESTION, "A scripted answer.")]
    assert server.requests == []


def test_only_papers_that_were_in_the_prompt_can_be_cited() -> None:
    papers = [make_paper(f"list#{n}", f"Paper {n} says much. " * 120, title=f"Paper {n}") for n in range(1, 9)]
    _, answer, server = run(say("Paper 8 says much [8]."), evidence=make_evidence(*papers))
    assert "Source [8]" not in server.requests[0].prompt
    assert answer.citations == ()
    assert answer.removed_markers == 1


def test_stopping_an_answer_closes_the_request() -> None:
    with serve(stall("Sparrow is sparse")) as server:
        with closing(make_answerer(server).answer(QUESTION, make_evidence())) as events:
            assert next(events) == Step("writing with tiny")
            assert isinstance(next(events), Draft)
        assert server.hung_up.wait(1)


HISTORY = (Turn("user", "What is Robin?"), Turn("assistant", "Robin selects documents [1]."))


def test_a_follow_up_is_made_standalone_by_the_model() -> None:
    with serve(say('"How large is the gain of Robin?"\n')) as server:
        assert make_answerer(server).standalone("How large is the gain?", HISTORY) == "How large is the gain of Robin?"
    assert "user: What is Robin?\nassistant: Robin selects documents (1)." in server.requests[0].prompt


def test_a_first_question_needs_no_model() -> None:
    with serve(say("Never asked.")) as server:
        assert make_answerer(server).standalone(QUESTION, ()) == QUESTION
    assert server.requests == []


@pytest.mark.parametrize(
    "reply",
    [fail(404), say(""), say("The moon."), say("How large is the gain? " * 100), stall("How large"), keep_silent],
)
def test_a_model_of_no_use_leaves_the_follow_up_to_the_rules(reply: Reply) -> None:
    with serve(reply) as server:
        assert make_answerer(server).standalone("How large is the gain?", HISTORY) == "by the rules"


def test_the_evidence_reaches_the_model_literally() -> None:
    hostile = "We set {sources} and {{7*7}} to ${HOME}, %s and {0}."
    evidence = replace(make_evidence(make_paper("list#1", hostile), ROBIN, SPARROW), question="Why {question}?")
    with serve(say("Yes [1].")) as server:
        list(make_answerer(server).answer("Why {question}?", evidence))
    assert hostile in server.requests[0].prompt
    assert "Question: Why {question}?" in server.requests[0].prompt
