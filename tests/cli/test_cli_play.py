"""`textgym play`, through a pipe and in a pseudo-terminal."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import run_command
from pseudo_terminal import CTRL_C, Terminal

from textgym.cli.play import read_input
from textgym.errors import UsageError

MCQA = "textgym/MCQA-v0"
VAULT = "vault:demo/Vault-v0"

MODULE = '''
import gymnasium
import textgym
from textgym.errors import EnvironmentFailure, ToolError
from textgym.messages import user


class Vault(textgym.TextEnv[dict]):
    """Find the key; a guard repeats every message."""

    card = textgym.Card(
        "demo/Vault-v0", "Find the key.", ("multi-step",), ("tool use",), (), "search", ("state",)
    )

    def __init__(self, *, max_turns=4, fails=0, begins=True, **kwargs):
        self.fails, self.begins = fails, begins
        super().__init__(max_turns=max_turns, **kwargs)

    def generate(self, rng, level):
        return {"drawers": rng.randrange(5, 1000), "key": 3}

    def read_row(self, row):
        prompt = (user(f"Drawers 0 to {row['drawers']}.\\x1b[2J"),)
        return textgym.Task(row["id"], prompt, row["key"], row=row)

    def begin(self, task):
        if not self.begins:
            raise EnvironmentFailure("the vault is locked")
        return {"opened": None}

    @textgym.tool
    def open(self, drawer: int, word: str = "") -> str:
        """Open a drawer."""
        if drawer > 1000:
            raise ToolError("no such drawer")
        self.state["opened"] = drawer
        self.finish()
        return f"{drawer} {word}"

    def respond(self, message):
        if self.fails:
            self.fails -= 1
            raise EnvironmentFailure("the guard sleeps")
        return [user(f"The guard heard {message['content']!r}.")]

    def grade(self):
        right = self.state["opened"] == self.task.answer
        return textgym.Grade(float(right), right, {"right": float(right)})


class Words(gymnasium.Env):
    """Not a TextEnv: messages without tasks, and a time limit."""

    observation_space = textgym.spaces.ConversationSpace()
    action_space = textgym.spaces.ActionSpace()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.said = [user("Hello")]
        return list(self.said), {}

    def step(self, action):
        self.said.append(action)
        return list(self.said), 0.5, False, False, {}


gymnasium.register("demo/Vault-v0", Vault)
gymnasium.register(
    "demo/Words-v0", Words, max_episode_steps=2, disable_env_checker=True
)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vault.py").write_text("import textgym.spaces\n" + MODULE)
    return tmp_path


def play(folder: Path, typed: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    came = run_command(
        folder, "play", *arguments, typed=typed if isinstance(typed, bytes) else typed.encode()
    )
    assert "Traceback" not in came.stderr
    assert "\x1b" not in came.stdout + came.stderr
    return came


# Through a pipe


def test_a_question_is_answered_through_a_pipe(tmp_path: Path) -> None:
    came = play(tmp_path, "\\boxed{D}\n", MCQA)
    assert (came.returncode, came.stderr) == (0, "")
    assert re.findall(r"^\[\w+\]$", came.stdout, re.MULTILINE) == ["[user]", "[assistant]", "[end]"]
    assert "\n[assistant]\n\\boxed{D}\n\n[end]\nreward: 1\n" in came.stdout
    assert "\nsuccess: yes\nstop reason: answer\n" in came.stdout
    assert play(tmp_path, "\\boxed{D}\n", MCQA).stdout == came.stdout


def test_options_choose_the_task(tmp_path: Path) -> None:
    def prompt(*options: str) -> str:
        return play(tmp_path, "x\n", MCQA, *options).stdout

    assert prompt() == prompt("--index", "0")
    different = [
        prompt(),
        prompt("--index", "1"),
        prompt("--seed", "5"),
        prompt("--level", "5"),
        prompt("--split", "test"),
        prompt("--set", "grading_mode=lenient_answer_colon"),
    ]
    assert len(set(different)) == len(different)


def test_a_data_set_is_played(tmp_path: Path) -> None:
    row = {"question": "Which is a metal?", "options": {"A": "neon", "B": "zinc"}, "answer": "B"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    came = play(tmp_path, "\\boxed{B}\n", MCQA, "--dataset", "rows.jsonl")
    assert "Which is a metal?" in came.stdout
    assert "\nreward: 1\n" in came.stdout


def test_tools_are_shown_and_called(folder: Path) -> None:
    came = play(folder, "/open drawer=9999\n/open drawer=3 word='5 keys'\n", VAULT)
    assert (came.returncode, came.stderr) == (0, "")
    assert came.stdout.startswith(
        "[tools]\nopen: Open a drawer.\n  drawer (integer, required)\n"
        '  word (string, default "")\n\n[user]\nDrawers 0 to '
    )
    assert '-> open({"drawer": 9999})\n\n[tool]\nError: no such drawer\n' in came.stdout
    assert '-> open({"drawer": 3, "word": "5 keys"})\n\n[tool]\n3 5 keys\n' in came.stdout
    assert came.stdout.endswith(
        "[end]\nreward: 1\ncomponents: right 1\nsuccess: yes\nstop reason: answer\n"
        "right answer: 3\n"
    )


def test_a_message_of_several_lines(folder: Path) -> None:
    came = play(folder, '"""\none\n\n/two\n"""\n"""\n"""\n/open drawer=1\n', VAULT)
    assert "The guard heard 'one\\n\\n/two'." in came.stdout
    assert "The guard heard ''." in came.stdout
    assert came.returncode == 0


def test_a_typing_error_is_reported_and_the_episode_continues(folder: Path) -> None:
    errors = ["/opne drawer=1", "/open drawer", "/open drawer='1", '/open {"drawer": ', "/usr/bin"]
    errors += ["/open drawer=1 drawer=2", ""]
    came = play(folder, "\n".join(errors) + "\n/open drawer=3\n", VAULT)
    assert came.returncode == 0
    assert came.stderr.splitlines() == [
        "textgym: there is no tool or command 'opne'; did you mean 'open'? "
        '(to send a message that begins with /, put it between two lines of """)',
        "textgym: arguments of 'open' must be key=value, not 'drawer'",
        "textgym: the arguments of 'open' cannot be parsed: No closing quotation",
        "textgym: the arguments of 'open' are not valid JSON: "
        "Expecting value: line 1 column 11 (char 10)",
        "textgym: there is no tool or command 'usr/bin'; known are help, open, quit, tools "
        '(to send a message that begins with /, put it between two lines of """)',
        "textgym: argument 'drawer' of 'open' is given twice",
    ]
    assert came.stdout.count("[assistant]") == 1


def test_calls_with_wrong_arguments_go_to_the_environment(folder: Path) -> None:
    came = play(folder, "/open drawer=x\n/open\n/open [1]=2\n/open drawer=3\n", VAULT)
    assert came.stderr == ""
    assert came.stdout.count("Error: wrong arguments for 'open': drawer") == 3


def test_a_failed_step_is_reported_and_can_be_retried(folder: Path) -> None:
    came = play(folder, "psst\nhey\n/open drawer=3\n", VAULT, "--set", "fails=1")
    assert came.returncode == 0
    assert came.stderr == (
        "textgym: the step failed; try again: environment: EnvironmentFailure: the guard sleeps\n"
    )
    assert "psst" not in came.stdout
    assert "heard 'hey'" in came.stdout


def test_an_episode_that_cannot_begin_exits_with_1(folder: Path) -> None:
    came = play(folder, "x\n", VAULT, "--set", "begins=false")
    assert (came.returncode, came.stdout) == (1, "")
    assert came.stderr == (
        "textgym: the episode could not begin: "
        "environment: EnvironmentFailure: the vault is locked\n"
    )


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "end of input"),
        ("hey\n", "end of input"),
        ('"""\nhey\n', "end of input"),
        ("hey\n/quit\n/open drawer=3\n", "you left"),
    ],
)
def test_an_episode_that_is_not_finished_exits_with_1(folder: Path, typed: str, why: str) -> None:
    came = play(folder, typed, VAULT)
    assert came.returncode == 1
    assert came.stderr == f"textgym: {why}; the episode was not finished\n"
    assert "[end]" not in came.stdout


def test_commands_through_a_pipe(folder: Path) -> None:
    came = play(folder, "/help\n/tools\n/open drawer=3\n", VAULT)
    assert came.stdout.count("[tools]") == 2
    assert "/NAME key=value" in came.stderr
    assert "there are no tools" in play(folder, "/tools\nx\n", MCQA).stderr


def test_invalid_utf8_and_control_characters_are_played(tmp_path: Path) -> None:
    came = play(tmp_path, b"\xff\x1b]0;x\x07 \\boxed{C}\r\n", MCQA)
    assert "\n\ufffd\\x1b]0;x\\x07 \\boxed{C}\n" in came.stdout
    assert came.returncode == 0


def test_control_characters_in_the_prompt_are_escaped(folder: Path) -> None:
    assert ".\\x1b[2J\n" in play(folder, "/open drawer=3\n", VAULT).stdout


def test_an_environment_that_is_not_a_textenv_can_be_played(folder: Path) -> None:
    came = play(folder, "one\ntwo\n", "vault:demo/Words-v0")
    assert (came.returncode, came.stderr) == (0, "")
    assert came.stdout == (
        "[user]\nHello\n\n[assistant]\none\n\n[assistant]\ntwo\n\n"
        "[end]\nreward: 1\nstop reason: time\n"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("textgym/MCQB-v0", "did you mean 'textgym/MCQA-v0'?"),
        ("textgym/MCQA-v0 --split tset", "did you mean 'test'?"),
        ("textgym/MCQA-v0 --index -1", "has no task -1"),
        ("textgym/MCQA-v0 --set shots", "--set takes NAME=VALUE"),
        ("textgym/MCQA-v0 --seed -1", "seed must be an integer of 0 or more"),
        ("CartPole-v1", "CartPole-v1 cannot be played: its observation is ndarray, not messages"),
        ("vault:demo/Words-v0 --index 1", "has no numbered tasks"),
    ],
)
def test_a_user_error_is_one_line_with_exit_code_2(
    folder: Path, arguments: str, expected: str
) -> None:
    came = play(folder, "x\n", *arguments.split())
    assert (came.returncode, came.stdout) == (2, "")
    assert expected in came.stderr
    assert came.stderr.count("\n") == 1


# In a terminal


def test_a_terminal_has_colours_hints_and_prompts(folder: Path) -> None:
    terminal = Terminal(folder, "play", VAULT)
    began = terminal.wait_for("> ")
    assert '\x1b[2mEach line is a message. A line with only """ begins' in began
    assert "/NAME key=value calls a tool." in began
    assert "\x1b[1;33m[tools]\x1b[0m\n\x1b[1mopen\x1b[0m: Open" in began
    assert "\x1b[7m\\x1b\x1b[27m[2J" in began
    said = terminal.type("hey\n", "> ")
    assert "\x1b[1;36m[user]\x1b[0m\nThe guard heard 'hey'.\n" in said
    assert "[assistant]" not in said  # it is on the screen already
    assert "an empty line is not a message" in terminal.type("\n", "> ")
    assert "no tool or command 'x'" in terminal.type("/x\n", "> ")
    assert "\n| " in terminal.type('"""\n', "| ")
    assert "heard 'one'" in terminal.type('one\n"""\n', "> ")
    ended = terminal.type("/open drawer=3\n", "stop reason: answer")
    assert "reward: \x1b[1;32m1\x1b[0m\n" in ended
    assert terminal.exit_code() == 0


@pytest.mark.slow
def test_no_color_turns_off_colours_in_a_terminal(folder: Path) -> None:
    terminal = Terminal(folder, "play", VAULT, NO_COLOR="1")
    terminal.wait_for("> ")
    terminal.type("/open drawer=3\n", "stop reason: answer")
    assert "\x1b[" not in terminal.seen
    assert terminal.exit_code() == 0


@pytest.mark.parametrize(
    ("typed", "expected", "code"),
    [
        pytest.param(
            "\x04", "end of input; the episode was not finished", 1, marks=pytest.mark.slow
        ),
        ("/quit\n", "you left; the episode was not finished", 1),
        pytest.param(CTRL_C, "stopped; the episode was not finished", 130, marks=pytest.mark.slow),
    ],
)
def test_ctrl_d_quit_and_ctrl_c_leave(folder: Path, typed: str, expected: str, code: int) -> None:
    terminal = Terminal(folder, "play", VAULT)
    terminal.wait_for("> ")
    left = terminal.type(typed, expected)
    assert f"\n\x1b[2m{expected}\x1b[0m" in left
    assert "Traceback" not in left
    assert terminal.exit_code() == code


@pytest.mark.slow
def test_the_arrow_key_recalls_the_previous_line(folder: Path) -> None:
    pytest.importorskip("readline")
    terminal = Terminal(folder, "play", VAULT)
    terminal.wait_for("> ")
    terminal.type("hey\n", "> ")
    assert "heard 'hey'" in terminal.type("\x1b[A\n", "'.")
    terminal.process.kill()
    terminal.exit_code()


# Parsing of input


@given(st.lists(st.text(), max_size=4))
def test_any_input_is_parsed_or_refused_with_a_usage_error(lines: list[str]) -> None:
    source = iter([line.replace("\n", "") for line in lines])

    def ask(prompt: str) -> str:
        for line in source:
            return line
        raise EOFError

    tool: dict[str, Any] = {"type": "function", "function": {"name": "a", "parameters": None}}
    try:
        said = read_input(ask, [tool], 0)
    except EOFError:
        return
    except UsageError:
        return
    assert said is None or said in ("help", "tools", "quit") or isinstance(said, dict)


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("/a", "{}"),
        ("/a n=5 t=5", '{"n": 5, "t": "5"}'),
        ('/a n=null b=true l="[1, 2]"', '{"n": null, "b": true, "l": [1, 2]}'),
        ("/a n='x y' e=", '{"n": "x y", "e": ""}'),
        ("/a q=a=b", '{"q": "a=b"}'),
        ('/a {"n":1}', '{"n":1}'),
        ("/a n=é", '{"n": "é"}'),
    ],
)
def test_values_are_json_unless_the_argument_is_a_string(line: str, arguments: str) -> None:
    properties = {"n": {"type": "integer"}, "t": {"type": "string"}}
    tool = {"function": {"name": "a", "parameters": {"properties": properties}}}
    said: Any = read_input(lambda prompt: line, [tool], 2)
    function = {"name": "a", "arguments": arguments}
    call = {"id": "call_2_0", "type": "function", "function": function}
    assert said == {"role": "assistant", "content": None, "tool_calls": [call]}


def test_a_tool_takes_precedence_over_a_command_of_the_same_name() -> None:
    tool = {"function": {"name": "help", "parameters": {}}}
    said: Any = read_input(lambda prompt: "/help", [tool], 0)
    assert said["tool_calls"][0]["function"]["name"] == "help"


@pytest.mark.slow
def test_a_terminal_lists_many_tools_without_their_arguments_at_first(folder: Path) -> None:
    terminal = Terminal(folder, "play", "textgym/WorkplaceAssistant-v0", NO_COLOR="1")
    began = terminal.wait_for("> ")
    assert "/tools shows their arguments, /tools NAME those of one." in began
    listed, _, _ = began.partition("[system]")
    assert "\ncalendar_delete_event: Delete an event.\n" in listed
    assert "event_id (" not in listed
    shown = terminal.type("/tools delete_event\n", "> ")
    assert "calendar_delete_event: Delete an event.\n  event_id (string" in shown
    assert "calendar_update_event" not in shown
    assert "no tool has 'nothing' in its name" in terminal.type("/tools nothing\n", "> ")
    terminal.type("\x04", "end of input")
    assert terminal.exit_code() == 1
