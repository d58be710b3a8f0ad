"""Texts in the library that are none, as SQLite gives them out."""


def decode(text: bytes) -> str | bytes:
    """Return a text of SQLite's, as bytes where it is none: given to it as `text_factory`, so that a row is read."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text
