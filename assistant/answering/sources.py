"""Writes what was found into a prompt: numbered, fenced, and never more than data."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.domain import Evidence, FoundPaper, History
from assistant.markers import defuse_markers
from assistant.ports import Prompt
from assistant.prompts import read_prompt
from assistant.text.invisible import remove_invisible
from assistant.text.labels import label

REFUSAL = "The papers do not say."
"""What a model is told to write when the sources do not answer."""
BUDGET = 12_000
"""Characters of all sources together: some 3,000 tokens, which leaves room in a window of 4,096."""
LONGEST_SOURCE = 3_000
LEAST_BUDGET = 400
LAST_TURNS, LONGEST_TURN = 6, 600

_TAG = re.compile(r"<(/?\s{0,3}think(?:ing)?\s{0,3})>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """What a prompt says of one paper."""

    title: str
    text: str


def read_answer_prompt() -> Prompt:
    """Return the prompt for an answer."""
    return read_prompt("answer", ("nonce", "question", "refusal", "sources"))


def read_standalone_prompt() -> Prompt:
    """Return the prompt that makes a follow-up question standalone."""
    return read_prompt("standalone", ("conversation", "nonce", "question"))


def fill_answer(question: str, sources: Sequence[Source]) -> Mapping[str, str]:
    """Return the values of the answer prompt; each call fences the sources with a new nonce."""
    nonce = secrets.token_hex(6)
    written = (
        f"Source [{number}] {nonce}\n{_clean(source.title)}\n{_clean(source.text)}\nEnd of source [{number}] {nonce}"
        for number, source in enumerate(sources, start=1)
    )
    return {
        "sources": "\n\n".join(written),
        "question": remove_invisible(question),
        "refusal": REFUSAL,
        "nonce": nonce,
    }


def fill_standalone(question: str, history: History) -> Mapping[str, str]:
    """Return the values of the standalone prompt, with the last turns of the conversation."""
    turns = (f"{turn.role}: {_clean(' '.join(turn.text.split()))[:LONGEST_TURN]}" for turn in history[-LAST_TURNS:])
    return {
        "conversation": "\n".join(turns),
        "question": remove_invisible(question),
        "nonce": secrets.token_hex(6),
    }


def choose_sources(evidence: Evidence, budget: int = BUDGET) -> tuple[Source, ...]:
    """Return the sources that a budget of characters holds, best paper first; always one.

    An abstract that is too long is cut to its best sentences, in their order.
    """
    sources: list[Source] = []
    for found in evidence.papers:
        title = label(found.paper)[:LONGEST_TURN]
        room = min(budget - len(title), LONGEST_SOURCE)
        text = _cut(found, max(room, LEAST_BUDGET))
        if sources and (len(text) > room or not text):
            break
        sources.append(Source(title, text))
        budget -= len(title) + len(text)
    return tuple(sources)


def _cut(found: FoundPaper, room: int) -> str:
    if len(found.paper.abstract) <= room:
        return found.paper.abstract
    chosen = []
    for scored in sorted(found.sentences, key=lambda scored: -scored.score):
        if len(scored.sentence.text) + 1 <= room:
            chosen.append(scored.sentence)
            room -= len(scored.sentence.text) + 1
    kept = " ".join(sentence.text for sentence in sorted(chosen, key=lambda sentence: sentence.start))
    return kept or found.paper.abstract[:room]


def _clean(text: str) -> str:
    """Return a text of the corpus in which nothing looks like a marker or a model's own tag."""
    return _TAG.sub(r"(\1)", defuse_markers(remove_invisible(text)))
