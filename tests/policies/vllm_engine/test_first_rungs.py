"""The example that climbs the first rungs, with a tiny model in SmolLM2's place."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import EXAMPLES

import textgym
from textgym.training import read_history

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
    pytest.mark.filterwarnings("default"),  # vLLM's own
]
sys.path.append(str(EXAMPLES))

ID, OTHER = "textgym/EquivalenceJudge-v0", "textgym/GuessNumber-v0"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    import first_rungs

    return first_rungs


def episodes_of(repeats: int) -> list[Any]:
    """Episodes of two tasks, half of them solved."""
    run = textgym.rollout(ID, "random", tasks=[0, 1], repeats=repeats, env_kwargs={"level": 0})
    played = enumerate(run.trajectories())
    return [{**episode, "reward": float(place % 2)} for place, episode in played]


def test_a_ladder_climbs_with_success_and_stays_on_its_last_rung(example: Any) -> None:
    ladder = example.Ladder(ID)
    climbed = []
    for success in (0.5, 0.7, 0.69, 1.0, 0.9, 0.8, 1.0):
        climbed.append(tuple(ladder.rung))
        ladder.move(success)
    assert climbed == [(0, 3), (0, 3), (0, 1), (0, 1), (0, 0), (1, 1), (1, 0)]
    for _ in range(20):
        ladder.move(1.0)
    assert ladder.rung == (textgym.card(ID).levels[-1], 0)


def test_a_ladder_goes_one_rung_back_after_a_step_without_success(example: Any) -> None:
    ladder = example.Ladder(ID)
    ladder.move(0.0)
    assert ladder.rung == (0, 3)
    for success, rung in ((1.0, (0, 1)), (1.0, (0, 0)), (0.02, (0, 0)), (0.0, (0, 1))):
        ladder.move(success)
        assert ladder.rung == rung


def test_a_level_with_one_prompt_has_no_rung_with_an_example(example: Any) -> None:
    rungs = [tuple(rung) for rung in example.Ladder(OTHER).rungs]
    assert rungs[:5] == [(0, 3), (0, 1), (0, 0), (1, 0), (2, 0)]
    assert [tuple(rung) for rung in example.Ladder(OTHER, highest=0).rungs] == rungs[:3]


def test_shuffled_rewards_stay_within_their_groups(example: Any) -> None:
    episodes = episodes_of(8)
    shuffled = example.rewards_of("shuffled", episodes, random.Random(0))
    assert [episode["messages"] for episode in shuffled] == [
        episode["messages"] for episode in episodes
    ]
    rewards = [[episode["reward"] for episode in some] for some in (episodes, shuffled)]
    assert rewards[0] != rewards[1]
    for start in (0, 8):
        assert sorted(rewards[0][start : start + 8]) == sorted(rewards[1][start : start + 8])


def test_reward_of_the_format_ignores_whether_an_answer_is_right(example: Any) -> None:
    policies = ("oracle", "random")
    episodes = [
        episode
        for policy in policies
        for episode in textgym.rollout(
            "textgym/Math-v0", policy, episodes=2, env_kwargs={"level": 0}
        ).trajectories()
    ]
    silent = {**episodes[0], "info": {"verdict_reason": "empty"}}
    found = example.rewards_of("format", [*episodes, silent], random.Random(0))
    assert [episode["reward"] for episode in found] == [1.0, 1.0, 1.0, 1.0, 0.0]


def test_two_environments_are_trained_and_a_third_is_only_tried(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import small_model
    import torch

    monkeypatch.setattr(example, "TASKS", 2)
    monkeypatch.setattr(example, "REPEATS", 4)
    monkeypatch.setattr(example, "RAISE_AT", 0.0)
    torch.manual_seed(0)
    also = "textgym/RedefinedRules-v0"
    conversations = [
        episode["messages"]
        for id in (ID, OTHER, also)
        for episode in textgym.rollout(
            id, "oracle", episodes=30, env_kwargs={"level": 0}, wrappers=["FewShot:shots=3"]
        ).trajectories()
    ]
    tokenizer = small_model.make_tokenizer(conversations)
    small_model.save(small_model.make_model(tokenizer), tokenizer, tmp_path / "model")
    history = tmp_path / "history.jsonl"
    options = ["--env", ID, OTHER, "--also", also, "--steps", "3", "--every", "2"]
    limits = ["--held-out", "3", "--max-tokens", "4", "--context", "256"]
    folders = ["--model", str(tmp_path / "model"), "--out", str(history)]
    assert example.main([*options, *limits, *folders]) == 0
    lines = read_history(history)
    assert [line["step"] for line in lines] == [0, 1, 2, 3]
    assert [line["EquivalenceJudge/shots"] for line in lines[1:]] == [3, 1, 0]
    assert "RedefinedRules/shots" not in lines[1]
    name = example.short_name(also)
    tried = [[f"{name}/{kind}/success" in line for kind in example.TRIED] for line in lines]
    assert tried == [[True] * 3, [False] * 3, [True, True, False], [True] * 3]
    assert {"GuessNumber/held_out/gain_low", "RedefinedRules/next/gain_high"} <= lines[3].keys()
    assert all(line["episodes/failed"] == 0 for line in lines[1:])
    made = json.loads(history.with_suffix(".json").read_text())
    assert (made["env"], made["also"], made["seed"]) == ([ID, OTHER], [also], 0)
    assert {"textgym", "torch", "vllm"} == made["packages"].keys()
