"""`textgym/RedefinedRules-v0`: tasks in which a rule is not the usual one."""

from textgym.envs.redefined_rules.redefined_rules_env import RedefinedRules

__all__ = ["RedefinedRules"]
