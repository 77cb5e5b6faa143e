"""Aviary (fhaviary): its environments in textgym, and textgym's environments in Aviary.

- `aviary_env`: `textgym/Aviary-v0`.
- `guest`: an environment of Aviary that is driven by plain data, in a worker process or in this one.
- `doors`: the ways to a guest.
- `export`: `as_environment` and `as_task_dataset`.
"""

from typing import Any

import lazy_loader

__all__ = ["Aviary", "as_environment", "as_task_dataset"]

_getattr, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "aviary_env": ["Aviary"],
        "export": ["as_environment", "as_task_dataset"],
    },
)


def __getattr__(name: str) -> Any:
    return _getattr(name)
