"""What a sentence says a paper brings: "we propose NAME, a ...", "this paper studies ...", "we show that ..."."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.text.introductions import find_call, name_thing
from assistant.text.phrases import LONGEST_LABEL, count_telling, cut_clause, cut_relative, drop_front, shorten

_WE = r"""(?:
    \b(?:[Ww]e | I | [Tt]he\ authors | [Tt]he\ (?:present|current)\ study)\b
  | \b(?:[Tt]his|[Oo]ur)\ (?:paper|work|study|article|research|thesis|report|letter)\b
  | \b(?:[Ww]e|[Oo]ur\ work)\ [^.;]{3,80},?\ and
)(?:\ (?:\w+ly|also|then|further|here|thus|hence|first|next|instead)){0,2}\ """
_MAKES = (
    r"(?:propos(?:e|es|ed)|introduc(?:e|es|ed)|present(?:s|ed)?|develop(?:s|ed)?|devis(?:e|es|ed)|design(?:s|ed)?)\ "
)
_STUDIES = r"""(?:
    stud(?:y|ies|ied) | explor(?:e|es|ed) | investigat(?:e|es|ed) | examin(?:e|es|ed) | analy[sz](?:e|es|ed)
  | formali[sz](?:e|es|ed) | identif(?:y|ies|ied) | characteri[sz](?:e|es|ed) | collect(?:s|ed)? | conduct(?:s|ed)?
  | perform(?:s|ed)? | establish(?:es|ed)? | revisit(?:s|ed)? | construct(?:s|ed)? | creat(?:e|es|ed) | builds? | built
  | releas(?:e|es|ed) | formulat(?:e|es|ed) | address(?:es|ed)? | describ(?:e|es|ed) | report(?:s|ed)?
  | evaluat(?:e|es|ed) | deriv(?:e|es|ed) | compar(?:e|es|ed) | consider(?:s|ed)? | tackl(?:e|es|ed) | provid(?:e|es|ed)
)(?:\ \(and\ \w+\))?\ """
_SHOWS = (
    r"(?:shows? | showed | find | found | proves? | demonstrates? | demonstrated | observe | argue | argues)\ that\ "
)
_DOES = r"""(?:(?:seek|aim|try|want|attempt|set\ out)\ to\ )?
    (?!(?:are|is|was|were|have|has|had|can|will|use|do|did|may|could|would)\b)(?P<verb>[a-z]+)\ """
_MAKE = re.compile(_WE + _MAKES, re.VERBOSE)
_STUDY = re.compile(_WE + _STUDIES, re.VERBOSE)
_SHOW = re.compile(_WE + _SHOWS, re.VERBOSE)
_DO = re.compile(_WE + _DOES, re.VERBOSE)
_HERE = re.compile(
    r"\b[Ii]n this (?:\w+ )?(?:paper|work|study|article|report)\b|\b[Tt]his (?:paper|work|study)\b|\bHere\b"
)
_AIM = re.compile(
    r"\b(?:aim|objective|goal|purpose)s? (?:of|was|is|were|are)\b.{0,60}? to (?P<verb>[a-z]+) "
    r"|\ATo (?P<first>[a-z]+) (?!.*\b(?:we|this|our)\b)"
)
_PASSIVE = re.compile(
    r"\A(?P<what>(?:An?|The) .{5,120}?) (?:is|are) (?:\w+ly )?(?:proposed|presented|introduced|developed|described)\b"
)
_NOTHING_NEW = re.compile(
    r"(?:this|these|such|it|them|that|those|its|their|both|our (?:code|data|method|approach|model)|(?:the |all )?code|"
    r"data (?:and|is|are)|(?:\w+ ){0,2}(?:experiments|evaluations|results|insights))\b"
)
_TOPIC = re.compile(
    r"(?!(?:In|To|While|Although|With|By|As|We|This|These|For|Given|Since|When|It) |Despite|Recent|Man|Most|Exist|Curr)"
    r"(?P<topic>[A-Z][^,;:.]{3,50}?) (?:has|have|is|are|was|were|can|aims?|remains?|plays?|offers?|often|frequently|"
    r"typically|arises?|relies|rely|faces?|poses?|allows?|enables?|shows?|provides?|suffers?|requires?) "
)
_IN_THIS_PAPER = 25
"""What "in this paper" adds to the weight of a sentence."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """A label that a sentence offers for its paper, and how much it says of what is new."""

    weight: int
    label: str


def find_contributions(sentence: str, before: str, opening: str) -> Iterator[Contribution]:
    """Yield what a sentence offers; `before` is the abstract until here, `opening` its first sentence."""
    here = _IN_THIS_PAPER if _HERE.search(sentence) else 0
    yield from _find_things(sentence, before, opening, here)
    if call := find_call(sentence):
        yield Contribution(70, call)
    if match := _PASSIVE.match(sentence):
        yield Contribution(40 + here, _describe(match["what"], opening))
    if match := _SHOW.search(sentence):
        yield Contribution(10 + here, shorten(cut_clause(sentence[match.end() :], 5), LONGEST_LABEL))
    if match := _AIM.search(sentence):
        yield Contribution(30, _say_doing(match["verb"] or match["first"], sentence[match.end() :]))
    if here and (match := _DO.search(sentence)):
        yield Contribution(5 + here, _say_doing(match["verb"], sentence[match.end() :]))


def _find_things(sentence: str, before: str, opening: str, here: int) -> Iterator[Contribution]:
    for verbs, named, plain in ((_MAKE, 70, 40), (_STUDY, 45, 20)):
        for match in verbs.finditer(sentence):
            thing = sentence[match.end() :].removeprefix("here ")
            if _NOTHING_NEW.match(thing):
                continue
            if name := name_thing(thing, before):
                yield Contribution(named + here, name)
            else:
                yield Contribution(plain + here, _describe(thing, opening))


def _describe(thing: str, opening: str) -> str:
    """Return a noun phrase as a label, after the paper's topic if it says little by itself."""
    thing = cut_relative(drop_front(cut_clause(thing, 3)), len(thing))
    topic = _TOPIC.match(opening)
    if topic and count_telling(cut_relative(thing, 1)) < 2:
        thing = f"{topic['topic']}: {thing}"
    return shorten(thing, LONGEST_LABEL)


def _say_doing(verb: str, rest: str) -> str:
    stem = re.sub(r"(?<!s)s$", "", verb)
    stem = stem[:-1] if stem.endswith("e") and not stem.endswith("ee") else stem
    return shorten(f"{stem}ing {cut_clause(rest, 4)}", LONGEST_LABEL)
