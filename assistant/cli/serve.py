"""The command that serves programs and browsers."""

from typing import Annotated

import typer

from assistant.chat.server import DEFAULT_HOST, DEFAULT_PORT
from assistant.cli.ending import explained
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import CollectionOption, DebugOption, StoreOption
from assistant.cli.terminal import note

EXAMPLES = """\b
Examples:
  assistant serve
  assistant serve --port 8080 --read-only
  ASSISTANT_TOKEN=... assistant serve --host 0.0.0.0 --name papers.example.org
"""


def serve(  # noqa: PLR0913, PLR0917  one parameter an option
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at; one that others reach needs ASSISTANT_TOKEN.")
    ] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0: any free one.")
    ] = DEFAULT_PORT,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="A host name it is reached by; may be given several times."),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Let nobody add or remove papers.")] = False,
    log_questions: Annotated[
        bool, typer.Option("--log-questions", help="Write the questions to the log, too.")
    ] = False,
    collection: CollectionOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Serve the chat window and an API for programs on one port.

    /api answers JSON (its description: /api/openapi.json), /v1 speaks the OpenAI protocol, /mcp is for agents.
    Ctrl-C ends it at once, SIGTERM when the answers that were begun are there.
    """
    with explained(debug):
        from assistant.serving.logs import start_log
        from assistant.serving.server import Terms, check_terms
        from assistant.serving.server import serve as serve_all
        from assistant.settings import read_settings

        settings = read_settings()
        token = settings.token.get_secret_value()
        terms = Terms(host.strip("[]"), port, token, settings.rate, tuple(name or ()), read_only)
        check_terms(terms)
        with open_assistant(store, collection=collection) as assistant:
            build_if_missing(assistant)
            start_log(log_questions)
            serve_all(assistant, terms, tell)
            note(f"stopped: the papers stay in {assistant.store}")


def tell(url: str) -> None:
    """Print what is served where."""
    print(f"The window is at {url}, the API at {url}api (its description: {url}api/openapi.json)", flush=True)
