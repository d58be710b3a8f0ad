"""Opens the assistant for a command, with something to answer from."""

from typing import TYPE_CHECKING

from assistant.cli.ending import keeping
from assistant.cli.progress import shown_progress
from assistant.cli.show import summarise
from assistant.cli.terminal import note
from assistant.errors import SettingsError, StoreMissing

if TYPE_CHECKING:
    from assistant.assistant import Assistant


def open_assistant(store: str | None, embedder: str | None = None, collection: str | None = None) -> "Assistant":
    """Return the assistant over a store, or over the one that the settings name; likewise of the embedder's name."""
    if store is not None and not store.strip():
        raise SettingsError("--store names no folder.")
    if collection is not None and not collection.strip():
        raise SettingsError("--collection names no collection.")
    from assistant.assistant import Assistant

    if embedder is None:
        return Assistant(store, collection=collection or "")
    from assistant.models.shipped import find_embedder

    return Assistant(store, embedder=find_embedder(embedder), collection=collection or "")


def build_if_missing(assistant: "Assistant") -> None:
    """Read the seeds into a store that holds no papers yet, and say so."""
    if assistant.built:
        require_collection(assistant)
        return
    if assistant.collection:
        raise StoreMissing(f"Nothing is built in the store {assistant.store} yet: run `assistant index`.")
    note(f"No papers in {assistant.store} yet: reading those that come with the assistant.")
    with keeping(f"what was added stays in {assistant.store}"), shown_progress() as show:
        report = assistant.index(progress=show)
    note(summarise(report, assistant.store))


def require_collection(assistant: "Assistant") -> None:
    """Refuse a collection that has no papers, naming those that have."""
    if not assistant.collection:
        return
    names = [name for name, _ in assistant.collections()]
    if assistant.collection not in names:
        raise SettingsError(
            f"No paper is in the collection {assistant.collection!r} of {assistant.store}: there is {', '.join(names)}."
        )
