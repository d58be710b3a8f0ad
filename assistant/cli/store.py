"""The commands that look after the store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli.documents import checkup_document, status_document
from assistant.cli.ending import FAILED, explained, keeping
from assistant.cli.opening import open_assistant
from assistant.cli.options import DebugOption, JsonOption, StoreOption
from assistant.cli.progress import shown_progress
from assistant.cli.show import checkup_lines, size_in_words, status_lines
from assistant.cli.terminal import Line, note, write
from assistant.documents import dump
from assistant.errors import SettingsError

if TYPE_CHECKING:
    from assistant.assistant import Assistant

STATUS_EXAMPLES = """\b
Examples:
  assistant status
  assistant status --json --store ~/reading/store
"""
CHECK_EXAMPLES = """\b
Examples:
  assistant check
  assistant check --repair
"""
REBUILD_EXAMPLES = """\b
Examples:
  assistant rebuild
  assistant rebuild --embedder multilingual
"""
BACKUP_EXAMPLES = """\b
Examples:
  assistant backup papers.backup
"""
RESTORE_EXAMPLES = """\b
Examples:
  assistant restore papers.backup
  assistant restore papers.backup --replace
"""

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="The file of the backup.")]


def status(as_json: JsonOption = False, store: StoreOption = None, debug: DebugOption = False) -> None:
    """Show where the store is, what it holds, and whether it is well."""
    with explained(debug), open_assistant(store) as assistant:
        found = assistant.status()
        _tell(assistant)
        if as_json:
            print(dump(status_document(found)))
        else:
            write(status_lines(found))
        if found.fault:
            raise typer.Exit(FAILED)


def check(
    repair: Annotated[bool, typer.Option("--repair", help="Make anew what is wrong, from the papers.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Look at every part of the store: does it fit together, and does each paper find itself?

    The exit code is 1 where something is wrong and was not repaired.
    """
    with explained(debug), open_assistant(store) as assistant:
        if repair:
            with keeping("what was repaired stays repaired"), shown_progress() as show:
                found = assistant.repair(show)
        else:
            found = assistant.check()
        _tell(assistant)
        if as_json:
            print(dump(checkup_document(found)))
        else:
            write(checkup_lines(found))
        if not found.sound:
            raise typer.Exit(FAILED)


def rebuild(
    embedder: Annotated[
        str | None,
        typer.Option("--embedder", metavar="NAME", help="minilm or multilingual; else the one that it was built with."),
    ] = None,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Build the index anew from the papers in the store.

    Nothing is embedded, unless the store was built with another embedder. The old index serves until the new
    one is whole; what is stopped goes on at the next call.
    """
    with explained(debug), open_assistant(store, embedder) as assistant:
        kept = f"the papers in {assistant.store} and their old index stay, and the same command goes on from there"
        with keeping(kept), shown_progress() as show:
            done = assistant.rebuild(show)
        _tell(assistant)
        write(
            [
                Line(
                    f"built an index of {done.papers} papers ({done.passages} passages, {done.embedded} texts embedded)"
                    f" in {done.seconds:.1f} s; store: {assistant.store}"
                )
            ]
        )


def backup(file: FileArgument, store: StoreOption = None, debug: DebugOption = False) -> None:
    """Write all papers of the store into one file, whatever is read and written meanwhile."""
    with explained(debug), open_assistant(store) as assistant:
        done = assistant.backup(_name_file(file))
        write([Line(f"wrote {done.papers} papers to {done.path} ({size_in_words(done.size)})")])


def restore(
    file: FileArgument,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of the papers that are there; they are kept.")
    ] = False,
    store: StoreOption = None,
    debug: DebugOption = False,
) -> None:
    """Put the papers of a backup into the store."""
    kept = "the library is whole, the one before or the one restored: `assistant status` shows which"
    with explained(debug), keeping(kept), open_assistant(store) as assistant:
        given = _name_file(file)
        done = assistant.replace(given) if replace else assistant.restore(given)
        _tell(assistant)
        kept = f"; the library before it is kept as {done.kept}" if done.kept else ""
        write([Line(f"restored {done.papers} papers; store: {assistant.store}{kept}")])


def _name_file(given: str) -> Path:
    if not given.strip():
        raise SettingsError("FILE names no file.")
    return Path(given)


def _tell(assistant: "Assistant") -> None:
    for line in assistant.take_notices():
        note(line)
