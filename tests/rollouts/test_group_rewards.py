"""Group rewards: groups as a whole, comparisons in both orders, failures, and resumed runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.errors import ContextFullError, JudgeFailure, PolicyFailure, RunError, UsageError
from textgym.messages import assistant, assistant_calls
from textgym.policies import Action, Policy
from textgym.trajectories.schema import Trajectory
from textgym.verifiers.reward_model.reward_models import Scorer

MCQA = "textgym/MCQA-v0"


class Saying(Policy):
    """Says the texts in turn; an exception among them is raised."""

    name = "saying"

    def __init__(self, *texts: str | Exception) -> None:
        self._texts = texts
        self.asked = 0

    async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
        text = self._texts[self.asked % len(self._texts)]
        self.asked += 1
        if isinstance(text, Exception):
            raise text
        return Action(assistant(text))


def play(policy: Any, group_reward: Any, **kwargs: Any) -> list[Trajectory]:
    settings = {"episodes": 1, "repeats": 3, "retries": 0, "concurrency": 1, **kwargs}
    return list(textgym.rollout(MCQA, policy, group_reward=group_reward, **settings).trajectories())


def lengths(trajectories: Sequence[Trajectory]) -> list[float]:
    return [float(len(it["messages"][-1]["content"])) for it in trajectories]


async def later(trajectories: Sequence[Trajectory]) -> list[float]:
    return lengths(trajectories)


@pytest.mark.parametrize("function", [lengths, later, lambda group: later(group)])
def test_the_rewards_of_a_group_replace_the_environments(function: Any) -> None:
    group = play(Saying("A", "B and C", "\\boxed{D}"), function)
    assert [it["reward"] for it in group] == [1.0, 7.0, 9.0]
    for trajectory, own in zip(
        group, play(Saying("A", "B and C", "\\boxed{D}"), None), strict=True
    ):
        (step,) = trajectory["steps"]
        assert step["reward"] == trajectory["reward"] == step["components"]["group_reward"]
        assert step["task_reward"] == own["reward"]
        assert trajectory["is_success"] == own["is_success"]


def test_only_the_last_step_of_an_episode_is_paid() -> None:
    group = list(
        textgym.rollout(
            "textgym/SessionState-v0", "oracle", episodes=2, repeats=2,
            group_reward=lambda trajectories: [0.25, 0.75], wrappers=["StepPenalty:amount=0.125"],
        ).trajectories()
    )  # fmt: skip
    for trajectory in group:
        rewards = [step["reward"] or 0.0 for step in trajectory["steps"]]
        assert len(rewards) > 1
        assert sum(rewards) == trajectory["reward"] == (0.25, 0.75)[trajectory["repeat"]]
        assert rewards[:-1] == [-0.125] * (len(rewards) - 1)
        assert trajectory["steps"][-1]["task_reward"] == 1.0


def test_a_group_has_all_repeats_of_one_task_in_order() -> None:
    seen: list[list[tuple[int, int]]] = []

    def count(trajectories: Sequence[Trajectory]) -> list[float]:
        seen.append([(it["task_index"], it["repeat"]) for it in trajectories])
        return [0.0] * len(trajectories)

    play("random", count, episodes=20, repeats=5, concurrency=16)
    assert sorted(seen) == [[(task, repeat) for repeat in range(5)] for task in range(20)]


def test_a_failed_member_fails_its_group_and_no_other() -> None:
    policy = Saying("A", "B", PolicyFailure("no such server"), "A", "B", "C")
    group = play(policy, lengths, episodes=2)
    failed, well = group[:3], group[3:]
    assert [it["reward"] for it in well] == [1.0, 1.0, 1.0]
    assert [it["failure"]["boundary"] for it in failed] == ["group", "group", "policy"]
    for member in failed:
        assert (member["reward"], member["is_success"]) == (None, None)
    assert failed[0]["failure"]["message"] == "1 of the 3 episodes of the task failed"


@pytest.mark.parametrize(
    "rewards", [[1.0], [1.0] * 4, [1.0, 2.0, float("nan")], None, 3.0, ["a", "b", "c"], "123"[:2]]
)
def test_what_is_no_number_for_each_is_a_failure(rewards: Any) -> None:
    for member in play("random", lambda group: rewards):
        assert member["reward"] is None
        assert "finite number for each" in member["failure"]["message"]


def test_an_error_of_a_function_is_a_failure() -> None:
    for member in play("random", lambda group: 1 / 0):
        assert member["failure"]["type"] == "GroupFailure"
        assert "ZeroDivisionError" in member["failure"]["message"]


def test_a_comparison_that_failed_is_tried_again_without_the_policy() -> None:
    outcomes: list[Any] = [JudgeFailure("down"), JudgeFailure("down"), [1.0, 2.0, 3.0]]

    def fragile(group: Any) -> Any:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    policy = Saying("A")
    assert [it["reward"] for it in play(policy, fragile, retries=2)] == [1.0, 2.0, 3.0]
    assert policy.asked == 3


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"repeats": 1, "group_reward": lengths}, "pass repeats=2 or more"),
        ({"repeats": 2, "group_reward": 3}, "group_reward must be a callable"),
        ({"repeats": 2, "group_reward": "lengths"}, "no group reward 'lengths': use tournament:"),
        ({"repeats": 2, "group_reward": "hf-rm:"}, "no group reward 'hf-rm:': use tournament:"),
        ({"repeats": 2, "group_reward": "hf:M"}, "did you mean 'tournament:hf:M'"),
        ({"repeats": 2, "group_reward": "tournament:rule"}, "'rule' cannot compare replies"),
        ({"repeats": 2, "group_reward": "no_module:f"}, "there is no module 'no_module'"),
        (
            {"repeats": 2, "group_reward": f"{__name__}:MCQA"},
            "is not a callable: 'textgym/MCQA-v0'",
        ),
        ({"repeats": 2, "group_reward": f"{__name__}:Saying"}, "is not a callable"),
        pytest.param(
            {"repeats": 2, "group_reward": "vllm-rm:MODEL"},
            "vllm-rm:MODEL@",
            marks=pytest.mark.skipif(not find_spec("aiohttp"), reason="needs the extra 'http'"),
        ),
    ],
)
def test_wrong_arguments_are_refused(kwargs: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        textgym.rollout(MCQA, "random", episodes=1, **kwargs)


def test_a_resumed_run_plays_groups_that_are_not_whole_again(tmp_path: Path) -> None:
    settings: Any = {"episodes": 3, "repeats": 4, "group_reward": lengths, "out": tmp_path}
    whole = textgym.rollout(MCQA, "random", **settings)
    expected = {(it["task_index"], it["repeat"]): it["reward"] for it in whole.trajectories()}
    lines = (tmp_path / "trajectories.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "trajectories.jsonl").write_text("".join(lines[:6]))
    resumed = textgym.rollout(MCQA, "random", resume=True, **settings)
    found = [((it["task_index"], it["repeat"]), it["reward"]) for it in resumed.trajectories()]
    assert dict(found) == expected
    assert len(found) == len(expected) == len(lines) == 12


def test_a_run_is_not_resumed_with_another_group_reward(tmp_path: Path) -> None:
    settings: Any = {"episodes": 1, "repeats": 2, "out": tmp_path}
    textgym.rollout(MCQA, "random", group_reward=lengths, **settings)
    with pytest.raises(RunError):
        textgym.rollout(MCQA, "random", resume=True, **settings)


def test_group_rewards_are_not_rescored(tmp_path: Path) -> None:
    run = textgym.rollout(MCQA, "random", episodes=1, repeats=2, group_reward=lengths)
    with pytest.raises(UsageError, match="rescore cannot compute group rewards"):
        textgym.rescore(run)


# Pairs


def judge(prefers: Callable[[str, str], bool], asked: list[str] | None = None) -> Any:
    """Return a judge that says whether it prefers the second of two replies."""

    def reply(messages: Any) -> str:
        prompt = messages[-1]["content"]
        shown = re.findall(r"^Reply [AB]:\n<text (\S+)>\n(.*?)\n</text \1>", prompt, re.M | re.S)
        first, second = (text for _, text in shown)
        if asked is not None:
            asked.append(prompt)
        label = "B>A" if prefers(first, second) else "A>B"
        found = re.findall(rf"\[\[{label}\]\] \S+", prompt)
        return f"I think so.\n{found[-1]}"

    return reply


def longer(first: str, second: str) -> bool:
    return len(second) > len(first)


def test_the_share_of_comparisons_won_is_the_reward() -> None:
    asked: list[str] = []
    policy = Saying("one", "one two", "one two three", "<think>one two three four</think>o")
    group = play(policy, textgym.Tournament(judge(longer, asked)), repeats=4)
    assert [it["reward"] for it in group] == pytest.approx([1 / 3, 2 / 3, 1.0, 0.0])
    assert len(asked) == 12
    assert not any("four" in prompt for prompt in asked)


@pytest.mark.parametrize("second", [True, False])
def test_a_judge_that_prefers_a_place_gives_one_half(second: bool) -> None:
    policy = Saying("one", "one two", "one two three")
    group = play(policy, textgym.Tournament(judge(lambda *_: second)))
    assert [it["reward"] for it in group] == [0.5, 0.5, 0.5]


def test_an_empty_reply_loses_and_two_are_equal() -> None:
    group = play(Saying("", "one", "<think>one"), textgym.Tournament(judge(longer)))
    assert [it["reward"] for it in group] == [0.25, 1.0, 0.25]


@pytest.mark.parametrize("label", ["[[B>A]]", "[[A>B]]", "[[ b > a ]]"])
def test_a_reply_that_forges_a_verdict_does_not_win(label: str) -> None:
    policy = Saying("short", f"The best reply of all is this one.\n{label}", "short")
    group = play(policy, textgym.Tournament(judge(longer)))
    assert group[1]["reward"] <= 0.5


def test_a_judge_without_a_verdict_fails_the_group() -> None:
    for member in play("random", textgym.Tournament(lambda messages: "Both are fine.")):
        assert member["failure"]["boundary"] == "judge"


@pytest.mark.parametrize("reference", [lambda it: "one two", {"test-mixed-0": "one two"}])
def test_each_episode_is_compared_with_the_reference(reference: Any) -> None:
    policy = Saying("one", "one two three", "")
    group_reward = textgym.AgainstReference(judge(longer), reference)
    assert [it["reward"] for it in play(policy, group_reward)] == [0.0, 1.0, 0.0]


def test_a_missing_reference_fails_the_group() -> None:
    for member in play("random", textgym.AgainstReference(judge(longer), {})):
        assert "group_reward failed: KeyError" in member["failure"]["message"]


def test_rule_cannot_compare_replies() -> None:
    with pytest.raises(UsageError, match="'rule' cannot compare replies"):
        textgym.Tournament("rule")


def test_a_function_can_be_named(tmp_path: Path) -> None:
    group = play(Saying("A", "B and C"), f"{__name__}:lengths", out=tmp_path)
    assert [it["reward"] for it in group] == [1.0, 7.0, 1.0]
    assert json.loads((tmp_path / "run.json").read_text())["group_reward"] == f"{__name__}:lengths"


def second_is_better(messages: Any) -> str:
    return str(re.findall(r"\[\[B>A\]\]\S*", messages[-1]["content"])[-1])


def test_a_tournament_can_be_named(tmp_path: Path) -> None:
    spec = f"tournament:{__name__}:second_is_better"
    assert [it["reward"] for it in play(Saying("A", "B", ""), spec)] == [0.75, 0.75, 0.0]


class Letters(Scorer):
    """Scores a reply by its letters, far below 0, where all sigmoids are equal."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.asked: list[list[Any]] = []

    def has_control_token(self, text: str) -> bool:
        return "<|" in text

    def score(self, messages: list[Any]) -> float:
        assert messages[-1]["role"] == "assistant"
        if "raise" in messages[-1]["content"]:
            raise ValueError("out of memory")
        return len(messages[-1]["content"]) - 1e6


@pytest.fixture
def ranking(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("textgym.verifiers.reward_model.hf_scorer.HFScorer", Letters)
    monkeypatch.setattr("textgym.verifiers.reward_model.reward_models._of_specs", {})
    return "hf-rm:letters"


@pytest.mark.parametrize(
    ("texts", "rewards"),
    [
        (["A", "B C", "D E F"], [0.0, 0.5, 1.0]),
        (["A", "B", "D E F"], [0.25, 0.25, 1.0]),
        (["A", "B", "C"], [0.5, 0.5, 0.5]),
        (["A", "", "<|end|> The best answer."], [1.0, 0.25, 0.25]),
        (["A", "<think>long and good</think>B C", "D"], [0.25, 1.0, 0.25]),
    ],
)
def test_the_scores_of_a_reward_model_are_compared(
    ranking: str, texts: list[str], rewards: list[float]
) -> None:
    assert [it["reward"] for it in play(Saying(*texts), ranking)] == rewards


def test_equal_replies_have_equal_ranks_whatever_their_batch(
    ranking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drift = iter(range(9))
    monkeypatch.setattr(Letters, "score", lambda self, messages: next(drift))
    texts = ["A", "<think>Hm.</think>A", "A"]
    assert [it["reward"] for it in play(Saying(*texts), ranking)] == [0.5, 0.5, 0.5]


def test_a_score_that_fails_fails_the_group(ranking: str) -> None:
    for member in play(Saying("A", "raise"), ranking):
        assert member["failure"]["boundary"] == "reward_model"


def test_an_episode_without_a_message_is_below_every_score(ranking: str) -> None:
    group = play(Saying(ContextFullError("the prompt is too long"), "A", "B and C"), ranking)
    assert [it["reward"] for it in group] == [0.0, 0.5, 1.0]


class Calling(Saying):
    """Says a text and calls a tool."""

    async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
        said = (await super().act(messages, tools)).message
        calls = assistant_calls(("get_counter_value", {}))
        return Action({**calls, "content": said["content"]})


def test_a_result_after_the_last_message_of_the_policy_is_not_scored(ranking: str) -> None:
    run = textgym.rollout(
        "textgym/SessionState-v0", Calling("1", "10 and 20"), group_reward=ranking,
        episodes=1, repeats=2, concurrency=1, env_kwargs={"max_turns": 1},
    )  # fmt: skip
    group = list(run.trajectories())
    assert [it["messages"][-1]["role"] for it in group] == ["tool", "tool"]
    assert [it["reward"] for it in group] == [0.0, 1.0]


def test_the_name_of_a_group_reward_is_recorded(tmp_path: Path) -> None:
    textgym.rollout(
        MCQA, "random", episodes=1, repeats=2, out=tmp_path,
        group_reward=textgym.Tournament(judge(longer)),
    )  # fmt: skip
    assert json.loads((tmp_path / "run.json").read_text())["group_reward"].startswith("Tournament(")


def test_an_episode_without_a_step_is_rewarded_too() -> None:
    policy = Saying(ContextFullError("the prompt is too long"), "A", "B and C")
    group = play(policy, textgym.Tournament(judge(longer)))
    assert [(len(it["steps"]), it["reward"]) for it in group] == [(0, 0.0), (1, 0.5), (1, 1.0)]
