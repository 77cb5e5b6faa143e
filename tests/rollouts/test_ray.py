"""Runs that actors of a real Ray cluster play equal the run of one process, whoever is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from in_process import run_command
from policies_on_ray import Answers, halting
from repository import ROOT
from run_contents import in_order, without_times

import textgym
from textgym.errors import OracleError, RunError, UnknownNameError, UsageError
from textgym.rollouts.ray_backend import RayBackend
from textgym.training import EpisodeKey, EpisodePlayer
from textgym.trajectories.schema import Trajectory

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of Ray's own files
]

MCQA, GUESS = "textgym/MCQA-v0", "textgym/GuessNumber-v0"
KILLS = int(os.environ.get("KILLS", "4"))
"""How many actors the test of kills ends. `KILLS=50 make test-ray` plays 20,000 episodes."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    yield ray.init("local", num_cpus=8, include_dashboard=False, log_to_driver=False)
    ray.shutdown()


@pytest.fixture(scope="module")
def backend(cluster: Any) -> Iterator[RayBackend]:
    with RayBackend(actors=2) as backend:
        yield backend


def best_last(trajectories: Any) -> list[float]:
    """Reward the episodes of a group by their place."""
    return [float(place) for place, _ in enumerate(trajectories)]


CASES: dict[str, dict[str, Any]] = {
    "repeats": {"envs": MCQA, "episodes": 60, "repeats": 3},
    "one at a time": {"envs": MCQA, "episodes": 30, "concurrency": 1, "seed": 5},
    "mixture": {"envs": {MCQA: 3.0, GUESS: 1.0, "textgym/Math-v0": 1.0}, "episodes": 50},
    "indices": {"envs": MCQA, "tasks": [7, 1, 4], "repeats": 2},
    "settings": {
        "envs": MCQA, "episodes": 20, "env_kwargs": {"level": 2},
        "wrappers": ["StepPenalty:amount=0.01"],
    },
    "group reward": {"envs": MCQA, "episodes": 20, "repeats": 2, "group_reward": best_last},
    "shard": {"envs": MCQA, "episodes": 40, "shard": (2, 3)},
    "fewer episodes than actors": {"envs": MCQA, "episodes": 1},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_run_is_that_of_one_process(case: str, backend: RayBackend, tmp_path: Path) -> None:
    run = {"policy": "random", **CASES[case]}
    textgym.rollout(**run, out=tmp_path / "ray", backend=backend)
    textgym.rollout(**run, out=tmp_path / "one")
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")


def test_without_a_folder(backend: RayBackend) -> None:
    started, seen = [], []
    run = textgym.rollout(
        MCQA, "oracle", episodes=30, backend=backend,
        on_start=started.append, on_episode=seen.append,
    )  # fmt: skip
    assert run.mean_reward == 1.0
    assert started == [30]
    assert sorted(it["task_index"] for it in seen) == list(range(30))


def test_failing_policy_gives_failed_episodes(backend: RayBackend, tmp_path: Path) -> None:
    for name, plays in (("ray", backend), ("one", None)):
        run = textgym.rollout(
            MCQA, "policies_on_ray:Failing", policy_options={"share": 5}, episodes=60, retries=0,
            out=tmp_path / name, backend=plays,
        )  # fmt: skip
        assert 0 < run.metrics["overall"]["failures"] < 60
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")


def test_run_whose_first_episodes_all_fail_stops_early(backend: RayBackend) -> None:
    run = textgym.rollout(
        MCQA, "policies_on_ray:Failing", policy_options={"share": 1}, episodes=400, retries=0,
        backend=backend,
    )  # fmt: skip
    assert run.stopped_early
    assert run.metrics["overall"]["episodes"] == 100
    # the actors are free for the next run
    assert textgym.rollout(MCQA, "oracle", episodes=20, backend=backend).mean_reward == 1.0


def test_policy_object_is_sent_to_the_actors(backend: RayBackend) -> None:
    class Mine(Answers):  # pickled by value: actors cannot import it
        name = "mine"

    run = textgym.rollout(MCQA, Mine(), episodes=10, backend=backend)
    assert {it["policy"] for it in run.trajectories()} == {"mine"}


def test_actor_of_the_caller_answers(backend: RayBackend) -> None:
    @ray.remote(num_cpus=0)
    class Server:
        def answer(self, messages: Any) -> str:
            return r"\boxed{A}"

    server = Server.remote()

    class Served(textgym.Policy):
        name = "served"

        async def act(self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None):
            return textgym.Action(textgym.assistant(await server.answer.remote(messages)))

    run = textgym.rollout(MCQA, Served(), episodes=20, backend=backend)
    assert run.metrics["overall"]["failures"] == 0
    assert 0 < run.mean_reward < 1


def test_episode_player_in_an_actor_of_the_caller(cluster: Any) -> None:
    @ray.remote
    class Player:
        def __init__(self, envs: str, policy: str) -> None:
            self.player, self.policy = EpisodePlayer(envs), textgym.make_policy(policy)

        async def play(self, episodes: list[EpisodeKey]) -> list[Trajectory]:
            return await self.player.aplay(self.policy, episodes)

    players = [Player.remote(MCQA, "random") for _ in range(2)]
    asked = [EpisodeKey(MCQA, task, repeat) for task in (7, 3, 5) for repeat in range(2)]
    first, second = ray.get([one.play.remote(asked[n::2]) for n, one in enumerate(players)])
    with EpisodePlayer(MCQA) as player:
        played = player.play("random", asked)
    assert without_times(first) == without_times(played[0::2])
    assert without_times(second) == without_times(played[1::2])


def test_environment_that_only_the_driver_registered(backend: RayBackend) -> None:
    from textgym.envs.mcqa.mcqa_env import MCQA as Class

    gymnasium.register("here/Mine-v0", Class, kwargs={"level": 2})
    try:
        run = textgym.rollout("here/Mine-v0", "oracle", episodes=5, backend=backend)
    finally:
        del gymnasium.registry["here/Mine-v0"]
    assert run.mean_reward == 1.0


def stored(folder: Path) -> list[bytes]:
    try:
        return (folder / "trajectories.jsonl").read_bytes().splitlines()
    except FileNotFoundError:
        return []


def test_run_is_resumed(backend: RayBackend, tmp_path: Path) -> None:
    def stop(_: Any) -> None:
        if len(stored(tmp_path / "ray")) > 20:
            raise KeyboardInterrupt

    run = {"envs": MCQA, "policy": "random", "episodes": 40, "repeats": 2}
    with pytest.raises(KeyboardInterrupt):
        textgym.rollout(**run, out=tmp_path / "ray", backend=backend, on_episode=stop)
    seen: list[Any] = []
    textgym.rollout(
        **run, out=tmp_path / "ray", resume=True, backend=backend, on_episode=seen.append
    )
    assert 0 < len(seen) < 60
    textgym.rollout(**run, out=tmp_path / "one")
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")


def test_repeat_with_another_prompt_fails_after_resuming(
    backend: RayBackend, tmp_path: Path
) -> None:
    """The prompts of stored episodes are compared, too."""
    run = {"envs": MCQA, "policy": "random", "episodes": 2, "repeats": 3, "out": tmp_path / "run"}
    textgym.rollout(**run)
    lines = [json.loads(line) for line in stored(tmp_path / "run")]
    kept = next(it for it in lines if it["task_index"] == 1)
    kept["messages"][0]["content"] += " Or not?"
    (tmp_path / "run" / "trajectories.jsonl").write_text(json.dumps(kept) + "\n")
    resumed = textgym.rollout(**run, resume=True, backend=backend)
    failures = [it["failure"] for it in resumed.trajectories() if it["failure"]]
    assert len(failures) == 2
    assert "different prompt" in failures[0]["message"]


def kill_actors(folder: Path, times: int) -> None:
    """Kill actors at random that have stopped in the middle of a run, and let the last ones go.

    Args:
        folder: Where they say that they have stopped.
        times: How many are killed.
    """
    rng = random.Random(times)
    for _ in range(times):
        while not (halted := sorted(folder.glob("*.halted"))):
            time.sleep(0.02)
        chosen = rng.choice(halted)
        os.kill(int(chosen.stem), signal.SIGKILL)
        time.sleep(0.05)  # it may just make its file again
        chosen.unlink()
    (folder / "go").touch()


def test_killed_actors_lose_and_double_nothing(
    cluster: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = min(100 * KILLS, 1000)
    run = {"envs": {MCQA: 1.0, GUESS: 1.0}, "episodes": tasks, "repeats": 400 * KILLS // tasks}
    run |= {"concurrency": 8, **halting(tmp_path, limit=600)}
    killer = threading.Thread(target=kill_actors, args=(tmp_path, KILLS), daemon=True)
    killer.start()
    with RayBackend(actors=2) as backend:
        played = textgym.rollout(**run, out=tmp_path / "ray", backend=backend)
    killer.join()
    assert played.metrics["overall"]["failures"] == 0
    assert caplog.text.count("an actor failed") >= KILLS
    assert len(stored(tmp_path / "ray")) == 400 * KILLS
    textgym.rollout(**run, out=tmp_path / "one")
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")


def test_task_that_ends_its_actors_fails_without_the_others(cluster: Any, tmp_path: Path) -> None:
    run = {"envs": MCQA, "episodes": 12, "repeats": 2}
    textgym.rollout(**run, policy="policies_on_ray:Answers", out=tmp_path / "one")
    others = [json.loads(line) for line in stored(tmp_path / "one")]
    deadly = next(it for it in others if it["task_index"] == 5)["messages"][0]["content"]
    policy = {"policy": "policies_on_ray:Deadly", "policy_options": {"question": deadly}}
    with RayBackend(actors=2) as backend:
        played = textgym.rollout(**run, **policy, backend=backend)
    failed = [it for it in played.trajectories() if it["failure"]]
    assert [(it["task_index"], it["repeat"]) for it in failed] == [(5, 0), (5, 1)]
    assert {it["failure"]["type"] for it in failed} == {"WorkerFailure"}
    assert {it["reward"] for it in failed} == {None}
    assert played.metrics["overall"]["episodes"] == 24


def test_killed_driver_is_resumed(cluster: Any, tmp_path: Path) -> None:
    run = {"envs": MCQA, "episodes": 60, "repeats": 2, "concurrency": 4}
    run |= {**halting(tmp_path, limit=30), "out": str(tmp_path / "ray")}
    address = cluster.address_info["address"]
    script = f"import textgym; textgym.rollout(**{run!r}, backend={f'ray:{address}'!r})"
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'support'}"}
    with subprocess.Popen([sys.executable, "-c", script], env=environ) as driver:
        while not (len(stored(tmp_path / "ray")) > 10 and list(tmp_path.glob("*.halted"))):
            time.sleep(0.02)
            assert driver.poll() is None
        driver.send_signal(signal.SIGKILL)
    (tmp_path / "go").touch()
    seen: list[Any] = []
    with RayBackend(actors=2) as backend:
        textgym.rollout(**run, resume=True, backend=backend, on_episode=seen.append)
    assert 0 < len(seen) < 110
    textgym.rollout(**{**run, "out": tmp_path / "one"})
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")


def test_weights_reach_all_actors_once_and_restarted_ones_again(cluster: Any) -> None:
    import numpy as np

    def versions() -> tuple[set[str], set[int]]:
        run = textgym.rollout(
            MCQA, "policies_on_ray:Weighty", episodes=200, concurrency=2, backend=backend
        )
        found = {
            (it["steps"][0]["policy_version"] or "").rpartition(" ") for it in run.trajectories()
        }
        return {text for text, _, _ in found}, {int(pid) for _, _, pid in found}

    with RayBackend(actors=2) as backend:
        assert versions()[0] == {"None 0.0"}
        backend.update_weights({"a": np.ones(3), "b": np.ones((2, 2))}, "1")
        texts, pids = versions()
        assert texts == {"1 7.0"}
        backend.update_weights(ray.put([("a", np.ones(5))]), "2")
        os.kill(min(pids), signal.SIGKILL)
        assert versions()[0] == {"2 5.0"}
        backend.update_weights({}, "3")
        with pytest.raises(UsageError, match=r"^random loads no weights$"):
            textgym.rollout(MCQA, "random", episodes=1, backend=backend)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        ({"policy": "orcale"}, UnknownNameError, "did you mean 'oracle'"),
        ({"envs": {MCQA: 1.0, GUESS: 1.0}, "curriculum": True}, UsageError, "curriculum"),
        ({"env_concurrency": {MCQA: 2}}, UsageError, "env_concurrency"),
        ({"policy": "policies_on_ray:Broken"}, RunError, "OSError: the weights are gone"),
        ({"envs": "CartPole-v1"}, OracleError, "CartPole-v1"),
    ],
    ids=["policy", "curriculum", "limits", "policy that cannot be loaded", "environment"],
)
def test_wrong_arguments_are_one_line(
    run: dict[str, Any], error: type[Exception], message: str, cluster: Any
) -> None:
    with RayBackend(actors=1) as backend, pytest.raises(error, match=message) as raised:
        textgym.rollout(**{"envs": MCQA, "policy": "oracle", "episodes": 4, **run}, backend=backend)
    assert "\n" not in str(raised.value)


def test_what_cannot_be_pickled(backend: RayBackend) -> None:
    class Locked(textgym.Policy):
        def __init__(self) -> None:
            self.lock = threading.Lock()

    with pytest.raises(UsageError, match=r"cannot be sent to actors: TypeError: .*lock"):
        textgym.rollout(MCQA, Locked(), episodes=2, backend=backend)


def test_actor_of_another_version(backend: RayBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textgym.rollouts.prepared.__version__", "0.0")
    with pytest.raises(RunError, match=r'^an actor has another textgym .*, not "0.0"$'):
        textgym.rollout(MCQA, "oracle", episodes=2, backend=backend)


def test_backends_that_do_not_exist() -> None:
    with pytest.raises(UsageError, match=r"backend must be 'ray', .* not 'slurm'"):
        textgym.rollout(MCQA, "oracle", episodes=2, backend="slurm")
    with pytest.raises(UnknownNameError, match=r"no argument 'gpus'; did you mean 'num_gpus'"):
        RayBackend.read("ray", {"gpus": 1})
    with pytest.raises(UsageError, match="actors must be 1 or more"):
        RayBackend(actors=0)
    with pytest.raises(UsageError, match="num_gpus must be a number, 0 or more"):
        RayBackend(num_gpus=-1)


def test_command(cluster: Any, tmp_path: Path) -> None:
    address = cluster.address_info["address"]
    done = run_command(
        tmp_path, "eval", MCQA, "--policy", "random", "--episodes", "20", "--out", "ray",
        "--backend", f"ray:{address}", "--backend-set", "actors=1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    textgym.rollout(MCQA, "random", episodes=20, out=tmp_path / "one", sampling={})
    assert in_order(tmp_path / "ray") == in_order(tmp_path / "one")
    assert ray.is_initialized()  # the cluster of the caller goes on
