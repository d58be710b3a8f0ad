"""What two records of papers have in common: identifiers, titles, words, authors and years."""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

from assistant.domain import Paper
from assistant.text.terms import fold

SHARED = 0.5
"""The part of their words that two texts share which are versions of one: other abstracts share a fifth."""
NEARLY_ALL = 0.8
"""The part that texts share which are nearly the same: what it takes where nothing else is known."""
TELLING = 30
"""Different words of a text that names its paper by itself; "No abstract available." does not."""

# The scripts that put no spaces between words count by character.
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
_ARXIV = re.compile(r"(?:arxiv[:.\s]*)?(.+?)(?:v\d{1,2})?\Z", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."


@dataclass(frozen=True)
class Traits:
    """What tells whether a paper is another one; texts are kept whole, and taken apart only where that is needed."""

    title: str
    abstract: str
    text: bytes
    names: frozenset[str]
    first_author: str
    year: int | None

    @cached_property
    def letters(self) -> str:
        """Return the title without case and signs."""
        return letters(self.title)

    @property
    def telling(self) -> bool:
        """Return whether the abstract says enough to be told from others."""
        return len(words(self.abstract)) >= TELLING


def read_traits(paper: Paper) -> Traits:
    """Return the traits of a paper."""
    return Traits(paper.title, paper.abstract, hash_text(paper), find_names(paper), _first_author(paper), paper.year)


def find_names(paper: Paper) -> frozenset[str]:
    """Return what the world calls a paper: its DOI, its id at arXiv whatever the version."""
    doi = paper.doi.strip().casefold()
    given = [value for name, value in paper.extra if name.casefold() == "arxiv"]
    if doi.startswith(_ARXIV_DOI):
        given.append(doi.removeprefix(_ARXIV_DOI))
        doi = ""
    found = (match[1].casefold() for value in given if (match := _ARXIV.match(value.strip())))
    return frozenset([*([f"doi:{doi}"] if doi.startswith("10.") else []), *(f"arxiv:{id}" for id in found)])


def contradict(title: str, other: str) -> bool:
    """Return whether two titles name two papers; where one is missing, nothing is known."""
    return bool(title and other) and letters(title) != letters(other)


def share(abstract: str, other: str) -> float:
    """Return which part of their words two texts share, from 0 to 1."""
    if abstract == other:
        return 1.0
    one, two = words(abstract), words(other)
    return len(one & two) / len(one | two) if one and two else 0.0


def is_near(abstract: str, other: str) -> bool:
    """Return whether two texts are versions of one."""
    return share(abstract, other) >= SHARED


def agree(one: Traits, two: Traits) -> bool | None:
    """Return whether two records have their first author or their year in common; None where that is not known."""
    found = [one.first_author == two.first_author] if one.first_author and two.first_author else []
    found += [one.year == two.year] if one.year and two.year else []
    return any(found) if found else None


def letters(title: str) -> str:
    """Return a title without case and signs."""
    return " ".join(_WORD.findall(title.casefold())) or title


def words(text: str) -> set[str]:
    """Return the different words of a text."""
    return set(_WORD.findall(text.casefold()))


def hash_text(paper: Paper) -> bytes:
    """Return the hash of an abstract, whatever its white space."""
    return hashlib.sha256(" ".join(paper.abstract.split()).encode()).digest()


def _first_author(paper: Paper) -> str:
    """Return the family name of the first author, as far as it can be told, without case and accents."""
    parts = [] if not paper.authors else paper.authors[0].partition(",")[0].replace(".", " ").split()
    return fold(parts[-1]) if parts else ""
