"""What a user of the installed package writes: an environment, a policy, and a rollout."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import gymnasium

import textgym
from textgym.wrappers import FewShot, StepPenalty


class Echo(textgym.TextEnv):
    """Repeat a number."""

    card = textgym.Card("stranger/Echo-v0", "Repeat a number.")

    def generate(self, rng: random.Random, level: int) -> dict[str, Any]:
        return {"number": rng.randrange(10**6)}

    def read_row(self, row: dict[str, Any]) -> textgym.Task:
        prompt = textgym.user(f"Say {row['number']}.")
        return textgym.Task(row["id"], (prompt,), str(row["number"]), row=row)

    def grade(self) -> textgym.Grade:
        is_right = self.answer_text == self.task.answer
        return textgym.Grade(float(is_right), is_right, extracted_answer=self.answer_text)

    def solve(self) -> textgym.Message:
        return textgym.assistant(str(self.task.answer))


class Seven(textgym.Policy):
    """Always says the same number."""

    name = "seven"

    async def act(
        self,
        messages: Sequence[textgym.Message],
        tools: Sequence[textgym.ToolSchema],
        *,
        prior: textgym.Tokens | None = None,
        seed: int | None = None,
    ) -> textgym.Action:
        return textgym.Action(textgym.assistant("7"))


def parameters_of_the_model() -> int:
    """Return how many parameters the default model has, as a training run would ask."""
    policy = textgym.make_policy("hf", {"max_tokens": 4})
    return sum(parameter.numel() for parameter in policy.model.parameters())


textgym.register(Echo)
env = gymnasium.make("stranger/Echo-v0")
observation, info = env.reset(seed=1)
reward: float = float(env.step("7")[1])
shaped = StepPenalty(FewShot(Echo(), shots=1), amount=0.1)
shaped.reset(seed=1)
paid: float = float(shaped.step("7")[1])

run = textgym.rollout("stranger/Echo-v0", Seven(), episodes=60)
mean: float | None = run.mean_reward
oracle = textgym.rollout("textgym/MCQA-v0", "oracle", episodes=20)
difference = textgym.compare(oracle, oracle)["overall"]["reward"]["difference"]
assert (mean, oracle.mean_reward) == (0, 1)
print(f"seven {mean}, oracle {oracle.mean_reward}, difference {difference}")
