"""What a reader does not see is taken out; what shapes a script stays."""

import pytest

from assistant.text.invisible import remove_invisible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("safe \u202etxt.exe\u202c \u200b\u2066x\u2069", "safe txt.exe x"),
        ("tag\U000e0049\U000e0047s", "tags"),
        ("\x1b]0;pwned\x07\x1b[2J\x1b[31mred\x1b[0m \x07", "red "),
        ("\x1b]8;;http://evil.example\x07link\x1b]8;;\x07", "link"),
        ("a\x00b\x08c", "abc"),
        ("one\r\ntwo\rthree\u2028four\tfive", "one\ntwo\nthree\nfour\tfive"),
        ("in\u00advisible\ufeff \ud800", "invisible "),
        ("a\u200db\u200c\u200dc", "abc"),
    ],
)
def test_control_direction_tag_and_zero_width_characters_are_removed(text: str, seen: str) -> None:
    assert remove_invisible(text) == seen


@pytest.mark.parametrize("text", ["می‌خواهم", "👩‍🔬 ❤️", "café naïve", "$\\ell_1$ 回答は", "مرحبا", "क्‍ष"])
def test_the_text_of_any_script_is_unchanged(text: str) -> None:
    assert remove_invisible(text) == text
