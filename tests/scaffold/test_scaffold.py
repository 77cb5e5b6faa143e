"""New packages: every kind works as it is generated, and can be built and installed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from in_process import output_of, run_command, run_script
from repository import ROOT

from textgym.errors import UnknownNameError, UsageError
from textgym.scaffold import KINDS, create_package

PYTEST = """
import sys
import pytest

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib", {path!r}]))
"""


@pytest.fixture(params=KINDS)
def package(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    create_package("own_sums", request.param, tmp_path)
    return tmp_path / "own_sums"


def test_its_tests_of_grading_pass(package: Path) -> None:
    (package / "run.py").write_text(PYTEST.format(path="tests/test_env.py"))
    assert " passed" in output_of(run_script(package / "run.py"))


@pytest.mark.slow
def test_all_its_tests_pass(package: Path) -> None:
    (package / "run.py").write_text(PYTEST.format(path="tests"))
    assert " passed" in output_of(run_script(package / "run.py"))


@pytest.mark.slow
@pytest.mark.parametrize("package", ["tools"], indirect=True)  # kinds differ in one module
def test_its_tests_pass_in_a_process_of_their_own(package: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not audit"],
        cwd=package,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "package", ["single-step"], indirect=True
)  # its own tests audit every kind
def test_it_passes_a_quick_audit(package: Path) -> None:
    shown = output_of(run_command(package, "audit", "own_sums", "--quick"))
    assert "FAIL" not in shown
    assert "passed" in shown


def test_only_names_differ_from_the_templates(package: Path) -> None:
    texts = {path: path.read_text() for path in package.rglob("*.*") if path.is_file()}
    assert [
        path for path, text in texts.items() if re.search("my_package|MyEnv|SUMMARY", text)
    ] == []
    project = tomllib.loads(texts[package / "pyproject.toml"])
    entries = {"own_sums/OwnSums-v0": "own_sums.env:OwnSums"}
    assert project["project"]["entry-points"] == {"textgym.environments": entries}


@pytest.mark.slow
@pytest.mark.parametrize("package", ["tools"], indirect=True)  # kinds differ in one module
def test_it_is_built_installed_and_found(package: Path, tmp_path: Path) -> None:
    def python(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path / "elsewhere",
            capture_output=True,
            text=True,
            env={"PYTHONPATH": f"{ROOT}:{tmp_path / 'site'}", "COLUMNS": "160"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "elsewhere").mkdir()
    offline = ("--no-deps", "--no-index", "--disable-pip-version-check", "-q")
    build = ("--no-build-isolation", "-w", str(tmp_path / "wheels"))
    python("-m", "pip", "wheel", *offline, *build, str(package))
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    python("-m", "pip", "install", *offline, "--target", str(tmp_path / "site"), str(wheel))
    assert "own_sums/OwnSums-v0" in python("-m", "textgym", "list")
    for module in ("textgym", "own_sums"):
        id = f"{module}:own_sums/OwnSums-v0"
        made = python("-c", f"import gymnasium; print(gymnasium.make({id!r}).unwrapped)")
        assert "OwnSums" in made
    loaded = "import sys, textgym; print('own_sums' in sys.modules)"
    assert python("-c", loaded) == "False\n"
    options = ("--policy", "oracle", "--episodes", "3", "--out", "run")
    python("-m", "textgym", "eval", "own_sums/OwnSums-v0", *options)
    metrics = json.loads((tmp_path / "elsewhere" / "run" / "metrics.json").read_text())
    assert metrics["overall"]["mean_reward"] == 1


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("WordSums", "lower-case letters, digits and _, such as 'word_sums'"),
        ("word-sums", "lower-case letters, digits and _, such as 'word_sums'"),
        ("HTTPEnv2", "lower-case letters, digits and _, such as 'http_env_2'"),
        ("3d", "lower-case letters, digits and _, such as 'word_sums'"),
        ("../up", "lower-case letters, digits and _, such as 'up'"),
        ("", "lower-case letters, digits and _"),
        ("sums\n", "lower-case letters, digits and _, such as 'sums'"),
        ("class", "is a Python keyword"),
        ("none", "is a Python keyword"),
        ("any", "gives the class the name Any, which is already used"),
        ("json", "there is a module 'json' already"),
        ("textgym", "there is a module 'textgym' already"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(name: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=re.escape(problem)):
        create_package(name, "tools", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_kind_that_does_not_exist_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no kind 'tool'; did you mean 'tools'"):
        create_package("own_sums", "tool", tmp_path)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write '.*file/own_sums': Not a directory"):
        create_package("own_sums", "tools", tmp_path / "file")
