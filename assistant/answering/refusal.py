"""Knows a model's refusal when it sees one."""

import re

from assistant.answering.sources import REFUSAL
from assistant.citations import split_answer
from assistant.markers import MARKER

_SUBJECT = (
    r"(?:(?:the|these|those|this|any|none|neither|no)\s)?(?:of\sthe\s)?(?:(?:provided|given|available|above|numbered|listed|retrieved)\s)?"
    r"(?:papers?|sources?|abstracts?|documents?|context|texts?|information|evidence|passages?|excerpts?)(?:\s(?:provided|given|above))?"
)
_VERB = (
    r"(?:say|mention|contain|answer|provide|specify|state|discuss|address|include|describe|indicate|cover|give|report|explain|have|define"
    r"|offer|list|identify|compare|disclose|refer|support)"
)
_REFUSALS = re.compile(
    rf"{_SUBJECT}\s(?:do(?:es)?\snot|don't|doesn't|did\snot|(?:could|would)\snot)\s(?:\w+ly\s)?{_VERB}"
    rf"|{_SUBJECT}\s(?:cannot|can't)\s(?:\w+ly\s)?(?:answer|say|tell|provide|determine|support|confirm|specify)"
    rf"|(?:none|neither)\sof\s{_SUBJECT}\s(?:\w+ly\s)?{_VERB}"
    rf"|no\s{_SUBJECT}\s(?:(?:\w+ly|is|are)\s)?(?:{_VERB}|provided|given|available|found)"
    r"|(?:i|we)\s(?:do\snot|don't|cannot|can't|could\snot|couldn't|am\snot\sable\sto|am\sunable\sto)\s"
    r"(?:know|answer|find|determine|say|provide)"
    r"|(?:there\sis\s)?(?:not\senough|insufficient)\s(?:\w+\s)?(?:information|evidence|data|context)\b"
    r"|(?:there\sis\s)?no\s(?:\w+\s)?(?:mention\b|(?:information|evidence)"
    rf"(?:\s(?:about|on|regarding|concerning|as\sto|(?:is|was)\s(?:given|provided|available|found))\b|.{{0,80}}\sin\s{_SUBJECT}|\W*\Z))"
    r"|(?:this|the)\s(?:question|answer|information)\s(?:cannot|can't|can\snot|could\snot|is\snot)\s(?:be\s)?"
    r"(?:answered|determined|found|provided|given|mentioned|stated|available|in)"
    r"|(?:it\sis\s|it's\s)?not\s(?:specified|mentioned|stated|provided|discussed|answerable|possible\sto\s(?:answer|say|determine))\b"
    r"|unanswerable\b|unknown\.?\Z",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"(?:(?:sorry|unfortunately|(?:based on|according to) (?:the|these) [\w ]{1,40}|i'm sorry|i am sorry|answer)"
    r"[,:.]?\s(?:but\s)?)+",
    re.IGNORECASE,
)


def refuses(sentence: str) -> bool:
    """Tell whether a sentence says that the sources do not answer."""
    plain = " ".join(MARKER.sub("", sentence).replace("’", "'").strip(" \"'*_").split())
    opener = _OPENERS.match(plain)
    said = plain[opener.end() :] if opener else plain
    return said.casefold().startswith(REFUSAL.rstrip(".").casefold()) or _REFUSALS.match(said) is not None


def is_refusal(text: str) -> bool:
    """Tell whether an answer is a refusal as a whole: it begins with one, and nothing of it is cited.

    Only the agreed sentence may carry a marker: "No information is lost [1]." is an answer.
    """
    spans = split_answer(text)
    if not spans or not refuses(text[slice(*spans[0])]):
        return False
    if MARKER.search(text, *spans[0]) and not is_agreed(text[slice(*spans[0])]):
        return False
    return not any(MARKER.search(text, start, end) for start, end in spans[1:])


def is_agreed(sentence: str) -> bool:
    """Tell whether a sentence is the one that a model is told to refuse with, its markers aside."""
    plain = MARKER.sub("", sentence).strip(" \"'*_.")
    return plain.casefold() == REFUSAL.rstrip(".").casefold()
