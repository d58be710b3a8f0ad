"""Everything on disk: the library, the index built from it, and who may write."""

from assistant.store.location import locate_store
from assistant.store.store import Store, Writer, open_store

__all__ = ["Store", "Writer", "locate_store", "open_store"]
