"""What is said when the system does not let us have a file of the store: which one, why, and what to do."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.errors import StoreError, StoreForbidden

_RIGHTS = "let your user read and write it, or name another folder with --store"
_ELSEWHERE = "name another folder with --store"
_ADVICE = {
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EISDIR: "a folder is where a file belongs: move it away",
    errno.EROFS: "copy the store to a folder of your own, and name that with --store",
    errno.EIO: "the disk may be failing: copy what can be read of the store to another one",
    errno.ENOSPC: "free some room on its disk",
    errno.EDQUOT: "free some room on its disk",
    errno.EMFILE: "too many files are open: close some, or raise the limit (`ulimit -n`)",
    errno.ENFILE: "too many files are open: close some, or raise the limit (`ulimit -n`)",
}


@contextmanager
def reaching(store: Path) -> Iterator[None]:
    """Turn what the system says of the store's own files into a StoreError; of other files it passes."""
    try:
        yield
    except OSError as error:
        if not _is_of_store(error, store):
            raise
        raise explain_refusal(store, error) from error


def explain_refusal(store: Path, error: OSError) -> StoreError:
    """Return the error that names the file and what to do."""
    path = _name_file(error) or store
    reason = error.strerror or str(error)
    what = f"The store {store}" if path == store else f"{path} of the store {store}"
    kind = StoreForbidden if is_forbidden(error) else StoreError
    return kind(f"{what} cannot be used: {reason}; {advise(error)}.")


def is_forbidden(error: OSError) -> bool:
    """Return whether it is a matter of the user's rights, and of nothing that is damaged."""
    return error.errno in {errno.EACCES, errno.EPERM}


def advise(error: OSError) -> str:
    """Return in words what to do about it."""
    return _ADVICE.get(error.errno or 0, _ELSEWHERE)


def _is_of_store(error: OSError, store: Path) -> bool:
    path = _name_file(error)
    return path is not None and path.is_relative_to(store)


def _name_file(error: OSError) -> Path | None:
    # Of two, as in a renaming, the second is what is in the way.
    name = error.filename2 or error.filename
    return Path(os.fsdecode(name)) if isinstance(name, str | bytes) else None
