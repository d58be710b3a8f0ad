"""The command that opens the chat window."""

from typing import Annotated

import typer

from assistant.cli.ending import STOPPED, explained
from assistant.cli.opening import build_if_missing, open_assistant
from assistant.cli.options import DebugOption, StoreOption
from assistant.cli.terminal import note

EXAMPLES = """\b
Examples:
  assistant chat
  assistant chat --port 8080 --no-browser
"""


def chat(
    host: Annotated[str, typer.Option(metavar="HOST", help="The address to listen at, on this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0: any free one.")] = 7860,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Open the chat window in the browser; Ctrl-C ends it."""
    with explained(debug), open_assistant(store) as assistant:
        build_if_missing(assistant)
        from assistant.chat.server import serve

        serve(assistant, host, port, tell if no_browser else open_window)
        note(f"stopped: the papers stay in {assistant.store}")
        raise typer.Exit(STOPPED)


def tell(url: str) -> None:
    """Print where the chat window is."""
    print(f"The chat window is at {url} (Ctrl-C ends it)", flush=True)


def open_window(url: str) -> None:
    """Print where the chat window is, and open it in the browser."""
    import webbrowser

    tell(url)
    webbrowser.open(url)
