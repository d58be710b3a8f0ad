"""What a library was built with: the embedder and the passage size."""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from assistant.embedding import fingerprint, same_embedder
from assistant.errors import StoreMismatch
from assistant.ports import Embedder, Fingerprint


@dataclass(frozen=True, slots=True)
class Manifest:
    """The embedder's fingerprint and the most word pieces of a passage."""

    embedder: Fingerprint
    passage_size: int


def read_manifest(embedder: Embedder, passage_size: int) -> Manifest:
    """Return the manifest of a library built with this embedder; it embeds the probes."""
    return Manifest(fingerprint(embedder), passage_size)


def check_quickly(built: Manifest, embedder: Embedder, passage_size: int, folder: Path) -> None:
    """Raise StoreMismatch for another embedder or passage size, by name and hash where there is a hash.

    An embedder whose files cannot be seen is checked by its vectors.
    """
    known = bool(embedder.digest) and (embedder.name, embedder.digest) == (built.embedder.model, built.embedder.digest)
    if known and passage_size == built.passage_size:
        return
    check_fully(built, read_manifest(embedder, passage_size), folder)


def is_same(built: Manifest, given: Manifest) -> bool:
    """Return whether the embedder, its vectors compared, and the passage size are the same."""
    return built.passage_size == given.passage_size and same_embedder(built.embedder, given.embedder)


def check_fully(built: Manifest, given: Manifest, folder: Path) -> None:
    """Raise StoreMismatch for another embedder or passage size, the embedder's vectors compared."""
    if is_same(built, given):
        return
    raise StoreMismatch(
        f"The store {folder} was built with {_describe(built)}, not with {_describe(given)}: "
        "go back to the first, let `assistant rebuild` embed its papers anew, or name another folder with --store."
    )


def dump_manifest(manifest: Manifest) -> str:
    """Return the manifest as JSON."""
    return json.dumps(asdict(manifest))


@lru_cache(maxsize=2)
def load_manifest(text: str) -> Manifest:
    """Return the manifest that `dump_manifest` wrote."""
    fields = json.loads(text)
    given = fields["embedder"]
    probes = tuple(tuple(float(number) for number in probe) for probe in given["probes"])
    model, dimension, digest = str(given["model"]), int(given["dimension"]), str(given["digest"])
    return Manifest(Fingerprint(model, dimension, digest, probes), int(fields["passage_size"]))


def _describe(manifest: Manifest) -> str:
    made = manifest.embedder
    kind = f" {made.digest[:8]}" if made.digest else ""
    return f"{made.model}{kind} ({made.dimension} numbers a vector, passages of {manifest.passage_size} word pieces)"
