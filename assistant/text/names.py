"""Coined names: the words by which authors call their methods, data sets and models."""

import re
from functools import lru_cache

_NAME = re.compile(
    r"""(?<![\w$\\-])(?:
        [A-Za-z]*[a-z][A-Z]\w*            # TabFlex, xLSTM, mT5, DialectFP4
      | [A-Z]{2,}[a-z]{2,}\w*            # XAttention
      | [A-Z][A-Z0-9]+s?                  # RCSC, LLMs, FP8
      | [A-Za-z]+\d[\w.]*                 # l1, ResNet18
    )(?:[-/+][A-Za-z0-9]+)*(?![\w-])
    | (?<![\w$\\-])[A-Z]\w*-[A-Z0-9]\w*(?:-\w+)*   # SDP-CROWN, H-Tuning""",
    re.VERBOSE,
)


LONGEST_NAME = 2
"""Words of a text in capitals that may still be a name."""

_ADDRESS = re.compile(r"https?://\S+|www\.\S+")
_TITLE = re.compile(r"(?<=[\w,;(] )[A-Z][a-z]+(?:[- ][A-Z][a-z]+)*\b|^[A-Z][a-z]+(?: [A-Z][a-z]+)*$")
_ORDINARY = frozenset({"DOI", "ISBN", "OK", "TLDR", "FAQ", "PDF", "PS", "FYI", "BTW", "AI", "ML", "US", "UK", "EU"})
_SUFFIX = re.compile(r"-(?:like|based|style|free|type|aware|only|level|wise|hard|driven|specific|trained|tuned)$")


@lru_cache(maxsize=2_048)
def find_names(text: str) -> tuple[str, ...]:
    """Return the coined names of a text as written, each once, in order; none of a sentence all in capitals."""
    if text.isupper() and len(text.split()) > LONGEST_NAME:
        return ()
    names = (_SUFFIX.sub("", match.group()) for match in _NAME.finditer(_ADDRESS.sub(" ", text)))
    return tuple(name for name in dict.fromkeys(names) if name not in _ORDINARY)


def find_titles(text: str) -> tuple[str, ...]:
    """Return the capitalised words inside a text: "What is Star Attention?" has "Star Attention"."""
    return tuple(dict.fromkeys(_TITLE.findall(text)))


def is_coined(name: str) -> bool:
    """Tell whether a name is more than a plain acronym: it has small letters inside, a digit or a hyphen."""
    return not name.rstrip("s").isupper() or not name.isalpha()
