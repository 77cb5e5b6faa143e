"""Checks that every environment must pass.

`check(env)` and `textgym check MODULE:CLASS` run them and print one line per check. The tests of
this project run the same checks on all registered environments.

- `gymnasium_checks`, `contract_checks`, `tool_checks`: the checks, of Gymnasium's API, of textgym's
  contracts and of tools. `tool_arguments` draws the arguments that tools are called with.
- `subject`, `runner`: an environment under check, and running the checks on it.
- `choice_shortcuts`, `choice_features`: whether multiple-choice questions can be answered without
  understanding.
"""

from textgym.testing import (  # noqa: F401  these imports fill CHECKS
    contract_checks,
    gymnasium_checks,
    tool_checks,
)
from textgym.testing.checks import CHECKS, Skipped
from textgym.testing.runner import Result, check, run_check
from textgym.testing.subject import Subject, make_subject

__all__ = ["CHECKS", "Result", "Skipped", "Subject", "check", "make_subject", "run_check"]
