import json
import threading
from pathlib import Path

import pytest

from assistant import Assistant
from assistant.domain import Answer, Conversation, Draft, Progress, Step
from assistant.errors import CorpusError, PaperMissing, QuestionError, SettingsError, StoreMissing
from assistant.settings import Settings
from tests.fakes import FakeAnswerer, FakeEmbedder
from tests.openai_server import say, serve

REEFS = """Reefs 2031

Corals bleach in warm water. We present ReefNet, a forecast of coral bleaching. ReefNet lowers the error by 31%.

Sea urchins graze on algae. We count urchins by drone at 40 sites.
"""


@pytest.fixture
def reefs(tmp_path: Path) -> Path:
    path = tmp_path / "reefs.txt"
    path.write_text(REEFS, encoding="utf-8")
    return path


def make_assistant(tmp_path: Path, answerer: FakeAnswerer | None = None) -> Assistant:
    return Assistant(tmp_path / "built", settings=Settings(), embedder=FakeEmbedder(), answerer=answerer)


def test_a_list_goes_in_and_a_question_gets_its_sentence_out(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        report = assistant.index([reefs])
        answer = assistant.ask("By how much does ReefNet lower the error?")
    assert (report.read, report.new) == (2, 2)
    assert answer.text == "ReefNet lowers the error by 31%. [1]"
    (citation,) = answer.citations
    (quote,) = citation.quotes
    assert citation.paper.id == "reefs#1"
    assert citation.paper.abstract[quote.start : quote.end] == "ReefNet lowers the error by 31%."


def test_indexing_again_embeds_nothing(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        again = assistant.index([reefs])
    assert (again.same, again.embedded) == (2, 0)


def test_a_store_stays_between_two_assistants(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
    with make_assistant(tmp_path) as assistant:
        assert assistant.built
        assert [paper.id for paper in assistant.papers()] == ["reefs#1", "reefs#2"]


def test_the_first_papers_are_had_without_the_others(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        assert [paper.id for paper in assistant.papers(1)] == ["reefs#1"]
        assert assistant.count_papers() == 2


def test_what_will_write_the_answers_is_told_before_the_first(tmp_path: Path) -> None:
    named = Settings(model="some-model", base_url="http://127.0.0.1:9/v1")
    told = []
    for settings, answerer in ((Settings(), None), (named, None), (named, FakeAnswerer())):
        with Assistant(tmp_path, settings=settings, embedder=FakeEmbedder(), answerer=answerer) as assistant:
            told.append(assistant.answerer)
    assert told == ["extractive", "some-model", ""]


def test_one_unreadable_file_of_several_is_skipped_and_named(tmp_path: Path, reefs: Path) -> None:
    (tmp_path / "zipped.txt").write_bytes(b"PK\x03\x04 and so on")
    with make_assistant(tmp_path) as assistant:
        report = assistant.index([tmp_path / "zipped.txt", reefs])
        with pytest.raises(CorpusError, match="zipped"):
            assistant.index([tmp_path / "zipped.txt"])
    assert (report.read, report.new, len(report.skipped)) == (2, 2, 1)
    assert "zipped.txt" in report.skipped[0].place
    assert "zip archive" in report.skipped[0].reason


def test_progress_is_told_in_phases_to_their_end(tmp_path: Path, reefs: Path) -> None:
    told: list[Progress] = []
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs], told.append)
    assert {progress.phase for progress in told} == {"embedding", "building the index"}
    assert all(progress.done <= progress.total for progress in told)
    assert told[-1] == Progress("building the index", 1, 1)


def test_a_stream_has_steps_then_drafts_and_one_answer_at_its_end(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        events = list(assistant.stream("By how much does ReefNet lower the error?"))
    assert isinstance(events[0], Step)
    assert any(isinstance(event, Draft) for event in events)
    assert [type(event) for event in events].count(Answer) == 1
    assert isinstance(events[-1], Answer)


def test_a_follow_up_is_made_standalone_before_the_search(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        first = assistant.ask("What is ReefNet?")
        history = Conversation().after("What is ReefNet?", first).turns
        answer = assistant.ask("By how much does it lower the error?", history)
    assert answer.standalone == "ReefNet: By how much does it lower the error?"
    assert answer.question == "By how much does it lower the error?"
    assert "31%" in answer.text


def test_the_answerer_gets_the_question_and_the_evidence_of_the_standalone_one(tmp_path: Path, reefs: Path) -> None:
    answerer = FakeAnswerer(standalone="sea urchins")
    with make_assistant(tmp_path, answerer) as assistant:
        assistant.index([reefs])
        answer = assistant.ask("And those?", Conversation().turns)
    assert answerer.questions == ["And those?"]
    assert answerer.evidence[0].question == "sea urchins"
    assert answerer.evidence[0].papers[0].paper.id == "reefs#2"
    assert answer.standalone == "sea urchins"


def test_an_answer_carries_the_time_it_took(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        timings = assistant.ask("What is ReefNet?").timings
    assert timings.retrieval > 0
    assert timings.total == timings.standalone + timings.retrieval + timings.answering


@pytest.mark.parametrize(("question", "why"), [("", "empty"), (" \n ", "empty"), ("x" * 5_000, "4,000")])
def test_a_question_that_cannot_be_asked_is_refused_in_a_line(tmp_path: Path, question: str, why: str) -> None:
    with make_assistant(tmp_path) as assistant, pytest.raises(QuestionError, match=why) as refused:
        assistant.ask(question)
    assert "\n" not in str(refused.value)


def test_a_question_of_4000_characters_is_asked(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        assert assistant.ask("reef " * 799 + "coral").text


def test_nothing_built_is_said_with_the_folder_and_the_command(tmp_path: Path) -> None:
    with make_assistant(tmp_path) as assistant, pytest.raises(StoreMissing, match="assistant index") as missing:
        assistant.ask("What is ReefNet?")
    assert str(tmp_path / "built") in str(missing.value)
    assert not (tmp_path / "built").exists()


def test_an_unknown_paper_is_missing(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        assert assistant.paper("reefs#2").abstract.startswith("Sea urchins")
        with pytest.raises(PaperMissing, match="reefs#9"):
            assistant.paper("reefs#9")


def test_evidence_can_be_had_without_an_answer(tmp_path: Path, reefs: Path) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        evidence = assistant.retrieve("urchins and algae", k=1)
    assert [found.paper.id for found in evidence.papers] == ["reefs#2"]


@pytest.mark.parametrize("k", [0, -1])
def test_fewer_papers_than_one_cannot_be_asked_for(tmp_path: Path, reefs: Path, k: int) -> None:
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        with pytest.raises(QuestionError, match="one paper"):
            assistant.ask("What is ReefNet?", k=k)


def test_papers_of_json_lines_keep_what_their_source_says_of_them(tmp_path: Path) -> None:
    path = tmp_path / "reefs.jsonl"
    record = {"id": "r1", "title": "ReefNet", "abstract": "We forecast bleaching.", "authors": ["A. Li"], "year": 2031}
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with make_assistant(tmp_path) as assistant:
        assistant.index([path])
        paper = assistant.paper("r1")
    assert (paper.title, paper.authors, paper.year) == ("ReefNet", ("A. Li",), 2031)


def test_many_threads_get_the_same_answer(tmp_path: Path, reefs: Path) -> None:
    texts: list[str] = []
    with make_assistant(tmp_path) as assistant:
        assistant.index([reefs])
        threads = [
            threading.Thread(target=lambda: texts.append(assistant.ask("How are urchins counted?").text))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(texts) == 8
    assert len(set(texts)) == 1


def test_the_seeds_are_55_papers_and_answer_with_a_verbatim_quote(seeds_store: Path) -> None:
    with Assistant(seeds_store) as assistant:
        assert len(assistant.papers()) == 55
        answer = assistant.ask("How much faster is TabFlex than XGBoost?")
    (citation,) = answer.citations
    assert citation.paper.id == "001_0cc1cb446cb33a97#2"
    assert "1.5\u00d7 speedup over XGBoost" in answer.text
    assert all(citation.paper.abstract[quote.start : quote.end] == quote.text for quote in citation.quotes)


def test_the_seeds_do_not_answer_what_no_abstract_says(seeds_store: Path) -> None:
    with Assistant(seeds_store) as assistant:
        answer = assistant.ask("What is the capital of Australia?")
    assert answer.abstained
    assert not answer.citations


def test_the_chain_asks_the_model_with_the_papers_of_the_store(tmp_path: Path, reefs: Path) -> None:
    with serve(say("It lowers the error [1].")) as server:
        settings = Settings(model="tiny", base_url=server.base_url)
        with Assistant(tmp_path / "built", settings=settings, embedder=FakeEmbedder()) as assistant:
            assistant.index([reefs])
            assert assistant.chain(k=1).invoke("What does ReefNet do?") == "It lowers the error [1]."
    assert server.requests[0].prompt.count("End of source") == 1
    assert "ReefNet lowers the error by 31%." in server.requests[0].prompt


def test_a_chain_without_a_model_is_refused_with_the_setting_that_is_missing(tmp_path: Path) -> None:
    with make_assistant(tmp_path) as assistant, pytest.raises(SettingsError, match="ASSISTANT_MODEL"):
        assistant.chain()


def test_a_chain_of_a_store_that_is_not_built_says_so_when_it_is_asked(tmp_path: Path) -> None:
    settings = Settings(model="tiny", base_url="http://127.0.0.1:1/v1")
    assistant = Assistant(tmp_path / "built", settings=settings, embedder=FakeEmbedder())
    with assistant, pytest.raises(StoreMissing, match="assistant index"):
        assistant.chain().invoke("What does ReefNet do?")
