"""Many environments in one: `TextVectorEnv`, and vectors of different environments."""

from textgym.vector.make import make_vec
from textgym.vector.text_vector_env import TextVectorEnv

__all__ = ["TextVectorEnv", "make_vec"]
