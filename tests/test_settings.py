"""Settings come from the environment and `.env`, and a mistake in them is named."""

import traceback
from pathlib import Path

import pytest

from assistant.errors import SettingsError
from assistant.settings import Settings, read_settings


def test_without_any_setting_there_are_defaults() -> None:
    settings = read_settings()
    assert (settings.model, settings.base_url, settings.store) == ("", "", "")


def test_settings_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODEL", "some-model")
    monkeypatch.setenv("ASSISTANT_K", "3")
    settings = read_settings()
    assert (settings.model, settings.k) == ("some-model", 3)


def test_settings_are_read_from_a_dotenv_file_and_the_environment_wins(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / ".env").write_text(
        "# the model\nASSISTANT_MODEL=from-file\nexport ASSISTANT_K=5\nOTHER=1\n", encoding="utf-8"
    )
    monkeypatch.setenv("ASSISTANT_MODEL", "from-environment")
    settings = read_settings()
    assert (settings.model, settings.k) == ("from-environment", 5)


def test_an_unknown_setting_is_named_with_the_list_of_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_MODLE", "some-model")
    with pytest.raises(SettingsError) as raised:
        read_settings()
    message = str(raised.value)
    assert "ASSISTANT_MODLE" in message
    assert all(f"ASSISTANT_{name.upper()}" in message for name in Settings.model_fields)
    assert "\n" not in message


def test_an_unknown_setting_in_the_dotenv_file_is_named(place: Path) -> None:
    (place / ".env").write_text("ASSISTANT_COLOUR=red\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="ASSISTANT_COLOUR"):
        read_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("K", "0"),
        ("K", "many"),
        ("TIMEOUT", "0"),
        ("TIMEOUT", "soon"),
        ("TIMEOUT", "inf"),
        ("TIMEOUT", "nan"),
        ("TIMEOUT", "1e10"),
        ("TIMEOUT", "3601"),
        ("TEMPERATURE", "-1"),
        ("TEMPERATURE", "hot"),
        ("TEMPERATURE", "nan"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"ASSISTANT_{name}", value)
    with pytest.raises(SettingsError) as raised:
        read_settings()
    assert f"ASSISTANT_{name}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_key_is_in_no_text_form_of_the_settings_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_API_KEY", "sk-a-secret")
    settings = read_settings()
    assert settings.api_key.get_secret_value() == "sk-a-secret"
    assert "sk-a-secret" not in f"{settings!r} {settings!s} {settings.model_dump()} {settings.model_dump_json()}"
    monkeypatch.setenv("ASSISTANT_K", "sk-a-secret")
    with pytest.raises(SettingsError) as raised:
        read_settings()
    assert "sk-a-secret" not in "".join(traceback.format_exception(raised.value))
    assert raised.value.__context__ is None


def test_a_dotenv_file_with_a_byte_order_mark_is_read_from_its_first_line(place: Path) -> None:
    (place / ".env").write_text("ASSISTANT_K=5\n", encoding="utf-8-sig")
    assert read_settings().k == 5
    (place / ".env").write_text("ASSISTANT_COLOUR=red\n", encoding="utf-8-sig")
    with pytest.raises(SettingsError, match="ASSISTANT_COLOUR"):
        read_settings()


def test_a_dotenv_file_that_is_not_utf8_is_named(place: Path) -> None:
    (place / ".env").write_bytes("ASSISTANT_STORE=/home/jos\xe9\n".encode("latin-1"))
    with pytest.raises(SettingsError) as raised:
        read_settings()
    assert str(place / ".env") in str(raised.value)
    assert "UTF-8" in str(raised.value)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().k = 4
