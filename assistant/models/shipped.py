"""The embedders that come with the assistant, by the names that a user types; others are given from Python."""

from collections.abc import Callable, Mapping

from assistant.errors import SettingsError
from assistant.models import minilm, multilingual
from assistant.ports import Embedder

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {
    "minilm": minilm.MiniLM,
    "multilingual": multilingual.Multilingual,
}
_MODELS = {minilm.NAME: "minilm", multilingual.NAME: "multilingual"}


def find_embedder(name: str) -> Embedder:
    """Return the embedder of a name; raises SettingsError, which says which there are."""
    if name not in EMBEDDERS:
        raise SettingsError(f"There is no embedder {name!r}: the embedders are {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[name]()


def recognise_embedder(model: str) -> Embedder:
    """Return the embedder of a model that a store was built with; the default one where it is none of ours."""
    return EMBEDDERS[_MODELS.get(model, "minilm")]()
