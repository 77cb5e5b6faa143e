"""The code blocks of the documentation run, and the pages of environments are their docstrings."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

import textgym

FILES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = [sys.executable, "-c", "from textgym.cli import main; main()"]


def block(*values: str, name: str) -> Any:
    needs_extras = re.search(r'"hf"|--policy hf|textgym\.training\.(trl|verl)', values[0])
    return pytest.param(*values, id=name, marks=[pytest.mark.model] if needs_extras else [])


def blocks(language: str) -> list:
    found = []
    for file in FILES:
        shown = re.findall(rf"```{language}\n(.*?)```", file.read_text(), re.S)
        found += [block(code, name=f"{file.name}-{number}") for number, code in enumerate(shown)]
    return found


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code: str, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(code)
    run([sys.executable, str(script)], tmp_path)


def printing_blocks() -> list:
    found = []
    for file in FILES:
        code = r"```python\n((?:(?!```).)*)```\n\n```text\n(.*?)```"
        shown = re.findall(code, file.read_text(), re.S)
        found += [block(*pair, name=f"{file.name}-{number}") for number, pair in enumerate(shown)]
    return found


@pytest.mark.parametrize(("code", "shown"), printing_blocks())
def test_python_block_prints_what_the_page_shows(code: str, shown: str, tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(code)
    assert run([sys.executable, str(script)], tmp_path) == shown


@pytest.mark.parametrize("code", blocks("console"))
def test_console_block_runs(code: str, tmp_path: Path) -> None:
    for line in code.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "textgym"
        run([*COMMAND, *arguments], tmp_path)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_a_page_names_exist(page: str) -> None:
    named = re.findall(r"`([\w/]+\.py)`", (ROOT / page).read_text())
    there = [path.relative_to(ROOT).as_posix() for path in (ROOT / "textgym").rglob("*.py")]
    there += [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")]
    there += [path.relative_to(ROOT).as_posix() for path in (ROOT / "benchmarks").rglob("*.py")]
    assert named
    assert [
        name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)
    ] == []


@pytest.mark.parametrize("target", ["library_desk:LibraryDesk", "shop:Shop"])
def test_environment_of_the_docs_is_short_and_passes_the_checks(
    target: str, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "two-environments.md").read_text()
    module, _, name = target.partition(":")
    (code,) = (c for c in re.findall(r"```python\n(.*?)```", page, re.S) if f"class {name}(" in c)
    assert code.count("\n") < 100
    (tmp_path / f"{module}.py").write_text(code)
    run([*COMMAND, "check", target], tmp_path)


@pytest.mark.parametrize("id", textgym.ids())
def test_page_is_the_docstring(id: str) -> None:
    make_pages = runpy.run_path(str(ROOT / "docs" / "make_pages.py"))
    page = ROOT / "docs" / "environments" / f"{id.split('/')[-1]}.md"
    assert page.read_text() == make_pages["page"](id), "run `make docs`"


@pytest.mark.parametrize("id", textgym.ids())
def test_page_has_a_list_of_arguments_and_an_example_in_a_block(id: str) -> None:
    """In the form of the docstring, Markdown would join these lines to one paragraph."""
    page = (ROOT / "docs" / "environments" / f"{id.split('/')[-1]}.md").read_text()
    assert re.search(r"^## Arguments\n\n(?:(?:- `\S+`: | {4}).*\n)+\n", page, re.M)
    assert "- `**kwargs`: " in page
    assert "\n## Example\n\n    >>> " in page
    assert not re.search(r"^(?:Args|Raises|Example):", page, re.M)
