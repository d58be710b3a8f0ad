"""Opens the assistant for a command, with something to answer from."""

from typing import TYPE_CHECKING

from assistant.cli.ending import keeping
from assistant.cli.progress import shown_progress
from assistant.cli.show import summarise
from assistant.cli.terminal import note
from assistant.errors import SettingsError

if TYPE_CHECKING:
    from assistant.assistant import Assistant


def open_assistant(store: str | None, embedder: str | None = None) -> "Assistant":
    """Return the assistant over a store, or over the one that the settings name; likewise of the embedder's name."""
    if store is not None and not store.strip():
        raise SettingsError("--store names no folder.")
    from assistant.assistant import Assistant

    if embedder is None:
        return Assistant(store)
    from assistant.models.shipped import find_embedder

    return Assistant(store, embedder=find_embedder(embedder))


def build_if_missing(assistant: "Assistant") -> None:
    """Read the seeds into a store that holds no papers yet, and say so."""
    if assistant.built:
        return
    note(f"No papers in {assistant.store} yet: reading those that come with the assistant.")
    with keeping(f"what was added stays in {assistant.store}"), shown_progress() as show:
        report = assistant.index(progress=show)
    note(summarise(report, assistant.store))
