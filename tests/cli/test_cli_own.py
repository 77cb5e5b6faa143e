"""Environments and policies of one's own on the command line, and the command itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command, run_script

import textgym.cli.eval

MCQA = "textgym/MCQA-v0"
SHOP = '''
import textgym


class Shop(textgym.TextEnv):
    """Say a number."""

    card = textgym.Card(
        "demo/Shop-v0", "Say it.", ("single-step",), ("copying",), (), "echo", ("exact match",)
    )

    def generate(self, rng, level):
        return {"number": rng.randrange(10**6)}

    def read_row(self, row):
        prompt = textgym.user(f"Say {row['number']}.")
        return textgym.Task(row["id"], (prompt,), row["number"], row=row)

    def grade(self):
        right = self.answer_text == str(self.task.answer)
        return textgym.Grade(float(right), right, {"right": float(right)}, self.answer_text)

    def solve(self):
        return textgym.assistant(str(self.task.answer))


class Words(textgym.Policy):
    name = "words"

    def __init__(self, word="one"):
        self.word = word

    async def act(self, messages, tools, *, prior=None, seed=None):
        return textgym.Action(textgym.assistant(self.word))
'''
REGISTERED = "\n\ntextgym.register(Shop)\n"
SCRIPT = """

if __name__ == "__main__":
    textgym.rollout(Shop, "oracle", episodes=4, env_kwargs={"split": "test"}, out="named")
    textgym.rollout(lambda: Shop(split="test"), "oracle", episodes=4, out="made")
"""

Run = Callable[..., tuple[int, str, str]]


def command(folder: Path, *arguments: str) -> str:
    """Return the output of the command, which must succeed."""
    return output_of(run_command(folder, *arguments, COLUMNS="160", NO_COLOR="1"))


def run_json(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in a folder; returns its exit code, output and errors."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: str) -> tuple[int, str, str]:
        came = run_command(tmp_path, *arguments)
        return came.returncode, came.stdout, came.stderr

    return run


# Environments of one's own


@pytest.mark.parametrize("name", ["shop:Shop", "shop:demo/Shop-v0"])
def test_eval_plays_the_test_split_of_own_and_registered_environments(
    folder: Path, name: str
) -> None:
    with (folder / "shop.py").open("a") as file:
        file.write(REGISTERED if "/" in name else "")
    options = ("--policy", "oracle", "--episodes", "3", "--out", "run")
    shown = command(folder, "eval", name, MCQA, *options)
    assert "demo/Shop-v0 (test)  " in shown
    assert f"{MCQA} (test)  " in shown
    lines = (folder / "run" / "trajectories.jsonl").read_text().splitlines()
    trajectories = [json.loads(line) for line in lines]
    assert {t["env_id"] for t in trajectories} == {"demo/Shop-v0", MCQA}
    assert all(t["task_id"].startswith("test-") for t in trajectories)
    assert run_json(folder / "run")["splits"] == {"demo/Shop-v0": "test", MCQA: "test"}


def test_eval_does_not_give_a_split_to_an_environment_without_splits(
    run: Run, tmp_path: Path
) -> None:
    code, _, err = run("eval", "CartPole-v1", MCQA, "--policy", "oracle", "--episodes", "2")
    assert (code, "split" in err) == (2, False)
    assert "it does not define solve" in err


def test_the_split_of_set_takes_precedence_over_the_default(run: Run, tmp_path: Path) -> None:
    options = ("--policy", "oracle", "--episodes", "2", "--out", "run")
    code, out, _ = run("eval", MCQA, *options, "--set", "split=validation")
    assert (code, f"{MCQA} (validation)" in out) == (0, True)


def test_the_rows_of_a_file_have_no_split(run: Run, tmp_path: Path) -> None:
    row = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    options = ("--policy", "oracle", "--dataset", "rows.jsonl", "--out", "run")
    _, out, _ = run("eval", MCQA, *options)
    assert f"{MCQA}  " in out
    assert "(test)" not in out


@pytest.mark.usefixtures("without_spawn")
def test_every_command_takes_module_and_class(folder: Path) -> None:
    command(folder, "eval", "shop:Shop", "--policy", "oracle", "--episodes", "4", "--out", "run")
    shown = command(folder, "show", "shop:Shop", "--split", "test", "--index", "2")
    assert "Task test-mixed-2:\n" in shown
    assert command(folder, "view", "run", "--env", "shop:Shop").startswith("4 of 4 episodes\n")
    rescored = command(folder, "rescore", "run", "--set", "shop:Shop:max_turns=2")
    assert rescored.startswith("4 episodes: 4 the same, 0 different\n")
    assert "FAIL" not in command(folder, "check", "shop:Shop", "--tasks", "3")


def test_a_run_of_a_script_is_rescored_and_pairs_with_one_of_the_command(folder: Path) -> None:
    with (folder / "shop.py").open("a") as file:
        file.write(SCRIPT)
    output_of(run_script(folder / "shop.py"))
    words = ("--policy", "shop:Words", "--policy-set", "word=two", "--episodes", "4")
    command(folder, "eval", "shop:Shop", *words, "--out", "run")
    for name in ("named", "made"):
        assert run_json(folder / name)["imports"] == {"demo/Shop-v0": "shop:Shop"}
        assert command(folder, "rescore", name).startswith("4 episodes: 4 the same, 0 different\n")
        compared = json.loads(command(folder, "metrics", "run", name, "--json"))
        assert compared["differences"][0]["overall"]["shared_tasks"] == 4
    assert "right answer: " in command(folder, "view", "named", "--answers", "--limit", "1")


def test_a_stored_environment_that_is_gone_is_one_line(folder: Path) -> None:
    command(folder, "eval", "shop:Shop", "--policy", "oracle", "--episodes", "4", "--out", "run")
    (folder / "shop.py").unlink()
    came = run_command(folder, "rescore", "run")
    assert came.returncode == 2
    assert came.stderr == (
        "textgym: demo/Shop-v0 of the run cannot be imported: there is no module 'shop'\n"
    )
    shown = command(folder, "view", "run", "--answers", "--limit", "1")
    assert "right answer: not known (demo/Shop-v0 of the run cannot be imported: " in shown


# Answers


def test_play_ends_with_the_right_answer_which_is_in_no_message(folder: Path) -> None:
    came = run_command(folder, "play", "shop:Shop", typed=b"5\n")
    number = came.stdout.partition("Say ")[2].partition(".")[0]
    assert came.stdout.endswith(f"extracted answer: 5\nright answer: {number}\n")


def test_view_shows_answers_which_no_trajectory_holds(run: Run, tmp_path: Path) -> None:
    textgym.rollout(MCQA, "random", episodes=6, out=tmp_path / "run")
    _, out, _ = run("view", "run", "--answers", "--no-success")
    answers = [line for line in out.splitlines() if line.startswith("right answer: ")]
    assert len(answers) == out.count("=== ")
    assert all(line[-1] in "ABCD" for line in answers)
    assert "right answer" not in (tmp_path / "run" / "trajectories.jsonl").read_text()
    code, _, err = run("view", "run", "--answers", "--json")
    assert (code, err.count("\n")) == (2, 1)


# The command


@pytest.mark.parametrize(
    ("command", "arguments", "code"),
    [
        ([sys.executable, "-m", "textgym"], "--version", 0),
        ([str(Path(sys.executable).parent / "textgym")], "show textgym/Nope-v0", 2),
    ],
)
def test_the_command_as_a_process_prints_the_same(
    run: Run, tmp_path: Path, command: list[str], arguments: str, code: int
) -> None:
    done = subprocess.run(
        [*command, *arguments.split()], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == run(*arguments.split())
    assert done.returncode == code


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version") == (0, f"textgym {metadata.version('textgym')}\n", "")


@pytest.mark.parametrize(
    "name", ["list", "show", "play", "eval", "view", "metrics", "rescore", "check"]
)
def test_help_names_values_without_types(run: Run, name: str) -> None:
    code, out, _ = run(name, "--help")
    assert (code, out.startswith(f"Usage: textgym {name} ")) == (0, True)
    assert "<" not in out
    assert "list[" not in out


def test_a_used_folder_is_refused_before_a_model_is_loaded(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    textgym.rollout(MCQA, "random", episodes=1, out=tmp_path / "held")
    monkeypatch.setattr(textgym.cli.eval, "make_policy", None)
    code, _, err = run("eval", MCQA, "--policy", "hf", "--out", "held")
    assert code == 2
    assert err == "textgym: 'held' holds a run already: name another folder or resume\n"


@pytest.mark.parametrize("option", ["--episodes=1", "--dry-run"])
def test_without_a_policy_and_transformers_the_error_says_what_to_name(
    run: Run, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    code, _, err = run("eval", MCQA, option)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("textgym: name a policy, such as --policy random or --policy openai:")
    assert "pip install 'textgym[hf]', or in a checkout pip install -e '.[hf]'" in err


def test_a_policy_that_is_named_and_missing_is_not_the_default(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    code, _, err = run("eval", MCQA, "--policy", "hf", "--episodes", "1")
    assert (code, "name a policy" in err) == (2, False)
    assert "hf: models need the extra 'hf'" in err
