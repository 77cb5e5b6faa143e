"""Function calls: the environment, its rows, and its generator."""

from textgym.envs.function_call.function_call_env import FunctionCall

__all__ = ["FunctionCall"]
