"""The code blocks of the documentation run, and the pages of environments are their docstrings."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium
import pytest
from in_process import run_command, run_script
from repository import ROOT

import textgym

DOCS = ROOT / "docs"
FILES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted(DOCS.rglob("*.md")) if path.parent != DOCS / "environments"),
]
SUITE = [id for id in textgym.ids() if id.startswith("textgym/")]  # before tests register others
MODEL = re.compile(r'"hf"|--policy hf|textgym\.training\.(trl|verl)')
# Blocks with processes, or many episodes.
SLOW = re.compile(
    r"textgym (check|audit) |\baudit\(|repeats=8|PythonTool|Sandbox\(|.python.\]|--workers"
)
RAY = re.compile(r"--backend ray|RayBackend")


def name_of(file: Path) -> str:
    """Return the path below docs, for ids of tests."""
    return file.relative_to(DOCS if file.is_relative_to(DOCS) else ROOT).as_posix()


def marks_of(code: str) -> list[pytest.MarkDecorator]:
    kinds = (
        (pytest.mark.model, MODEL),
        (pytest.mark.filterwarnings("ignore"), MODEL),  # of the trainers
        (pytest.mark.slow, SLOW),
        (pytest.mark.ray, RAY),
        (pytest.mark.filterwarnings("ignore::ResourceWarning"), RAY),  # of Ray's own files
    )
    return [mark for mark, kind in kinds if kind.search(code)]


def python_blocks() -> list[Any]:
    """Each block, and what the page shows as its output."""
    found = []
    form = r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    for file in FILES:
        for number, block in enumerate(re.finditer(form, file.read_text(), re.S)):
            code, shown = block.groups()
            found.append(
                pytest.param(code, shown, id=f"{name_of(file)}-{number}", marks=marks_of(code))
            )
    return found


def console_blocks() -> list[Any]:
    """The lines of each block, in groups of the same marks; costly lines of several pages once.

    What the page shows as its output is the output of the last line.
    """
    found, costly = [], set()
    form = r"```console\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    for file in FILES:
        for number, block in enumerate(re.finditer(form, file.read_text(), re.S)):
            code, shown = block.groups()
            groups: dict[str, list[str]] = {}
            for line in code.splitlines():
                kinds = [mark.name for mark in marks_of(line)[:1]]
                if line in costly:
                    continue
                costly.update([line] if kinds else [])
                groups.setdefault("-".join([name_of(file), str(number), *kinds]), []).append(line)
            last = code.splitlines()[-1]
            found += [
                pytest.param(
                    lines, shown if lines[-1] == last else None, id=name, marks=marks_of(lines[0])
                )
                for name, lines in groups.items()
            ]
    return found


def test_the_reference_has_every_public_name() -> None:
    text = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    documented = {name.rpartition(".")[2] for name in re.findall(r":: (textgym\S+)", text)}
    modules = {"checks", "errors", "metrics", "verifiers"}
    assert set(textgym.__all__) - modules - documented == set()


NEEDED = {
    "--policy openai:": "aiohttp",
    '"openai:MODEL@http://127': "aiohttp",
    "aviary": "aviary.env",
    "Aviary": "aviary.env",
    "reasoning-gym/": "reasoning_gym",
    "integrations.inspect": "inspect_ai",
    "from datasets import": "datasets",
    ".parquet": "pyarrow",
    "--backend ray": "ray",
    "RayBackend": "ray",
}
"""The packages of extras that code needs."""


def skip_without_extras(*code: str) -> None:
    """Skip code whose extra is not installed."""
    for text, package in NEEDED.items():
        if any(text in part for part in code):
            pytest.importorskip(package)


@pytest.mark.parametrize(("code", "shown"), python_blocks())
def test_python_block_runs_and_prints_what_the_page_shows(
    code: str, shown: str | None, tmp_path: Path
) -> None:
    skip_without_extras(code)
    script = tmp_path / "block.py"
    script.write_text(code)
    done = run_script(script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown in (None, done.stdout)


@pytest.mark.parametrize(("lines", "shown"), console_blocks())
def test_console_block_runs_and_prints_what_the_page_shows(
    lines: list[str], shown: str | None, tmp_path: Path
) -> None:
    skip_without_extras(*lines)
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "textgym"
        done = run_command(tmp_path, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    assert shown in (None, done.stdout)


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


def test_the_page_names_all_files_of_a_step() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    section = page.partition("## The way of an action")[2].partition("\n## ")[0]
    env = gymnasium.make("textgym/MCQA-v0")
    files: set[str] = set()

    def profile(frame: FrameType, event: str, value: Any) -> None:
        files.add(frame.f_code.co_filename)

    env.reset(seed=1)
    env.step("A")  # fills caches
    env.reset(seed=1)
    sys.setprofile(profile)
    try:
        env.step(r"So it is \boxed{B}.")
    finally:
        sys.setprofile(None)
    package = ROOT / "textgym"
    inside = [Path(file).relative_to(package) for file in files if package in Path(file).parents]
    assert 5 < len(inside) <= 10
    assert [file for file in inside if f"`{file.as_posix()}`" not in section] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "target"),
    [
        ("two-environments.md", "library_desk:LibraryDesk"),
        ("two-environments.md", "shop:Shop"),
        ("guide/2-single-step.md", "arrival:Arrival"),
        ("guide/3-tools.md", "lockers:Lockers"),
        ("guide/4-stateful.md", "crane:Crane"),
        ("guide/5-real-world.md", "house:House"),
    ],
)
def test_environment_of_the_docs_is_short_and_passes_an_audit(
    page: str, target: str, tmp_path: Path
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)
    module, _, name = target.partition(":")
    (code,) = (block for block in blocks if f"class {name}(" in block)
    assert code.count("\n") < 140
    (tmp_path / f"{module}.py").write_text(code)
    done = run_command(tmp_path, "audit", target, "--quick")
    assert done.returncode == 0, done.stdout


def page_of(id: str) -> str:
    return (DOCS / "environments" / f"{id.split('/')[-1]}.md").read_text()


def test_pages_are_the_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    page = runpy.run_path(str(DOCS / "make_pages.py"))["page"]
    assert [id for id in SUITE if page_of(id) != page(id)] == [], "run `make docs`"


@pytest.mark.parametrize(
    "form",
    [
        r"^## Arguments\n\n(?:(?:- `\S+`: | {4}).*\n)+\n",
        r"- `\*\*kwargs`: ",
        r"\n## Example\n\n {4}>>> ",
    ],
)
def test_pages_have_a_list_of_arguments_and_an_example_in_a_block(form: str) -> None:
    """In the form of the docstring, Markdown would join these lines to one paragraph."""
    assert [id for id in SUITE if not re.search(form, page_of(id), re.M)] == []


def test_pages_have_no_section_in_the_form_of_a_docstring() -> None:
    form = r"^(?:Args|Raises|Example):"
    assert [id for id in SUITE if re.search(form, page_of(id), re.M)] == []
