"""Other suites: their environments as textgym's (guests), and textgym's as theirs (exports).

A guest is a `TextEnv` over another package. Its code that reads what a model wrote runs in worker
processes, which `textgym.concurrency.workers` limits. A guest keeps the rewards of its package,
unless anyone can earn them: then a strict grade is the default, and `grading="original"` gives
theirs.
"""

from textgym.integrations.nemo_gym import SERVERS
from textgym.integrations.reasoning_gym import GENERATORS
from textgym.integrations.textarena import GAMES
from textgym.registry import register_guest

register_guest("textgym/Aviary-v0", "textgym.integrations.aviary:Aviary", module="aviary.env")
register_guest("textgym/OpenEnv-v0", "textgym.integrations.openenv:OpenEnv", module="aiohttp")
register_guest(
    "textgym/Verifiers-v0", "textgym.integrations.verifiers:Verifiers", module="verifiers"
)
for _name in GENERATORS:
    register_guest(
        f"reasoning-gym/{_name}-v0",
        f"textgym.integrations.reasoning_gym:{_name}",
        module="reasoning_gym",
    )
for _name in GAMES:
    register_guest(
        f"textarena/{_name}-v0",
        f"textgym.integrations.textarena:{_name if _name.isidentifier() else f'Game{_name}'}",
        module="textarena",
    )
for _name in SERVERS:
    register_guest(
        f"nemo-gym/{_name}-v0",
        f"textgym.integrations.nemo_gym:{_name}",
        module="aiohttp",
    )
