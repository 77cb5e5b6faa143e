"""The tool `python`: a session that stays, ends with its episode, and keeps its code to itself."""

from __future__ import annotations

import copy
import gc
import json
import os
import pickle
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import EnvironmentFailure, ExtraMissingError, SandboxFailure, ToolError
from textgym.messages import assistant_calls
from textgym.sandbox import Limits
from textgym.tools import tool
from textgym.wrappers import ExtraTools
from textgym.wrappers.conversations import python_tool
from textgym.wrappers.conversations.python_tool import PythonTool

QUIET = 300.0  # seconds that nothing takes unless it hangs
LOST = "The session has ended: nothing is kept of it"


class Short(PythonTool):
    """A session whose calls may take less."""

    limits = Limits(seconds=3.0, memory_mb=256, disk_mb=4, output_bytes=1 << 18)
    cpu_seconds = 1


@pytest.fixture(params=["bwrap", pytest.param("landlock", marks=pytest.mark.slow)])
def session(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Short]:
    monkeypatch.setenv("TEXTGYM_SANDBOX", request.param)
    made = Short()
    try:
        made.python("None")
    except SandboxFailure as failure:
        pytest.skip(str(failure))
    yield made
    made.close()


def answer(session: PythonTool, code: str) -> str:
    """Return what a model reads."""
    try:
        return session.python(code)
    except ToolError as error:
        return f"Error: {error}"


def wrapped(id: str = "textgym/Math-v0", tools: Any = ("python",)) -> Any:
    return ExtraTools(gymnasium.make(id), tools=list(tools))


def call(env: Any, *codes: str) -> list[str]:
    observation, *_ = env.step(assistant_calls(*(("python", {"code": code}) for code in codes)))
    return [message["content"] for message in observation[-len(codes) :]]


def calls_of(env: Any) -> list[Any]:
    """Return the calls that are saved."""
    calls: list[Any] = textgym.get_state(env)["wrappers"][0][1]["calls"]
    return calls


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("6 * 7", "42"),
        ("print('a'); 'b'", "a\n'b'"),
        ("x = 3", "(no output)"),
        ("x = 3\nx", "3"),
        ("None", "(no output)"),
        ("", "(no output)"),
        ("# nothing", "(no output)"),
        ("for n in range(2):\n    print(n)", "0\n1"),
        ("1 / 0", "Traceback:\n  line 1, in <module>\nZeroDivisionError: division by zero"),
        ("def f():\n    return g()\nf()", None),
        ("if", "SyntaxError: invalid syntax (<python>, line 1)"),
        ("return 1", "SyntaxError: 'return' outside function (<python>, line 1)"),
        ("input()", None),
        ("import sys; print('e', file=sys.stderr)", "e"),
        ("import os; os.system('echo out') * 0", "out\n0"),
        ("exit(2)", None),
        ("'é' * 3", "'ééé'"),
        ("chr(0xd800)", "'\\ud800'"),
        ("print(chr(0xd800))", "\\ud800"),
        ("print('\\0')", "\0"),
        ("class A:\n    def __repr__(self): 1 / 0\nA()", None),
        ("class E(Exception):\n    def __str__(self): raise self\nraise E", None),
        ("import numpy", None),
        ("raise KeyboardInterrupt", "Traceback:\n  line 1, in <module>\nKeyboardInterrupt"),
        ("raise SystemExit", "Traceback:\n  line 1, in <module>\nSystemExit"),
    ],
)
def test_what_a_call_returns(session: Short, code: str, text: str | None) -> None:
    session.python("kept = 1")
    found = answer(session, code)
    assert text in (None, found)
    assert found == found.strip("\n")
    assert answer(session, "kept") == "1"


def test_names_stay(session: Short) -> None:
    session.python("import math\ndef double(n): return 2 * n")
    assert session.python("double(math.floor(2.5))") == "4"


def test_a_traceback_has_only_the_lines_of_the_code(session: Short) -> None:
    session.python("def f(n): return f(n + 1)")
    lines = session.python("f(0)").splitlines()
    assert lines[:2] == ["Traceback:", "  line 1, in <module>"]
    assert lines[-1].startswith("RecursionError")
    assert len(lines) <= 11


def test_a_long_output_is_cut_in_the_middle(session: Short) -> None:
    text = session.python("print('a' * 100_000 + 'b' * 100_000)")
    assert text.startswith("a" * 5_000 + "\n… 190,001 bytes are left out …\nb")
    assert len(text) < 11_000


def test_the_same_calls_have_the_same_results() -> None:
    code = "import random; [random.random(), {*'abcdef'}, hash('a')]"
    found = []
    for _ in range(2):
        python = PythonTool()
        found.append(python.python(code))
        python.close()
    assert found[0] == found[1]


# What code does to its session. The next call works, and nothing is raised but `ToolError`.
ENDING = {
    "exit the process": "import os; os._exit(0)",
    "kill itself": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "overflow the stack": "import ctypes; ctypes.string_at(0)",
    "close all files": "import os; os.closerange(0, 100)",
    "close the way out": "import os\nfor n in range(3, 20):\n"
    "    try: os.close(n)\n    except OSError: pass",
    "compute for ever": "while True: pass",
    "compute for ever, and catch signals": (
        "import signal\nfor n in range(1, 32):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n    except Exception: pass\nwhile True: pass"
    ),
    "wait for ever": "import time; time.sleep(1000)",
    "replace what reads": "import sys\nfor f in [sys._getframe(n) for n in range(3)]:\n"
    "    f.f_globals['json'] = None",
    "replace what runs": "import builtins; builtins.compile = builtins.exec = None",
    "run out of file descriptors": "import os\nheld = []\nwhile True: held.append(os.dup(0))",
    "send junk as an answer": "import os\nfor n in range(3, 20):\n"
    "    try: os.write(n, b'junk\\n' * 1000)\n    except OSError: pass",
    "send another answer": "import os\nfor n in range(3, 20):\n"
    "    try: os.write(n, b'[1, \"forged\"]\\n[2, \"forged\"]\\n[3, \"forged\"]\\n')\n"
    "    except OSError: pass",
    "send an endless line": "import os\nwhile True:\n  for n in range(3, 20):\n"
    "    try: os.write(n, b'x' * 4096)\n    except OSError: pass",
    "send deep JSON": "import os\nfor n in range(3, 20):\n"
    "    try: os.write(n, b'[' * 60000 + b'\\n')\n    except OSError: pass",
    "send a number as a text": "import os\nfor n in range(3, 20):\n"
    "    try: os.write(n, b'[2, 7]\\n')\n    except OSError: pass",
    "fill the disk": "open('f', 'wb').write(bytes(1 << 30))",
    "fill the disk with files": "for n in range(1000): open(str(n), 'wb').write(bytes(1 << 16))",
    "print for ever": "while True: print('x' * 1000)",
    "take all memory": "held = []\nwhile True: held.append(bytearray(1 << 20))",
    "one large object": "bytearray(10 ** 12)",
    "a large number": "10 ** 10 ** 10",
    "fork for ever": "import os\nwhile True: os.fork()",
    "start threads for ever": "import threading, time\n"
    "while True: threading.Thread(target=time.sleep, args=(1000,)).start()",
    "print from a thread for ever": "import threading\ndef run():\n    while True: print('noise')\n"
    "threading.Thread(target=run, daemon=True).start()",
    "an exception of its own": "class E(BaseException): pass\nraise E('x' * 10**6)",
    "close what is printed to": "import sys; sys.stdout.close()",
    "replace what is printed to": "import sys; sys.stdout = None",
    "change its folder": "import os; os.mkdir('d'); os.chdir('d'); os.rmdir('../d')",
    "forget where files are": "import os; os.environ.clear()",
    "raise its own limit": "import resource\n"
    "resource.setrlimit(resource.RLIMIT_CPU, (120, 120))\nwhile True: pass",
    "set a trace": "import sys; sys.settrace(lambda *args: 1 / 0)",
    "delete its names": "globals().clear()",
}  # fmt: skip


WAITING = {  # a second of a limit or more
    "compute for ever",
    "compute for ever, and catch signals",
    "wait for ever",
    "a large number",
    "raise its own limit",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(it, marks=pytest.mark.slow) if it in WAITING else it for it in ENDING],
)
def test_code_can_only_break_its_own_session(session: Short, name: str) -> None:
    before = set(os.listdir("/proc/self/fd"))
    first = answer(session, ENDING[name])
    assert len(first) <= 21_000
    following = [answer(session, "6 * 7") for _ in range(3)]
    lasting = name.startswith(("replace", "print from a thread"))
    assert lasting or "42" in following[-1], following
    session.close()
    assert answer(session, "6 * 7") == "42"
    session.close()
    assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize(
    "secret",
    [
        "open('/proc/self/environ').read()",
        "import os; dict(os.environ)",
        "import os; os.listdir('/root')",
        "import glob; [open(name).read() for name in glob.glob('/proc/*/cmdline')]",
        "import sys; [f for f in sys._current_frames().values()]",
    ],
)
def test_what_is_outside_cannot_be_read(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv("SECRET", "sesame")
    python = PythonTool()
    text = answer(python, secret).replace("'sesame' in repr", "")
    python.close()
    assert "sesame" not in text


def test_code_that_is_too_long_is_refused(session: Short) -> None:
    assert answer(session, "#" * 100_001) == "Error: the code has over 100,000 characters"


# In an environment.


def test_a_model_computes_and_answers() -> None:
    env = wrapped()
    _, info = env.reset(seed=1)
    assert [schema["function"]["name"] for schema in info["tools"]] == ["python"]
    assert call(env, "x = 6", "x * 7") == ["(no output)", "42"]
    assert env.step(env.unwrapped.solve())[1] == 1.0
    env.close()


def test_an_episode_has_its_own_session() -> None:
    env = wrapped()
    env.reset(seed=1)
    call(env, "x = 6")
    env.reset(seed=2)
    assert call(env, "x")[0].endswith("NameError: name 'x' is not defined")
    env.close()


def test_a_saved_episode_goes_on_with_its_names() -> None:
    env, other = wrapped(), wrapped()
    env.reset(seed=1)
    call(env, "x = [1]")
    saved = json.loads(json.dumps(textgym.get_state(env)))
    call(env, "x.append(2)")
    textgym.set_state(other, saved)
    assert call(other, "x.append(3); x") == ["[1, 3]"]
    textgym.set_state(env, saved)
    assert call(env, "x") == ["[1]"]
    env.close()
    other.close()


def test_a_session_that_was_lost_is_not_repeated() -> None:
    env = wrapped(tools=[f"{__name__}:Short"])
    env.reset(seed=1)
    assert call(env, "x = 1", "import os; os._exit(1)")[1].endswith(LOST)
    assert calls_of(env) == []
    assert call(env, "y = 2") == ["(no output)"]
    assert len(calls_of(env)) == 1
    env.close()


class Unrepeatable(PythonTool):
    """A session that ends when it is repeated."""

    sessions = 0

    def __init__(self) -> None:
        super().__init__()
        Unrepeatable.sessions += 1

    @tool
    def python(self, code: str) -> str:
        """Run code."""
        if Unrepeatable.sessions > 1:
            raise ToolError("it is slower today")
        return super().python(code)


def test_a_session_that_cannot_be_restored_is_a_failure() -> None:
    env = wrapped(tools=[Unrepeatable])
    env.reset(seed=1)
    call(env, "x = 1")
    textgym.set_state(env, json.loads(json.dumps(textgym.get_state(env))))
    env._made = None
    with pytest.raises(EnvironmentFailure, match="'python' cannot be restored"):
        call(env, "x")
    assert env._made is None  # so the next episode gets new sessions
    env.close()


class Forgetful:
    """A session that is lost by its first call when it is repeated."""

    sessions = 0

    def __init__(self) -> None:
        Forgetful.sessions += 1
        self.repeated = Forgetful.sessions > 1
        self.noted: list[str] = []

    @property
    def is_new(self) -> bool:
        return not self.noted

    @tool
    def note(self, line: str) -> str:
        """Note a line."""
        if line == "first" and self.repeated:
            self.noted.clear()
        else:
            self.noted.append(line)
        return " ".join(self.noted)


def test_a_session_that_is_lost_in_the_middle_of_its_calls_is_a_failure() -> None:
    env = wrapped(tools=[Forgetful])
    env.reset(seed=1)
    env.step(assistant_calls(("note", {"line": "first"}), ("note", {"line": "second"})))
    env._made = None
    with pytest.raises(EnvironmentFailure, match="'note' cannot be restored"):
        env.step(assistant_calls(("note", {"line": "third"})))
    env.close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_an_environment_has_a_session_of_its_own(copied: Callable[[Any], Any]) -> None:
    env = wrapped()
    env.reset(seed=1)
    call(env, "x = [1]")
    other = copied(env)
    assert call(other, "x.append(2); x") == ["[1, 2]"]
    other.close()
    assert call(env, "x") == ["[1]"]
    env.close()


def test_a_step_that_failed_can_be_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    env = wrapped()
    env.reset(seed=1)
    call(env, "x = 1")
    made: list[Callable[..., Any]] = [python_tool.Sandbox]

    def fails(*args: Any, **kwargs: Any) -> Any:
        raise SandboxFailure("no box today")

    monkeypatch.setattr(python_tool, "Sandbox", fails)
    env._made = None
    with pytest.raises(SandboxFailure, match="no box today"):
        call(env, "x")
    monkeypatch.setattr(python_tool, "Sandbox", made[0])
    assert call(env, "x") == ["1"]
    env.close()


@pytest.mark.parametrize("calls", [[["python"]], [["other", "{}"]], [["python", 1]], ["python"]])
def test_a_state_with_other_calls_is_refused(calls: Any) -> None:
    env = wrapped()
    env.reset(seed=1)
    state = textgym.get_state(env)
    state["wrappers"][0][1]["calls"] = calls
    with pytest.raises(textgym.StateError, match="calls must be pairs"):
        textgym.set_state(env, state)
    env.close()


def wait_for(marker: str, *, runs: bool) -> None:
    """Wait until a process with a marker in its command runs, or none does."""
    end = time.monotonic() + QUIET
    while marked(marker) != runs:
        assert time.monotonic() < end
        time.sleep(0.05)


def marked(marker: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes():
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize("end", ["close", "reset", "drop"])
def test_nothing_outlives_an_episode(end: str) -> None:
    marker = uuid.uuid4().hex
    env = wrapped()
    env.reset(seed=1)
    call(env, f"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 1000; : {marker}']); None")
    wait_for(marker, runs=True)
    if end == "drop":
        del env
        gc.collect()
    else:
        env.close() if end == "close" else env.reset(seed=2)
    wait_for(marker, runs=False)


def test_a_machine_without_a_sandbox_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise SandboxFailure("no sandbox runs here")

    monkeypatch.setattr(python_tool, "default_kind", none)
    with pytest.raises(ExtraMissingError, match="the tool 'python': no sandbox runs here"):
        wrapped()


def test_runs_record_the_kind_and_can_be_rescored(tmp_path: Path) -> None:
    wrappers = ['ExtraTools:tools=["python"]']
    kwargs = {"wrappers": wrappers}
    run = textgym.rollout(
        "textgym/Math-v0", Computing(), episodes=4, env_kwargs=kwargs, out=tmp_path
    )
    assert json.loads((tmp_path / "run.json").read_text())["sandboxes"]["textgym/Math-v0"]
    assert textgym.rescore(run).counts["same"] == 4


class Computing(textgym.Policy):
    """A policy that runs code, and then answers."""

    name = "computing"

    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> textgym.Action:
        if messages[-1]["role"] == "tool":
            return textgym.Action({"role": "assistant", "content": "\\boxed{42}"})
        return textgym.Action(assistant_calls(("python", {"code": "6 * 7"})))
