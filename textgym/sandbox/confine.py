"""Confine this process permanently, for worker processes whose libraries run what a model wrote.

Unlike a box, the process keeps its modules, so it does not have to start again. It loses the
network, all files but those that it may read, other programs, new processes and threads, and the
rights of root.
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Iterable

from textgym.errors import SandboxFailure
from textgym.sandbox.landlock import checked, libc, restrict_calls, restrict_files
from textgym.sandbox.seccomp import filter_program, known_architecture

__all__ = ["confine_process"]

_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITIES = 0x20080522  # the third version of the interface
_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")


class _Header(ctypes.Structure):
    """`struct __user_cap_header_struct`."""

    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def confine_process(readable: Iterable[str]) -> None:
    """Give up all that a pure computation does not need.

    Args:
        readable: Files and folders that may be read, besides the system's libraries.

    Raises:
        SandboxFailure: This system cannot do it: it needs Linux 5.13 or newer with Landlock.
    """
    try:
        if not known_architecture():
            raise OSError("the system calls of this processor are not known")
        header = _Header(_CAPABILITIES, 0)
        checked(libc.capset(ctypes.byref(header), (ctypes.c_uint32 * 6)()))
        checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
            resource.setrlimit(limit, (0, 0))
        restrict_files([*_SYSTEM, *map(os.path.realpath, readable)], [])
        restrict_calls(filter_program(namespaces=False, programs=False))
    except (AttributeError, OSError) as error:
        raise SandboxFailure(
            f"a worker process cannot be confined, which needs Linux 5.13 or newer with Landlock: "
            f"{error}"
        ) from None
