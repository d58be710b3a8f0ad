"""The command that gives an agent the papers as tools."""

from assistant.cli.ending import explained
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import CollectionOption, DebugOption, StoreOption

EXAMPLES = """\b
Example, as an agent's settings have it:
  {"mcpServers": {"papers": {"command": "assistant", "args": ["mcp", "--store", "/home/ada/papers"]}}}
"""


def serve_agent(collection: CollectionOption = None, store: StoreOption = None, debug: DebugOption = False) -> None:
    """Give an agent the papers as tools, over MCP on the standard streams.

    The agent starts this command itself. `assistant serve` has the same tools over HTTP, at /mcp.
    """
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        build_if_missing(assistant)
        from assistant.serving.agents import create_tools
        from assistant.serving.logs import start_log
        from assistant.serving.service import Service

        start_log(questions=False)
        create_tools(Service(assistant)).run("stdio")
