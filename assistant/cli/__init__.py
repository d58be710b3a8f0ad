"""The command line: parses what is typed, calls the assistant, prints."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from assistant.cli import agents, ask, chat, evaluate, export, index, papers, remove, serve, store
from assistant.cli.ending import complain_of_usage
from assistant.cli.help import NAMES, GroupedCommands
from assistant.cli.options import DebugOption, StoreOption
from assistant.cli.terminal import prepare_streams, silence_output

EXAMPLES = """\b
Start here:
  assistant ask "Which papers prune language models?"
  assistant chat

`assistant COMMAND --help` tells more. Settings are read from ASSISTANT_... and from .env."""


def main() -> None:
    """Run the command line on the arguments of this process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 an error, 2 a wrong use, 130 stopped."""
    prepare_streams()
    try:
        code = create_app()(arguments, prog_name="assistant", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return complain_of_usage(error)
    except BrokenPipeError:
        silence_output()
        return 0
    return int(code or 0)


def create_app() -> typer.Typer:
    """Return the command line with all its commands."""
    # Without rich's markup the help is there in a third of the time.
    app = typer.Typer(
        name="assistant",
        cls=GroupedCommands,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True, epilog=EXAMPLES)(start)
    app.command("ask", epilog=ask.EXAMPLES)(ask.ask)
    app.command("chat", epilog=chat.EXAMPLES)(chat.chat)
    app.command("serve", epilog=serve.EXAMPLES)(serve.serve)
    app.command("mcp", epilog=agents.EXAMPLES)(agents.serve_agent)
    app.command("search", epilog=papers.SEARCH_EXAMPLES)(papers.search)
    app.command("similar", epilog=papers.SIMILAR_EXAMPLES)(papers.similar)
    app.command("papers", epilog=papers.PAPERS_EXAMPLES)(papers.papers)
    app.command("index", epilog=index.EXAMPLES)(index.index)
    app.command("remove", epilog=remove.REMOVE_EXAMPLES)(remove.remove)
    app.command("export", epilog=export.EXAMPLES)(export.export)
    app.command("collections", epilog=remove.COLLECTIONS_EXAMPLES)(remove.collections)
    app.command("eval", epilog=evaluate.EXAMPLES)(evaluate.evaluate)
    app.command("status", epilog=store.STATUS_EXAMPLES)(store.status)
    app.command("check", epilog=store.CHECK_EXAMPLES)(store.check)
    app.command("rebuild", epilog=store.REBUILD_EXAMPLES)(store.rebuild)
    app.command("backup", epilog=store.BACKUP_EXAMPLES)(store.backup)
    app.command("restore", epilog=store.RESTORE_EXAMPLES)(store.restore)
    return app


def start(
    context: typer.Context,
    store: StoreOption = None,
    debug: DebugOption = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Answer questions about a corpus of paper abstracts, every claim cited to the exact words."""
    if version:
        from assistant import __version__

        print(f"assistant {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
    # What stands before the command is the default of what may stand after it.
    context.default_map = {name: {"store": store, "debug": debug} for name in NAMES}
