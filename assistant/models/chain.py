"""The LangChain chain: retriever, prompt, chat model and text, to be used whole or taken apart."""

from collections.abc import Callable
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableLambda, RunnableParallel, RunnablePassthrough
from pydantic import ConfigDict, SkipValidation

from assistant.answering.sources import Source, fill_answer, read_answer_prompt
from assistant.domain import Evidence
from assistant.ports import Prompt
from assistant.text.labels import label

Chain = Runnable[str, str]
Find = Callable[[str, int], Evidence]


class PaperRetriever(BaseRetriever):
    """Our search as LangChain knows retrievers: a Document a paper, best first."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    find: SkipValidation[Find]
    k: int

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        evidence = self.find(query, self.k)
        return [
            Document(
                found.paper.abstract,
                id=found.paper.id,
                metadata={
                    "paper_id": found.paper.id,
                    "title": label(found.paper),
                    "score": found.score,
                    "authors": list(found.paper.authors),
                    "year": found.paper.year,
                    "url": found.paper.url,
                },
            )
            for found in evidence.papers
        ]


def chain(find: Find, chat: BaseChatModel, k: int) -> Chain:
    """Return the chain from a question to a model's text, in which [n] means the n-th document.

    The text is the model's own: only the Assistant holds it to the evidence.
    """
    papers = PaperRetriever(find=find, k=k)
    gather = RunnableParallel[str](question=RunnablePassthrough[str](), documents=papers)
    return gather | RunnableLambda(_fill) | write(read_answer_prompt(), chat) | StrOutputParser()


def write(prompt: Prompt, chat: BaseChatModel) -> Runnable[dict[str, str], BaseMessage]:
    """Return the part of the chain that writes: a prompt's values in, a model's message out."""
    return make_template(prompt) | chat


def make_template(prompt: Prompt) -> ChatPromptTemplate:
    """Return a prompt as LangChain knows prompts."""
    return ChatPromptTemplate.from_messages([("system", prompt.system), ("human", prompt.user)])


def _fill(gathered: dict[str, Any]) -> dict[str, str]:
    sources = [Source(document.metadata["title"], document.page_content) for document in gathered["documents"]]
    return dict(fill_answer(gathered["question"], sources))
