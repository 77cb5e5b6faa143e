"""Answers that are kept on disk: which requests are not sent again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.errors import PolicyFailure, UsageError
from textgym.messages import Message, user

pytest.importorskip("aiohttp")

from chat_server import ChatServer, FakeTime, answer, error

from textgym.policies.base import Sampling
from textgym.policies.openai.policy import OpenAIPolicy

HELLO = [user("Hello")]


def ask(
    server: ChatServer,
    cache: Path | None,
    messages: list[Message] = HELLO,
    seed: int | None = 1,
    **options: Any,
) -> Any:
    """Ask once, with a policy of its own."""
    limiter = FakeTime().rate_limiter()
    policy = OpenAIPolicy("m", server.url, cache=cache, rate_limiter=limiter, **options)

    async def once() -> Any:
        try:
            return (await policy.act(messages, (), seed=seed)).message["content"]
        finally:
            await policy.close()

    return asyncio.run(once())


def test_a_request_that_was_answered_is_not_sent_again(tmp_path: Path) -> None:
    with ChatServer([answer("one"), answer("two")]) as server:
        assert [ask(server, tmp_path) for _ in range(3)] == ["one"] * 3
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 2},
        {"seed": None},
        {"messages": [user("Hello!")]},
        {"sampling": Sampling(max_tokens=7)},
        {"extra_body": {"top_k": 3}},
    ],
    ids=str,
)
def test_another_request_is_sent(tmp_path: Path, changed: dict[str, Any]) -> None:
    with ChatServer([answer("one"), answer("two")]) as server:
        assert ask(server, tmp_path) == "one"
        assert ask(server, tmp_path, **changed) == "two"
        assert ask(server, tmp_path) == "one"


def test_nothing_is_kept_without_a_folder(tmp_path: Path) -> None:
    with ChatServer([answer("one"), answer("two")]) as server:
        assert [ask(server, None) for _ in range(2)] == ["one", "two"]


def test_failures_are_not_kept(tmp_path: Path) -> None:
    with ChatServer([error(500), answer("one")]) as server:
        with pytest.raises(PolicyFailure):
            ask(server, tmp_path, retries=0)
        assert [ask(server, tmp_path) for _ in range(2)] == ["one"] * 2


def test_a_broken_file_is_asked_again(tmp_path: Path) -> None:
    with ChatServer([answer("one"), answer("two")]) as server:
        ask(server, tmp_path)
        (file,) = tmp_path.glob("*/*.json")
        file.write_bytes(file.read_bytes()[:-9])
        assert [ask(server, tmp_path) for _ in range(2)] == ["two"] * 2


def test_the_key_is_in_no_file(tmp_path: Path) -> None:
    with ChatServer([answer("one")]) as server:
        ask(server, tmp_path, api_key="sk-secret-123")
    stored = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert stored
    assert all(b"sk-secret" not in path.read_bytes() for path in stored)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cache: cannot write to"):
        OpenAIPolicy("m", "http://127.0.0.1:1", cache=tmp_path / "file")


def test_a_second_run_asks_nothing_and_each_repeat_has_its_own_answer(tmp_path: Path) -> None:
    texts = [answer(f"\\boxed{{{letter}}}") for letter in "ABCDABCD"]
    with ChatServer(texts) as server:
        runs = [
            textgym.rollout(
                "textgym/MCQA-v0",
                textgym.make_policy(f"openai:m@{server.url}", None, {"cache": str(tmp_path)}),
                episodes=2,
                repeats=4,
                concurrency=1,
            )
            for _ in range(2)
        ]
        assert len(server.requests) == 8
    answers = [[t["messages"][-1]["content"] for t in run.trajectories()] for run in runs]
    assert answers[0] == answers[1]
    assert len(set(answers[0])) == 4
