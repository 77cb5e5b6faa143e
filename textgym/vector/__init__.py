"""Vectors: many environments stepped together, also different ones.

`text_vector_env` is the `TextVectorEnv`, `make` makes one from ids, `arguments` parses what it is
given. `sub_env` is one sub-environment, `pending_calls` runs the calls of all of them, and `infos`
batches their infos.
"""

from textgym.vector.make import make_vec
from textgym.vector.text_vector_env import TextVectorEnv

__all__ = ["TextVectorEnv", "make_vec"]
