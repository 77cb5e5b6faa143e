"""Programs that are tested in a box.

- `program_env`: the environment; `program_rows`: its rows.
- `foreign_rows`: rows of HumanEval, MBPP, LiveCodeBench and NeMo Gym.
- `drafts`: making rows of drafts; `families`: the drafts.
"""

from textgym.envs.program.program_env import Program

__all__ = ["Program"]
