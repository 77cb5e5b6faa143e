"""Reward models: how good a learned model, or a function, finds a reply.

`reward_models` makes them, `scales` turns their scores into rewards, `hf_scorer` runs a model with
transformers, and `vllm_scorer` asks a vLLM server.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
