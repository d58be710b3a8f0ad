"""Text as the search sees it: folded, cut into words, stemmed."""

import re
import unicodedata
from functools import lru_cache
from threading import Lock

from snowballstemmer import stemmer

from assistant.text.spelling import americanise, name_greek

TERM_RULES = 2
"""The number of the rules by which `terms` makes terms. Raise it with each change of them: what a library has
written down by other rules is then made anew."""

STOP_WORDS = frozenset(
    """a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing done down during each either else ever few for from further had has
    have having he her here hers him his how i if in into is it its itself just let many may me might more most
    much must my no nor not now of off on once only onto or other our ours out over own per please same shall
    she should since so some such than that the their theirs them then there these they this those through thus
    to too under until up upon us very via was we were what when where whether which while who whom whose why
    will with within without would yet you your yours""".split()
)

_MACROS = {
    r"\ell": "l",
    r"\times": "x",
    r"\varepsilon": "epsilon",
    r"\infty": "infinity",
    r"\sqrt": " sqrt ",
    r"\log": " log ",
}
_STYLES = re.compile(
    r"\\(?:math(?:sf|cal|bb|tt|rm|bf|it)|text(?:bf|it|sc|rm)?|emph|boldsymbol|widetilde|tilde|hat|bar)\b"
)
_SIGNS = str.maketrans({"×": "x", "√": " sqrt ", "ℓ": "l", "−": "-", "∞": " infinity ", "’": "'", "‘": "'"})
_DROPPED = re.compile(r"[\\{}$_^*`]")
_WORD = re.compile(r"\d+(?:\.\d+)+[a-z%]*|[^\W_]+(?:'[^\W_]+)?(?:\+\+|#|%)?")
# LLMs, GPUs, SNNs: the stemmer takes them for words that end in s.
_ACRONYMS = re.compile(r"([b-df-hj-np-tv-xz]{2}u|[b-df-hj-np-tv-xz]{1,4}[b-df-hj-np-rtv-xz])s")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"'s?$")
# knock-down, pre-training, 4-bit; not state-of-the-art.
_HYPHENATED = re.compile(r"(?<![\w-])([^\W_]+)[-‐‑]([^\W_]+)(?![\w-])")
_LEAST_JOINED = 4
"""Letters and digits that a hyphenated word has at least to be one word without its hyphen as well."""
_english = stemmer("english")
_stemming = Lock()
"""The stemmer keeps the word that it is at in itself: two threads at once would spoil each other's stems."""


def fold(text: str) -> str:
    """Return the text in lower case, without accents, LaTeX commands and markup."""
    for macro, plain in _MACROS.items():
        text = text.replace(macro, plain)
    text = _DROPPED.sub("", _STYLES.sub("", text)).translate(_SIGNS)
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return name_greek("".join(character for character in decomposed if not unicodedata.combining(character)))


def words(text: str) -> tuple[str, ...]:
    """Return the folded words in order, stop words included; a hyphen parts words, 1,200 is 1200."""
    return _cut(fold(text))


def _cut(folded: str) -> tuple[str, ...]:
    return tuple(_POSSESSIVE.sub("", word) for word in _WORD.findall(_THOUSANDS.sub("", folded)))


@lru_cache(maxsize=2_048)
def terms(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning, in order, and after them those of hyphenated words as one.

    So "pretraining" finds "pre-training"; on SciFact train this brings .001 to .003 of nDCG@10.
    """
    folded = fold(text)
    joined = (first + second for first, second in _HYPHENATED.findall(folded))
    telling = (word for word in joined if len(word) >= _LEAST_JOINED and not word.isdigit())
    return (*_stem_words(folded), *(stem(word) for word in telling))


def _stem_words(folded: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _cut(folded) if word not in STOP_WORDS)


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the English stem of a folded word; a word with a digit is kept as it is."""
    if any(character.isdigit() for character in word):
        return word
    plural = _ACRONYMS.fullmatch(word)
    if plural:
        return plural[1]
    with _stemming:
        return str(_english.stemWord(americanise(word)))


_ASKING = frozenset(
    stem(word)
    for word in """paper papers work works article articles abstract abstracts study studies list name find show give
    tell explain
    describe summarise summarize summary compare comparison versus vs difference differ mention discuss deal
    corpus collection literature research researchers author authors know want need please about say propose
    proposes proposed introduce introduces use uses used way kind thing short brief sentence sentences
    overview described here cover covers talk talks""".split()
)


def topic_terms(question: str) -> tuple[str, ...]:
    """Return the terms of a question that say what it is about, each once, in order.

    Words that only ask ("which papers discuss ...") are left out, unless there are no others.
    """
    stems = tuple(dict.fromkeys(_stem_words(fold(question))))
    return tuple(stem for stem in stems if stem not in _ASKING) or stems
