"""The list of commands in the help, in groups."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from typer.core import TyperGroup

GROUPS = (
    ("Ask", ("ask", "chat", "serve", "mcp")),
    ("Papers", ("search", "similar", "papers", "index", "remove", "export", "collections")),
    ("Store", ("status", "check", "rebuild", "backup", "restore")),
    ("Measure", ("eval",)),
)
NAMES = tuple(name for _, names in GROUPS for name in names)
SUMMARY_WIDTH = 90


class Formatter(Protocol):
    """What a page of help is written with."""

    def section(self, name: str) -> AbstractContextManager[None]:
        """Indent what is written inside, below a heading."""
        ...

    def write_dl(self, rows: Sequence[tuple[str, str]]) -> None:
        """Write pairs of a name and what it is."""
        ...


class GroupedCommands(TyperGroup):
    """The commands, listed by what they are for."""

    def format_commands(self, ctx: object, formatter: Formatter) -> None:
        """Write the list of the commands, a section a group."""
        for group, names in GROUPS:
            with formatter.section(group):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(SUMMARY_WIDTH)) for name in names])
