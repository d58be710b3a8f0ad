"""Text without its LaTeX and markdown, for a label or a list; never for a quote."""

import re

_SIGNS = {
    "times": "×", "cdot": "·", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "approx": "≈", "sim": "~",
    "infty": "∞", "ell": "ℓ", "sqrt": "√", "to": "→", "rightarrow": "→", "in": "∈", "ldots": "...", "dots": "...",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ",
    "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{1,500}\)")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]{0,200})\}\{([^{}]{0,200})\}")
_COMMAND = re.compile(r"\\([a-zA-Z]+)\*?\s*")
_MATHS = re.compile(r"\$\$?([^$]{1,400})\$\$?")
_ESCAPED = re.compile(r"\\([%&#_${}])")
_EMPHASIS = re.compile(r"\*\*|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|`+|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")


def strip_markup(text: str) -> str:
    """Return the text on one line, with plain signs for LaTeX commands and without markdown's marks."""
    text = _LINK.sub(r"\1", text.replace("\\\\", "\\"))
    text = text.replace("``", '"').replace("''", '"').replace("~", " ")
    text = _ESCAPED.sub(r"\1", _MATHS.sub(lambda maths: _strip_maths(maths[1]), _FRACTION.sub(r"\1/\2", text)))
    text = _COMMAND.sub(lambda command: _SIGNS.get(command[1], ""), text)
    return " ".join(_EMPHASIS.sub("", re.sub(r"[{}\\]", "", text)).split())


def _strip_maths(maths: str) -> str:
    """Return a formula without its commands: a sign, the name of a function, or nothing for a style."""
    maths = _COMMAND.sub(lambda command: _SIGNS.get(command[1], _name_function(command[1])), maths)
    return re.sub(r"[_{}]", "", maths)


def _name_function(command: str) -> str:
    return f"{command} " if command in {"log", "ln", "exp", "min", "max", "sin", "cos"} else ""
