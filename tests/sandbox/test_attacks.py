"""What programs try in a box: each attack of docs/sandbox.md, in each kind of box.

A program prints GOT if it got what it wanted.
"""

import gc
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from textgym.errors import SandboxFailure
from textgym.sandbox import ExecResult, Limits, Sandbox

QUIET = 300.0  # seconds that nothing takes unless it hangs

PRELUDE = """
import ctypes, glob, os, resource, socket, subprocess
libc = ctypes.CDLL(None)
def got(call, *given):
    try: found = call(*given)
    except Exception: return
    if found: print("GOT", given, found)
"""
HOST = f"""
HOME, REPOSITORY = {str(Path.home())!r}, {str(Path(__file__).parents[2])!r}
INTERPRETER = {Path(sys.base_prefix).parts!r}  # the folders that lead to the box's own Python
"""
ATTACKS = {
    "write to the system": """
for path in ("/x", "/usr/x", "/usr/bin/x", "/etc/x", "/agent.py", "/dev/shm/x", "/var/x"):
    got(lambda path: open(path, "w").write("x"), path)
""",
    "read the homes": """
for path in ("/root", "/home", "/var/log", "/srv", HOME, REPOSITORY):
    got(lambda path: [name for name in os.listdir(path) if name not in INTERPRETER], path)
""",
    "read files of the host": """
for path in ("/etc/passwd", "/etc/hostname", "/proc/1/environ", "/proc/1/root/etc/passwd"):
    got(lambda path: open(path).read().strip(), path)
""",
    "read the host's processes": """
for pid in range(2, 40_000):
    if pid != os.getpid(): got(lambda pid: open(f"/proc/{pid}/cmdline").read(), pid)
""",
    "resolve a name": "got(socket.gethostbyname, 'localhost.localdomain')",
    "reach the internet": "got(socket.create_connection, ('1.1.1.1', 53), 5)",
    "trace a process": """
for pid in (1, os.getppid()):
    got(lambda pid: libc.ptrace(16, pid, 0, 0) == 0, pid)
""",
    "mount": """
got(lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
got(lambda: libc.unshare(0x10000000) == 0)
got(lambda: libc.chroot(b"/tmp") == 0)
""",
    "make a namespace": "got(lambda: libc.syscall(56, 0x10000011, 0, 0, 0, 0) > 0)",
    "become root": """
for call in (os.setuid, os.setgid): got(lambda call: call(0) is None, call)
""",
    "ask a program that runs as root": """
for command in ("su", "sudo", "passwd", "newgrp"):
    got(lambda command: not subprocess.run([command], stdin=subprocess.DEVNULL).returncode, command)
""",
    "raise a limit": """
for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE"):
    high = (1 << 40, 1 << 40)
    got(lambda name: resource.setrlimit(getattr(resource, name), high) is None, name)
""",
    "use an inherited descriptor": "for number in range(3, 2000): got(os.fstat, number)",
    "keep a key in the kernel": """
got(lambda: libc.syscall(248, b"user", b"name", b"x", 1, -4) >= 0)
""",
    "call faulty parts of the kernel": """
for call in (321, 425, 298, 323): got(lambda call: libc.syscall(call, 0, 0, 0, 0, 0) >= 0, call)
""",
    "reach the process that starts programs": """
for name in ("mem", "environ", "cmdline", "fd/3"):
    got(lambda name: open(f"/proc/1/{name}", "r+b"), name)
""",
    "use memory that is not counted": """
got(lambda: libc.shmget(0, 1 << 28, 0o1600) >= 0)
got(lambda: libc.msgget(0, 0o1600) >= 0)
got(lambda: libc.semget(0, 100, 0o1600) >= 0)
got(lambda: os.memfd_create("x") >= 0)
""",
    "talk to the machine under this one": """
for family, kind in ((38, 1), (40, 1), (17, 2)): got(socket.socket, family, kind)
""",
    "make a device": "got(lambda: os.mknod('d', 0o20666, os.makedev(1, 1)) is None)",
    "import what checks it": "got(__import__, 'textgym')",
    "import a package of the host": "got(__import__, 'numpy')",
    "look for packages": """
for path in glob.glob("/usr/lib/python3*/*-packages/*") + glob.glob(HOME + "/**/*-packages/*"):
    got(os.path.exists, path)
""",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_program_gets_nothing(box: Sandbox, attack: str) -> None:
    if box.kind == "landlock" and attack == "look for packages":
        pytest.skip("packages of the system can be read in a landlock box")
    result = box.exec(
        ["python3", "-c", PRELUDE + HOST + ATTACKS[attack] + "\nprint('done')"], timeout=QUIET
    )
    assert (result.stdout, result.limit) == ("done\n", "")
    assert box.exec(["echo", "alive"], timeout=QUIET).stdout == "alive\n"


def test_what_is_got_is_seen(box: Sandbox) -> None:
    """The attacks would be noticed: this one gets what every program may have."""
    result = box.exec(["python3", "-c", PRELUDE + "got(os.getcwd)"], timeout=QUIET)
    assert result.stdout.startswith("GOT")


LIMITED = {
    "memory": ("memory", "x = bytearray(1 << 30)"),
    "memory in small parts": ("memory", "x = []\nwhile True: x.append(bytearray(1 << 20))"),
    "a loop": ("cpu", "while True: pass"),
    "a loop that ignores signals": (
        "cpu",
        "import signal\nfor n in range(1, 32):\n  try: signal.signal(n, signal.SIG_IGN)\n"
        "  except (OSError, ValueError): pass\nwhile True: pass",
    ),
    "output": ("output", "while True: print('x' * 1000)"),
    "output on the error stream": (
        "output",
        "import sys\nwhile True: print('x' * 1000, file=sys.stderr)",
    ),
    "a file": ("disk", "f = open('f', 'wb')\nwhile True: f.write(bytes(1 << 20)); f.flush()"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LIMITED)
def test_a_limit_ends_a_program(box: Sandbox, case: str) -> None:
    limit, source = LIMITED[case]
    result = box.exec(["python3", "-c", source], timeout=QUIET)
    assert (result.limit, result.success) == (limit, False)
    assert len(result.stdout) <= box.limits.output_bytes


def test_a_program_that_waits_is_ended(box: Sandbox) -> None:
    result = box.exec(["sleep", "1000"], timeout=0.5)
    assert (result.returncode, result.limit) == (None, "time")


def test_a_program_that_closes_its_streams_is_ended(box: Sandbox) -> None:
    source = "import os, time\nfor n in range(3): os.close(n)\ntime.sleep(1000)"
    assert box.exec(["python3", "-c", source], timeout=1.0).limit == "time"


def test_many_files_fill_the_box_and_nothing_else() -> None:
    source = "n = 0\nwhile True:\n  open(f'f{n}', 'wb').write(bytes(1 << 19)); n += 1"
    with running("bwrap", Limits(disk_mb=4)) as box:
        assert box.exec(["python3", "-c", source], timeout=QUIET).limit == "disk"
        assert len(box.exec(["ls"], timeout=QUIET).stdout.split()) <= 9


@contextmanager
def running(kind: str, limits: Limits | None = None) -> Iterator[Sandbox]:
    try:
        box = Sandbox(kind, limits=limits)
    except SandboxFailure as failure:
        pytest.skip(str(failure))
    with box:
        yield box


FORKS = """
import os, time
n = 0
try:
    while n < 200:
        if os.fork() == 0: time.sleep(1000)
        n += 1
except OSError: pass
print(n, flush=True)
"""


def marked(marker: str) -> list[str]:
    """Return the command lines of this machine's processes that have a marker in them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        found += [line] if marker in line else []
    return found


def wait_until_gone(marker: str) -> None:
    end = time.monotonic() + QUIET
    while marked(marker):
        assert time.monotonic() < end, marked(marker)
        time.sleep(0.05)


def test_forks_are_bounded_and_end_with_the_box(kind: str) -> None:
    marker = uuid.uuid4().hex
    with Sandbox(kind, limits=Limits(processes=8)) as box:
        result = box.exec(["python3", "-c", FORKS, marker], timeout=QUIET)
        assert 0 < int(result.stdout.split()[0]) <= 8
    wait_until_gone(marker)


DAEMON = """
import os, time
if os.fork() == 0:
    try: os.setsid()
    except OSError: pass
    if os.fork() == 0:
        try: os.setpgid(0, 0)
        except OSError: pass
    time.sleep(1000)
print("left")
"""


def test_what_is_left_running_is_not_awaited_and_ends(kind: str) -> None:
    marker = uuid.uuid4().hex
    with Sandbox(kind) as box:
        result = box.exec(["python3", "-c", DAEMON, marker], timeout=QUIET)
        assert (result.stdout, result.limit) == ("left\n", "")
        if kind == "bwrap":
            wait_until_gone(marker)
    wait_until_gone(marker)


def test_a_program_cannot_kill_others(kind: str) -> None:
    source = """
import os, signal
for pid in (-1, 1, os.getppid(), PARENT):
    for number in (signal.SIGKILL, signal.SIGSTOP):
        try: os.kill(pid, number)
        except OSError: pass
print("done")
""".replace("PARENT", str(os.getpid()))
    with Sandbox(kind) as box:
        assert box.exec(["python3", "-c", source], timeout=QUIET).stdout in ("done\n", "")
        assert box.exec(["echo", "alive"], timeout=QUIET).stdout == "alive\n"


def test_a_program_that_ends_its_whole_box_is_no_failure_of_the_box() -> None:
    with running("landlock") as box:
        result = box.exec(["python3", "-c", "import os; os.kill(0, 9)"], timeout=QUIET)
        assert (result.limit, result.success) == ("killed", False)


def test_servers_of_the_host_are_out_of_reach(box: Sandbox) -> None:
    name = f"textgym-{uuid.uuid4().hex}"
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        unix.bind(f"\0{name}")
        unix.listen()
        source = f"""
import socket
got(socket.create_connection, ("127.0.0.1", {tcp.getsockname()[1]}), 5)
got(lambda: socket.socket(socket.AF_UNIX).connect("\\0{name}") is None)
print("done")
"""
        assert box.exec(["python3", "-c", PRELUDE + source], timeout=QUIET).stdout == "done\n"


def test_the_environment_does_not_enter(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    with Sandbox(kind) as box:
        assert "sesame" not in box.exec(["env"], timeout=QUIET).stdout


def test_a_box_cannot_read_another(kind: str) -> None:
    with Sandbox(kind) as one, Sandbox(kind) as other:
        one.write_file("secret", "sesame")
        home = one.exec(["sh", "-c", "pwd"], timeout=QUIET).stdout.strip()
        shown = other.exec(["cat", f"{home}/secret"], timeout=QUIET)
        assert not shown.success
        assert "sesame" not in shown.stdout


@pytest.mark.parametrize(
    "made", ["ln -s /etc/hostname f", "mkfifo f", "mkdir f", "ln -s /dev/zero f"]
)
def test_what_is_no_file_is_not_read(box: Sandbox, made: str) -> None:
    assert box.exec(["sh", "-c", made], timeout=QUIET).success
    with pytest.raises(OSError, match="f"):
        box.read_file("f")


def test_links_do_not_lead_out_when_a_file_is_written(box: Sandbox, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("kept")
    target.chmod(0o666)
    box.exec(["ln", "-s", str(target), "f"], timeout=QUIET)
    with pytest.raises(OSError, match="f"):
        box.write_file("f", "changed")
    assert target.read_text() == "kept"


def test_a_path_that_no_file_can_have(box: Sandbox) -> None:
    with pytest.raises(OSError, match="Invalid"):
        box.write_file("a\0b", "x")
    assert box.exec(["echo", "alive"], timeout=QUIET).stdout == "alive\n"


@pytest.mark.parametrize("name", ["a\0b", "\ud800", ""])
def test_a_command_that_no_program_can_have(box: Sandbox, name: str) -> None:
    assert box.exec([name], timeout=QUIET).returncode == 127
    assert box.exec(["echo", "alive"], timeout=QUIET).stdout == "alive\n"


def test_answers_are_not_mixed_up_when_a_program_is_ended_early() -> None:
    with running("bwrap") as box:  # other boxes end with a program that is ended
        for _ in range(50):
            box.start(["true"]).close()
        assert box.exec(["echo", "alive"], timeout=QUIET).stdout == "alive\n"


def test_a_process_with_many_open_files_can_have_boxes(kind: str) -> None:
    """A descriptor above 1,023 neither breaks a box nor reaches a program."""
    source = f"""
import os, resource
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096), most))
for _ in range(1100): os.dup(0)
from textgym.sandbox import Sandbox
look = '''
import os
def is_open(number):
    try: return bool(os.fstat(number))
    except OSError: return False
print(list(filter(is_open, range(3, 5000))))
'''
with Sandbox({kind!r}) as box:
    print(box.exec(["python3", "-c", look]).stdout, end="")
    box.write_file("f", "kept")
    print(box.read_file("f"))
    with box.start_python("print(input())") as program:
        program.send("heard")
        print(program.receive())
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]", "kept", "heard"], done.stderr


def test_no_file_left_to_open_is_a_failure_of_the_box() -> None:
    source = """
import os, resource
from textgym.errors import SandboxFailure
from textgym.sandbox import Sandbox
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
box = Sandbox()
held = []
try:
    while True: held.append(os.dup(0))
except OSError:
    pass
for spare in range(8):
    for act in (lambda: box.exec(["true"]), lambda: box.write_file("f", ""), Sandbox):
        try: act()
        except SandboxFailure as failure: print("Too many open files" in str(failure))
    os.close(held.pop())
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stderr == ""
    assert set(done.stdout.split()) == {"True"}


def test_bytes_that_are_no_text_are_replaced(box: Sandbox) -> None:
    result = box.exec(["printf", r"a\377b\000c"], timeout=QUIET)
    assert result.stdout == "a\ufffdb\0c"


def test_folders_in_folders_are_removed(kind: str) -> None:
    source = "import os\nfor n in range(1500): os.mkdir('d'); os.chdir('d')\nprint('done')"
    with Sandbox(kind) as box:
        home = box.exec(["pwd"], timeout=QUIET).stdout.strip()
        assert box.exec(["python3", "-c", source], timeout=QUIET).stdout == "done\n"
    assert kind == "bwrap" or not os.path.exists(home)


def test_a_box_ends_with_the_process_that_made_it(kind: str) -> None:
    marker = uuid.uuid4().hex
    source = f"""
from textgym.sandbox import Sandbox
box = Sandbox({kind!r})
box.write_file("kept", "x" * 1000)
print(box.exec(["pwd"]).stdout, end="", flush=True)
sleep = "import time; print(1, flush=True); time.sleep(1000)"
program = box.start(["python3", "-c", sleep, {marker!r}])
print(program.receive(), flush=True)
program.receive()
"""
    child = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout:
        home = Path(child.stdout.readline().strip())
        assert child.stdout.readline() == "1\n"
        assert len(marked(marker)) >= 2
        child.kill()
        child.wait()
    wait_until_gone(marker)
    if kind == "landlock":  # the folder itself is left, since the box may not remove it
        end = time.monotonic() + QUIET
        while any(home.iterdir()):
            assert time.monotonic() < end
            time.sleep(0.05)
        home.rmdir()


def test_a_box_outlives_the_thread_that_made_it(kind: str) -> None:
    boxes: list[Sandbox] = []
    thread = threading.Thread(target=lambda: boxes.append(Sandbox(kind)))
    thread.start()
    thread.join()
    with boxes[0] as box:
        assert box.exec(["echo", "alive"], timeout=QUIET).stdout == "alive\n"


def test_a_box_that_is_dropped_ends(kind: str) -> None:
    marker = uuid.uuid4().hex
    box: Sandbox | None = Sandbox(kind)
    assert box is not None
    program = box.start(["python3", "-uc", "print(1); import time; time.sleep(1000)", marker])
    assert program.receive(QUIET) == "1"
    program.close()
    del box, program
    wait_until_gone(marker)


@pytest.mark.soak
def test_a_thousand_boxes_at_once(kind: str) -> None:
    marker = uuid.uuid4().hex
    gate = threading.Barrier(50)

    def play(number: int) -> list[ExecResult]:
        boxes = [Sandbox(kind) for _ in range(20)]
        gate.wait(QUIET)
        try:
            return [box.exec(["echo", marker, str(number)], timeout=QUIET) for box in boxes]
        finally:
            for box in boxes:
                box.close()

    gc.collect()  # which closes boxes of earlier tests
    descriptors = len(os.listdir("/proc/self/fd"))
    with ThreadPoolExecutor(50) as pool:
        results = [result for part in pool.map(play, range(50)) for result in part]
    assert [result.stdout for result in results] == [
        f"{marker} {number}\n" for number in range(50) for _ in range(20)
    ]
    assert len(os.listdir("/proc/self/fd")) == descriptors
    wait_until_gone(marker)
