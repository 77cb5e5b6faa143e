"""Vectors: many environments, which may differ, stepped together.

`text_vector_env` has the `TextVectorEnv`, and `make` makes one from ids. `sub_envs` has its
sub-environments and runs their calls; `batches` parses arguments and stacks results.
"""

from textgym.vector.make import make_vec
from textgym.vector.text_vector_env import TextVectorEnv

__all__ = ["TextVectorEnv", "make_vec"]
