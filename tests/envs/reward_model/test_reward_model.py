"""RewardModel-v0: its rewards, rows, arguments, and its generated tasks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.envs.generation import WEEKDAYS
from textgym.envs.reward_model import RewardModel
from textgym.envs.reward_model.generator import FORMS, LEVELS, PARTS
from textgym.errors import RewardModelFailure, RowError, UsageError
from textgym.messages import assistant, user

ROW = {
    "prompt": "When does Anna arrive?",
    "chosen": "Anna arrives on Monday.",
    "rejected": "Anna arrives on Friday.",
}


def played(reply: str, row: Any = ROW, **kwargs: Any) -> tuple[float, dict[str, Any]]:
    env = gymnasium.make("textgym/RewardModel-v0", **kwargs)
    env.reset(options={"task": row})
    _, reward, terminated, _, info = env.step(reply)
    assert terminated
    return float(reward), info


def test_the_chosen_reply_is_a_success() -> None:
    reward, info = played(ROW["chosen"])
    assert (reward, info["is_success"], info["verdict_reason"]) == (1.0, True, "")
    assert info["reward_components"] == {"score": 1.0, "words": 4.0}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("", "empty"), (ROW["rejected"], "wrong"), ("<think>Anna arrives on Monday.", "empty")],
)
def test_other_replies_are_not(reply: str, reason: str) -> None:
    reward, info = played(reply)
    assert (reward, info["is_success"], info["verdict_reason"]) == (0.0, False, reason)


def brief(messages: Any) -> float:
    return -float(len(messages[-1]["content"].split()))


def test_a_reward_model_of_ones_own() -> None:
    reward, info = played("It is a small cat.", reward_model=brief, reward_scale="clip:-10,0")
    assert (reward, info["is_success"]) == (0.5, False)
    assert info["reward_components"] == {"score": -5.0, "words": 5.0}


def test_a_held_out_model_is_a_component_only() -> None:
    settings = {"reward_model": brief, "reward_scale": "clip:-10,0", "held_out_model": "chosen"}
    reward, info = played(ROW["chosen"], **settings)
    assert (reward, info["reward_components"]["held_out"]) == (0.6, 1.0)
    other = {"held_out_model": brief, "held_out_scale": "clip:-10,0"}
    reward, info = played(ROW["chosen"], **other)
    assert (reward, info["reward_components"]["held_out"]) == (1.0, 0.6)


@pytest.mark.parametrize(("least", "success"), [(0.6, True), (0.61, False)])
def test_a_success_has_a_least_reward(least: float, success: bool) -> None:
    settings = {"reward_model": brief, "reward_scale": "clip:-10,0", "success_at": least}
    assert played(ROW["chosen"], **settings)[1]["is_success"] is success


def test_a_reward_model_that_fails_leaves_the_episode_as_it_was() -> None:
    replies = [float("nan"), 1.0]
    env = gymnasium.make(
        "textgym/RewardModel-v0",
        reward_model=lambda messages: replies.pop(0),
        reward_scale="clip:0,1",
        disable_env_checker=True,
    )
    env.reset(options={"task": ROW})
    with pytest.raises(RewardModelFailure, match="gave nan, not a finite number"):
        env.step("Hi.")
    assert env.step("Hi.")[1] == 1.0


def test_rollouts_retry_a_reward_model_and_record_its_failure() -> None:
    settings = {"reward_model": "test_reward_model:fail", "reward_scale": "sigmoid"}
    run = textgym.rollout(
        "textgym/RewardModel-v0", "oracle", episodes=2, retries=1, env_kwargs=settings
    )
    for trajectory in run.trajectories():
        assert trajectory["reward"] is None
        assert trajectory["failure"]["boundary"] == "reward_model"
        assert trajectory["attempts"] == 2


def fail(messages: Any) -> float:
    raise OSError("the disk is full")


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"reward_model": brief}, "reward_scale is missing"),
        ({"reward_scale": "sigmoid"}, "reward_scale is for other reward models than 'chosen'"),
        ({"held_out_model": brief}, "held_out_scale is missing"),
        ({"success_at": 0}, "success_at must be above 0"),
        ({"success_at": True}, "success_at must be above 0"),
        ({"reward_model": brief, "reward_scale": "max"}, "reward_scale must be"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(kwargs: Any, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        RewardModel(**kwargs)
    assert text in str(raised.value)
    assert "\n" not in str(raised.value)


PROMPT = [user("When?")]
FORMS_OF_ROWS = {
    "texts": {"prompt": "When?", "chosen": "Now.", "rejected": "Never."},
    "conversations": {
        "prompt": PROMPT, "chosen": [assistant("Now.")], "rejected": [assistant("Never.")],
    },
    "implicit prompt": {
        "chosen": [*PROMPT, assistant("Now.")], "rejected": [*PROMPT, assistant("Never.")],
    },
    "NeMo Gym's prompt": {
        "responses_create_params": {"input": "When?"}, "chosen": "Now.", "rejected": "Never.",
    },
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS_OF_ROWS)
def test_forms_of_preference_data(form: str) -> None:
    env = RewardModel()
    observation, _ = env.reset(options={"task": FORMS_OF_ROWS[form]})
    assert [(message["role"], message["content"]) for message in observation] == [("user", "When?")]
    assert (env.task.answer, env.task.rejected) == ("Now.", "Never.")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"chosen": "Now."}, "prompt"),
        ({"prompt": " ", "chosen": "Now."}, "prompt"),
        ({"prompt": 3, "chosen": "Now."}, "prompt"),
        ({"prompt": "When?"}, "chosen"),
        ({"prompt": "When?", "chosen": ""}, "chosen"),
        ({"prompt": "When?", "chosen": 3}, "chosen"),
        ({"prompt": "When?", "chosen": [user("Now.")]}, "chosen"),
        ({"prompt": "When?", "chosen": []}, "chosen"),
        ({"prompt": "When?", "chosen": "Now.", "rejected": "Now. "}, "rejected"),
        ({"prompt": "When?", "chosen": "Now.", "rejected": [3]}, "rejected.0"),
        (
            {
                "chosen": [user("A?"), assistant("Now.")],
                "rejected": [user("B?"), assistant("Never.")],
            },
            "prompt",
        ),
    ],
)
def test_a_row_that_is_not_valid_names_its_field(row: Any, field: str) -> None:
    with pytest.raises(RowError) as raised:
        RewardModel().reset(options={"task": row})
    assert raised.value.field == field


def test_rows_with_prompts_alone_need_a_reward_model(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text(json.dumps({"prompt": "What is a cat?"}) + "\n")
    env = RewardModel(dataset=str(file), reward_model=brief, reward_scale="clip:-10,0")
    env.reset()
    assert env.step("A pet.")[1] == 0.8
    with pytest.raises(RowError, match="pass reward_model= for rows without it"):
        RewardModel(dataset=str(file)).reset()


def read_notes(prompt: str) -> tuple[str, str]:
    """Return whose order is asked for, and the sentence, found by reading the prompt alone."""
    notes, request = prompt.rsplit("\n\n", 1)
    asked = re.search(r"order of (\w+)", request)
    assert asked is not None
    example = request.rpartition(": ")[2]
    orders: dict[str, dict[str, str]] = {}
    for line in re.findall(r"- (.*)", notes):
        owner, _, rest = line.partition(": ")
        parts = rest.rstrip(".").split(", ")
        if owner == "Correction":
            name = re.search(r"order of (\w+)|^(\w+) wants", rest)
            assert name is not None
            owner, parts = name[1] or name[2], [rest.rstrip(".").split("wants ")[-1]]
            parts = [re.sub(r".*(goes to|comes on) ", lambda m: m[1][-2:] + " ", parts[0])]
        order = orders.setdefault(owner, {"name": owner})
        for part in parts:
            words = part.split()
            if words[0] in ("to", "on"):
                order["city" if words[0] == "to" else "day"] = " ".join(words[1:])
            elif words[-1] == "pieces":
                order["count"] = words[0]
            else:
                order["thing"] = part
    order = dict(orders[asked[1]])
    for part, value in order.items():
        if value.startswith("the same"):
            order[part] = orders[value.split()[-1]][part]
    pattern = {"name": "[A-Z][a-z]+", "count": r"\d+", "thing": "[a-z]+", "city": "[A-Z][a-z]+"}
    for form in FORMS:
        expression = re.escape(form)
        for part in PARTS:
            found = pattern.get(part, "|".join(WEEKDAYS))
            expression = expression.replace(rf"\{{{part}\}}", f"(?:{found})")
        if re.fullmatch(expression, example):
            return asked[1], form.format(**order)
    raise AssertionError(example)


@pytest.mark.parametrize("level", LEVELS)
def test_the_notes_say_what_the_chosen_sentence_says(level: int) -> None:
    env = RewardModel(level=level)
    for index in range(100):
        task: Any = env.get_task(index)
        prompt = task.messages[0]["content"]
        assert read_notes(prompt) == (task.row["asked"], task.answer), prompt
        assert task.answer != task.rejected
        assert task.answer not in prompt


@pytest.mark.parametrize("level", LEVELS)
def test_the_rejected_sentence_is_worth_nothing(level: int) -> None:
    env = RewardModel(level=level)
    for index in range(50):
        env.reset(options={"index": index})
        assert env.step(env.task.rejected)[1] == 0.0


def test_at_level_0_a_sentence_is_repeated() -> None:
    env = RewardModel(level=0)
    for index in range(60):
        task: Any = env.get_task(index)
        lines, _, request = task.messages[0]["content"].partition("\n\n")
        sentences = [line.removeprefix("- ") for line in lines.split("\n")[1:]]
        name = request.removesuffix(".").split()[-1]
        [asked] = [sentence for sentence in sentences if sentence.startswith(f"{name} ")]
        assert (task.answer, len(sentences)) == (asked, 3)
        others = [sentence for sentence in sentences if sentence != asked]
        everything = "\n".join(sentences)
        for text in (asked, f"**{asked}**", asked.lower()):
            env.reset(options={"index": index})
            assert env.step(text)[1] == 1.0
        for text in ("", name, request, *others, everything, task.rejected):
            env.reset(options={"index": index})
            _, reward, _, _, info = env.step(text)
            assert reward < 0.3, text
            assert not info["is_success"]
