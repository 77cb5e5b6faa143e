"""Sampling tokens for a batch whose rows have their own random generators and ends.

The logits processor leaves only the sampled token possible in each row, and records its log
probability. It draws one uniform number for each row and step, and looks it up in the row's
cumulative distribution, so a row's tokens do not depend on the other rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import torch
from transformers import (
    LogitsProcessor,
    MinPLogitsWarper,
    StoppingCriteria,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from textgym.policies.base import Sampling

__all__ = ["Abandoned", "Sampler"]


class Sampler(LogitsProcessor):  # type: ignore[misc]  # transformers is not typed here
    """The last logits processor of a `generate(do_sample=False)` call; made for one batch.

    Args:
        sampling: How tokens are sampled.
        generators: A random generator for each row of the batch.
        excluded: Token ids that are never sampled.
        logprob_temperature: The temperature of the recorded log probabilities.
    """

    def __init__(
        self,
        sampling: Sampling,
        generators: Sequence[random.Random],
        excluded: Sequence[int] = (),
        logprob_temperature: float = 1.0,
    ) -> None:
        self.excluded = list(excluded)
        self.temperature = sampling.temperature
        self.logprob_temperature = logprob_temperature
        self.generators = generators
        self.warpers: list[LogitsProcessor] = []
        if sampling.top_k:
            self.warpers.append(TopKLogitsWarper(sampling.top_k))
        if sampling.top_p < 1:
            self.warpers.append(TopPLogitsWarper(sampling.top_p))
        if sampling.min_p:
            self.warpers.append(MinPLogitsWarper(sampling.min_p))
        self._steps: list[torch.Tensor] = []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.Tensor:
        """Return scores of shape (rows, vocabulary) that leave one token possible in each row."""
        possible = scores
        if self.excluded:
            possible = scores.clone()
            possible[:, self.excluded] = -torch.inf
        chosen = self._choose(input_ids, possible)
        raw = torch.log_softmax(scores.float() / self.logprob_temperature, dim=-1)
        self._steps.append(raw.gather(1, chosen).squeeze(1))
        return torch.full_like(scores, -torch.inf).scatter(1, chosen, 0.0)

    def logprobs(self) -> list[list[float]]:
        """Return the log probabilities of each row's tokens before truncation.

        Raises:
            ValueError: The model's logits are not numbers.
        """
        steps = torch.stack(self._steps, dim=1)
        if steps.isnan().any():
            raise ValueError("the model's logits are not numbers (NaN)")
        rows: list[list[float]] = steps.tolist()
        return rows

    def _choose(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.Tensor:
        if self.temperature == 0:
            return scores.argmax(dim=-1, keepdim=True)
        warped = scores.float() / self.temperature
        for warper in self.warpers:
            warped = warper(input_ids, warped)
        cumulative = torch.softmax(warped.double(), dim=-1).cumsum(dim=-1)
        numbers = [[generator.random()] for generator in self.generators]
        total = cumulative[:, -1:]
        drawn = torch.tensor(numbers, dtype=torch.float64, device=scores.device) * total
        last = (cumulative < total).sum(dim=-1, keepdim=True)  # the last possible token
        return torch.searchsorted(cumulative, drawn, right=True).minimum(last)


class Abandoned(StoppingCriteria):  # type: ignore[misc]  # transformers is not typed here
    """A stopping criterion that ends abandoned rows.

    Args:
        abandoned: Returns for each row of the batch whether its request is abandoned.
    """

    def __init__(self, abandoned: Callable[[], list[bool]]) -> None:
        self.abandoned = abandoned

    def __call__(
        self, input_ids: torch.LongTensor, scores: torch.FloatTensor, **kwargs: object
    ) -> torch.Tensor:
        """Return which rows end, of shape (rows,)."""
        return torch.tensor(self.abandoned(), device=input_ids.device)
