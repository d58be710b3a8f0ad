"""Plain replies to what is no question about the papers: greetings, thanks, what the assistant can do."""

import re

_REPLIES = (
    (
        r"(?:hi|hello|hey|good (?:morning|day|afternoon|evening)|greetings)(?: there| all| assistant)?",
        "Hello. Ask me something about the papers: what they found, how two of them compare, which are on a topic.",
    ),
    (
        r"(?:many )?(?:thanks|thank you|thx|cheers)(?: a lot| very much| so much)?|(?:great|perfect|ok|okay|cool|nice)",
        "You are welcome. Ask on when you like.",
    ),
    (r"(?:bye|goodbye|see you)(?: later)?", "Goodbye."),
    (
        r"(?:so )?what can (?:you|i) (?:do|ask)(?: here| you)?|(?:who|what) are you|help(?: me)?(?: please)?"
        r"|how do you work",
        "I answer questions about the papers of this library with the papers' own sentences, each with a number that "
        "opens its source. Ask for a fact or a figure, what a name stands for, a summary of a paper, a comparison of "
        "two, or which papers are on a topic. When no paper says it, I say so.",
    ),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), reply) for pattern, reply in _REPLIES)


def reply_plainly(question: str) -> str:
    """Return the reply to a text that asks nothing of the papers, empty for one that does."""
    bare = " ".join(question.split()).strip(" .!?,")
    return next((reply for pattern, reply in _COMPILED if pattern.fullmatch(bare)), "")
