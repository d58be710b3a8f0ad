"""Where the store is."""

from pathlib import Path

from platformdirs import user_data_path

from assistant.errors import StoreError

LOCAL = Path("store")


def locate_store(given: str | Path | None = None, setting: str = "") -> Path:
    """Return the store's absolute folder: given, set, here, or the user's own.

    The folder may not exist yet. Raises StoreError where something else has its name.
    """
    folder = _choose(given, setting).expanduser().absolute()
    for part in (folder, *folder.parents):
        if part.exists() and not part.is_dir():
            raise StoreError(f"The store {folder} is not a folder: {part} is a file. Name a folder with --store.")
    return folder


def _choose(given: str | Path | None, setting: str) -> Path:
    if given is not None and str(given):
        return Path(given)
    if setting:
        return Path(setting)
    if LOCAL.is_dir():
        return LOCAL
    return user_data_path("paper-assistant", appauthor=False) / "store"
