"""The API over HTTP: questions, searches and papers as JSON and as events, against a running server."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from assistant import Assistant, __version__
from assistant.cli import run
from assistant.documents import answer_document, dump, event_document, evidence_document
from assistant.domain import Answer
from assistant.serving import descriptions
from assistant.serving.forms import Ask, PaperForm, Papers
from assistant.serving.server import Terms
from tests.servers import GatedAnswerer, served

QUESTION = "How long does TabFlex need for the poker-hand dataset?"
TABFLEX = "001_0cc1cb446cb33a97#2"
WREN = {"id": "wren 1/2#ü", "abstract": "We propose Wren. It sorts feathers by their length.", "year": 2024}


@pytest.fixture(scope="module")
def url(seeds_store: Path) -> Iterator[str]:
    with Assistant(store=seeds_store) as assistant, served(assistant) as server:
        yield server.url


@pytest.fixture
def own(tmp_path: Path) -> Iterator[str]:
    """Return the address of a server with a store of its own, of one paper."""
    with Assistant(store=tmp_path / "store") as assistant:
        assistant.add([PaperForm(id="sparrow", abstract="We propose Sparrow. It halves the memory.").read()])
        with served(assistant) as server:
            yield server.url


def read_events(text: str) -> list[tuple[str, dict[str, object]]]:
    """Return the server-sent events of a stream."""
    events = re.findall(r"^event: (\w+)\ndata: (.*)$", text, re.MULTILINE)
    return [(name, json.loads(data)) for name, data in events]


def without_times(document: object) -> object:
    assert isinstance(document, dict)
    return {**document, "seconds": 0}


def test_an_answer_carries_its_citations_with_the_exact_words(url: str) -> None:
    answer = httpx.post(f"{url}/api/ask", json={"question": QUESTION}).json()
    assert "5 seconds. [1]" in answer["answer"]
    (citation,) = answer["citations"]
    assert (citation["number"], citation["paper_id"]) == (1, TABFLEX)
    abstract = httpx.get(f"{url}/api/papers/{TABFLEX.replace('#', '%23')}").json()["abstract"]
    for quote in citation["quotes"]:
        assert abstract[quote["start"] : quote["end"]] == quote["text"]


def test_an_answer_has_the_same_form_as_on_the_command_line(
    url: str, seeds_store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", "--json", "--store", str(seeds_store), QUESTION]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert without_times(httpx.post(f"{url}/api/ask", json={"question": QUESTION}).json()) == without_times(printed)


@pytest.mark.parametrize("how", ["header", "field"])
def test_a_stream_has_the_events_of_python_and_ends_with_the_same_answer(url: str, how: str, seeds_store: Path) -> None:
    headers = {"Accept": "text/event-stream"} if how == "header" else {}
    body = {"question": QUESTION, "stream": how == "field"}
    reply = httpx.post(f"{url}/api/ask", json=body, headers=headers)
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = read_events(reply.text)
    with Assistant(store=seeds_store) as assistant:
        wanted = [json.loads(dump(event_document(event))) for event in assistant.stream(QUESTION)]
    assert [document for _, document in events[:-1]] == wanted[:-1]
    assert events[-1][0] == "answer"
    assert without_times(events[-1][1]) == without_times(wanted[-1])


def test_the_references_in_the_stream_are_those_of_the_answer(url: str) -> None:
    question = "Which papers prune language models?"
    events = read_events(httpx.post(f"{url}/api/ask", json={"question": question, "stream": True}).text)
    streamed = {number for name, data in events if name == "sentence" for number in data["numbers"]}  # type: ignore[attr-defined]
    cited = {citation["number"] for citation in events[-1][1]["citations"]}  # type: ignore[attr-defined]
    assert streamed == cited != set()


def test_a_follow_up_is_understood_from_the_history(url: str) -> None:
    history = [{"role": "user", "text": "What is TabFlex?"}, {"role": "assistant", "text": "A model. [1]"}]
    answer = httpx.post(f"{url}/api/ask", json={"question": "How fast is it?", "history": history}).json()
    assert TABFLEX in {citation["paper_id"] for citation in answer["citations"]}


def test_many_at_once_each_get_the_answer_to_their_own_question(url: str) -> None:
    topics = ("attention", "graphs", "TabFlex")
    questions = [f"What is paper {number} on {topic}?" for number in range(4) for topic in topics]

    def ask(question: str) -> object:
        return without_times(httpx.post(f"{url}/api/ask", json={"question": question}, timeout=30).json())

    wanted = [ask(question) for question in questions]
    with ThreadPoolExecutor(len(questions)) as pool:
        for _ in range(3):
            assert list(pool.map(ask, questions)) == wanted


def test_filters_and_k_bound_what_is_found(url: str) -> None:
    wanted = {"question": "attention", "k": 3, "filters": {"source": "002_", "without": ["002_47430e0cfb4f44fb#18"]}}
    found = [paper["paper_id"] for paper in httpx.post(f"{url}/api/search", json=wanted).json()["papers"]]
    assert len(found) == 3
    assert all(id.startswith("002_") for id in found)
    assert "002_47430e0cfb4f44fb#18" not in found


def test_a_search_is_the_same_as_in_python(url: str, seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant:
        wanted = json.loads(dump(evidence_document(assistant.retrieve("linear attention"))))
    assert httpx.post(f"{url}/api/search", json={"question": "linear attention"}).json() == wanted


def test_the_list_of_papers_is_read_page_by_page(url: str) -> None:
    pages = [httpx.get(f"{url}/api/papers", params={"offset": offset, "limit": 20}).json() for offset in (0, 20, 40)]
    ids = [paper["id"] for page in pages for paper in page["papers"]]
    assert {page["total"] for page in pages} == {55} == {len(set(ids))}
    filtered = httpx.get(f"{url}/api/papers", params={"source": "000_", "limit": 1}).json()
    assert (filtered["total"], len(filtered["papers"])) == (17, 1)


def test_a_paper_that_was_added_answers_at_once_and_is_gone_when_it_is_removed(own: str) -> None:
    added = httpx.post(f"{own}/api/papers", json={"papers": [WREN]}, timeout=30).json()
    assert added == {"new": 1, "same": 0, "updated": 0, "merged": 0, "skipped": []}
    answer = httpx.post(f"{own}/api/ask", json={"question": "What does Wren sort?"}).json()
    assert [citation["paper_id"] for citation in answer["citations"]] == [WREN["id"]]
    place = f"{own}/api/papers/wren 1%2F2%23ü"
    assert httpx.get(place).json()["year"] == 2024
    assert httpx.delete(place, timeout=30).status_code == 204
    assert httpx.get(place).status_code == 404
    assert httpx.delete(place).status_code == 404
    found = httpx.post(f"{own}/api/search", json={"question": "feathers"}).json()["papers"]
    assert [paper["paper_id"] for paper in found] == ["sparrow"]


def test_a_read_only_server_changes_no_paper(seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant, served(assistant, Terms(read_only=True)) as server:
        assert httpx.post(f"{server.url}/api/papers", json={"papers": [WREN]}).status_code == 405
        assert httpx.delete(f"{server.url}/api/papers/{TABFLEX.replace('#', '%23')}").status_code == 405
        assert assistant.count_papers() == 55


def test_health_names_the_store_the_papers_and_what_answers(url: str, seeds_store: Path) -> None:
    assert httpx.get(f"{url}/api/health").json() == {
        "status": "ok",
        "version": __version__,
        "store": str(seeds_store),
        "papers": 55,
        "answerer": "extractive",
        "answering": 0,
    }


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("ask", b'{"question":', 400, "not JSON"),
        ("ask", b"[" * 100_000, 400, "not JSON"),
        ("ask", b'{"question": "  "}', 422, "The question is empty"),
        ("ask", b'{"question": "%s"}' % (b"a" * 4_001), 422, "4,001 characters"),
        ("ask", b'{"question": "a", "k": 0}', 422, "k: Input should be greater"),
        ("ask", b'{"question": "a", "extra\\u001b": 1}', 422, "Extra inputs"),
        ("ask", b"{}", 422, "question: Field required"),
        ("ask", b'{"question": "a", "history": [{"role": "system", "text": "x"}]}', 422, "history.0.role"),
        ("search", b'{"question": ""}', 422, "The question is empty"),
        ("papers", b'{"papers": []}', 422, "papers"),
        ("papers", b'{"papers": [{"id": " ", "abstract": "x"}]}', 422, "papers.0.id"),
        ("papers", b'{"papers": [{"id": "a\\n", "abstract": "x"}]}', 422, "papers.0.id"),
        ("ask", b'{"question": "%s"}' % (b"a" * 5_000_000), 413, "4 MiB"),
    ],
)
def test_what_cannot_be_understood_is_a_problem_of_one_line(
    url: str, path: str, body: bytes, status: int, words: str
) -> None:
    reply = httpx.post(f"{url}/api/{path}", content=body, headers={"Content-Type": "application/json"})
    problem = reply.json()
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert problem.keys() == {"type", "title", "status", "detail"}
    assert problem["status"] == status
    assert words in problem["detail"]
    assert problem["detail"].isprintable()


def test_half_a_character_in_a_question_does_no_harm(url: str) -> None:
    body = b'{"question": "What is \\ud800TabFlex?"}'
    assert httpx.post(f"{url}/api/ask", content=body, headers={"Content-Type": "application/json"}).status_code == 200


def test_a_body_that_is_not_called_json_is_refused(url: str) -> None:
    assert httpx.post(f"{url}/api/ask", content=b'{"question": "a"}').status_code == 415


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/nothing"), ("GET", "/api/papers/no%00%1b%23paper"), ("DELETE", "/api/papers/a%0Ab%0A")],
)
def test_what_is_not_there_is_a_problem(url: str, method: str, path: str) -> None:
    reply = httpx.request(method, url + path)
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")
    assert reply.text.isprintable()


def test_a_wrong_method_is_told_the_right_one(url: str) -> None:
    reply = httpx.put(f"{url}/api/ask")
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(("question", "status"), [("broken", 500), ("no model", 503)])
def test_nothing_of_the_inside_leaves_with_an_error(question: str, status: int, seeds_store: Path) -> None:
    with Assistant(store=seeds_store, answerer=GatedAnswerer()) as assistant, served(assistant) as server:
        plain = httpx.post(f"{server.url}/api/ask", json={"question": question})
        streamed = httpx.post(f"{server.url}/api/ask", json={"question": question, "stream": True})
    assert plain.status_code == status
    name, data = read_events(streamed.text)[-1]
    assert (name, data["status"]) == ("error", status)
    for inside in ("planted", "10.9.8.7", "Traceback", "RuntimeError", str(seeds_store)):
        assert inside not in plain.text + streamed.text


def test_a_store_that_has_gone_is_a_problem_that_names_no_folder(tmp_path: Path) -> None:
    with Assistant(store=tmp_path / "nowhere") as assistant, served(assistant) as server:
        reply = httpx.post(f"{server.url}/api/ask", json={"question": "What is TabFlex?"})
        health = httpx.get(f"{server.url}/api/health")
    assert (reply.status_code, health.status_code) == (503, 503)
    assert "nowhere" not in reply.text + health.text
    assert "retry-after" in reply.headers


def test_no_control_character_leaves_as_it_is(own: str) -> None:
    nasty = "Wren\x1b[31m sorts\x9b feathers\u202e by\u200b length."
    httpx.post(f"{own}/api/papers", json={"papers": [{"id": "n", "abstract": nasty}]}, timeout=30)
    texts = [
        httpx.post(f"{own}/api/ask", json={"question": "What does Wren sort?\x1b[2J", "stream": stream}).text
        for stream in (False, True)
    ]
    texts.append(httpx.get(f"{own}/api/papers").text)
    assert all(text.replace("\n", "").isprintable() for text in texts)
    assert json.loads(texts[2])["papers"][1]["abstract"] == nasty


def test_the_descriptions_fit_what_is_sent(url: str, seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant:
        answer = assistant.ask(QUESTION)
    assert isinstance(answer, Answer)
    descriptions.AnswerDescription.model_validate(json.loads(dump(answer_document(answer))))
    found = httpx.post(f"{url}/api/search", json={"question": "attention"}).json()
    descriptions.EvidenceDescription.model_validate(found)
    descriptions.PageDescription.model_validate(httpx.get(f"{url}/api/papers").json())
    descriptions.HealthDescription.model_validate(httpx.get(f"{url}/api/health").json())
    descriptions.ProblemDescription.model_validate(httpx.get(f"{url}/api/nothing").json())


def test_the_openapi_document_names_every_route_with_examples_that_hold(url: str) -> None:
    document = httpx.get(f"{url}/api/openapi.json").json()
    assert document["paths"].keys() == {"/health", "/ask", "/search", "/papers", "/papers/{id}"}
    assert document["servers"] == [{"url": "/api"}]
    schemas = document["components"]["schemas"]
    for form in (Ask, Papers):
        for example in schemas[form.__name__]["examples"]:
            form.model_validate(example)
    content = document["paths"]["/ask"]["post"]["responses"]["200"]["content"]
    assert content.keys() == {"application/json", "text/event-stream"}
