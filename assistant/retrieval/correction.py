"""Reads a mistyped word as the word of the papers that it is nearest to, and says so."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from assistant.ports import Embedder, Library, Vocabulary
from assistant.text.names import find_names
from assistant.text.nearness import measure_distance, rank_beginnings
from assistant.text.terms import STOP_WORDS, stem, words

SHORTEST = 5
"""Letters of a word that may be mistyped: shorter ones have too many neighbours."""
SHORTEST_STEM = 4
LONG = 9
"""Letters of a word in which two letters may be wrong, not only one."""
LONGEST_ENDING = 7
"""Letters that a stemmer may take off: "-ization"."""
TRIED = 8
"""Stems whose words are compared with the mistyped one."""
READ = 3
"""Papers that are read for the words of a stem."""

_WORD = re.compile(r"(?<![\w@#/.-])[A-Za-z]+(?![\w@/-])")


class Words(Library, Vocabulary, Protocol):
    """What is asked of a library here."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A question as it was read, with the words that were changed, each with what it was read as."""

    question: str
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def notice(self) -> str:
        """Return one line that says what was read differently, empty if nothing was."""
        read = ", ".join(f'"{typed}" as "{word}"' for typed, word in self.changes)
        return f"Read {read}." if read else ""


class Corrector:
    """Corrects English questions by the words that the papers hold."""

    def __init__(self, library: Words, embedder: Embedder) -> None:
        self._library = library
        self._embedder = embedder

    def correct(self, question: str) -> Corrected:
        """Return the question with each mistyped word as the papers have it.

        A word is mistyped when no paper holds it, the embedder does not know it as one piece, and it names nothing:
        a word that is only rare stays, for that no paper holds it is what the answer has to say.
        """
        suspects = self._find_suspects(question)
        changes = tuple((typed, word) for typed in suspects if (word := self._find_word(typed)))
        for typed, word in changes:
            question = re.sub(rf"(?<!\w){typed}(?!\w)", word, question)
        return Corrected(question, changes)

    def _find_suspects(self, question: str) -> tuple[str, ...]:
        named = {word for name in find_names(question) for word in re.findall(r"\w+", name)}
        first = _WORD.search(question)
        typed = [
            match[0]
            for match in _WORD.finditer(question)
            if len(match[0]) >= SHORTEST
            and match[0].lower() not in STOP_WORDS
            and match[0] not in named
            and (match[0].islower() or (first is not None and match.start() == first.start()))
        ]
        typed = list(dict.fromkeys(typed))
        counts = self._library.count_holding([stem(word.lower()) for word in typed])
        unknown = (word for word, holding in zip(typed, counts, strict=True) if not holding)
        return tuple(word for word in unknown if self._embedder.count_pieces(word.lower()) > 1)

    def _find_word(self, typed: str) -> str:
        """Return the word of the papers that is nearest to a mistyped one, empty if none is near."""
        word = typed.lower()
        farthest = 2 if len(word) >= LONG else 1
        known = self._library.list_terms(word[0], max(SHORTEST_STEM, len(word) - LONGEST_ENDING), len(word) + farthest)
        stems = rank_beginnings(word, known, farthest)[:TRIED]
        near = [(measure_distance(word, other, farthest), other) for stem in stems for other in self._spell(stem)]
        return min((found for found in near if found[0] <= farthest), default=(0, ""))[1]

    def _spell(self, root: str) -> tuple[str, ...]:
        """Return the words of that stem in the papers that hold it best, commonest first."""
        held = self._library.fetch([hit.paper_id for hit in self._library.match([root], READ)])
        text = " ".join(f"{holding.paper.title} {holding.paper.abstract}" for holding in held)
        found = Counter(word for word in words(text) if stem(word) == root)
        return tuple(word for word, _ in found.most_common())
