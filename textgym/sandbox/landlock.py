"""Confine this process by Landlock and seccomp, then run the agent: for hosts without namespaces.

It is run as a program, only in the box. Landlock (Linux 5.13 and newer) takes away all files but
those that the rules name; newer kernels also keep TCP (6.7) and signals (6.12) inside.
Source: landlock(7) and `linux/landlock.h`; the three calls have the same numbers on all
architectures.

    python landlock.py SOCKET UID LIMITS RULES AGENT

LIMITS and RULES are dicts of `marshal`, in hexadecimal digits. Of the rules, "read" and "write" are
lists of paths, and "filter" is a seccomp filter (see `textgym.sandbox.seccomp`).
"""

from __future__ import annotations

import ctypes
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_VERSION = 1  # a flag: return the version of the interface
_READ = 0b1101  # execute a file, read a file, read a folder
_FILE_RIGHTS = 0b1100000000000111  # the rights that a rule of a file may name
_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}  # by version of the interface
_TCP, _SCOPES = 0b11, 0b11  # bind and connect; abstract sockets and signals
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2

libc = ctypes.CDLL(None, use_errno=True)


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`."""

    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class PathRule(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("folder", ctypes.c_int32)]


class Filter(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


def checked(result: int) -> int:
    """Return the result of a call, or raise OSError."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def restrict_files(read: Iterable[str], write: Iterable[str]) -> None:
    """Permanently give up all files except the paths of the rules."""
    version = checked(libc.syscall(_CREATE_RULESET, None, 0, _VERSION))
    rights = _RIGHTS[min(version, max(_RIGHTS))]
    ruleset = Ruleset(rights, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = checked(libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), size, 0))
    for paths, wanted in ((read, _READ), (write, rights)):
        for path in filter(os.path.exists, paths):
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = wanted & rights & (~0 if os.path.isdir(path) else _FILE_RIGHTS)
            rule = PathRule(allowed, folder)
            checked(libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0))
            os.close(folder)
    checked(libc.syscall(_RESTRICT_SELF, rules, 0))
    os.close(rules)


def restrict_calls(program: bytes) -> None:
    """Refuse system calls permanently."""
    given = Filter(len(program) // 8, program)
    checked(libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(given), 0, 0))


if __name__ == "__main__":
    _, control, uid, limits, given, agent_path = sys.argv
    rules = marshal.loads(bytes.fromhex(given))
    agent: dict[str, Any] = {"__name__": "agent"}
    with open(agent_path, encoding="utf-8") as file:
        exec(compile(file.read(), agent_path, "exec"), agent)
    agent["become"](int(uid))
    checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    restrict_files(rules["read"], rules["write"])
    restrict_calls(rules["filter"])
    agent["run"](agent["main"](int(control), marshal.loads(bytes.fromhex(limits))))
