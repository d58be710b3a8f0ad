"""How a command ends: exit codes, and one line for what went wrong."""

import errno
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from assistant.cli.terminal import note, silence_output
from assistant.errors import AssistantError
from assistant.text.invisible import remove_invisible

FAILED = 1
STOPPED = 130


@contextmanager
def explained(debug: bool) -> Iterator[None]:
    """End the command with one line and an exit code for whatever is raised inside."""
    try:
        yield
        sys.stdout.flush()
    except typer.Exit:
        raise
    except BrokenPipeError:
        silence_output()
        raise typer.Exit from None
    except KeyboardInterrupt:
        note("stopped: nothing was changed")
        raise typer.Exit(STOPPED) from None
    except Exception as error:
        complain(error, debug)
        raise typer.Exit(FAILED) from None


@contextmanager
def keeping(what: str) -> Iterator[None]:
    """Say what is kept when Ctrl-C ends the work inside."""
    try:
        yield
    except KeyboardInterrupt:
        note(f"stopped: {what}")
        raise typer.Exit(STOPPED) from None


def complain(error: Exception, debug: bool) -> None:
    """Print an error as one line, after its traceback where that is asked for."""
    if debug:
        print(remove_invisible("".join(traceback.format_exception(error))), end="", file=sys.stderr)
    if isinstance(error, AssistantError):
        note(f"error: {error}")
    elif isinstance(error, OSError) and error.errno == errno.ENOSPC and not error.filename:
        silence_output()
        note("error: The output cannot be written: no space is left where it goes.")
    else:
        hint = "" if debug else " (--debug shows the traceback)"
        note(f"error: something unexpected, {type(error).__name__}: {error}{hint}")


def complain_of_usage(error: typer.TyperException) -> int:
    """Print what is wrong with the command as it was typed, and return the exit code for it."""
    message = error.format_message()
    end = "" if message.endswith((".", "?")) else "."
    note(f"error: {message}{end} `assistant --help` shows what there is.")
    return error.exit_code
