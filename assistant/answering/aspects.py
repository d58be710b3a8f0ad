"""What a question asks of a paper that it names, and whether the paper's text has any of that."""

import re
from collections.abc import Iterable, Set

from assistant.text.numbers import states_number
from assistant.text.terms import STOP_WORDS, stem, terms, words

# What experiments are run with, and what stands around a paper and not in its abstract. General knowledge of the
# form: an abstract that says nothing of it has no word of it.
_SELDOM_SAID = re.compile(
    r"""\b(?:learning\ rates?|batch\ sizes?|weight\ decay|dropout(?:\ rate)?|(?:random\ )?seeds?|epochs?|warm-?up
    |hyper-?parameters?|optimi[sz]er\ settings|gpu\ (?:type|model|hours)|wall-?clock|price|licen[cs]e|dollars?|euros?
    |universit(?:y|ies)|institut(?:e|es|ion|ions)|affiliations?|compan(?:y|ies)|reviewers?|funding|funded|grants?|sponsors?
    |e-?mails?|citations?|conference|journal|page\ count|pages|h-index|nationalit(?:y|ies))\b""",
    re.VERBOSE | re.IGNORECASE,
)
_OF_THE_RECORD = re.compile(
    r"\b(?:funded|funding|funder|sponsor(?:ed|s)?|reviewers?|universit(?:y|ies)|affiliations?|e-?mails?|co-?authors?)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\bin (gigabytes?|megabytes?|gb|mb|dollars?|euros?|watts?|kilowatts?|joules?|hours?|minutes?|seconds?"
    r"|milliseconds?|days?|weeks?|months?|grams?|milligrams?|kilograms?|meters?|metres?|tokens per second)\b",
    re.IGNORECASE,
)
_SHORT_UNITS = {"gigabyte": ("gb", "gib"), "megabyte": ("mb", "mib"), "millisecond": ("ms",), "hour": ("h",)}
_OBJECT = re.compile(r"\b(?:on|from|in|at|against|inside)\s+((?:[\w-]+\s+){0,2}?[\w-]+?)\s*(?:data|datasets?)?\s*\??$")
_COUNTED = re.compile(
    r"\bhow many (?!percent|times|more\b|fewer\b|less\b)((?:[\w-]+ ){0,2}[\w-]+?)"
    r"(?: (?:do|does|did|is|are|was|were|has|have|had|can|could|will|take|took|be|been|of|in|on|for|to|with)\b|\?|$)",
    re.IGNORECASE,
)
_COUNT = r"(?:\d[\d,.]*(?![\d.,]*\s*(?:%|\\%|percent|x\b|×|\\times|fold))|" + (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|single|both|dozens?|hundreds?|thousands?|millions?)\b)"
)
_COSTS = re.compile(
    r"\bhow much (?:does|do|did|is|are|was|were) .{1,80}\bcosts?\b|\bwhat does .{1,60} cost\b", re.IGNORECASE
)
_MONEY = re.compile(r"[$€£]\s?\d|\b(?:dollars?|euros?|USD|EUR)\b")
_GENERAL = frozenset(
    stem(word)
    for word in """data dataset datasets task tasks practice general detail details experiments experiment tests test
    evaluation average total particular all time end training inference comparison paper work study abstract words
    sentence english one two it them this that these those there here use""".split()
)


def find_unsaid_of_record(question: str, abstract: str, held: Set[str]) -> str:
    """Return what a question asks of how a paper came about, which abstracts do not tell; empty where this one does."""
    return next((asked for asked in _OF_THE_RECORD.findall(question) if not _says(asked, abstract, held)), "")


def find_unsaid(question: str, abstract: str, held: Set[str]) -> str:
    """Return the words of a question that ask for what the abstract says nothing of; empty when there are none.

    `held` are the stems of the paper; the question must name it.
    """
    for asked in (*_SELDOM_SAID.findall(question), *_UNIT.findall(question)):
        if not _says(asked, abstract, held):
            return str(asked)
    if _COSTS.search(question) and not _MONEY.search(abstract) and not is_akin("cost", held):
        return "what it costs"
    found = _OBJECT.search(_UNIT.sub("", question).strip())
    objects = (
        [word for word in words(found[1]) if word not in STOP_WORDS and stem(word) not in _GENERAL] if found else []
    )
    if objects and not any(is_akin(stem(word), held) for word in objects):
        return " ".join(objects)
    return ""


def find_uncounted(question: str, abstract: str) -> str:
    """Return the thing that a question asks how many there are of, if the abstract has no count of it."""
    asked = _COUNTED.search(question)
    things = [word for word in words(asked[1]) if word not in STOP_WORDS] if asked else []
    return "" if any(_is_counted(stem(thing), abstract) for thing in things) else " ".join(things)


def lacks_score(name: str, abstract: str) -> bool:
    """Tell whether an abstract states no number in a sentence that has a name, nor in the one after it."""
    stems = frozenset(terms(name))
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", abstract)
    near = [
        " ".join(sentences[place : place + 2])
        for place, sentence in enumerate(sentences)
        if stems <= frozenset(terms(sentence))
    ]
    return bool(near) and not any(states_number(_without(name, text)) for text in near)


def _without(name: str, text: str) -> str:
    return text.replace(name, " ")


def _is_counted(wanted: str, abstract: str) -> bool:
    """Tell whether a count stands within four words before a thing, or just after it."""
    for match in re.finditer(_COUNT, abstract, re.IGNORECASE):
        after = [stem(word) for word in words(abstract[match.end() : match.end() + 80])[:4]]
        before = [stem(word) for word in words(abstract[max(0, match.start() - 40) : match.start()])[-3:]]
        if wanted in after or wanted in before:
            return True
    return False


def _says(asked: str, abstract: str, held: Set[str]) -> bool:
    stems = terms(asked)
    if len(stems) > 1:
        return " ".join(stems) in " ".join(terms(abstract))
    short = _SHORT_UNITS.get(asked.lower().rstrip("s"), ())
    return any(is_akin(stem, held) for stem in stems) or any(unit in words(abstract) for unit in short)


def is_akin(wanted: str, held: Iterable[str]) -> bool:
    """Tell whether a stem is among others, or shares its first five letters with one: speed, speedup."""
    return any(wanted == other or (len(wanted) > 4 and wanted[:5] == other[:5]) for other in held)
