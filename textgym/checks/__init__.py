"""Checks of environments: that one keeps the contract, and that its reward means what it says.

`check(env)` and `textgym check ID` run the fast ones and print a line per check. `audit(env)` and
`textgym audit ID` run all of them and return a report.

- `checks`, `runner`: what a check and its result are; the list of checks, and running them.
- `subject`, `episodes`: an environment under check; playing its episodes.
- `report`, `summary`: the result of an audit as JSON; what tables and pages show of it.
- `contract_checks`, `task_checks`, `reward_checks`, `gymnasium_checks`, `tool_checks`,
  `isolation_checks`, `split_checks`, `skill_checks`: the checks. `hostile` has their hostile input.
- `adversarial_checks`: policies without the answer earn no more than chance. `attackers`: policies
  that know only its form. `shortcuts`: models that are fitted to the surface of prompts.
- `replays`: episodes that are played again come out the same. `soundness`: right answers in other
  forms win, and wrong ones lose.
"""

from textgym.checks.checks import Check, CheckFailed, Outcome, Result, Skipped
from textgym.checks.report import REPORT_SCHEMA_VERSION, Report
from textgym.checks.runner import CHECKS, FAST_CHECKS, audit, check, run_check, run_checks
from textgym.checks.subject import Subject, make_subject

__all__ = [
    "CHECKS",
    "FAST_CHECKS",
    "REPORT_SCHEMA_VERSION",
    "Check",
    "CheckFailed",
    "Outcome",
    "Report",
    "Result",
    "Skipped",
    "Subject",
    "audit",
    "check",
    "make_subject",
    "run_check",
    "run_checks",
]
