"""Where the store is."""

import errno
import stat
from pathlib import Path

from platformdirs import user_data_path

from assistant.errors import StoreError
from assistant.store.reaching import explain_refusal

LOCAL = Path("store")


def locate_store(given: str | Path | None = None, setting: str = "") -> Path:
    """Return the store's absolute folder: given, set, here, or the user's own.

    The folder may not exist yet. Raises StoreError where it can never be one.
    """
    chosen = _choose(given, setting)
    try:
        folder = chosen.expanduser().absolute()
        file = next(filter(_is_no_folder, (folder, *folder.parents)), None)
    except (OSError, RuntimeError) as error:
        # RuntimeError: nobody has the name after "~".
        if isinstance(error, OSError) and error.errno in {errno.EACCES, errno.EPERM}:
            raise explain_refusal(chosen.absolute(), error) from error
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise StoreError(f"The store {chosen} cannot be there ({reason}). Name a folder with --store.") from error
    if file:
        raise StoreError(f"The store {folder} is not a folder: {file} is a file. Name a folder with --store.")
    return folder


def _is_no_folder(path: Path) -> bool:
    try:
        return not stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _choose(given: str | Path | None, setting: str) -> Path:
    if given is not None and str(given).strip():
        return Path(given)
    if setting.strip():
        return Path(setting)
    if LOCAL.is_dir():
        return LOCAL
    return user_data_path("paper-assistant", appauthor=False) / "store"
