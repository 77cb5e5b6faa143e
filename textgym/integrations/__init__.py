"""Other suites: their environments as textgym's (guests), and textgym's as theirs (exports).

A guest is a `TextEnv` over another package. Its code that reads what a model wrote runs in worker
processes, which `textgym.concurrency.workers` limits. A guest keeps the rewards of its package,
unless anyone can earn them: then a strict grade is the default, and `grading="original"` gives
theirs.
"""

from textgym.integrations.reasoning_gym import GENERATORS
from textgym.registry import register_guest

register_guest("textgym/Aviary-v0", "textgym.integrations.aviary:Aviary", module="aviary.env")
for _name in GENERATORS:
    register_guest(
        f"reasoning-gym/{_name}-v0",
        f"textgym.integrations.reasoning_gym:{_name}",
        module="reasoning_gym",
    )
