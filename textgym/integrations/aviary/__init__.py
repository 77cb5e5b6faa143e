"""Aviary (fhaviary): its environments in textgym, and textgym's environments in Aviary.

- `aviary_env`: `textgym/Aviary-v0`.
- `guest`: an environment of Aviary that is driven by plain data.
- `doors`: the ways to a guest.
- `follow_ups`: an environment for NeMo Gym's rows with `follow_ups`.
- `export`: `as_environment` and `as_task_dataset`.
"""

from textgym.integrations.aviary.aviary_env import Aviary
from textgym.integrations.aviary.export import as_environment, as_task_dataset

__all__ = ["Aviary", "as_environment", "as_task_dataset"]
