"""The system calls that a box refuses, as a filter of the kernel's seccomp (BPF).

Source: seccomp(2) and `linux/filter.h`; the numbers of calls stand in each architecture's
`asm/unistd.h`. A call that is refused fails with EPERM. `clone3` fails with ENOSYS, so that the C
library falls back to `clone`, whose flags the filter can read.

Invariant: a program of an architecture other than the box's is killed at its first call.
"""

from __future__ import annotations

import platform
import struct

__all__ = ["filter_program", "known_architecture"]

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# What no program of a box needs: what looks into other processes, makes namespaces or mounts, parts
# of the kernel with a history of faults, and memory that no limit of a process counts.
_ALWAYS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
}  # fmt: skip

# What a namespace would keep inside, for boxes without: sockets, signals to others, new sessions
# and groups, and rights, owners and times of files, which Landlock does not guard. None: the
# architecture lacks the call.
_WITHOUT_NAMESPACES = {
    "socket": (41, 198), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424), "pidfd_open": (434, 434), "setsid": (112, 157),
    "setpgid": (109, 154), "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55), "lchown": (94, None),
    "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None), "futimesat": (261, None),
    "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setpriority": (141, 140), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274), "ioprio_set": (251, 30),
}  # fmt: skip
_PROGRAMS = {
    "fork": (57, None), "vfork": (58, None), "clone": (56, 220), "execve": (59, 221),
    "execveat": (322, 281),
}  # fmt: skip
_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)
_FAMILIES = (1, 2, 10, 16)  # of sockets: Unix, IPv4, IPv6, netlink; a namespace keeps these inside
_KILL, _PRLIMIT = (62, 129), (302, 261)  # of the caller's group or process (0)
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID and -NET
_X32 = 0x40000000  # calls of the x32 variant of x86_64

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050001  # EPERM
_UNKNOWN_CALL = 0x00050026  # ENOSYS
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in `struct seccomp_data`


def known_architecture() -> bool:
    """Return whether the numbers of this machine's system calls are known here.

    Example:
        >>> known_architecture() or platform.machine()
        True
    """
    return platform.machine() in _ARCHITECTURES


def filter_program(*, namespaces: bool, programs: bool = True) -> bytes:
    """Return the filter of this machine's architecture, as an array of `struct sock_filter`.

    Args:
        namespaces: Whether the box has process and network namespaces of its own.
        programs: Whether programs, processes and threads may be started.

    Example:
        >>> len(filter_program(namespaces=True)) % 8
        0
    """
    column = list(_ARCHITECTURES).index(platform.machine())
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[platform.machine()]),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if platform.machine() == "x86_64":
        lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL_PROCESS)]
    lines += [(_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _UNKNOWN_CALL)]
    refused = dict(_ALWAYS) if namespaces else {**_ALWAYS, **_WITHOUT_NAMESPACES}
    if not programs:
        refused |= _PROGRAMS
    for numbers in refused.values():
        number = numbers[column]
        if number is not None:
            lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    lines += _unless(_CLONE[column], [(_ANY_BIT, 0, _NEW_NAMESPACES)])
    if namespaces:
        lines += _unless(_SOCKET[column], [(_EQUAL, 1, family) for family in _FAMILIES])
    else:
        lines += _unless(_KILL[column], [(_EQUAL, 1, 0)])
        lines += _unless(_PRLIMIT[column], [(_EQUAL, 1, 0)])
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _unless(number: int, tests: list[tuple[int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Refuse a call unless its first argument passes one of the tests.

    Args:
        number: The number of the call.
        tests: For each, the comparison, whether it must hold (1) or not (0), and the value.
    """
    lines = [(_EQUAL, 0, len(tests) + 3, number), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    for place, (comparison, holds, value) in enumerate(tests):
        over = len(tests) - place  # the other tests and the refusal
        lines.append((comparison, over * holds, over * (1 - holds), value))
    return [*lines, (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, _NUMBER)]
