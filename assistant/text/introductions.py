"""The name that a sentence gives to a new thing: "NAME, a ...", "a ... called NAME", "LONG NAME (NAME)"."""

import re

from assistant.text.phrases import LONGEST_LABEL, count_telling, cut_clause, cut_relative, drop_front, shorten

_PROPER = r"[\w@+&/.∞^-]*[A-Z][\w@+&/.’'∞^-]*"
_NAME = rf"{_PROPER}(?:\ (?:{_PROPER}|\d[\w.]*)){{0,5}}"
_ASIDE = r"(?:\ \((?P<aside>[^()]{2,80})\))?"
_CALLED = re.compile(
    rf"""(?P<what>.{{3,110}}?),?\ (?:(?:that|which)\ )?(?:(?:we|is|are)\ )?
    (?:called|named|dubbed|termed|coined|call|name|dub|term|namely|refer\ to\ as|referred\ to\ as|denoted\ (?:as|by))
    \ (?:the\ )?["“]?(?P<name>[^,;:.()"”]{{2,50}}?)["”]?{_ASIDE}(?::\ (?P<full>[^.;]{{5,90}}))?
    (?=[,;:.(]|\ (?:which|that|to|for|in|by|where|with|using|as|and)\b|\Z)""",
    re.VERBOSE,
)
_DESCRIBED = re.compile(
    rf"""(?:the\ )?
    (?P<name>(?!(?:an?|two|three|four|several|new|novel|our|how|what|whether|that|both|as)\ )
    [^,;:.()]{{2,70}}?{_ASIDE}(?:\ [\w-]+){{0,2}}),\ (?:which\ is\ |as\ )?
    (?:an?|the\ first|our|one\ of\ the)\ (?P<what>.+)""",
    re.VERBOSE,
)
_APPOSED = re.compile(
    rf"""(?:an?|our|the)\ (?P<what>[^,;:()\ ]+\ [^,;:()]{{3,90}}),\ (?P<name>{_NAME}){_ASIDE}
    (?=,|\.|\ that|\ which|\ to|\ for|\Z)""",
    re.VERBOSE,
)
_EXPANDED = re.compile(rf"(?P<name>{_NAME})\ \((?P<what>[^()]*[a-z]\ [^()]*)\)", re.VERBOSE)
_SHORTENED = re.compile(
    rf"""(?:(?:an?|the|our)\ )?(?P<full>[^,;:()]{{3,90}}?(?:,\ [^,;:()]{{3,40}}){{0,2}}?)
    \ \((?P<name>{_PROPER})\)(?P<rest>.*)""",
    re.VERBOSE,
)
_BARE = re.compile(rf"(?:the\ )?(?P<name>{_PROPER})\ ", re.VERBOSE)
_CALL = re.compile(
    rf"""\b[Ww]e\ (?:call|name|dub|term)(?:\ (?:this|the|our|it|these|[a-z-]+)){{1,5}}?\ (?:the\ )?
    (?P<name>{_NAME}(?:\ \([^()]*\))?)(?=[,.;:]|\ )""",
    re.VERBOSE,
)
_OURS = re.compile(
    rf"""\b[Oo]ur\ (?:[\w-]+\ ){{0,3}}?(?:model|method|approach|framework|algorithm|system|benchmark|technique|dataset)
    ,?\ (?:called\ |named\ |dubbed\ )?(?P<name>{_NAME}),\ (?P<what>[a-z].+)""",
    re.VERBOSE,
)
_ABOUT = re.compile(r"\ (?:for|of|in|on|with|to|from|by|using|via|based|that|which|under|as)\ ")
_COMMON = frozenset(
    """LLM LLMs MLLM MLLMs VLM VLMs LVLM LVLMs LM LMs PLM PLMs SLM RL RLHF DNN DNNs CNN CNNs GNN GNNs SNN SNNs ANN ANNs
    RNN RNNs KG KGs RAG ML AI NLP MCMC SGD GPU GPUs KV PEFT SFT ICL FL KD MoE ViT ViTs GAN GANs VAE QA VQA CoT DP
    MDP MDPs POMDP SOTA API UI GUI ECG EEG MRI CT ASR TTS OCR NER MT NMT IR CL OOD PDE PDEs ODE ODEs""".split()
)


def name_thing(thing: str, before: str) -> str:
    """Return "NAME: what it is" for what a sentence calls new and names, else nothing.

    `before` is the abstract until there: what it knows already is no new name.
    """
    match = _CALLED.match(thing)
    if match and match["full"]:
        return _join(_read_name(match), match["full"])
    match = match or _DESCRIBED.match(thing) or _APPOSED.match(thing)
    if match:
        return _join(_read_name(match), match["what"])
    if match := _EXPANDED.match(thing):
        return _join(match["name"], match["what"])
    match = _SHORTENED.match(thing)
    if match and _is_own_name(match["name"], match["full"], before):
        return _join(match["name"], match["full"] + match["rest"])
    match = _BARE.match(thing)
    if match and match["name"] not in before:
        return shorten(cut_relative(cut_clause(drop_front(thing), 2), 5), LONGEST_LABEL)
    return ""


def find_call(sentence: str) -> str:
    """Return the name of "we call it NAME" or "our method, NAME, does ...", with what it does, else nothing."""
    if match := _CALL.search(sentence):
        return shorten(match["name"], LONGEST_LABEL)
    match = _OURS.search(sentence)
    return _join(match["name"], match["what"]) if match else ""


def _read_name(match: re.Match[str]) -> str:
    """Return the name, with a short form in brackets after it; a long form is left out."""
    name, aside = match["name"], match["aside"]
    if not aside:
        return name
    bare = name.replace(f" ({aside})", "")
    if " " in aside:
        return bare
    return name if f"({aside})" in name else f"{bare} ({aside})"


def _is_own_name(name: str, full: str, before: str) -> bool:
    """Say whether a short form in brackets names the thing itself and not something it is about."""
    if name in _COMMON or re.search(rf"\b{re.escape(name)}\b", before):
        return False
    return _ABOUT.search(full) is None or drop_front(full)[:1].lower() == name[:1].lower()


def _join(name: str, what: str) -> str:
    """Return "NAME: what it is", or the name alone where it says more than what follows."""
    name = shorten(drop_front(name), 60)
    joined = shorten(f"{name}: {cut_relative(cut_clause(drop_front(what), 2), 4)}", LONGEST_LABEL)
    return name if " " in name and count_telling(joined[len(name) :].strip(": ")) == 0 else joined
