"""Boxes that run untrusted programs: what a model wrote runs here and nowhere else.

- `boxes`: `Sandbox`, and the kind that runs on this machine.
- `processes`: a program in a box that is talked to by lines.
- `limits`: what a program may use, and how it ended.
- `kinds`: how the first process of each kind of box is started.
- `seccomp`: the system calls that a box refuses.
- `agent`, `landlock`: programs that run in the box, not modules of this process.
"""

from .boxes import Sandbox, default_kind
from .kinds import KINDS
from .limits import ExecResult, Limits
from .processes import Process

__all__ = ["KINDS", "ExecResult", "Limits", "Process", "Sandbox", "default_kind"]
