"""verifiers: its tasksets as environments, and textgym's environments in verifiers and prime-rl.

- `taskset_env`: `textgym/Verifiers-v0`.
- `taskset`: the part that imports verifiers, which runs in worker processes.
- `export`: a taskset and an environment of verifiers over textgym's environments.
"""

from typing import Any

__all__ = ["Verifiers"]


def __getattr__(name: str) -> Any:
    if name != "Verifiers":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from textgym.integrations.verifiers.taskset_env import Verifiers

    return Verifiers
