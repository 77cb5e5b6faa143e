"""Instructions about the form of a text, each with a check, of 112 types.

IFEval has 25, IFBench 58, and open-instruct adds 29 to IFEval's. `INSTRUCTIONS` holds them by id,
and `follows` returns verdicts on a text.

- `instruction`: what an instruction is, and verdicts.
- `sentences`: how checks read a text.
- `ifeval`, `ifbench`, `open_instruct`: the checks.
"""

from textgym.verifiers.instructions import ifbench, ifeval, open_instruct
from textgym.verifiers.instructions.instruction import (
    INSTRUCTIONS,
    MODES,
    Instruction,
    Mode,
    follows,
    instruction,
)

__all__ = [
    "INSTRUCTIONS", "MODES", "Instruction", "Mode", "follows", "ifbench", "ifeval", "instruction",
    "open_instruct",
]  # fmt: skip
