"""Inspect AI: textgym's environments as its tasks, and runs as its logs.

- `tasks`: `task`, which `inspect eval textgym/environment` runs.
- `logs`: `write_log`, which writes a run as a log for `inspect view`.

Models of Inspect are policies, `inspect:MODEL`; see `textgym.policies.inspect_policy`.
"""

from textgym.integrations.inspect.logs import write_log
from textgym.integrations.inspect.tasks import environment, task

__all__ = ["environment", "task", "write_log"]
