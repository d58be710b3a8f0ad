"""Example questions, drawn from the papers at hand."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from assistant.domain import Paper
from assistant.text.terms import STOP_WORDS

PAPERS_LOOKED_AT = 500
"""So many are labelled in half a second, and the window opens after it."""
LONGEST_LABEL = 60
_NAMED = re.compile(r"([^\W\d_][\w+.-]*)\s*:")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[.,;:()]")
# Words that abstracts of every field share: they name no topic.
_COMMON = STOP_WORDS | frozenset(
    re.findall(
        r"\w+",
        """paper papers propose proposed show shows study method methods approach approaches novel new based results
        result existing work works used use using experiments demonstrate introduce present first two three several
        various different problem problems performance state recent framework across while given well however despite
        often significant significantly achieve achieves high better large models model data training""",
    )
)


def suggest_questions(papers: Sequence[Paper], labels: Sequence[str], count: int = 4) -> tuple[str, ...]:
    """Return questions that these papers can answer: methods they name, a topic they share."""
    names = _spread(list(dict.fromkeys(_names(labels))), count)
    asked = [form.format(name) for name, form in zip(names, _forms(), strict=False)]
    topic = _topic(paper.abstract for paper in papers)
    if topic:
        asked.insert(1, f"Which papers deal with {topic}?")
    short = [label for label in labels if len(label) <= LONGEST_LABEL]
    asked += [f"What is known about {label}?" for label in _spread(short, count)]
    return tuple(dict.fromkeys(asked))[:count]


def _forms() -> tuple[str, ...]:
    return ("What is {}?", "How does {} work?", "What does {} improve?", "What is {} good for?")


def _names(labels: Iterable[str]) -> list[str]:
    return [found[1] for label in labels if (found := _NAMED.match(label))]


def _spread(items: list[str], count: int) -> list[str]:
    step = max(len(items) / count, 1)
    return [items[int(place * step)] for place in range(min(count, len(items)))]


def _topic(abstracts: Iterable[str]) -> str:
    holding: Counter[str] = Counter()
    for abstract in abstracts:
        holding.update(set(_word_pairs(abstract)))
    best = max(holding.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return best[0] if best[1] >= 3 else ""


def _word_pairs(abstract: str) -> list[str]:
    tokens = [token.lower() for token in _WORD.findall(abstract)]
    return [f"{one} {two}" for one, two in pairwise(tokens) if _tells(one) and _tells(two)]


def _tells(word: str) -> bool:
    return len(word) > 3 and word not in _COMMON
