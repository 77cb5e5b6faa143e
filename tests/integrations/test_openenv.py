"""The package openenv-core: its clients use our server, and its servers are environments."""

from __future__ import annotations

import asyncio
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from textgym.errors import EnvironmentFailure
from textgym.messages import assistant_calls

pytest.importorskip("openenv.core", reason="OpenEnv is not installed (make test-guests)")

pytest.importorskip("aiohttp", reason="the extra 'http' is not installed")

from openenv.core import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient
from serving import serving

from textgym.integrations.openenv.server import make_app

pytestmark = [  # of the package
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
STARTER = Path(__file__).parents[1] / "support" / "openenv_servers.py"
QUIZ, COUNTER = "textgym/MCQA-v0", "textgym/SessionState-v0"


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with serving(make_app, [QUIZ, COUNTER], split="test") as (url, _):
        yield url


@pytest.mark.parametrize("id", [QUIZ, COUNTER])
def test_its_client_plays_our_server(served: str, id: str) -> None:
    """200 episodes earn what the environment pays."""
    env = gymnasium.make(id, split="test").unwrapped

    async def main() -> int:
        equal = 0
        async with GenericEnvClient(base_url=f"{served}/{id}") as client:
            for index in range(100):
                rng = random.Random(index)
                env.reset(options={"index": index})
                await client.reset(index=index)
                ours = theirs = 0.0
                ended = False
                while not ended:
                    action = env.solve() if rng.random() < 0.7 else env.guess(rng)
                    if isinstance(action, str):
                        action = {"role": "assistant", "content": action}
                    _, reward, done, cut, _ = env.step(action)
                    said = {name: action.get(name) for name in ("content", "tool_calls")}
                    result = await client.step(said)
                    ours, theirs = ours + reward, theirs + result.reward
                    assert result.done == (done or cut)
                    ended = result.done
                equal += ours == theirs
        return equal

    assert asyncio.run(main()) == 100


def test_its_client_of_tools_uses_our_tools(served: str) -> None:
    async def main() -> Any:
        async with MCPToolClient(base_url=f"{served}/{COUNTER}") as client:
            await client.reset(index=0)
            names = [tool.name for tool in await client.list_tools()]
            return names, await client.call_tool("increment_counter", count=3)

    names, result = asyncio.run(main())
    assert names == ["get_counter_value", "increment_counter"]
    assert "success" in str(result)


def test_its_client_reads_our_errors(served: str) -> None:
    async def main() -> None:
        async with GenericEnvClient(base_url=served) as client:
            with pytest.raises(RuntimeError, match=r"reset first.*SESSION_ERROR"):
                await client.step({"content": "A"})
            assert (await client.reset(index=0)).done is False

    asyncio.run(main())


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """The package's own servers, by the names in `openenv_servers`."""
    urls, processes = {}, []
    for name in ("digit", "board", "adder"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, str(STARTER), name, str(port)]
        processes.append(subprocess.Popen(command))
        urls[name] = f"http://127.0.0.1:{port}"
    try:
        for process, url in zip(processes, urls.values(), strict=True):
            for _ in range(1200):
                assert process.poll() is None, "the server ended"
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) == 0:
                        break
                time.sleep(0.1)
        yield urls
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def make(url: str, **kwargs: Any) -> Any:
    return gymnasium.make("textgym/OpenEnv-v0", url=url, **kwargs).unwrapped


def test_a_text_is_the_only_field_of_an_action(servers: dict[str, str]) -> None:
    """200 episodes earn what the package's client earns."""

    async def own(seed: int, guesses: list[str]) -> float:
        async with GenericEnvClient(base_url=servers["digit"]) as client:
            await client.reset(seed=seed)
            return sum([(await client.step({"message": guess})).reward for guess in guesses])

    env = make(servers["digit"], max_turns=3)
    for seed in range(200):
        guesses = [str(random.Random(f"{seed} {k}").randrange(10)) for k in range(3)]
        messages, info = env.reset(options={"task": {"id": "a", "seed": seed}})
        assert (messages[-1]["content"], info["tools"]) == ("Guess a digit.", [])
        total, taken = 0.0, []
        for guess in guesses:
            _, reward, done, cut, info = env.step(guess)
            total, taken = total + reward, [*taken, guess]
            if done or cut:
                break
        assert asyncio.run(own(seed, taken)) == total
        assert info["is_success"] == (total == 1.0)
    env.close()


def test_a_saved_episode_goes_on_in_a_new_session(servers: dict[str, str]) -> None:
    env, other = make(servers["digit"]), make(servers["digit"])
    env.reset(options={"task": {"id": "a", "seed": 7}})
    env.step("3")
    saved = env.get_state()
    other.set_state(saved)
    assert other.step("7") == env.step("7")
    env.set_state({**saved, "state": {**saved["state"], "replies": 1}})
    with pytest.raises(EnvironmentFailure, match="is not deterministic"):
        env.step("7")
    env.close()
    other.close()


def test_a_crash_of_the_server_is_a_failure(servers: dict[str, str]) -> None:
    env = make(servers["digit"])
    env.reset(options={"task": {"id": "a", "seed": 7}})
    with pytest.raises(EnvironmentFailure, match="EXECUTION_ERROR: it crashed"):
        env.step("crash")
    assert env.step("7")[1] == 1.0
    env.close()


def test_an_action_with_several_fields_is_a_call(servers: dict[str, str]) -> None:
    env = make(servers["board"])
    _, info = env.reset(seed=1)
    (tool,) = info["tools"]
    assert tool["function"]["name"] == "act"
    assert {*tool["function"]["parameters"]["properties"]} == {"row", "column", "mark"}
    messages, *_ = env.step(assistant_calls(("act", {"row": "x", "column": 1})))
    assert "wrong arguments for 'act'" in messages[-1]["content"]
    messages, reward, done, *_ = env.step(assistant_calls(("act", {"row": 2, "column": 1})))
    assert (messages[-1]["content"], reward, done) == ("X at 2, 1", 1.0, False)
    calls = ("act", {"row": 1, "column": 1}), ("act", {"row": 1, "column": 2})
    messages, reward, done, *_ = env.step(assistant_calls(*calls))
    assert (reward, done) == (1.0, True)  # the second is not run
    assert "the episode has ended" in messages[-1]["content"]
    env.close()


def test_tools_of_the_server_are_tools(servers: dict[str, str]) -> None:
    env = make(servers["adder"])
    _, info = env.reset(seed=1)
    assert [tool["function"]["name"] for tool in info["tools"]] == ["add", "fail"]
    calls = ("add", {"a": 1, "b": 2}), ("fail", {}), ("nope", {}), ("add", {"a": "x"})
    messages, reward, done, *_ = env.step(assistant_calls(*calls))
    replies = [m["content"] for m in messages if m["role"] == "tool"]
    assert replies[0] == "3"
    assert "it failed" in replies[1]
    assert "there is no tool 'nope'" in replies[2]
    assert "wrong arguments for 'add'" in replies[3]
    assert (reward, done) == (0.0, False)
    assert env.step("Done.")[2]
    env.close()
