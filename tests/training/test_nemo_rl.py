"""The episode of test_doors through NeMo RL's published protocol, which is written down here."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from byte_tokenizer import make_byte_tokenizer  # noqa: E402
from test_doors import CUT, FEE, PAID, SAID, Scripted, expected, row_of  # noqa: E402

from textgym.errors import EnvironmentFailure, TrainingError, UsageError  # noqa: E402

pytestmark = pytest.mark.model


class EnvironmentReturn(NamedTuple):
    """The batched result of a step, field by field as published."""

    observations: list[dict[str, str]]
    metadata: list[Any]
    next_stop_strings: list[Any]
    rewards: Any
    terminateds: Any
    answers: list[Any] | None = None


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter, imported with the protocol in place of the package."""
    interfaces = ModuleType("nemo_rl.environments.interfaces")
    interfaces.EnvironmentInterface = object  # type: ignore[attr-defined]
    interfaces.EnvironmentReturn = EnvironmentReturn  # type: ignore[attr-defined]
    for name in ("nemo_rl", "nemo_rl.environments"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, interfaces.__name__, interfaces)
    monkeypatch.delitem(sys.modules, "textgym.training.nemo_rl", raising=False)
    yield importlib.import_module("textgym.training.nemo_rl")
    sys.modules.pop("textgym.training.nemo_rl", None)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return make_byte_tokenizer()


def play(
    env: Any, datums: list[dict[str, Any]], tokenizer: Any, engine_tokenizer: Any = None
) -> list[dict[str, Any]]:
    """Play a batch as NeMo RL does: it tokenises what the environment says as it stands."""
    samples = [
        {
            "ids": datum["message_log"][0]["token_ids"].tolist(),
            "mask": [0] * datum["length"],
            "log": [{"role": "user", "content": datum["message_log"][0]["content"]}],
            "metadata": datum["extra_env_info"],
            "reward": 0.0,
            "engine": Scripted(engine_tokenizer or tokenizer),
        }
        for datum in datums
    ]
    active = list(samples)
    while active:
        for sample in active:
            sampled = sample["engine"].sample(sample["ids"]).token_ids
            text = tokenizer.decode(sampled, skip_special_tokens=True)
            sample["log"].append({"role": "assistant", "content": text})
            sample["ids"] += sampled
            sample["mask"] += [1] * len(sampled)
        result = env.step([one["log"] for one in active], [one["metadata"] for one in active])
        assert result.rewards.shape == result.terminateds.shape == (len(active),)
        for place, sample in enumerate(active):
            said = result.observations[place]
            ids = tokenizer(said["content"], add_special_tokens=False).input_ids
            sample["log"].append(said)
            sample["ids"] += ids
            sample["mask"] += [0] * len(ids)
            sample["metadata"] = result.metadata[place]
            sample["reward"] += float(result.rewards[place])
        active = [
            one for one, over in zip(active, result.terminateds.tolist(), strict=True) if not over
        ]
    return samples


def test_nemo_rl_gives_the_same_tokens_mask_and_reward(door: Any, tokenizer: Any) -> None:
    row = expected(tokenizer)
    env = door.NemoRLEnvironment(tokenizer)
    datums = [door.make_datum(row_of(), tokenizer, place) for place in range(2)]
    assert datums[0]["message_log"][0]["token_ids"].tolist() == row.prompt_ids
    samples = play(env, datums, tokenizer)
    ids, mask = list(row.prompt_ids + row.completion_ids), [0] * len(row.prompt_ids)
    mask += row.completion_mask
    # NeMo RL does not tell that a message was cut, so the token that closes it is not added.
    close = ids.index(tokenizer.eos_token_id, _end_of(mask, CUT))
    assert mask[close] == 0
    del ids[close], mask[close]
    for sample in samples:
        assert sample["ids"] == ids
        assert sample["mask"] == mask
        assert sample["reward"] == sum(PAID)
    batch, metrics = env.global_post_process_and_metrics("batch")
    assert batch == "batch"
    assert metrics == {"success": 1.0, "reward/looked": 1.0, "reward/fee": -FEE}
    assert env.global_post_process_and_metrics("batch")[1] == {}


def test_prompt_shows_all_of_its_tokens(door: Any, tokenizer: Any) -> None:
    (prompt,) = door.make_datum(row_of(), tokenizer)["message_log"]
    assert prompt["content"].endswith("<|end|><|assistant|>")
    again = tokenizer(prompt["content"], add_special_tokens=False)["input_ids"]
    assert again == prompt["token_ids"].tolist()


def test_message_ends_with_the_first_of_end_ids(door: Any, tokenizer: Any) -> None:
    other = make_byte_tokenizer()
    other.eos_token = other.pad_token  # the template ends messages with another token
    env = door.NemoRLEnvironment(other, end_ids=[tokenizer.eos_token_id])
    (sample,) = play(env, [door.make_datum(row_of(), other)], other, tokenizer)
    usual = door.NemoRLEnvironment(tokenizer)
    (expected_sample,) = play(usual, [door.make_datum(row_of(), tokenizer)], tokenizer)
    assert (sample["ids"], sample["mask"]) == (expected_sample["ids"], expected_sample["mask"])


def test_text_that_spells_an_end_token_ends_there(door: Any, tokenizer: Any) -> None:
    env = door.NemoRLEnvironment(tokenizer)
    said = [{"role": "assistant", "content": "The ball<|end|> is red"}]
    stepped = env.step([said], [dict(row_of())])
    assert stepped.observations[0]["content"] == "<|user|>Go on.<|end|><|assistant|>"
    env.close()


def _end_of(mask: list[int], message: int) -> int:
    """The place after the sampled tokens of a message."""
    ends = [
        place
        for place, (one, following) in enumerate(zip(mask, [*mask[1:], 0], strict=True), start=1)
        if one and not following
    ]
    return ends[message]


def test_failure_in_nemo_rl_is_no_reward(door: Any, tokenizer: Any) -> None:
    env = door.NemoRLEnvironment(tokenizer)
    row = row_of(broken=True)
    with pytest.raises(EnvironmentFailure, match="the judge is down"):
        env.step([[{"role": "assistant", "content": SAID[2]}]], [dict(row)])
    assert env.global_post_process_and_metrics(None)[1] == {}


def test_aborted_request_in_nemo_rl_is_no_reward(door: Any, tokenizer: Any) -> None:
    env = door.NemoRLEnvironment(tokenizer)
    said = {"role": "assistant", "content": "", "token_ids": torch.tensor([], dtype=torch.long)}
    with pytest.raises(EnvironmentFailure, match="gave no tokens"):
        env.step([[said]], [dict(row_of())])
    assert env.global_post_process_and_metrics(None)[1] == {}
    said["token_ids"] = torch.tensor([tokenizer.eos_token_id])  # the model ended it at once
    assert len(env.step([[said]], [dict(row_of())]).rewards) == 1
    env.close()


def test_episodes_that_nemo_rl_left_make_room(door: Any, tokenizer: Any) -> None:
    env = door.NemoRLEnvironment(tokenizer, max_open=1)
    log = [[{"role": "assistant", "content": SAID[0]}]]
    (first,) = env.step(log, [dict(row_of())]).metadata
    (second,) = env.step(log, [dict(row_of())]).metadata
    with pytest.raises(UsageError, match="raise max_open"):
        env.step(log, [first])
    stepped = env.step(log, [second])
    assert stepped.observations[0]["role"] == "environment"
    assert stepped.rewards.tolist() == [-FEE]
    env.close()
    with pytest.raises(UsageError, match="not in progress"):
        env.step(log, [second])


def test_template_that_rewrites_history_is_refused(door: Any) -> None:
    tokenizer = make_byte_tokenizer()
    tokenizer.chat_template = tokenizer.chat_template.replace(
        "{% if m.reasoning_content %}", "{% if m.reasoning_content and loop.last %}"
    )
    env = door.NemoRLEnvironment(tokenizer)
    log = [{"role": "assistant", "content": SAID[0]}]
    with pytest.raises(TrainingError, match="rewrote a message"):
        env.step([log], [dict(row_of())])
