"""A model's prose, held to the evidence sentence by sentence as it comes."""

import re
from collections.abc import Iterator

from assistant.answering.refusal import refuses
from assistant.answering.verdict import judge
from assistant.citations import cite, find_source, split_answer
from assistant.domain import AnswerSentence, Citation, Evidence, Verdict
from assistant.markers import MARKER, Numbering, holds_marker, may_go_on
from assistant.text.invisible import remove_invisible
from assistant.text.terms import terms

_WORD = re.compile(r"[^\W_]\S*\s")
_FAR = 2_000
"""Characters after which a bracket that is still open is one that nobody closes."""
LONGEST_SENTENCE = 4_000
"""A sentence that is longer is looked at only when the text ends."""


class Prose:
    """The sentences of a model's text, each with its markers set right.

    The text, its citations and the count of removed markers are those of the finished sentences.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.text = ""
        self.sentences: list[AnswerSentence] = []
        self._evidence = evidence
        self._numbering = Numbering(len(evidence.papers))
        self._open = ""
        self._whole = 0

    @property
    def stands(self) -> bool:
        """Return whether there is a finished sentence that a paper is cited for, and that it does not belie."""
        cited = (sentence for sentence in self.sentences[: self._whole] if sentence.numbers)
        return any(sentence.verdict != "not supported" and terms(MARKER.sub("", sentence.text)) for sentence in cited)

    @property
    def removed(self) -> int:
        """Return how many markers were taken out."""
        return self._numbering.removed

    def cite(self) -> tuple[Citation, ...]:
        """Return the citations of the text."""
        return cite(self.text, self._numbering.order, self._evidence)

    def feed(self, piece: str) -> Iterator[AnswerSentence]:
        """Take a piece of text and yield the sentences that it finished."""
        self._open += piece
        if len(self._open) > LONGEST_SENTENCE:
            return
        settled = 0
        for start, end in split_answer(self._open)[:-1]:
            if not _is_closed(self._open, settled, end):
                break
            yield self._settle(self._open[settled:start], self._open[start:end], whole=True)
            settled = end
        self._open = self._open[settled:]

    def finish(self, whole: bool) -> Iterator[AnswerSentence]:
        """Yield the sentences that are left; the last one is cut short unless the text is whole."""
        spans = split_answer(self._open)
        settled = 0
        for place, (start, end) in enumerate(spans, start=1):
            yield self._settle(self._open[settled:start], self._open[start:end], whole or place < len(spans))
            settled = end
        self._open = ""

    def _settle(self, space: str, sentence: str, whole: bool) -> AnswerSentence:
        """Number the markers of a sentence, give it one if it is clearly from a paper, and add it to the text."""
        clean = remove_invisible(sentence)
        source = 0
        if whole and not holds_marker(clean) and not refuses(clean):
            source = find_source(clean, self._evidence)
        marked = f"{clean} [{source}]" if source else clean
        numbered = self._numbering.feed(marked) + self._numbering.flush()
        self.text += numbered if not self.text else space + numbered
        numbers = tuple(dict.fromkeys(int(number) for number in MARKER.findall(numbered)))
        settled = AnswerSentence(numbered, numbers, self._judge(numbered, numbers, whole))
        self.sentences.append(settled)
        self._whole += whole
        return settled

    def _judge(self, sentence: str, numbers: tuple[int, ...], whole: bool) -> Verdict:
        if not numbers and (refuses(sentence) or not whole):
            return "unchecked"
        order = self._numbering.order
        return judge(sentence, [self._evidence.papers[order[number - 1] - 1] for number in numbers])


def _is_closed(text: str, start: int, end: int) -> bool:
    """Tell whether a sentence ends at a place whatever comes after the text.

    A marker may follow its full stop, a word may yet prove the stop an abbreviation's, and a bracket may yet be
    closed behind it.
    """
    if may_go_on(text, end) or not _WORD.search(text, end):
        return False
    said = text[start:end]
    even = said.count("(") <= said.count(")") and said.count("[") <= said.count("]") and said.count("$") % 2 == 0
    return even or len(text) - end > _FAR
