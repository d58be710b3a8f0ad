"""Whether a text states a fact, however its figures, formulas and hyphens are written."""

import re
import unicodedata
from functools import lru_cache

_GREEK_AND_SIGNS = {
    "times": "×",
    "neq": "≠",
    "varepsilon": "ε",
    "epsilon": "ε",
    "ell": "l",
    "infty": "∞",
    "sqrt": "sqrt",
    "alpha": "α",
    "pi": "π",
    "mu": "μ",
    "log": "log",
    "ll": "≪",
}
_STYLE_NAMES = (
    "mathsf|mathcal|mathbb|mathtt|mathrm|mathbf|textbf|textit|text|widetilde|tilde|boldsymbol|left|right|emph"
)

# The order matters: each step reads what the one before it left.
_LATEX_STEPS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\\+", r"\\"),
        (r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2"),
        *((rf"\\{name}(?![a-zA-Z])", sign) for name, sign in _GREEK_AND_SIGNS.items()),
        (rf"\\(?:{_STYLE_NAMES})(?![a-zA-Z])", ""),
        (r"\\", ""),
        ("√", "sqrt"),
        ("ℓ", "l"),
        ("−", "-"),
    )
)
_PLAIN_STEPS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        ("[’‘`´]", "'"),
        ("[“”]", '"'),
        (r"[*_$`{}()\[\]^]", ""),
        ("[-‐‑‒–—―]+", " "),
        ("×", "x"),
        ("⁄", "/"),
        (r"(?<=\d),(?=\d{3}(?!\d))", ""),
        (r"\s+", " "),
        (r"(\d)\s*(?:percent|per cent|prozent|por ciento|pour cent)\b", r"\1%"),
        (r"(\d) ?(?:times|fold|x)(?![a-z0-9])", r"\1x"),
        (r"(?<![a-z0-9])x ?(\d+(?:\.\d+)?)(?![\d.])", r"\1x"),
        (r"(\d) %", r"\1%"),
        (r" ?([+/]) ?", r"\1"),
    )
)

# Words that also stand inside others: "half" in "behalf", "index" in "indexed".
_WHOLE_WORDS = frozenset({"Lion", "MoE", "SpikF", "half", "arms", "best arm", "signs", "index"})


def flatten(text: str) -> str:
    """Return the text in lower case, without LaTeX, markup and hyphens, with figures written one way.

    "2 times", "2-fold" and "x2" become "2x", "3 percent" becomes "3%" and "1,200" becomes "1200".
    """
    for pattern, replacement in _LATEX_STEPS:
        text = pattern.sub(replacement, text)
    decomposed = unicodedata.normalize("NFKD", text)
    text = "".join(character for character in decomposed if not unicodedata.combining(character)).lower()
    for pattern, replacement in _PLAIN_STEPS:
        text = pattern.sub(replacement, text)
    return text.strip()


def states(flat: str, wording: str) -> bool:
    """Return whether a flattened text holds a wording: a figure as a whole, a short name as a word."""
    pattern = _pattern(wording)
    return pattern is not None and pattern.search(flat) is not None


@lru_cache(maxsize=10_000)
def _pattern(wording: str) -> re.Pattern[str] | None:
    sought = flatten(wording)
    if not sought:
        return None
    return re.compile(_before(sought) + re.escape(sought) + _after(sought, wording))


def _before(sought: str) -> str:
    if sought[0].isdigit():
        return r"(?<!\d)(?<!\d\.)"
    starts_a_word = re.fullmatch(r"[a-z][^\d]*", sought) is not None
    return "(?<![a-z])" if starts_a_word else ""


def _after(sought: str, wording: str) -> str:
    if sought[-1].isdigit():
        return r"(?!\d)(?!\.\d)"
    whole = wording in _WHOLE_WORDS or re.fullmatch("[A-Z]{2,6}", wording) is not None
    return "s?(?![a-z])" if whole else ""
