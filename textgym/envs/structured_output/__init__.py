"""Structured outputs: prose in, a document that follows a JSON Schema out.

- `env`: the environment; `rows`: its rows.
- `generator`: drawing a task, from the tables in `kinds` and `forms`.
- `answers`: what the oracle and the random policy write.
"""

from textgym.envs.structured_output.env import StructuredOutput

__all__ = ["StructuredOutput"]
