"""Structured outputs: a document that follows a JSON Schema, written from prose.

- `structured_output_env`: the environment; `structured_output_rows`: its rows.
- `generator`: drawing a task, from the tables in `kinds` and `forms`.
- `answers`: what the oracle and the random policy write. `leaves`: how much of a record is right.
"""

from textgym.envs.structured_output.structured_output_env import StructuredOutput

__all__ = ["StructuredOutput"]
