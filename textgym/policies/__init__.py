"""Policies answer conversations; a spec such as `oracle` or `hf:MODEL` names one.

- `base`: `Policy`, `Action`, `Sampling`, `Tokens` and `PictureSpan`.
- `specs`: `make_policy`, and the oracle and the random policy.
- `hf`, `vllm`, `openai/`: language models run by transformers, by vLLM, and behind a server.
- `chat/`: chat templates, token ids of prompts, and parsing of sampled text.
"""

from textgym.policies.base import Action, PictureSpan, Policy, Sampling, Tokens
from textgym.policies.specs import make_policy

__all__ = ["Action", "PictureSpan", "Policy", "Sampling", "Tokens", "make_policy"]
