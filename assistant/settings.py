"""The settings, read once from the environment and `.env`."""

import os
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from assistant.errors import SettingsError

PREFIX = "ASSISTANT_"
DOTENV = Path(".env")


class Settings(BaseSettings):
    """What a user can set. Each name has the prefix ASSISTANT_ in the environment."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=DOTENV, frozen=True, extra="ignore")

    model: str = ""
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    store: str = ""
    k: int = Field(default=12, ge=1, le=100)
    timeout: float = Field(default=60.0, gt=0)
    temperature: float = Field(default=0.0, ge=0, le=2)


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
        name = PREFIX + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingsError(f"{name} is wrong: {first['msg'].lower()}.") from None


def _names_given() -> set[str]:
    lines = DOTENV.read_text(encoding="utf-8").splitlines() if DOTENV.is_file() else []
    given = [*os.environ, *(line.removeprefix("export ").partition("=")[0].strip() for line in lines)]
    return {name.upper().removeprefix(PREFIX) for name in given if name.upper().startswith(PREFIX)}
