"""What to call a paper: its title, or a label derived from what the abstract says is done."""

import re
from functools import lru_cache

from assistant.domain import Paper
from assistant.text.contributions import find_contributions
from assistant.text.markup import strip_markup
from assistant.text.phrases import LONGEST_LABEL, cut_clause, raise_first, shorten
from assistant.text.sentences import split_sentences

LONGEST_TITLE = 200
READ = 6000
"""Characters; of an abstract this many are looked at."""

_NO_TITLES = frozenset({"untitled", "no title", "title", "none", "null", "n/a", "unknown"})
_HEADING = re.compile(r"\A[A-Z]{4,}(?: AND [A-Z]+)?:? (?=[A-Z])")


def label(paper: Paper) -> str:
    """Return the title of a paper, or a label of one line, at most 90 characters, for what its abstract presents."""
    title = strip_markup(paper.title)
    if any(letter.isalnum() for letter in title) and title.strip("[]().").lower() not in _NO_TITLES:
        return shorten(title.rstrip(" ."), LONGEST_TITLE) or title
    return _derive(paper.abstract[:READ]) or paper.id


@lru_cache(maxsize=4096)
def _derive(abstract: str) -> str:
    sentences = [_HEADING.sub("", strip_markup(abstract[start:end])) for start, end in split_sentences(abstract)]
    found = [
        (contribution.weight, -place, contribution.label)
        for place, sentence in enumerate(sentences)
        for contribution in find_contributions(sentence, " ".join(sentences[:place]), sentences[0])
        if len(contribution.label) > 3
    ]
    if found:
        return raise_first(max(found)[2])
    said = next((sentence for sentence in sentences if re.search(r"\b[Ww]e\b", sentence)), "".join(sentences[:1]))
    return raise_first(shorten(cut_clause(said, 6), LONGEST_LABEL))
