"""Makes a follow-up question readable without the conversation before it, by rules."""

import re

from assistant.answering.attributes import GENERAL
from assistant.answering.kinds import Kind, read_kind
from assistant.domain import History, Turn
from assistant.text.names import find_names, find_titles, is_coined
from assistant.text.terms import STOP_WORDS, topic_terms, words
from assistant.text.topics import find_topic

_LEANS_BACK = re.compile(
    r"^(?:and|but|so|then|also|what about|how about|what else|why|how so|which one|really)\b"
    r"|\b(?:it|its|itself|they|them|their|theirs|this|these|those|he|she|former|latter|both|the two)\b"
    r"|\b(?:of|about|is|was|does|for|from|like|with|in|by) that\b"
    r"|\bthat (?:one|method|approach|paper|model|work|study)\b"
    r"|\bthe (?:first|second|third|fourth|fifth|last|same|other)(?: (?:one|two|paper|method|approach))?\b"
    r"|\bthe (?:method|approach|paper|model|authors?|framework|technique|algorithm)\b"
    r"(?! (?:of|on|for|from|about|that|which|with|behind|called|named|by)\b)",
    re.IGNORECASE,
)
_FOR_A_PAPER = re.compile(r"^(?:which|what|is there an?) (?:paper|work|study|article)\b", re.IGNORECASE)
# "What is the trick?" speaks of a trick that was spoken of.
_DEFINITE = re.compile(r"^(?:what(?:'s| is| are| was| were)) the \w+\s*\??$", re.IGNORECASE)
_OTHER_SUBJECT = re.compile(
    r"^(?:and |so |ok |okay |or )?(?:(?:what|how) about |and |or |(?:the )?same for )"
    r"(?P<subject>[^?!.,;:]{2,60}?)\s*\?*$",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:both|the two|these two|those two|(?:which|who|what) of (?:them|these|those))\b", re.IGNORECASE
)
_ORDINAL = re.compile(
    r"\bthe (first|second|third|fourth|fifth|last)\b(?: (?:one|paper|method|approach))?", re.IGNORECASE
)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_LISTED = re.compile(r"^([^\n:]{3,100}): .*\[\d+\]", re.MULTILINE)

SHORT = 7
"""A question of at most so many words that names nothing is taken for a follow-up, unless it opens a topic."""

SUBJECT_WORDS = 12


def make_standalone(question: str, history: History) -> str:
    """Return the question with the subject of the conversation put into it where it leans on one."""
    if not any(turn.role == "user" for turn in history):
        return question
    other = _OTHER_SUBJECT.match(question)
    if other and (find_names(other["subject"]) or find_titles(other["subject"])):
        return _ask_of_another(other["subject"], history)
    if not leans_back(question):
        return question
    subject = find_subject(history, question)
    return f"{subject}: {question}" if subject else question


def leans_back(question: str) -> bool:
    """Tell whether a question needs the turns before it; "How fast is X, and is it free?" does not."""
    leaning = _LEANS_BACK.search(question)
    if leaning:
        return not find_names(question[: leaning.start()])
    return len(question.split()) <= SHORT and not _opens_topic(question) and not _names(question)


def _opens_topic(question: str) -> bool:
    """Tell whether a short question brings a topic of its own: it defines a thing, or asks for papers on one."""
    if _FOR_A_PAPER.search(question):
        return True
    if _DEFINITE.match(question):
        return False
    opens = read_kind(question) in (Kind.DEFINITION, Kind.SURVEY)
    return opens and any(stem not in GENERAL for stem in topic_terms(find_topic(question)))


def find_subject(history: History, question: str) -> str:
    """Return what the last exchange was about: the one that the question counts out, its names, or its words."""
    asked, answered = _latest_exchange(history)
    listed = _LISTED.findall(answered)
    ordinal = _ORDINAL.search(question)
    if ordinal and len(listed) > abs(_PLACES[ordinal[1].lower()]):
        return str(listed[_PLACES[ordinal[1].lower()]])
    names = _rank_names(asked, answered, set(words(question)))
    if _SEVERAL.search(question):
        earlier = [name for turn in reversed(history[:-2]) if turn.role == "user" for name in _names(turn.text)]
        return " and ".join(list(dict.fromkeys((*names, *earlier)))[:2])
    if names:
        return names[0]
    telling = [word for word in words(asked) if word not in STOP_WORDS]
    return " ".join(telling[:SUBJECT_WORDS])


def _ask_of_another(subject: str, history: History) -> str:
    """Return the question before, asked of another subject: "How fast is X?", "And Y?" is "How fast is Y?"."""
    place = max(place for place, turn in enumerate(history) if turn.role == "user")
    before = make_standalone(history[place].text, history[:place])
    names = _names(before)
    return before.replace(names[0], subject) if names else f"{subject}: {before}"


def _rank_names(asked: str, answered: str, own: set[str]) -> list[str]:
    """Return the names of an exchange that the question does not name itself: the user's first, then coined ones."""
    names = [name for name in dict.fromkeys((*_names(asked), *find_names(answered))) if not own & set(words(name))]
    return sorted(
        names, key=lambda name: -(2 * (name in asked and is_coined(name)) + (name in answered) + is_coined(name))
    )


def _names(text: str) -> tuple[str, ...]:
    titles = find_titles(text)
    return (*titles, *(name for name in find_names(text) if not any(name in title for title in titles)))


def _latest_exchange(history: History) -> tuple[str, str]:
    """Return the last question and what was answered to it."""
    place = max(place for place, turn in enumerate(history) if turn.role == "user")
    answers: tuple[Turn, ...] = tuple(history[place + 1 :])
    return history[place].text, "\n".join(turn.text for turn in answers)
