"""The data that travels with the package: seeds, prompts and the default embedder."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def data_folder(name: str) -> Path:
    """Return the folder of the data: inside the package once installed, at the top of a checkout."""
    installed = PACKAGE / "data" / name
    return installed if installed.is_dir() else PACKAGE.parent / name
