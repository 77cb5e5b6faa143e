"""Tokens per second through `vllm:`, beside the raw engine; uneven replies, beside lock-step.

    VLLM_CPU_KVCACHE_SPACE=1 python benchmarks/inprocess.py --model FOLDER

The model can be the one that scripts/save_smollm2.py saves. All cases use the same prompts and
sampling. In the second part, the lengths of replies are drawn (geometric, mean 32, at most 128) and
enforced: a lock-step batch ends with its longest reply, a coroutine with its own. There all prompts
are the same and come from the prefix cache, because on a CPU long prompts would cost more than the
replies.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from typing import Any

import gymnasium
from measure import aim, check_run, measure, table

import textgym
from textgym.policies import Sampling
from textgym.policies.vllm import VLLMPolicy

MCQA: tuple[str, dict[str, Any]] = ("textgym/MCQA-v0", {})
GUESS: tuple[str, dict[str, Any]] = ("textgym/GuessNumber-v0", {"highest": 3, "turns": 1})
CONCURRENCY = 32
MEAN, LONGEST = 32, 128


class FixedLength(VLLMPolicy):
    """A policy whose replies have given lengths, if there are any left."""

    lengths: list[int] | None = None

    def sampling_params(self, room: int, seed: int | None) -> Any:
        """Return vLLM's sampling parameters of a request."""
        params = super().sampling_params(room, seed)
        if self.lengths:
            params.ignore_eos, params.max_tokens = True, min(room, self.lengths.pop())
        return params


def prompts(policy: VLLMPolicy, game: tuple[str, dict[str, Any]], count: int) -> list[list[int]]:
    """Return the prompts of the first tasks."""
    env: Any = gymnasium.make(game[0], **game[1])
    found = []
    for index in range(count):
        messages, _ = env.reset(options={"index": index})
        found.append(policy.codec.encode_prompt(messages, [], None).ids)
    return found


def raw(policy: FixedLength, asked: list[list[int]], at_once: int) -> tuple[int, float]:
    """Answer prompts in batches with only the engine; return the tokens and the seconds."""
    policy.engine.reset_prefix_cache()
    tokens, begun = 0, time.perf_counter()
    for start in range(0, len(asked), at_once):
        for number, ids in enumerate(asked[start : start + at_once]):
            params = policy.sampling_params(policy.codec.context_length - len(ids), 0)
            policy.engine.add_request(str(start + number), {"prompt_token_ids": ids}, params)
        while policy.engine.has_unfinished_requests():
            tokens += sum(len(item.outputs[0].token_ids) for item in policy.engine.step())
    return tokens, time.perf_counter() - begun


def played(
    policy: FixedLength, game: tuple[str, dict[str, Any]], count: int, at_once: int
) -> tuple[int, float]:
    """Play episodes; return the tokens and the seconds."""
    policy.engine.reset_prefix_cache()
    begun = time.perf_counter()
    id, kwargs = game
    run = textgym.rollout(id, policy, episodes=count, concurrency=at_once, env_kwargs=kwargs)
    seconds = time.perf_counter() - begun
    check_run(run, count)
    return run.metrics["overall"]["completion_tokens"], seconds


def lengths(count: int) -> list[int]:
    """Return random lengths, the same at every call."""
    rng = random.Random(0)
    drawn = []
    for _ in range(count):
        length = 1
        while rng.random() > 1 / MEAN and length < LONGEST:
            length += 1
        drawn.append(length)
    return drawn


def main() -> None:
    """Measure both parts, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--quick", action="store_true", help="fewer episodes and rounds")
    options = parser.parse_args()
    rounds, count, many = (1, 64, 192) if options.quick else (3, 96, 384)
    sampling = Sampling(temperature=0, max_tokens=MEAN)
    policy = FixedLength(options.model, sampling, engine={"max_model_len": 1024})
    asked, guesses = prompts(policy, MCQA, count), prompts(policy, GUESS, many)

    def rate(tokens: int, seconds: float) -> float:
        return tokens / seconds

    def uneven(play: Any) -> float:
        policy.lengths = lengths(many)
        return float(many / play()[1])

    figures = measure(
        {
            "the raw engine": lambda: rate(*raw(policy, asked, count)),
            "vllm:": lambda: rate(*played(policy, MCQA, count, count)),
        },
        rounds,
    )
    print(table("tokens per second", figures))
    floor, ours = (statistics.median(values) for values in figures.values())
    print(aim("vllm: / raw engine", ours / floor, 0.97, "", at_least=True))
    figures = measure(
        {
            "lock-step batches": lambda: uneven(lambda: raw(policy, guesses, CONCURRENCY)),
            "coroutines": lambda: uneven(lambda: played(policy, GUESS, many, CONCURRENCY)),
        },
        rounds,
    )
    print(table("episodes per second, uneven replies", figures, digits=2))
    floor, ours = (statistics.median(values) for values in figures.values())
    print(aim("coroutines / lock-step", ours / floor, 1.5, "", at_least=True))
    asyncio.run(policy.close())


if __name__ == "__main__":
    main()
