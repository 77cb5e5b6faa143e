"""The policy `openai:MODEL@BASE_URL` against a real server: vLLM on the CPU with SmolLM2-135M.

They run where vLLM is installed, which `make test-vllm` sees to. The server is started once.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from vllm_server import vllm_server

import textgym
from textgym.errors import ContextFullError, UnknownNameError, UsageError
from textgym.messages import user
from textgym.policies import Action, make_policy
from textgym.policies.models import load_tokenizer
from textgym.rollouts.player import EpisodePlayer
from textgym.training.trl.policies import policy_of
from textgym.trajectories.task_identity import EpisodeKey
from textgym.trajectories.tokens import token_sequences

pytest.importorskip("aiohttp")

from textgym.policies.openai.protocol import read_reply

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(
        importlib.util.find_spec("vllm") is None, reason="vLLM is not installed: make test-vllm"
    ),
]

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 512
FLAGS = [
    *("--max-model-len", str(CONTEXT)),
    *("--generation-config", "vllm"),  # nothing is drawn otherwise than it was asked for
    *("--no-enable-chunked-prefill", "--max-num-batched-tokens", str(CONTEXT)),  # see below
    *("--dtype", "float32"),  # log probabilities are compared
    "--enforce-eager",  # compiling takes minutes
]
"""A request with a seed whose prompt is read in chunks ends vLLM's engine on a CPU ("CPU Generator
does not use offset"), so prompts are read whole."""


@pytest.fixture(scope="module")
def url(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a server that is ready."""
    log = tmp_path_factory.mktemp("vllm") / "server.log"
    with vllm_server(model_folder, MODEL, FLAGS, log) as address:
        yield f"{address}/v1"


def act(url: str, text: str, seeds: Any = (None,), **sampling: Any) -> list[Action]:
    """Return the answers to a text, one for each seed, requested at once."""

    async def several() -> list[Action]:
        policy = make_policy(f"openai:{MODEL}@{url}", {"max_tokens": 8, **sampling})
        try:
            return await asyncio.gather(*[policy.act([user(text)], [], seed=s) for s in seeds])
        finally:
            await policy.close()

    return asyncio.run(several())


def texts(actions: list[Action]) -> list[Any]:
    return [action.message["content"] for action in actions]


def test_answer_has_text_and_usage(url: str) -> None:
    (action,) = act(url, "Say hello.", temperature=0)
    assert action.message["role"] == "assistant"
    assert action.message["content"]
    assert action.usage["prompt_tokens"] > 3
    assert 1 <= action.usage["completion_tokens"] <= 8


def test_seed_repeats_an_answer_and_another_seed_differs(url: str) -> None:
    once = act(url, "Tell me a story.", range(6))
    again = act(url, "Tell me a story.", range(6))
    assert texts(once) == texts(again)
    assert len(set(texts(once))) > 1


def test_cut_answer_has_finish_reason_length(url: str) -> None:
    (action,) = act(url, "Tell me a long story.", max_tokens=4, temperature=0)
    assert (action.finish_reason, action.usage["completion_tokens"]) == ("length", 4)


def test_stop_string_ends_an_answer(url: str) -> None:
    (plain,) = act(url, "Say hello.", temperature=0)
    said = plain.message["content"]
    assert isinstance(said, str)
    (stopped,) = act(url, "Say hello.", temperature=0, stop=said[2])
    assert (stopped.message["content"], stopped.finish_reason) == (
        said[: said.index(said[2])],
        "stop",
    )


def test_answer_ends_at_the_context_limit(url: str) -> None:
    (action,) = act(url, "word " * (CONTEXT - 50), max_tokens=CONTEXT, temperature=0)
    assert action.usage["prompt_tokens"] + action.usage["completion_tokens"] <= CONTEXT


def test_too_long_conversation_is_a_context_error(url: str) -> None:
    with pytest.raises(ContextFullError, match=f"maximum context length is {CONTEXT} tokens"):
        act(url, "word " * CONTEXT)


def test_unknown_model_error_names_the_right_one(url: str) -> None:
    policy = make_policy(f"openai:SmolLM-135M@{url}")
    with pytest.raises(UnknownNameError, match=f"did you mean '{MODEL}'"):
        asyncio.run(policy.act([user("Hello")], []))


def test_wrong_path_is_a_usage_error(url: str) -> None:
    policy = make_policy(f"openai:{MODEL}@{url}/v2")
    with pytest.raises(UsageError, match=r"no chat completions at .*404: Not Found"):
        asyncio.run(policy.act([user("Hello")], []))


def test_server_without_tool_support_is_an_error(url: str) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    policy = make_policy(f"openai:{MODEL}@{url}")
    with pytest.raises(UsageError, match="--enable-auto-tool-choice"):
        asyncio.run(policy.act([user("Hello")], [tool]))


def test_server_accepts_a_history_with_invalid_arguments(url: str) -> None:
    function = {"name": "f", "arguments": '{"x": '}
    call = {"id": "c", "type": "function", "function": function}
    messages: Any = [
        {"role": "developer", "content": "Be short."},
        user("Call f."),
        {"role": "assistant", "content": None, "reasoning_content": "Hm.", "tool_calls": [call]},
        {"role": "tool", "content": "broken JSON", "tool_call_id": "c"},
    ]
    policy = make_policy(f"openai:{MODEL}@{url}", {"max_tokens": 4})
    assert asyncio.run(policy.act(messages, [])).usage["prompt_tokens"] > 10


def test_rollout_plays_and_ends_what_does_not_fit(url: str, tmp_path: Path) -> None:
    options = {"A": "neon", "B": "zinc", "C": "argon", "D": "xenon"}
    rows = [{"question": "Which is a metal?", "options": options, "answer": "B"} for _ in range(6)]
    rows[3]["question"] = "word " * CONTEXT
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kwargs = {"dataset": str(tmp_path / "rows.jsonl")}
    policy = f"openai:{MODEL}@{url}"
    sampling = {"max_tokens": 8}
    runs = [
        textgym.rollout("textgym/MCQA-v0", policy, env_kwargs=kwargs, sampling=sampling, seed=seed)
        for seed in (1, 1, 2)
    ]
    said = []
    for run in runs:
        episodes = sorted(run.trajectories(), key=lambda episode: episode["task_index"])
        assert [episode["failure"] for episode in episodes] == [None] * 6
        assert [e["task_index"] for e in episodes if e["stop_reason"] == "context"] == [3]
        assert all(e["usage"]["completion_tokens"] for e in episodes if e["task_index"] != 3)
        said.append([e["messages"][-1]["content"] for e in episodes])
    assert said[0] == said[1] != said[2]


def test_command_plays_through_the_server(url: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from textgym.cli import main; main()", "eval"]
    options = ["--policy", f"openai:{MODEL}@{url}", "--policy-set", "concurrency=2"]
    limits = ["--episodes", "4", "--max-tokens", "6", "--level", "1", "--out", "run"]
    came = subprocess.run(
        [*command, "textgym/MCQA-v0", *options, *limits],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert came.returncode == 0, came.stderr
    lines = (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()
    assert [json.loads(line)["failure"] for line in lines] == [None] * 4


# Exact tokens


def play(
    url: str, model_folder: Path, monkeypatch: pytest.MonkeyPatch, id: str, **options: Any
) -> tuple[Any, list[Any]]:
    """An episode in token ids, and the choices that the server returned."""
    choices: list[Any] = []

    def watched(reply: Any, question: Any) -> Any:
        choices.extend(json.loads(reply.data)["choices"])
        return read_reply(reply, question)

    monkeypatch.setattr("textgym.policies.openai.policy.read_reply", watched)
    asking: dict[str, Any] = {"tokens": True, "tokenizer": str(model_folder)}
    asking["extra_body"] = options.pop("extra_body", {})
    policy = make_policy(f"openai:{MODEL}@{url}", options.pop("sampling"), asking)
    run = textgym.rollout(id, policy, episodes=1, seed=1, **options)
    (trajectory,) = run.trajectories()
    assert trajectory["failure"] is None
    for step, choice in zip(trajectory["steps"], choices, strict=True):
        assert step["prompt_ids"] == choice["prompt_token_ids"]
        assert step["token_ids"] == choice["token_ids"]
    return trajectory, choices


def check_logprobs(model_folder: Path, steps: Any) -> Any:
    """Check that the turns are one sequence with the model's own log probabilities; return it."""
    import torch
    from transformers import AutoModelForCausalLM

    (tokens,) = token_sequences(steps)
    loaded = AutoModelForCausalLM.from_pretrained(model_folder, dtype=torch.float32).eval()
    with torch.inference_mode():
        scores = torch.log_softmax(loaded(torch.tensor([tokens.ids])).logits[0].float(), dim=-1)
    own = [0.0, *(float(scores[at, token]) for at, token in enumerate(tokens.ids[1:]))]
    masked = [value * mask for value, mask in zip(own, tokens.loss_mask, strict=True)]
    assert tokens.logprobs == pytest.approx(masked, abs=1e-3)
    return tokens


def test_episode_in_token_ids_records_what_the_engine_saw(
    url: str, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampling = {"max_tokens": 8, "temperature": 0.8}
    trajectory, _ = play(
        url, model_folder, monkeypatch, "textgym/GuessNumber-v0",
        sampling=sampling, env_kwargs={"level": 1},
    )  # fmt: skip
    assert len(trajectory["steps"]) > 1
    assert trajectory["splits"] == 0
    check_logprobs(model_folder, trajectory["steps"])


def test_episodes_of_a_trl_trainer_are_played_on_its_server(url: str, model_folder: Path) -> None:
    """A stand-in holds what TRL's trainer knows of its server and model."""
    from transformers import GenerationConfig

    arguments = SimpleNamespace(
        vllm_mode="server",
        vllm_structured_outputs_regex=None,
        max_completion_length=6,
        chat_template_kwargs=None,
    )
    trainer: Any = SimpleNamespace(
        args=arguments,
        use_vllm=True,
        state=SimpleNamespace(global_step=3),
        accelerator=SimpleNamespace(is_main_process=True, num_processes=1),
        vllm_generation=SimpleNamespace(
            vllm_client=SimpleNamespace(base_url=url.removesuffix("/v1"), model=MODEL)
        ),
        model=SimpleNamespace(generation_config=GenerationConfig.from_pretrained(model_folder)),
        processing_class=load_tokenizer(str(model_folder)),
    )
    id = "textgym/GuessNumber-v0"
    with policy_of(trainer, batch_size=4) as policy, EpisodePlayer(id) as player:
        episodes = player.play(policy, [EpisodeKey(id, 1, repeat) for repeat in range(3)])
    for episode in episodes:
        assert episode["failure"] is None
        assert {step["policy_version"] for step in episode["steps"]} == {"step 3"}
        check_logprobs(model_folder, episode["steps"])


def test_sampled_ids_survive_over_http(
    url: str, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = load_tokenizer(str(model_folder))
    letters = tokenizer.convert_tokens_to_ids(["h", "e"])
    trajectory, choices = play(
        url, model_folder, monkeypatch, "textgym/GuessNumber-v0",
        sampling={"max_tokens": 6}, extra_body={"allowed_token_ids": letters},
        env_kwargs={"level": 1},
    )  # fmt: skip
    assert len(choices) > 1
    assert {id for choice in choices for id in choice["token_ids"]} <= set(letters)
    assert any(tokenizer(choice["text"])["input_ids"] != choice["token_ids"] for choice in choices)
    assert trajectory["splits"] == 0
    tokens = check_logprobs(model_folder, trajectory["steps"])
    assert sum(tokens.loss_mask) == 6 * len(choices)


def test_tool_is_called_in_token_ids(
    url: str, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = '<tool_call>\n{"name": "get_counter_value", "arguments": {}}\n</tool_call>'
    trajectory, choices = play(
        url, model_folder, monkeypatch, "textgym/SessionState-v0",
        sampling={"max_tokens": 64, "temperature": 0},
        extra_body={"structured_outputs": {"choice": [call]}}, env_kwargs={"max_turns": 2},
    )  # fmt: skip
    roles = [message["role"] for message in trajectory["messages"]]
    assert roles.count("tool") == len(choices) == 2
    assert trajectory["splits"] == 0  # log probabilities are not the model's own where it is led


def test_too_long_prompt_in_token_ids_is_refused_and_a_too_high_limit_is_cut(
    url: str, model_folder: Path
) -> None:
    options = {"tokens": True, "tokenizer": str(model_folder)}
    policy = make_policy(
        f"openai:{MODEL}@{url}", {"max_tokens": 2 * CONTEXT, "temperature": 0}, options
    )

    async def both() -> Any:
        texts = ["word " * CONTEXT, "word " * (CONTEXT - 80)]
        asked = [policy.act([user(text)], []) for text in texts]
        try:
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await policy.close()

    refused, answered = asyncio.run(both())
    assert isinstance(refused, ContextFullError)
    assert sum(answered.usage.values()) <= CONTEXT
