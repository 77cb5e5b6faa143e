"""`textgym data list` as a user runs it."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from in_process import output_of, run_command

from textgym.tasks.named import dataset_names, published_names


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "data", "list", *arguments, COLUMNS="200")


def test_all_data_sets_and_those_with_a_published_prompt(tmp_path: Path) -> None:
    shown = output_of(run(tmp_path))
    assert all(f"\n{name} " in shown for name in dataset_names())
    assert f"With a published prompt: {', '.join(published_names())}" in " ".join(shown.split())


def test_a_terminal_of_80_columns_shows_no_longer_line() -> None:
    terminal, other_end = pty.openpty()
    seen, command = b"", [sys.executable, "-m", "textgym", "data", "list"]
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    with (
        subprocess.Popen(command, stdout=other_end, env=environment),
        os.fdopen(terminal, "rb", 0) as text,
    ):
        os.close(other_end)
        with contextlib.suppress(OSError):  # Linux's way to say that the other end is closed
            while piece := text.read(10_000):
                seen += piece
    lines = seen.decode().splitlines()
    assert "With a published prompt: aime_24_published," in seen.decode()
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("name", ["mmlu_pro", "mmlu_pro_published"])
def test_one_data_set_with_what_its_variant_does(tmp_path: Path, name: str) -> None:
    shown = output_of(run(tmp_path, name))
    command = "textgym eval mmlu_pro_published --policy POLICY --temperature 0 --max-tokens 4000"
    assert command in shown
    assert "MMLU-Pro, https://github.com/TIGER-AI-Lab/MMLU-Pro/blob/" in shown
    assert "Options: {options}Answer: Let's think step by step." in shown
    assert '"output_regex_match": "first"' in shown
    assert ("70 records" in shown) == (name == "mmlu_pro")


def test_the_command_has_options_of_eval(tmp_path: Path) -> None:
    shown = output_of(run(tmp_path, "aime_24"))
    _, _, command = shown.partition("textgym eval aime_24_published --policy POLICY ")
    options = re.findall(r"--[a-z-]+", command.partition("\n")[0])
    assert options == ["--temperature", "--top-p", "--max-tokens", "--repeats"]
    text = output_of(run_command(tmp_path, "eval", "--help", COLUMNS="200"))
    assert all(option in text for option in options)


def test_a_data_set_without_a_variant(tmp_path: Path) -> None:
    assert "played by" not in output_of(run(tmp_path, "agieval"))


def test_figures_are_shown_once(tmp_path: Path) -> None:
    assert output_of(run(tmp_path, "gsm8k")).count("94.24") == 1
    assert "figure " in output_of(run(tmp_path, "mmlu"))


def test_json_has_the_template(tmp_path: Path) -> None:
    (entry,) = json.loads(output_of(run(tmp_path, "gsm8k_published", "--json")))
    assert entry["is_published"]
    assert "{question}" in entry["evaluation"]["messages"][0]["content"]


def test_a_variant_that_does_not_exist_is_one_line(tmp_path: Path) -> None:
    done = run(tmp_path, "agieval_published")
    assert done.returncode == 2
    assert "data set 'agieval' has no variant with a published prompt" in done.stderr
