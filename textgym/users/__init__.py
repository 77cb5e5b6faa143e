"""Users whom an assistant can ask.

`slots` has the details that a request may leave out, `understanding` finds the ones that a message
asks for, `phrases` has what a user says, and `scripted_user` is a user who knows facts. With
`policy_user`, a policy is the user.
"""

from textgym.users.policy_user import PolicyUser, UserLike, UserTurn, add_usage
from textgym.users.scripted_user import Correction, Fact, Memory, Reply, ScriptedUser
from textgym.users.slots import SLOTS, Slot, slot_of
from textgym.users.understanding import Heard, Kind, understand

__all__ = [
    "SLOTS", "Correction", "Fact", "Heard", "Kind", "Memory", "PolicyUser", "Reply",
    "ScriptedUser", "Slot", "UserLike", "UserTurn", "add_usage", "slot_of", "understand",
]  # fmt: skip
