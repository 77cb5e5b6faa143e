"""`textgym audit` as a user runs it: what it prints, writes and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from unittest import mock

import jsonschema
import pytest
from in_process import run_command
from pseudo_terminal import Terminal

import textgym
from textgym.checks import CHECKS, Result
from textgym.cli.arguments import write_page
from textgym.cli.output.audits import _evidence
from textgym.messages import assistant, assistant_calls, user

MODULE = '''
import gymnasium
import textgym
from textgym import Task, assistant, user


class Number(textgym.TextEnv):
    """Say a number."""

    card = textgym.Card("demo/Number-v0", "Say it.")

    def generate(self, rng, level):
        return {"number": rng.randrange(10**6)}

    def read_row(self, row):
        return Task(row["id"], (user(f"Say {row['number']}."),), str(row["number"]), row=row)

    def grade(self):
        right = self.answer_text.strip() == self.task.answer
        return textgym.Grade(float(right), right, {"right": float(right)}, self.answer_text)

    def solve(self):
        return assistant(self.task.answer)


class Loud(Number):
    """It prints."""

    def begin(self, task):
        print("noise")


class PaysSilence(Number):
    """It pays the empty answer."""

    card = textgym.Card("demo/Silence-v0", "Say it.")

    def grade(self):
        right = self.answer_text.strip() in ("", self.task.answer)
        return textgym.Grade(float(right), right, {"right": float(right)}, self.answer_text)


class NeedsMore(Number):
    """It cannot be made without arguments."""

    def __init__(self, more, **kwargs):
        super().__init__(**kwargs)


class Plain(gymnasium.Env):
    """An environment that is not a TextEnv."""

    observation_space = textgym.ConversationSpace()
    action_space = textgym.ActionSpace()

    def __init__(self, digits=3):
        self.digits = digits

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.number = str(self.np_random.integers(10**self.digits))
        self.messages = [user(f"Say {self.number}.")]
        return list(self.messages), {"task_id": self.number}

    def step(self, action):
        said = action if isinstance(action, str) else action.get("content")
        reply = assistant(said if isinstance(said, str) else "")
        return [*self.messages, reply], float(said == self.number), True, False, {"task_id": "x"}


gymnasium.register("demo/Plain-v0", f"{__name__}:Plain")


def oracle(view):
    return view.messages[0]["content"].split()[1].rstrip(".")


number = 7
'''
SCHEMA = json.loads((Path(textgym.checks.__file__).parent / "report.schema.json").read_text())
QUICK = ("--quick", "--tasks", "3")
SOME = [
    "static.manifest",
    "runtime.reward_well_formed",
    "semantic.oracle_max",
    "semantic.floor_gap",
    "statistical.declared_chance",
    "statistical.adversarial_floor",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text(MODULE)
    return tmp_path


def audit(
    folder: Path,
    *arguments: str,
    width: int = 80,
    encoding: str = "utf-8",
    more: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """Run the command with some of the checks."""
    checks = {id: CHECKS[id] for id in CHECKS if id in (*SOME, *more)}
    with mock.patch.object(sys.modules["textgym.checks.runner"], "CHECKS", checks):
        return run_command(
            folder, "audit", *arguments, encoding=encoding, COLUMNS=str(width), NO_COLOR="1"
        )


def test_a_sound_environment_passes_with_exit_code_0(folder: Path) -> None:
    came = audit(folder, "own:Number", *QUICK)
    assert (came.returncode, came.stderr) == (0, "")
    assert came.stdout.startswith("demo/Number-v0  passed ")
    shown = [
        line.split()[1] for line in came.stdout.splitlines() if line.startswith(("ok", "skip"))
    ]
    assert sorted(shown) == sorted(id.partition(".")[2] for id in SOME)
    levels = [
        line for line in came.stdout.splitlines() if line in {"static", "runtime", "semantic"}
    ]
    assert levels == ["static", "runtime", "semantic"]


@pytest.mark.parametrize("width", [80, 160])
def test_a_broken_environment_fails_with_exit_code_1_and_a_remedy(folder: Path, width: int) -> None:
    came = audit(folder, "own:PaysSilence", *QUICK, width=width)
    assert (came.returncode, came.stderr) == (1, "")
    lines = came.stdout.splitlines()
    assert max(map(len, lines)) <= width
    place = lines.index("FAIL  floor_gap")
    assert lines[place + 1 : place + 3] == [
        "      empty messages get 1.0 for train-1-0 (level 1), not 0.0",
        "      → Give an empty answer the minimum, and a right answer clearly more.",
    ]
    assert "policy silence" in lines[place + 3]


def test_json_has_one_object_a_line_and_nothing_else(folder: Path) -> None:
    came = audit(folder, "own:Loud", "own:PaysSilence", *QUICK, "--json", "--html", "page.html")
    assert came.returncode == 1
    reports = [json.loads(line) for line in came.stdout.splitlines()]
    for report in reports:
        jsonschema.validate(report, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert [(report["target"], report["verdict"]) for report in reports] == [
        ("demo/Number-v0", reports[0]["verdict"]),
        ("demo/Silence-v0", "fail"),
    ]
    assert came.stderr.endswith("wrote page.html\n")
    page = (folder / "page.html").read_text()
    assert "Audit of 2 environments" in page
    assert "demo/Silence-v0" in page


def test_an_environment_that_is_no_text_env_can_be_audited(folder: Path) -> None:
    options = (*QUICK, "--json", "--set", "digits=4")
    came = audit(folder, "own:demo/Plain-v0", *options, more=("runtime.seed_control",))
    report = json.loads(came.stdout)
    assert (report["target"], report["kwargs"]) == ("demo/Plain-v0", {"digits": 4})
    statuses = {item["check_id"]: item["status"] for item in report["results"]}
    assert statuses["runtime.reward_well_formed"] == "pass"
    assert statuses["runtime.seed_control"] == "pass"
    assert statuses["semantic.floor_gap"] == "pass"
    details = {item["check_id"]: item["detail"] for item in report["results"]}
    assert details["static.manifest"] == "the environment is not a TextEnv"


def test_a_class_that_is_no_text_env_can_be_audited(folder: Path) -> None:
    came = audit(folder, "own:Plain", *QUICK, "--json")
    report = json.loads(came.stdout)
    assert report["target"] == "textgym-check/Plain-v0"
    assert report["verdict"] == "pass"


def test_the_options_reach_the_environment_and_the_audit(folder: Path) -> None:
    options = ("--split", "test", "--level", "1", "--chance", "0.5", "--attacker", "own:oracle")
    came = audit(folder, "own:Number", *QUICK, "--json", *options)
    report = json.loads(came.stdout)
    assert came.returncode == 1
    floor = report["results"][-1]
    assert floor["check_id"] == "statistical.adversarial_floor"
    assert "'own:oracle' gets 1.000" in floor["detail"]
    assert report["kwargs"]["split"] == "test"
    assert report["settings"] == {
        "quick": True,
        "tasks": 3,
        "chance": 0.5,
        "wrappers": [],
        "attackers": ["own:oracle"],
    }


def test_a_data_set_can_be_audited(folder: Path) -> None:
    rows = [{"id": f"r{i}", "number": i} for i in range(8)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    came = audit(folder, "own:Number", *QUICK, "--json", "--dataset", "rows.jsonl")
    report = json.loads(came.stdout)
    assert report["kwargs"]["dataset"] == "rows.jsonl"
    assert came.returncode == 0, [item for item in report["results"] if item["status"] == "fail"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["textgym/Nope-v0"], "there is no environment 'textgym/Nope-v0'"),
        (["CartPole-v1"], "its spaces must be textgym.ConversationSpace()"),
        (["own:Nothing"], "has no TextEnv class 'Nothing'"),
        (["own:NeedsMore"], "cannot be made without its arguments"),
        (["own:Plain", "--level", "1"], "own:Plain is not a TextEnv: register it"),
        (["own:Number", "--dataset", "gone.jsonl"], "data set 'gone.jsonl' is missing"),
        (["own:Number", "--tasks", "0"], "must be at least 1, not 0"),
        (["own:Number", "--chance", "1.5"], "chance must be at least 0 and less than 1"),
        (["own:Number", "--level", "9"], "no level 9"),
        (["own:Number", "--set", "nothing=1"], "has no argument 'nothing'"),
        (["own:Number", "--attacker", "nowhere:f"], "there is no module 'nowhere'"),
        (["own:Number", "--attacker", "own:orcale"], "did you mean 'oracle'"),
        (["own:Number", "--attacker", "oracle"], "write module:name"),
        (["own:Number", "--attacker", "own:number"], "takes a Policy or a function"),
        (["own:Number", "--html", "gone/page.html"], "--html: there is no folder"),
        (["own:Number", "--html", "."], "--html: '.' is a folder"),
        (["own:Number", "textgym/Nope-v0"], "there is no environment 'textgym/Nope-v0'"),
    ],
)
def test_a_user_error_is_one_line_with_exit_code_2(
    folder: Path, arguments: list[str], expected: str
) -> None:
    came = audit(folder, *arguments)
    assert (came.returncode, came.stdout) == (2, "")
    assert came.stderr.startswith("textgym: ")
    assert came.stderr.count("\n") == 1
    assert expected in came.stderr


def test_a_page_that_cannot_be_written_is_a_user_error() -> None:
    with pytest.raises(textgym.UsageError, match="--html: cannot write '/dev/full': No space left"):
        write_page(Path("/dev/full"), "text", "--html")


@pytest.mark.parametrize(
    ("messages", "shown"),
    [
        ([assistant("Nhen?"), user("At 7."), assistant("Answer: 7")], "said 'Nhen?'"),
        ([assistant("When?"), user("At 7."), assistant("Answer: 8")], "said 'Answer: 8'"),
        ([assistant("Answer: 7")], "said 'Answer: 7'"),
        ([assistant_calls(("look", {}))], """said 'null [{"name": "look", "arguments": "{}"}]'"""),
        ([user("Hello.")], "rewards 1.0"),
    ],
)
def test_the_evidence_shows_what_the_oracle_did_not_say(
    messages: list[textgym.Message], shown: str
) -> None:
    oracle = [assistant("When?"), assistant("Answer: 7")]
    item = {"oracle": oracle, "rewards": [1.0], "messages": messages}
    (line,) = _evidence(Result("semantic.canary_floor", "fail", evidence=[item]))
    assert line.endswith(shown)


def test_a_terminal_that_lacks_characters_gets_escapes(folder: Path) -> None:
    came = audit(folder, "own:PaysSilence", *QUICK, encoding="ascii")
    assert came.returncode == 1
    assert "\\u2192 Give an empty answer" in came.stdout


@pytest.mark.slow
def test_a_terminal_shows_results_of_all_checks_as_they_end_and_then_the_table(
    folder: Path,
) -> None:
    terminal = Terminal(folder, "audit", "own:Number", *QUICK)
    terminal.wait_for("ok   static.manifest")
    terminal.wait_for("demo/Number-v0: ")
    terminal.wait_for("passed")
    assert terminal.exit_code() == 0
