"""`textgym/Constraints-v0`: a text that follows instructions about its form.

- `constraints_env`: the environment. `constraints_rows`: reading rows.
- `generator`: drawing tasks; `first_rung` draws level 0. `notes`: what a task is about. `jobs`:
  what may be asked for.
- `witness`: drafts of right answers, and the table of how instructions are drawn for them, which
  `layouts`, `additions` and `measures` fill.
- `facts`: whether a text mentions a fact. `spellings` and `quantities`: other ways of writing it.
"""

from textgym.envs.constraints.constraints_env import Constraints

__all__ = ["Constraints"]
