"""Spellings of one word brought together: British and American, Greek letters and their names."""

import re

_GREEK = {
    ord(letter): name
    for letter, name in zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi
        chi psi omega""".split(),
        strict=True,
    )
} | {ord("ς"): "sigma", ord("ϵ"): "epsilon", ord("ϕ"): "phi"}
_ENDINGS = (
    (re.compile(r"ae(?=[a-z])"), "e"),  # haemoglobin, leukaemia
    (re.compile(r"oe(?=[dmst]|$)(?=.{2})"), "e"),  # oestrogen, foetal
    (re.compile(r"is(?=ations?$|ational$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e[sd]?|er|ers|ing)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{2})our(?=s?$|al|ed$|ing|it|ful|ab|hood|ig|less)"), "or"),
    (re.compile(r"lys(?=e[sd]?$|ing$|ers?$)"), "lyz"),
    (re.compile(r"(?<=[a-z]{2}[bct])re(?=s?$)"), "er"),  # centre, fibres
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"mme(?=s?$)"), "m"),
)
_OTHERS = {
    "defence": "defense",
    "offence": "offense",
    "licence": "license",
    "grey": "gray",
    "artefact": "artifact",
    "artefacts": "artifacts",
    "ageing": "aging",
    "judgement": "judgment",
    "judgements": "judgments",
    "sceptical": "skeptical",
}


def name_greek(text: str) -> str:
    """Return the text with each Greek letter as its English name: β1 is beta1."""
    return text.translate(_GREEK)


def americanise(word: str) -> str:
    """Return a folded English word as Americans spell it, whether it is one or not: both sides are brought together."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending, other in _ENDINGS:
        word = ending.sub(other, word)
    return _OTHERS.get(word, word)
