"""The settings, read once from the environment and `.env`."""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from assistant.errors import SettingsError

PREFIX = "ASSISTANT_"
DOTENV = Path(".env")


class Settings(BaseSettings):
    """What a user can set. Each name has the prefix ASSISTANT_ in the environment."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=DOTENV, env_file_encoding="utf-8-sig", frozen=True, extra="ignore"
    )

    model: str = ""
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    store: str = ""
    k: int = Field(default=12, ge=1, le=100)
    timeout: float = Field(default=60.0, gt=0, le=3600, allow_inf_nan=False)
    temperature: float = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    languages: Literal["on", "off"] = "on"
    token: SecretStr = SecretStr("")
    rate: int = Field(default=120, ge=1, le=1_000_000)


def read_settings() -> Settings:
    """Read the settings; raises SettingsError for an unknown name or a wrong value."""
    unknown = sorted(_names_given() - {name.upper() for name in Settings.model_fields})
    if unknown:
        known = ", ".join(PREFIX + name.upper() for name in Settings.model_fields)
        raise SettingsError(f"{PREFIX}{unknown[0]} is not a setting. The settings are {known}.")
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
    # Raised out here, the failure carries no trace of the value, which may be a key in the wrong place.
    name = PREFIX + "_".join(str(part) for part in first["loc"]).upper()
    raise SettingsError(f"{name} is wrong: {first['msg'].lower()}.")


def _names_given() -> set[str]:
    lines = _read_dotenv().splitlines() if DOTENV.is_file() else []
    given = [*os.environ, *(line.removeprefix("export ").partition("=")[0].strip() for line in lines)]
    return {name.upper().removeprefix(PREFIX) for name in given if name.upper().startswith(PREFIX)}


def _read_dotenv() -> str:
    try:
        return DOTENV.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
    raise SettingsError(f"{DOTENV.absolute()} {reason}: save it as UTF-8 text that you may read, or remove it.")
