"""The prompts: templates in files, checked against the values that they will be given."""

import re
from collections.abc import Collection
from pathlib import Path
from string import Formatter

from assistant.errors import PromptError
from assistant.ports import Prompt
from assistant.resources import data_folder

_PARTS = re.compile(r"\A\s*# System\s*?\n(?P<system>.*?)^# User\s*?\n(?P<user>.*)\Z", re.DOTALL | re.MULTILINE)


def read_prompt(name: str, variables: Collection[str], folder: Path | None = None) -> Prompt:
    """Return the prompt of a file, `<name>.md`, whose variables are exactly those given.

    The file has a part under the line "# System" and one under "# User"; {name} stands for a value and {{ for
    a brace. Values are put in as they are: a brace in a value means nothing.
    """
    path = (folder or data_folder("prompts")) / f"{name}.md"
    try:
        parts = _PARTS.match(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path} cannot be read ({type(error).__name__}): restore it.") from error
    if parts is None:
        raise PromptError(f"{path} must have a line '# System' at its start and a line '# User' after it.")
    prompt = Prompt(name, parts["system"].strip(), parts["user"].strip())
    found = _find_variables(prompt, path)
    for unknown in sorted(found - set(variables)):
        raise PromptError(f"{path} asks for {{{unknown}}}, which has no value: write {{{{ for a brace, or remove it.")
    for missing in sorted(set(variables) - found):
        raise PromptError(f"{path} leaves out {{{missing}}}: put it back.")
    return prompt


def _find_variables(prompt: Prompt, path: Path) -> set[str]:
    found = set()
    for template in (prompt.system, prompt.user):
        try:
            fields = list(Formatter().parse(template))
        except ValueError as error:
            raise PromptError(f"{path} has a lone brace ({error}): write {{{{ or }}}} for a brace.") from error
        for _, field, form, conversion in fields:
            if field is None:
                continue
            if form or conversion or not field.isidentifier():
                raise PromptError(f"{path} has {{{field}}}, which is not a plain name: write {{{{ for a brace.")
            found.add(field)
    return found
