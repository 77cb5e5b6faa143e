"""The episode of test_doors through verifiers' own tasksets and environments."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

vf = pytest.importorskip("verifiers.v1", reason="not installed: pip install verifiers==0.4.0")
pytest.importorskip("torch")
pytest.importorskip("transformers")

from test_doors import ENV, FEE, PAID, SAID  # noqa: E402

pytestmark = [pytest.mark.model, pytest.mark.trainers]

TASKSET = "ball_tasks"


@pytest.fixture(autouse=True)
def taskset_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that a user writes."""
    names = "EpisodeEnv", "Episodes"
    home = "textgym.integrations.verifiers.export"
    code = f"from {home} import {', '.join(names)}\n__all__ = {list(names)}\n"
    (tmp_path / f"{TASKSET}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, TASKSET, raising=False)


class Player:
    """An agent whose harness says what the script says.

    Attributes:
        heard: The turns of the user.
        trace: What was recorded.
    """

    def __init__(self, says: list[str], *, stops_after: int = 99, has_error: bool = False) -> None:
        self.says, self.stops_after, self.heard = says, stops_after, list[str]()
        self.rewards, self.metrics = dict[str, float](), dict[str, float]()
        self.trace = SimpleNamespace(
            record_reward=self.rewards.__setitem__,
            record_metric=self.metrics.__setitem__,
            has_error=has_error,
        )

    @asynccontextmanager
    async def interaction(self, task: Any) -> Any:
        self.system_prompt = task.data.system_prompt
        yield self

    async def turn(self, text: str) -> Any:
        self.heard.append(text)
        if len(self.heard) > self.stops_after:
            return SimpleNamespace(terminated=True)
        return SimpleNamespace(terminated=False, last_reply=self.says[len(self.heard) - 1])


def make_env(**env_kwargs: Any) -> Any:
    from verifiers.v1.utils.loaders import load_environment

    from textgym.integrations.verifiers.export import EpisodeEnvConfig, EpisodesConfig

    taskset = EpisodesConfig(id=TASKSET, env=ENV, n=2, env_kwargs=env_kwargs)
    return load_environment(EpisodeEnvConfig(taskset=taskset))


def play(player: Player, **env_kwargs: Any) -> None:
    env = make_env(**env_kwargs)
    asyncio.run(env.run(next(iter(env.taskset)), SimpleNamespace(player=player)))


def test_verifiers_loads_the_taskset() -> None:
    from textgym.integrations.verifiers.export import EpisodeEnv

    env = make_env()
    assert isinstance(env, EpisodeEnv)
    tasks = list(env.taskset)
    assert [task.data.row["task_index"] for task in tasks] == [0, 1]
    assert len({task.hash for task in tasks}) == 2


def test_verifiers_gives_the_same_conversation_and_reward() -> None:
    player = Player(SAID)
    play(player)
    assert '"name": "look"' in player.system_prompt
    assert player.heard[0] == "Which colour has the ball?"
    assert "There is a red ball in the box." in player.heard[1]
    assert player.heard[2:] == ["Go on."]
    assert player.rewards == {"return": sum(PAID)}
    assert player.metrics == {"reward/looked": 1.0, "reward/fee": -FEE, "success": 1.0}


def test_failure_in_verifiers_is_an_error_and_no_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    player, env = Player(SAID[2:]), make_env(broken=True)
    monkeypatch.setattr(env, "_episode_agents", lambda *_: SimpleNamespace(player=player))
    episode = asyncio.run(env.run_episode(next(iter(env.taskset)), None))
    assert not episode.ok
    assert "the judge is down" in str(episode.errors[0])
    assert not player.rewards


def test_run_that_verifiers_ends_keeps_what_it_was_paid() -> None:
    player = Player(SAID, stops_after=1)
    play(player)
    assert len(player.heard) == 2
    assert player.rewards == {"return": -FEE}
    assert player.metrics == {"reward/fee": -FEE, "success": 0.0}


def test_run_that_an_error_ends_has_no_reward() -> None:
    player = Player(SAID, stops_after=1, has_error=True)
    play(player)
    assert len(player.heard) == 2
    assert not player.rewards
