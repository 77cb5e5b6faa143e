"""Checks that an environment keeps the contract, and that its reward means what it says.

`check(env)` and `textgym check ID` run the fast ones and print a line per check. `audit(env)` and
`textgym audit ID` run all of them and return a report.

- `checks`, `runner`: checks and their results; the list of checks, and running them.
- `subject`, `episodes`: an environment under check; its episodes, and the policies that play them.
- `report`: the report of an audit as JSON, and its summaries for tables and pages.
- `contract_checks`, `task_checks`, `reward_checks`, `gymnasium_checks`, `tool_checks`,
  `isolation_checks`, `split_checks`, `skill_checks`: the checks. `hostile` has their hostile input.
- `adversarial_checks`: policies without the answer earn no more than chance. `attackers`: policies
  that know only its form. `shortcuts`: models that are fitted to the surface of prompts.
- `replay_checks`: episodes that are played again are the same. `soundness`: right answers in other
  forms win, and wrong answers lose.
"""

from textgym.checks.checks import Check, CheckFailed, Outcome, Result, Skipped
from textgym.checks.report import REPORT_SCHEMA_VERSION, Report
from textgym.checks.runner import CHECKS, FAST_CHECKS, audit, check, run_check, run_checks
from textgym.checks.subject import Subject, make_subject

__all__ = [
    "CHECKS", "FAST_CHECKS", "REPORT_SCHEMA_VERSION", "Check", "CheckFailed", "Outcome", "Report",
    "Result", "Skipped", "Subject", "audit", "check", "make_subject", "run_check", "run_checks",
]  # fmt: skip
