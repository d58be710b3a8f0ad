"""The chain is LangChain's own: its retriever, prompt and model can be used apart."""

from assistant.domain import Evidence
from assistant.models.chain import PaperRetriever, chain
from assistant.models.chat_model import connect
from tests.evidence import SPARROW, make_evidence
from tests.fakes import make_paper
from tests.openai_server import say, serve


class FixedRetriever:
    """Finds the same evidence for every question."""

    def __init__(self, evidence: Evidence) -> None:
        self.asked: list[tuple[str, int]] = []
        self._evidence = evidence

    def retrieve(self, question: str, k: int) -> Evidence:
        self.asked.append((question, k))
        return self._evidence


def test_the_retriever_gives_a_document_a_paper_with_its_id_and_score() -> None:
    retriever = FixedRetriever(make_evidence())
    documents = PaperRetriever(find=retriever.retrieve, k=3).invoke("What is Sparrow?")
    assert retriever.asked == [("What is Sparrow?", 3)]
    assert [document.metadata["paper_id"] for document in documents] == ["list#1", "list#2", "list#3"]
    assert documents[0].page_content == SPARROW.abstract
    assert documents[0].metadata["score"] == 0.9


def test_the_chain_asks_the_model_with_the_papers_that_the_retriever_found() -> None:
    retriever = FixedRetriever(make_evidence())
    with serve(say("Sparse attention [1].")) as server:
        chat = connect("tiny", server.base_url, "", 5.0, 0.0).chat
        text = chain(retriever.retrieve, chat, 8).invoke("What is Sparrow?")
    assert text == "Sparse attention [1]."
    assert retriever.asked == [("What is Sparrow?", 8)]
    assert SPARROW.abstract in server.requests[0].prompt
    assert "Question: What is Sparrow?" in server.requests[0].prompt


def test_a_paper_full_of_templates_reaches_the_model_as_it_is() -> None:
    hostile = "Set {question} to {{7*7}} or {% if x %} ${HOME} %s {0!r} {'lc': 1, 'type': 'secret', 'id': ['HOME']}."
    evidence = make_evidence(make_paper("list#1", hostile, title=hostile))
    with serve(say("Yes [1].")) as server:
        chat = connect("tiny", server.base_url, "", 5.0, 0.0).chat
        chain(FixedRetriever(evidence).retrieve, chat, 8).invoke(hostile)
    assert f"\n{hostile}\nEnd of source" in server.requests[0].prompt
    assert f"Question: {hostile}\n" in server.requests[0].prompt
