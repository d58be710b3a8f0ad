"""What writes the answers, by the settings."""

from typing import TYPE_CHECKING

from assistant.answering.extractive import ExtractiveAnswerer
from assistant.ports import Answerer
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.models.chat_model import LangChainModel


def make_answerer(settings: Settings) -> Answerer:
    """Return what writes the answers: the model where one is set, else the extractive answerer."""
    extractive = ExtractiveAnswerer()
    if not settings.model:
        return extractive
    from assistant.answering.model import ModelAnswerer
    from assistant.models.deadlines import derive_limits

    return ModelAnswerer(connect_model(settings), extractive, derive_limits(settings.timeout))


def connect_model(settings: Settings) -> "LangChainModel":
    """Return the model that the settings name; no connection is made yet."""
    from assistant.models.chat_model import connect

    key = settings.api_key.get_secret_value()
    return connect(settings.model, settings.base_url, key, settings.timeout, settings.temperature)
