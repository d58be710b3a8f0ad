"""Shows on a terminal how an answer comes about."""

from collections.abc import Iterable

from assistant.cli.terminal import on_one_line
from assistant.domain import Answer, Draft, Event, Step
from assistant.text.invisible import remove_invisible


def watch(events: Iterable[Event]) -> Answer:
    """Show steps and draft while they come, wipe them away and return the Answer."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    draft = ""
    with Live(console=Console(stderr=True), transient=True) as live:
        for event in events:
            match event:
                case Step(text):
                    live.update(Text(on_one_line(text) + " ...", style="dim"))
                case Draft(text):
                    draft += text
                    live.update(Text(remove_invisible(draft)))
                case Answer():
                    return event
    raise AssertionError("The events of an answer ended without the Answer.")
