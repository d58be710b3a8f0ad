"""Other wordings of a question's terms: an acronym and what it is short for, as the papers found explain it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from assistant.domain import Paper, QuestionTerm
from assistant.ports import Library
from assistant.retrieval.ranking import rarity
from assistant.text.acronyms import find_acronyms
from assistant.text.terms import terms

READ = 20
"""Papers, of those found first, that are read for acronyms."""
MOST_FORMS = 2
"""Long forms of one acronym: more than the commonest ones belong to other topics."""


def find_forms(asked: Sequence[str], papers: Iterable[Paper]) -> Mapping[str, tuple[str, ...]]:
    """Return other wordings of the terms asked for, each as its stems with a space between.

    An acronym has its long forms, commonest first; each term of a long form that stands whole in the question
    has the acronym.
    """
    begun = {stem[:3] for stem in asked}
    found = (pair for paper in papers for pair in find_acronyms(paper.abstract) if _may_concern(pair, begun))
    counts = Counter(_stem(*pair) for pair in found)
    forms: dict[str, list[str]] = {}
    for (short, long), _ in counts.most_common():
        if short in asked and long:
            forms.setdefault(short, []).append(" ".join(long))
        elif _holds(asked, long):
            for stem in long:
                forms.setdefault(stem, []).append(short)
    return {stem: tuple(dict.fromkeys(others))[:MOST_FORMS] for stem, others in forms.items()}


def widen(
    asked: Sequence[QuestionTerm], forms: Mapping[str, tuple[str, ...]], library: Library
) -> tuple[QuestionTerm, ...]:
    """Return the terms with their other wordings; as many papers hold one as hold its commonest wording."""
    size = library.count_papers()
    widened = []
    for term in asked:
        others = forms.get(term.stem, ())
        holding = max((term.holding, *library.count_holding(others))) if others else term.holding
        widened.append(replace(term, forms=others, holding=holding, rarity=rarity(holding, size)))
    return tuple(widened)


def _may_concern(pair: tuple[str, str], begun: Set[str]) -> bool:
    """Tell whether an acronym or its long form may be among terms that begin so: that saves stemming the others."""
    return any(text.casefold()[:3] in begun for text in pair)


def _stem(short: str, long: str) -> tuple[str, tuple[str, ...]]:
    return terms(short)[0] if terms(short) else "", terms(long)


def _holds(asked: Sequence[str], long: Sequence[str]) -> bool:
    """Tell whether a long form of two words or more stands in the question, its words side by side."""
    width = len(long)
    return width > 1 and any(tuple(asked[at : at + width]) == tuple(long) for at in range(len(asked) - width + 1))
