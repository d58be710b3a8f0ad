"""The tools for agents, used by the official client of MCP: over HTTP and on the streams of a process."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from assistant import Assistant
from assistant.serving.forms import PaperForm
from tests.servers import GatedAnswerer, served

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "How long does TabFlex need for the poker-hand dataset?"
TABFLEX = "001_0cc1cb446cb33a97#2"

Server = str | StdioServerParameters
Call = Callable[[str, dict[str, object]], Coroutine[None, None, CallToolResult]]


@pytest.fixture(scope="module")
def url(seeds_store: Path) -> Iterator[str]:
    with Assistant(store=seeds_store) as assistant, served(assistant) as server:
        yield f"{server.url}/mcp"


def on_streams(store: Path) -> StdioServerParameters:
    path = os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": path}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "assistant", "mcp", "--store", str(store)], env=environment
    )


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, url: str, seeds_store: Path) -> Server:
    return url if request.param == "http" else on_streams(seeds_store)


async def call_all(server: Server) -> tuple[list[str], list[CallToolResult]]:
    async with Client(server) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        calls = (
            ("search_papers", {"question": "linear attention", "k": 3}),
            ("get_paper", {"id": TABFLEX}),
            ("ask_corpus", {"question": QUESTION}),
            ("get_paper", {"id": "nothing#1"}),
            ("ask_corpus", {"question": " "}),
        )
        return tools, [await client.call_tool(name, arguments) for name, arguments in calls]


def read_text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def call(server: str, name: str, **arguments: object) -> CallToolResult:
    async def once() -> CallToolResult:
        async with Client(server) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(once())


def test_an_agent_searches_reads_and_asks(server: Server) -> None:
    tools, (found, paper, answer, missing, empty) = asyncio.run(call_all(server))
    assert tools == ["search_papers", "get_paper", "ask_corpus"]
    assert len(found.structured_content["papers"]) == 3
    assert TABFLEX in read_text(found)
    assert paper.structured_content["id"] == TABFLEX
    assert paper.structured_content["abstract"] in read_text(paper)
    assert "5 seconds. [1]" in read_text(answer)
    assert [each["paper_id"] for each in answer.structured_content["citations"]] == [TABFLEX]
    assert missing.is_error
    assert "nothing#1" in read_text(missing)
    assert empty.is_error
    assert "The question is empty" in read_text(empty)


def test_nothing_of_the_inside_reaches_an_agent(seeds_store: Path) -> None:
    with Assistant(store=seeds_store, answerer=GatedAnswerer()) as assistant, served(assistant) as server:
        result = call(f"{server.url}/mcp", "ask_corpus", question="broken")
    assert result.is_error
    assert "planted" not in result.model_dump_json()
    assert "Something went wrong" in read_text(result)


def test_an_agent_is_given_no_hidden_characters(tmp_path: Path) -> None:
    nasty = "Wren sorts\u200b feathers\U000e0041\U000e0042 by\u202e length\x1b[31m."
    with Assistant(store=tmp_path / "store") as assistant:
        assistant.add([PaperForm(id="wren", abstract=nasty).read()])
        with served(assistant) as server:
            results = [
                call(f"{server.url}/mcp", "get_paper", id="wren"),
                call(f"{server.url}/mcp", "search_papers", question="What does Wren sort?"),
                call(f"{server.url}/mcp", "ask_corpus", question="What does Wren sort?"),
            ]
    for result in results:
        text = read_text(result) + str(result.structured_content)
        assert "Wren sorts feathers" in text
        assert text.replace("\n", "").isprintable()
