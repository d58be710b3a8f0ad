"""Makes a follow-up question readable without the conversation before it, by rules."""

import re

from assistant.answering.kinds import Kind, read_kind
from assistant.domain import History, Turn
from assistant.text.names import find_names, is_coined
from assistant.text.terms import STOP_WORDS, words

_LEANS_BACK = re.compile(
    r"^(?:and|but|so|then|also|what about|how about|what else|why|how so|which one|really)\b"
    r"|\b(?:it|its|itself|they|them|their|theirs|this|these|those|he|she|former|latter)\b"
    r"|\b(?:of|about|is|was|does|for|from|like|with|in|by) that\b"
    r"|\bthat (?:one|method|approach|paper|model|work|study)\b"
    r"|\bthe (?:first|second|third|last|same|other) (?:one|two|paper|method|approach)\b"
    r"|\bthe (?:method|approach|paper|model|authors?|framework|technique|algorithm)\b"
    r"(?! (?:of|on|for|from|about|that|which|with|behind|called|named|by)\b)",
    re.IGNORECASE,
)
SHORT = 7
"""A question of at most so many words that names nothing is taken for a follow-up, unless it opens a topic."""

SUBJECT_WORDS = 12


def make_standalone(question: str, history: History) -> str:
    """Return the question with the subject of the conversation put before it where it leans on one."""
    if not history or not leans_back(question):
        return question
    subject = find_subject(history, question)
    return f"{subject}: {question}" if subject else question


def leans_back(question: str) -> bool:
    """Tell whether a question needs the turns before it; "How fast is X, and is it free?" does not."""
    leaning = _LEANS_BACK.search(question)
    if leaning:
        return not find_names(question[: leaning.start()])
    opens = read_kind(question) in (Kind.DEFINITION, Kind.SURVEY)
    return len(question.split()) <= SHORT and not opens and not find_names(question)


def find_subject(history: History, question: str) -> str:
    """Return the name that the last exchange was about, else the words of its question."""
    own = set(words(question))
    exchange = _latest_exchange(history)
    names = [name for turn in exchange for name in find_names(turn.text) if not own & set(words(name))]
    if names:
        return max(
            names, key=lambda name: (sum(name in turn.text for turn in exchange) + is_coined(name), -names.index(name))
        )
    telling = [word for word in words(exchange[0].text) if word not in STOP_WORDS]
    return " ".join(telling[:SUBJECT_WORDS])


def _latest_exchange(history: History) -> tuple[Turn, ...]:
    """Return the last question and its answer, the question first: it says what the user means."""
    return tuple(sorted(history[-2:], key=lambda turn: turn.role != "user"))
