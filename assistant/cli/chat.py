"""The command that opens the chat window."""

from typing import Annotated

import typer

from assistant.chat.server import DEFAULT_HOST, DEFAULT_PORT
from assistant.cli.ending import explained
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import CollectionOption, DebugOption, StoreOption
from assistant.cli.terminal import note

EXAMPLES = """\b
Examples:
  assistant chat
  assistant chat --port 8080 --no-browser
"""


def chat(  # noqa: PLR0913, PLR0917  one parameter an option
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at, on this machine.")
    ] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0: any free one.")
    ] = DEFAULT_PORT,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
    collection: CollectionOption = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Open the chat window in the browser; Ctrl-C ends it."""
    with explained(debug), open_assistant(store, collection=collection) as assistant:
        build_if_missing(assistant)
        from assistant.chat.server import serve

        serve(assistant, host, port, tell, None if no_browser else open_browser)
        note(f"stopped: the papers stay in {assistant.store}")


def tell(url: str) -> None:
    """Print where the chat window is."""
    print(f"The chat window is at {url} (Ctrl-C ends it)", flush=True)


def open_browser(url: str) -> None:
    """Open the chat window in the browser."""
    import webbrowser

    webbrowser.open(url)
