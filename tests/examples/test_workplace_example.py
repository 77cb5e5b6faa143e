"""examples/workplace.py with a model behind a real HTTP server, whose failures are known."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Request, answer
from repository import EXAMPLES

import textgym
from textgym.trajectories.schema import Trajectory

pytest.importorskip("aiohttp")
sys.path.append(str(EXAMPLES))

import workplace

TASKS = 16
NOTHING = {"role": "assistant", "content": "I cannot do that."}


def calls(name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    call = {"id": "1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def play(policy: str, split: str, level: int = 1) -> list[Trajectory]:
    kwargs = {"split": split, "level": level}
    run = textgym.rollout(workplace.ID, policy, episodes=TASKS, env_kwargs=kwargs)
    return sorted(run.trajectories(), key=lambda episode: episode["task_index"])


def said(episode: Trajectory) -> list[Any]:
    return [message for message in episode["messages"] if message["role"] == "assistant"]


SEARCH = calls("email_search_emails", '{"query": "zzz"}')
LETTER = '{"recipient": "a@home.org", "subject": "Unasked", "body": "Hello"}'
MISTAKES: list[tuple[str, Any]] = [
    ("", None),
    ("no tool was called", [NOTHING]),
    ("nothing was changed", [SEARCH, NOTHING]),
    ("ended by a limit: max_turns", [SEARCH] * 30),
    ("a message was cut by the token limit", [{**NOTHING, "finish_reason": "length"}]),
    (
        "nothing was changed, after a tool that does not exist",
        [calls("open_door", "{}"), NOTHING],
    ),
    (
        "nothing was changed, after wrong arguments",
        [calls("email_search_emails", '{"colour": "red"}'), NOTHING],
    ),
    (
        "nothing was changed, after arguments that are not a JSON object",
        [calls("email_search_emails", '{"query": '), NOTHING],
    ),
]


def serve(script: Mapping[str, list[list[Any]]]) -> ChatServer:
    """Return a server that says what the script has for each request.

    Args:
        script: For each request, what is said in its episodes, which take turns.
    """
    begun: dict[str, int] = {}
    ways_of: dict[str, list[Any]] = {}

    def handle(request: Request) -> bytes:
        messages = request.body["messages"]
        task = messages[1]["content"]
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn == 0:
            begun[task] = begun.get(task, -1) + 1
            ways = script[task]
            ways_of[task] = ways[begun[task] % len(ways)]
        message = ways_of[task][turn] if turn < len(ways_of[task]) else NOTHING
        others = {key: value for key, value in message.items() if key not in ("role", "content")}
        return answer(message.get("content"), **others)

    return ChatServer(handle)


def requested(episode: Trajectory) -> str:
    return str(episode["messages"][1]["content"])


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Plays held-out tasks with known mistakes, and half of the train tasks half of the time."""
    script: dict[str, list[list[Any]]] = {}
    for place, episode in enumerate(play("oracle", "validation")):
        mistake = MISTAKES[place % len(MISTAKES)][1]
        script[requested(episode)] = [mistake or said(episode)]
    for place, episode in enumerate(play("oracle", "train")):
        ways = [said(episode), [NOTHING]] if place % 2 else [[NOTHING]]
        script[requested(episode)] = ways
    with serve(script) as opened:
        yield opened


def test_causes_and_tasks_to_train_on(
    server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--policy", f"openai:m@{server.url}", "--tasks", str(TASKS), "--level", "1"]
    assert not workplace.main([*arguments, "--samples", "2", "--out", str(tmp_path)])
    shown = " ".join(capsys.readouterr().out.split())
    assert "1. Baseline: 0.125" in shown
    assert "2. Failures: 14 of 16" in shown
    for cause, _ in MISTAKES[1:]:
        assert f"{cause} 2" in shown
    lines = [json.loads(line) for line in (tmp_path / "tasks.jsonl").read_text().splitlines()]
    chosen = {episode["task_id"]: episode for episode in play("oracle", "train")[1::2]}
    assert {line["id"] for line in lines} == set(chosen)
    kwargs = {"dataset": str(tmp_path / "tasks.jsonl"), "split": "train"}
    run = textgym.rollout(workplace.ID, "oracle", episodes=len(lines), env_kwargs=kwargs)
    for episode in run.trajectories():
        assert episode["is_success"]
        assert episode["messages"][:2] == chosen[episode["task_id"]]["messages"][:2]
    solved = (tmp_path / "solved.jsonl").read_text().splitlines()
    assert len(solved) >= len(lines)
    for line in map(json.loads, solved):
        assert line["messages"][-1]["role"] == "assistant"
        assert line["tools"]


def causes_with(said_instead: Callable[[list[Any]], list[Any]], level: int) -> list[str]:
    """Return the causes of failures if the oracle's messages are changed."""
    script = {
        requested(episode): [said_instead(said(episode))]
        for episode in play("oracle", "validation", level)
    }
    with serve(script) as opened:
        return list(map(workplace.cause_of, play(f"openai:m@{opened.url}", "validation", level)))


def test_a_call_left_out_is_a_missing_change() -> None:
    causes = causes_with(lambda messages: messages[:-2] + messages[-1:], level=5)
    assert {cause.partition(":")[0] for cause in causes} == {"missing changes"}, causes


def test_a_call_too_many_is_a_side_effect() -> None:
    letter = calls("email_send_email", LETTER)
    causes = causes_with(lambda messages: [letter, *messages], level=1)
    assert causes == ["side effects: emails"] * TASKS


def test_another_call_is_a_wrong_change() -> None:
    letter = calls("email_send_email", LETTER)
    causes = causes_with(lambda messages: [letter, NOTHING], level=1)
    assert {cause.partition(":")[0] for cause in causes} == {"wrong changes"}
    assert all("emails" in cause for cause in causes)


def test_failure_of_the_machinery_is_a_cause_of_its_own() -> None:
    (episode, *_) = play("oracle", "validation")
    episode["failure"] = {"boundary": "policy", "type": "X", "message": "down", "traceback": ""}
    assert workplace.cause_of(episode) == "failed, not graded: policy"
    assert workplace.to_train_on([episode]) == []


@pytest.mark.parametrize(
    ("rewards", "chosen"), [([1, 1], False), ([0, 0], False), ([1, 0], True), ([1], False)]
)
def test_only_tasks_with_variance_are_trained_on(rewards: list[int], chosen: bool) -> None:
    (episode, *_) = play("oracle", "train")
    played: list[Any] = [{**episode, "is_success": bool(reward)} for reward in rewards]
    assert bool(workplace.to_train_on(played)) == chosen
