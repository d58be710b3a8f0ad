"""The thing that a question asks for by name: "which learning rate was used", "how many lines has it"."""

import re

from assistant.text.terms import STOP_WORDS, stem, words

_ASKED = re.compile(
    r"\b(?:which|what|how many)\s+((?:[\w-]+\s+){1,4}?)"
    r"(?:was|were|is|are|did|does|do|has|have|had|can|could|will|would|sits?|used?|reach|reaches)\b",
    re.IGNORECASE,
)
_NO_THING = re.compile(r".+(?:er|est|ing|ly)")
GENERAL = frozenset(
    stem(word)
    for word in """one two three four five six seven eight nine ten factor percentage percent share fraction ratio rate
    number amount value component part step stage strength weakness advantage benefit drawback means way method approach
    technique algorithm model framework system architecture idea problem challenge issue limitation result finding
    effect impact role property reason cause goal aim objective task type kind sort form term name variant version
    condition assumption constraint guarantee theorem bound metric measure benchmark dataset data domain field
    application area baseline setting evidence conclusion recommendation difference relationship criterion tool resource
    thing feature quantity size improvement gain speedup reduction increase decrease performance cost time question
    answer paper work study author people person patient subject participant group case example phase principle
    strategy mechanism scheme procedure process design structure function quality level degree extent range order
    magnitude figure change trick insight observation claim contribution theory proof analysis experiment test
    evaluation score family concept library say""".split()
)


def asked_attribute(question: str) -> tuple[str, ...]:
    """Return the stems of the thing asked for; none when it is a general one ("which method", "what factor")."""
    asked = _ASKED.search(question)
    if not asked:
        return ()
    things = (word for word in words(asked[1]) if word not in STOP_WORDS and not _NO_THING.fullmatch(word))
    return tuple(stems for stems in map(stem, things) if stems not in GENERAL)
