"""What is said of a store: how it stands, what is wrong with it, and what was done about that."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Status:
    """How a store stands, as far as it shows at once; None is what cannot be known.

    `size` counts bytes; `generation` is the number of the index that serves; `outside` counts the passages that
    are searched without it, `languages` the papers that were read for other languages; `fault` is empty where
    nothing is wrong.
    """

    store: Path
    papers: int | None = None
    passages: int | None = None
    size: int | None = None
    embedder: str | None = None
    passage_size: int | None = None
    generation: int | None = None
    outside: int | None = None
    languages: int | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked; `fault` is empty where it is sound, `papers` are the ids that it concerns."""

    what: str
    fault: str = ""
    papers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checkup:
    """All that was checked, and what was repaired before."""

    findings: tuple[Finding, ...]
    repaired: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Return whether nothing is wrong."""
        return not any(finding.fault for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """An index that was built anew; `embedded` counts the texts that had to be embedded for it."""

    papers: int
    passages: int
    embedded: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a library in a file of `size` bytes."""

    path: Path
    papers: int
    size: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A library that came from a backup; `kept` is where the one before it is, None where there was none."""

    papers: int
    kept: Path | None
