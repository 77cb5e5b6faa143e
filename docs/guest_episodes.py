"""Episodes of guests, each played by textgym and in the package's own loop, for `make_guests`.

`PLAYS` has a function for each suite. It takes the name after the slash of an id, and yields pairs
of functions: one plays an episode here, the other one the same episode there, and both return the
reward. The packages of the suites are imported where they are used, because each suite can have an
environment of its own.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from textgym.integrations.reasoning_gym.generator_env import table
from textgym.integrations.textarena.game_env import TextArenaEnv
from textgym.integrations.textarena.game_env import table as games
from textgym.integrations.textarena.worker import reward_of
from textgym.messages import assistant_calls
from textgym.registry import make

__all__ = ["AVIARY", "OPENENV", "PLAYS", "VERIFIERS"]

EPISODES = 200
AVIARY = "textgym/Aviary-v0"
OPENENV, VERIFIERS = "textgym/OpenEnv-v0", "textgym/Verifiers-v0"
SUPPORT = Path(__file__).parents[1] / "tests" / "support"

Play = Callable[[], float]


def _generator(name: str) -> Iterator[tuple[Play, Play]]:
    """Yield episodes of a generator, each as textgym and as the package plays it."""
    import reasoning_gym
    from reasoning_gym.factory import create_curriculum, create_dataset

    env, rng = make(f"reasoning-gym/{name}-v0", grading="original"), random.Random(0)
    places, last = table()[name]["levels"], "7"
    assert reasoning_gym
    for index in range(EPISODES):
        task = env.unwrapped.get_task(index)  # type: ignore[attr-defined]
        right = task.answer if isinstance(task.answer, str) else ""
        text = rng.choice([right, right, last, "0", "yes", f"{right} or {last}"]).strip()
        last = right or last

        def play(index: int = index, text: str = text) -> float:
            env.reset(options={"index": index})
            return float(env.step(f"<answer>{text}</answer>")[1])

        def play_own(row: Mapping[str, Any] = task.row, text: str = text) -> float:
            values: dict[str, Any] = {"size": 1, "seed": row["seed"]}
            if places:
                curriculum = create_curriculum(name)
                curriculum.set_global_level(places[row["level"] - 1])
                values = vars(curriculum.generate_configuration(values))
            random.seed(row["seed"])
            dataset = create_dataset(name, **values)
            try:
                return float(dataset.score_answer(text, dataset[0]))
            except Exception:  # textgym gives 0
                return 0.0

        yield play, play_own


def _game(name: str) -> Iterator[tuple[Play, Play]]:
    """Yield games of random moves, each replayed by textgym and in the package's own loop."""
    import numpy
    import textarena

    others: list[str] = []
    id, measured = f"textarena/{name}-v0", games()[name]
    env = make(id, grading="original", split="test").unwrapped
    again = make(id, grading="original", opponent=lambda _: others.pop(0)).unwrapped
    assert isinstance(env, TextArenaEnv)
    for index in range(EPISODES):
        env.reset(options={"index": index})
        ended = False
        while not ended:
            _, _, terminated, truncated, _ = env.step(env.guess(random.Random(env.turn)))
            ended = terminated or truncated
        row, moves = env.task.row, env.state["moves"]
        mine = [text for seat, text in moves if seat == row["seat"]] or [""]  # others ended it
        theirs = [text for seat, text in moves if seat != row["seat"]]

        def play(row: Any = row, mine: Any = mine, theirs: Any = theirs) -> float:
            others[:] = theirs
            again.reset(options={"task": row})
            return sum(float(again.step(text)[1]) for text in mine)

        def play_own(row: Any = row, moves: Any = moves) -> float:
            random.seed(row["seed"])
            numpy.random.seed(row["seed"])
            own = textarena.make(f"{measured['id']}-raw")
            own.reset(num_players=measured["players"][0], seed=row["seed"])
            done = False
            for _, text in moves:
                own.get_observation()
                done, _ = own.step(text)
            return reward_of(*own.close(), row["seat"]) if done else 0.0

        yield play, play_own


def _aviary(_: str) -> Iterator[tuple[Play, Play]]:
    """Yield episodes of Aviary's calculator, each as textgym and as Aviary plays it."""
    from aviary.envs.gsm8k.env import CalculatorEnv

    from textgym.integrations.aviary.guest import request_of

    env, rng = make(AVIARY, grading="original"), random.Random(0)
    for index in range(EPISODES):
        row = dict(env.unwrapped.get_task(index).row)  # type: ignore[attr-defined]
        answer = str(row["answer"] + rng.choice([0, 0, 1]))
        expr = f"{rng.randint(0, 9)} {rng.choice(['+', '*', '/', '%', '+)'])} {rng.randint(0, 9)}"
        actions: list[Any] = [assistant_calls(("calculator", {"expr": expr}))]
        actions += [assistant_calls(("submit_answer", {"answer": answer}))]

        def play(index: int = index, actions: Any = actions) -> float:
            env.reset(options={"index": index})
            total = 0.0
            for action in actions:
                _, reward, terminated, truncated, _ = env.step(action)
                total += float(reward)
                if terminated or truncated:
                    break
            return total

        async def own(row: Any, actions: Any) -> float:
            guest = CalculatorEnv(row["id"], row["problem"], row["answer"])
            await guest.reset()
            total = 0.0
            for action in actions:
                for call in action["tool_calls"]:
                    call["id"] = "call"
                _, reward, done, _ = await guest.step(request_of(action))
                total += reward
                if done:
                    break
            return total

        def play_own(row: Any = row, actions: Any = actions) -> float:
            return asyncio.run(own(row, actions))

        yield play, play_own


def _openenv(_: str) -> Iterator[tuple[Play, Play]]:
    """Yield episodes of a server of OpenEnv, each as textgym and as its client plays it."""
    import socket
    import subprocess

    from openenv.core import GenericEnvClient

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    starter = SUPPORT / "openenv_servers.py"
    server = subprocess.Popen([sys.executable, str(starter), "digit", str(port)])
    try:
        while True:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        env = make(OPENENV, url=f"http://127.0.0.1:{port}", max_turns=2)
        client = GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync()
        with client:
            for seed in range(EPISODES):
                texts = [str(random.Random(seed).randrange(10)), str(seed % 10)]

                def play(seed: int = seed, texts: Any = texts) -> float:
                    env.reset(options={"task": {"id": "a", "seed": seed}})
                    total = 0.0
                    for text in texts:
                        _, reward, terminated, *_ = env.step(text)
                        total += float(reward)
                        if terminated:
                            break
                    return total

                def play_own(seed: int = seed, texts: Any = texts) -> float:
                    client.reset(seed=seed)
                    total = 0.0
                    for text in texts:
                        result = client.step({"message": text})
                        total += result.reward
                        if result.done:
                            break
                    return total

                yield play, play_own
        env.close()
    finally:
        server.terminate()
        server.wait()


def _verifiers(_: str) -> Iterator[tuple[Play, Play]]:
    """Yield tasks of a taskset of verifiers, each scored by textgym and by the package."""
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage, UserMessage

    sys.path.insert(0, str(SUPPORT))
    import sums_taskset

    env = make(VERIFIERS, taskset="sums_taskset:Sums")
    tasks, loop = [*sums_taskset.Sums(sums_taskset.SumConfig())], asyncio.new_event_loop()
    for number in range(EPISODES):
        index = number % len(tasks)
        text = str(random.Random(number).choice([index + 1, 0, 7]))

        def play(index: int = index, text: str = text) -> float:
            env.reset(options={"index": index})
            return float(env.step(text)[1])

        def play_own(index: int = index, text: str = text) -> float:
            said = [UserMessage(content="?"), AssistantMessage(content=text)]
            nodes = [MessageNode(message=said[0]), MessageNode(message=said[1], parent=0)]
            nodes[-1].sampled = True
            about = TraceTask(type="SumTask", data=tasks[index].data)
            trace = Trace(task=about, agent=AgentInfo(config=vf.AgentConfig()), nodes=nodes)
            loop.run_until_complete(tasks[index].score(trace, runtime=None))
            return float(trace.reward)

        yield play, play_own


PLAYS = {
    "reasoning-gym": _generator,
    "textarena": _game,
    AVIARY: _aviary,
    OPENENV: _openenv,
    VERIFIERS: _verifiers,
}
