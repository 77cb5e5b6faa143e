"""`textgym init`, and the commands on the package that it writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from in_process import output_of, run_command

from textgym.scaffold import KINDS


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind != "single-step")) for kind in KINDS],
)
@pytest.mark.usefixtures("without_spawn")
def test_the_commands_of_its_readme_work(kind: str, tmp_path: Path) -> None:
    package = tmp_path / "own_sums"
    output_of(run_command(tmp_path, "init", "own_sums", "--kind", kind))
    commands = re.findall(r"(?m)^    textgym (.*)$", (package / "README.md").read_text())
    assert [command.split()[0] for command in commands] == ["play", "eval", "check", "audit"]
    assert "own_sums/OwnSums-v0 (test)" in output_of(run_command(package, *commands[1].split()))
    assert run_command(package, *commands[0].split(), typed=b"Answer: 1\n").returncode in (0, 1)
    if kind == "single-step":  # the tests of every package audit its environment
        assert "FAIL" not in output_of(run_command(package, *commands[2].split(), "--tasks", "3"))


def test_init_names_the_next_steps(tmp_path: Path) -> None:
    shown = output_of(run_command(tmp_path, "init", "own_sums", "--kind", "judge"))
    assert shown.startswith("created own_sums/, a package with the environment own_sums/OwnSums-v0")
    assert "\n  textgym eval own_sums --policy oracle --episodes 20\n" in shown


def test_an_existing_folder_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own_sums").mkdir()
    done = run_command(tmp_path, "init", "own_sums")
    assert (done.returncode, done.stderr) == (
        2, "textgym: 'own_sums' exists already: choose another name\n"
    )  # fmt: skip
    assert list((tmp_path / "own_sums").iterdir()) == []
