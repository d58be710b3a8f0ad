"""Answers questions about a corpus of paper abstracts, every claim cited to the exact words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.assistant import Assistant as Assistant

__version__ = "0.1.0"
__all__ = ["Assistant", "__version__"]


def __getattr__(name: str) -> object:
    """Import the Assistant when it is asked for: the command line's help answers without it."""
    if name == "Assistant":
        from assistant.assistant import Assistant

        return Assistant
    raise AttributeError(f"module 'assistant' has no attribute {name!r}")
