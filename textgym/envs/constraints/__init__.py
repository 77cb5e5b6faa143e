"""`textgym/Constraints-v0`: a text that follows instructions about its form.

- `env`: the environment. `rows`: reading rows. `facts`: whether a text mentions a fact.
- `generator`: drawing tasks. `notes`: what a task is about. `jobs`: what may be asked for.
- `draft`: a right answer in the making. `draws`: the table of how instructions are drawn for it,
  which `layouts`, `additions` and `measures` fill.
"""

from textgym.envs.constraints.constraints_env import Constraints

__all__ = ["Constraints"]
