"""Mathematics: limits of time and memory, and what happens to the workers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gymnasium
import pytest
from processes import eventually, is_alive

from textgym.concurrency import workers as worker_module
from textgym.errors import WorkerFailure
from textgym.verifiers.math import MathVerdict, verify
from textgym.verifiers.math import verdict as verdict_module

OVER = MathVerdict(False, timed_out=True)
EQUAL = MathVerdict(True, extracted="1/2")
HALF = "\\frac{1}{2}"

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[worker_module.Workers]:
    """Give a test workers and a fork server of its own, and no memory of verdicts."""
    own = worker_module.Workers("textgym.verifiers.math.check:load", name="mathematics")
    monkeypatch.setattr(verdict_module, "workers", lambda: own)
    verdict_module._remembered.cache_clear()
    yield own
    own.close()
    verdict_module._remembered.cache_clear()


@pytest.fixture(scope="module")
def fork_server() -> Iterator[worker_module._ForkServer]:
    server = worker_module._ForkServer("mathematics", verdict_module.workers()._program)
    yield server
    server.close()


@pytest.fixture
def fresh(
    alone: worker_module.Workers, fork_server: worker_module._ForkServer
) -> Iterator[worker_module.Workers]:
    """Give a test workers of its own, and no memory of verdicts."""
    alone._server = fork_server
    yield alone
    for worker in [*alone._all]:
        alone._drop(worker)
    alone._server = None


def children_of(pid: int) -> list[int]:
    """List a process's children, zombies too."""
    done = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in done]


def fork_server_of(workers: worker_module.Workers) -> int:
    assert workers._server is not None
    return workers._server._process.pid


@pytest.mark.parametrize(
    "hostile",
    [
        "9^{9^{9^9}}",
        "9^{9^{9^9}} + 1",
        "\\sin(10^{10^{10}})",
        "+".join(f"x^{{{i}}}" for i in range(400)),
        "+".join(f"\\sqrt{{{i}}}" for i in range(400)),
        "(" * 10_000 + "1" + ")" * 10_000,
    ],
)
def test_a_hostile_answer_is_over_its_limit(hostile: str) -> None:
    assert verify("42", f"\\boxed{{{hostile}}}", timeout=2.0) == OVER
    for gold in ("\\sqrt{2}", "x^2 + 1"):
        assert not verify(gold, f"\\boxed{{{hostile}}}", timeout=2.0).equal


@pytest.mark.parametrize(
    "hostile",
    [
        "2^{10^9}",
        "(10^{100})!",
        "((10!)!)!",
        "\\binom{10^{18}}{10^9}",
        "\\gcd(10^{10^8}, 7)",
        "\\int_0^1 x^{x^{x^x}} dx",
        "\\sum_{n=1}^{10^{10}} \\sum_{k=1}^{10^{10}} n^k",
        "\\lim_{x \\to \\infty} \\sin x^{x^x}",
    ],
)
def test_what_would_take_for_ever_to_compute_is_told_without_computing(hostile: str) -> None:
    for gold in ("42", "\\sqrt{2}", "x^2 + 1"):
        assert not verify(gold, f"\\boxed{{{hostile}}}", timeout=2.0).equal


@pytest.mark.parametrize("hostile", ["9^9^9^9", "99999999999**99999999999"])
def test_plain_text_too(hostile: str) -> None:
    assert not verify("42", f"So it is {hostile}").equal


@pytest.mark.parametrize(
    "answer", ["(" * 10_000, "\\boxed{" * 10_000, "{" * 10_000 + "}" * 10_000, "9" * 10_000_000]
)
def test_a_long_answer_is_no_answer(answer: str) -> None:
    assert not verify(HALF, answer).equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("2^{2016}", "4^{1008}"),
        ("2^{10^{10}}", "2^{10^{10}}"),
        ("\\frac{100!}{99!}", "100"),
        ("80200", "1+" * 300 + "79900 = 80200"),
        ("9^{9^{9^9}}", "9^{9^{9^9}}"),
        ("+".join(f"x^{{{i}}}" for i in range(400)),) * 2,
        ("10^{1000}", "1" + "0" * 1000),
    ],
)
def test_what_is_large_but_can_be_done_is_done(gold: str, answer: str) -> None:
    assert verify(gold, f"\\boxed{{{answer}}}").equal


LONG = "5" + "".join(f" + \\ln(1+10^{{{n}}}) - \\ln(1+10^{{{n}}})" for n in range(2900, 2940))


def test_a_limit_of_time_is_kept_inside_a_long_computation() -> None:
    assert verify("5", f"\\boxed{{{LONG}}}", timeout=0.05) == OVER


@needs_proc
def test_a_limit_of_memory_is_kept(fresh: worker_module.Workers) -> None:
    answer = "\\boxed{\\operatorname{eye}(100000000)}"
    assert verify("\\begin{pmatrix} 1 \\end{pmatrix}", answer, timeout=60.0) == OVER
    (worker,) = fresh._all
    status = Path(f"/proc/{worker.pid}/status").read_text()
    peak = int(status.split("VmPeak:")[1].split()[0])  # kB
    assert 400_000 < peak < 1_000_000
    assert verify(HALF, "$0.5$") == EQUAL


def test_verdicts_over_the_limit_are_remembered(fresh: worker_module.Workers) -> None:
    assert verify("5", f"\\boxed{{{LONG}}}", timeout=0.05) == OVER
    fresh.call = None  # type: ignore[assignment,method-assign]
    assert verify("5", f"\\boxed{{{LONG}}}", timeout=0.05) == OVER


@needs_proc
def test_workers_that_were_killed_are_replaced(fresh: worker_module.Workers) -> None:
    for worker in [fresh._take(fresh=False) for _ in range(3)]:
        fresh._give(worker)
        os.kill(worker.pid, signal.SIGKILL)
    assert verify(HALF, "$0.50$").equal
    assert len(children_of(fork_server_of(fresh))) == len(fresh._all) == 2


@needs_proc
def test_workers_that_die_again_and_again_are_a_failure(
    fresh: worker_module.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_a_dying_one(worker: worker_module._Worker, request: object) -> dict[str, bool]:
        os.kill(worker.pid, signal.SIGKILL)
        return plain(worker, request)

    plain = worker_module._Worker.ask
    with monkeypatch.context() as patch:
        patch.setattr(worker_module._Worker, "ask", ask_a_dying_one)
        with pytest.raises(WorkerFailure, match=r"two mathematics workers died .* SIGKILL"):
            verify(HALF, "$0.5$")
    assert verify(HALF, "$0.5$") == EQUAL


@needs_proc
def test_a_text_that_crashes_every_worker_is_over_its_limit(
    fresh: worker_module.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_a_crashing_one(worker: worker_module._Worker, request: object) -> dict[str, bool]:
        os.kill(worker.pid, signal.SIGSEGV)
        eventually(lambda: not is_alive(worker.pid))
        return plain(worker, request)

    plain = worker_module._Worker.ask
    monkeypatch.setattr(worker_module._Worker, "ask", ask_a_crashing_one)
    assert verify(HALF, "$0.5$") == OVER


@pytest.mark.slow
@needs_proc
def test_a_worker_that_is_stopped_is_given_up(
    fresh: worker_module.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "_EXTRA_SECONDS", 0.2)
    assert verify(HALF, "$0.5$", timeout=0.5) == EQUAL
    for worker in fresh._all:
        os.kill(worker.pid, signal.SIGSTOP)
    monkeypatch.setattr(worker_module, "_EXTRA_SECONDS", 0.0)
    assert verify(HALF, "$0.50$", timeout=0.5).equal


@pytest.mark.slow
@needs_proc
def test_a_server_that_was_killed_is_replaced(alone: worker_module.Workers) -> None:
    assert verify(HALF, "$0.5$") == EQUAL
    first = fork_server_of(alone)
    os.kill(first, signal.SIGKILL)
    for worker in alone._all:
        os.kill(worker.pid, signal.SIGKILL)
    assert verify(HALF, "$0.50$").equal
    assert fork_server_of(alone) != first


def test_a_library_that_is_missing_is_a_failure(
    alone: worker_module.Workers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "math_verify.py").write_text("raise ImportError('no such library')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(WorkerFailure, match=r"did not start: .*ImportError: no such library"):
        verify(HALF, "$0.5$")


def test_a_program_that_does_not_run_is_a_failure(
    alone: worker_module.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "_PROGRAM", "no such file")
    with pytest.raises(WorkerFailure, match="did not start"):
        verify(HALF, "$0.5$")


def test_many_threads_get_their_own_verdicts() -> None:
    def check(number: int) -> bool:
        return verify(f"\\frac{{{number}}}{{7}}", f"\\boxed{{\\frac{{{2 * number}}}{{14}}}}").equal

    with ThreadPoolExecutor(32) as pool:
        assert all(pool.map(check, range(200)))


def test_hostile_answers_do_not_keep_others_waiting() -> None:
    def check(number: int) -> MathVerdict:
        hostile = f"\\boxed{{{number}^{{9^{{9^9}}}}}}"
        return verify("\\sqrt{2}", hostile if number % 2 else f"\\boxed{{\\sqrt{{{number}}}}}")

    with ThreadPoolExecutor(32) as pool:
        verdicts = list(pool.map(check, range(2, 102)))
    assert [verdict.timed_out for verdict in verdicts] == [bool(n % 2) for n in range(2, 102)]
    assert [n for n, verdict in enumerate(verdicts, 2) if verdict.equal] == [2]


def test_turns_come_in_the_order_of_asking() -> None:
    turns, served = worker_module._Turns(1), []

    def wait(number: int) -> None:
        with turns:
            served.append(number)

    with ThreadPoolExecutor(8) as pool, turns:
        for number in range(8):
            pool.submit(wait, number)
            eventually(lambda count=number + 1: len(turns._waiting) == count)
        assert served == []
    assert served == list(range(8))
    assert turns._free == 1


def test_an_interrupt_gives_the_worker_up(
    fresh: worker_module.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(worker: worker_module._Worker, request: object) -> dict[str, bool]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(worker_module._Worker, "ask", interrupt)
        with pytest.raises(KeyboardInterrupt):
            verify(HALF, "$0.5$")
    assert fresh._all == set()
    assert verify(HALF, "$0.5$") == EQUAL


def test_inside_a_running_event_loop() -> None:
    async def both() -> list[MathVerdict]:
        inline = verify(HALF, "$0.5$")
        return [inline, await asyncio.to_thread(verify, HALF, "$0.5$")]

    assert asyncio.run(both()) == [EQUAL, EQUAL]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_workers_of_its_own() -> None:
    assert verify(HALF, "$0.5$") == EQUAL
    child = os.fork()
    if child == 0:
        fine = not worker_module._shared and verify(HALF, "$0.500$").equal
        worker_module._at_exit()
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert verify(HALF, "$0.5000$").equal


class Checking(gymnasium.Env):  # type: ignore[type-arg]
    """Rewards what verify says of one pair."""

    observation_space = gymnasium.spaces.Discrete(1)
    action_space = gymnasium.spaces.Discrete(1)

    def reset(self, *, seed=None, options=None):  # type: ignore[no-untyped-def]
        return 0, {}

    def step(self, action):  # type: ignore[no-untyped-def]
        return 0, float(verify(HALF, "\\boxed{0.5}").equal), True, False, {}


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_inside_the_daemons_of_a_vector() -> None:
    vector = gymnasium.vector.AsyncVectorEnv([Checking, Checking], context="fork")
    try:
        vector.reset()
        assert vector.step([0, 0])[1].tolist() == [1.0, 1.0]
    finally:
        vector.close()


PROGRAM = """
import json, sys
from textgym.verifiers.math import verify
from textgym.verifiers.math.verdict import workers
assert verify("0.5", "\\\\boxed{1/2}").equal
pool = workers()
pids = [pool._server._process.pid, *(worker.pid for worker in pool._all)]
print(json.dumps(pids), flush=True)
"""


@needs_proc
@pytest.mark.parametrize(
    "ending",
    [
        "sys.stdin.read()",
        *(pytest.param(it, marks=pytest.mark.slow) for it in ("pass", "raise SystemExit(3)")),
    ],
)
def test_nothing_is_left_behind(ending: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-X", "dev", "-c", PROGRAM + ending],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        pids = json.loads(process.stdout.readline())
        if "stdin" in ending:
            process.kill()
        assert process.stderr.read() == ""
    assert len(pids) == 2
    for pid in pids:
        eventually(lambda pid=pid: not is_alive(pid))


@needs_proc
def test_no_descriptors_processes_or_threads_leak(fresh: worker_module.Workers) -> None:
    def held() -> tuple[int, int, int]:
        tasks = len(os.listdir("/proc/self/task"))
        return len(os.listdir("/proc/self/fd")), tasks, len(children_of(fork_server_of(fresh)))

    assert verify("5", f"\\boxed{{{LONG}}}", timeout=0.05) == OVER
    assert verify(HALF, "$0.5$") == EQUAL
    before = held()
    for number in range(5):
        assert verify("5", f"\\boxed{{{LONG} + {number} - {number}}}", timeout=0.05) == OVER
    assert verify(HALF, "$0.50$").equal
    assert held() == before


def test_a_worker_is_retired_after_many_checks(
    fresh: worker_module.Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "_MAX_CALLS_PER_WORKER", 2)
    pids = set()
    for number in range(4):
        assert not verify("x", f"$\\frac{{{number}}}{{7}}$").equal
        pids |= {worker.pid for worker in fresh._all}
    assert len(pids) == 2
