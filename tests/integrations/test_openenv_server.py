"""`textgym serve` speaks OpenEnv's protocol, and a hostile client changes nothing for others."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import random
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import EnvironmentFailure, StateError, UsageError
from textgym.messages import assistant, assistant_calls
from textgym.policies import Action, Policy

aiohttp = pytest.importorskip("aiohttp", reason="the extra 'http' is not installed")

from serving import serving  # noqa: E402

from textgym.integrations.openenv.server import make_app  # noqa: E402
from textgym.integrations.server import Limits, Sessions, is_loopback  # noqa: E402

QUIZ, COUNTER = "textgym/MCQA-v0", "textgym/SessionState-v0"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(make_app, [QUIZ, COUNTER], split="test") as (url, _):
        yield url


@contextlib.asynccontextmanager
async def connected(url: str, **kwargs: Any) -> AsyncIterator[Any]:
    async with aiohttp.ClientSession() as http, http.ws_connect(f"{url}/ws", **kwargs) as ws:
        yield ws


async def ask(ws: Any, kind: str, **data: Any) -> Any:
    await ws.send_str(json.dumps({"type": kind, "data": data}))
    return json.loads((await ws.receive(timeout=60)).data)


def played(id: str, index: int, actions: list[Any]) -> list[Any]:
    """Return what an environment in this process answers."""
    env = gymnasium.make(id, split="test").unwrapped
    env.reset(options={"index": index})
    return [env.step(action) for action in actions]


def test_an_episode_is_that_of_the_environment(url: str) -> None:
    actions = [assistant_calls(("get_counter_value", {})), assistant("It is 7.")]

    async def main() -> list[Any]:
        async with connected(f"{url}/{COUNTER}") as ws:
            first = await ask(ws, "reset", index=4, seed=1, episode_id="mine")
            assert first["type"] == "observation"
            assert (first["data"]["reward"], first["data"]["done"]) == (None, False)
            observation = first["data"]["observation"]
            assert [tool["function"]["name"] for tool in observation["tools"]]
            said, results = observation["messages"], []
            for action in actions:
                data = {name: action.get(name) for name in ("content", "tool_calls")}
                reply = (await ask(ws, "step", **data))["data"]
                said = said + reply["observation"]["messages"]
                results.append((said, reply["reward"], reply["done"], reply["observation"]["info"]))
            state = await ask(ws, "state")
            task_id = observation["info"]["task_id"]
            assert state["data"] == {"episode_id": "mine", "step_count": 2, "task_id": task_id}
            return results

    expected = played(COUNTER, 4, actions)
    for (messages, reward, done, info), direct in zip(asyncio.run(main()), expected, strict=True):
        assert (messages, reward, done) == (direct[0], direct[1], direct[2] or direct[3])
        assert info == direct[4]


def test_the_first_environment_is_at_the_root(url: str) -> None:
    async def main() -> Any:
        async with connected(url) as ws:
            await ask(ws, "reset", index=0)
            right = gymnasium.make(QUIZ, split="test").unwrapped.get_task(0).answer
            return await ask(ws, "step", content=rf"\boxed{{{right}}}")

    reply = asyncio.run(main())["data"]
    assert (reply["reward"], reply["done"]) == (1.0, True)


def test_tools_are_listed_and_called_as_in_mcp(url: str) -> None:
    async def main() -> tuple[Any, Any]:
        async with connected(f"{url}/{COUNTER}") as ws:
            await ask(ws, "reset", index=0)
            listed = await ask(ws, "step", type="list_tools")
            called = await ask(
                ws, "step", type="call_tool", tool_name="increment_counter", arguments={"count": 2}
            )
            return listed["data"]["observation"], called["data"]["observation"]

    listed, called = asyncio.run(main())
    assert [tool["name"] for tool in listed["tools"]] == ["get_counter_value", "increment_counter"]
    assert all(tool["input_schema"]["type"] == "object" for tool in listed["tools"])
    assert (called["tool_name"], called["error"]) == ("increment_counter", None)
    assert json.loads(called["result"]) == {"success": True}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not json", "INVALID_JSON"),
        ("[" * 100_000, "INVALID_JSON"),
        ("9" * 5000, "INVALID_JSON"),
        ("[]", "UNKNOWN_TYPE"),
        ('{"type": 7}', "UNKNOWN_TYPE"),
        ('{"type": "dance"}', "UNKNOWN_TYPE"),
        ('{"type": "reset", "data": []}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": "x"}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"index": -1}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"index": 1e99}}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"task": {"question": 7}}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"content": "A"}}', "SESSION_ERROR"),
        ('{"type": "step", "data": {}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"content": {"a": 1}}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"type": "call_tool", "tool_name": 7}}', "VALIDATION_ERROR"),
    ],
)
def test_a_malformed_message_is_answered_and_the_session_goes_on(
    url: str, text: str, code: str
) -> None:
    async def main() -> None:
        async with connected(url) as ws:
            await ws.send_str(text)
            reply = json.loads((await ws.receive(timeout=60)).data)
            assert (reply["type"], reply["data"]["code"]) == ("error", code)
            assert (await ask(ws, "reset", index=0))["type"] == "observation"

    asyncio.run(main())


@pytest.mark.parametrize("calls", [7, "x", [7], [{}], [{"function": 7}], [None] * 100])
def test_malformed_calls_are_answered(url: str, calls: Any) -> None:
    async def main() -> Any:
        async with connected(f"{url}/{COUNTER}") as ws:
            await ask(ws, "reset", index=0)
            reply = await ask(ws, "step", content=None, tool_calls=calls)
            assert (await ask(ws, "reset", index=0))["type"] == "observation"
            return reply

    reply = asyncio.run(main())
    assert reply["type"] in ("error", "observation")
    assert reply["data"].get("reward", 0.0) == 0.0


def test_random_bytes_never_end_the_server(url: str) -> None:
    rng = random.Random(0)

    async def main() -> None:
        for _ in range(20):
            async with connected(url) as ws:
                await ws.send_bytes(rng.randbytes(rng.randrange(200)))
                await ws.send_str(rng.randbytes(rng.randrange(200)).decode("latin-1"))
                await ws.receive(timeout=60)
        host, port = url.removeprefix("http://").split(":")
        for _ in range(20):
            with socket.create_connection((host, int(port))) as raw:
                raw.sendall(rng.randbytes(500))
        async with connected(url) as ws:
            assert (await ask(ws, "reset", index=0))["type"] == "observation"

    asyncio.run(main())


def test_a_message_that_is_too_long_closes_only_its_session() -> None:
    limits = Limits(message_bytes=10_000)
    with serving(make_app, [QUIZ], limits=limits) as (url, _):

        async def main() -> None:
            async with connected(url) as other, connected(url) as ws:
                await ask(other, "reset", index=0)
                await ask(ws, "reset", index=0)
                await ws.send_str(json.dumps({"type": "step", "data": {"content": "x" * 20_000}}))
                message = await ws.receive(timeout=60)
                assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
                assert ws.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
                assert (await ask(other, "step", content="A"))["type"] == "observation"

        asyncio.run(main())


async def until(condition: Any) -> None:
    for _ in range(600):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen")


def test_there_are_at_most_so_many_sessions_and_a_killed_client_frees_its_own() -> None:
    with serving(make_app, [QUIZ], limits=Limits(sessions=2)) as (url, sessions):

        async def main() -> None:
            async with connected(url) as first:
                await ask(first, "reset", index=0)
                http = aiohttp.ClientSession()
                second = await http.ws_connect(f"{url}/ws")
                await ask(second, "reset", index=0)
                async with connected(url) as third:
                    refused = json.loads((await third.receive(timeout=60)).data)
                    assert refused["data"]["code"] == "CAPACITY_REACHED"
                second._response.connection.transport.abort()  # type: ignore[union-attr]
                await until(lambda: sessions.count == 1)
                await http.close()
                async with connected(url) as third:
                    assert (await ask(third, "reset", index=0))["type"] == "observation"

        asyncio.run(main())


def test_a_client_that_does_not_read_is_closed_and_others_do_not_wait() -> None:
    limits = Limits(send_seconds=0.5, takes_rows=True)
    with serving(make_app, [QUIZ], limits=limits, split="test") as (url, sessions):

        async def main() -> None:
            async with connected(url) as other, connected(url) as ws:
                await ask(other, "reset", index=0)
                ws._response.connection.transport.pause_reading()
                row = {"question": "x" * 200_000, "options": {"A": "1", "B": "2"}, "answer": "A"}
                text = json.dumps({"type": "reset", "data": {"task": row}})
                with contextlib.suppress(ConnectionError, TimeoutError):  # it is closed
                    for _ in range(200):
                        await asyncio.wait_for(ws.send_str(text), 5)
                        assert (await ask(other, "reset", index=1))["type"] == "observation"
                        if sessions.count == 1:
                            break
                await until(lambda: sessions.count == 1)
                assert (await ask(other, "step", content="A"))["type"] == "observation"

        asyncio.run(main())


def test_an_idle_session_is_closed() -> None:
    with serving(make_app, [QUIZ], limits=Limits(idle_seconds=0.2)) as (url, sessions):

        async def main() -> None:
            async with connected(url) as ws:
                await ws.send_str('{"type": "reset", "data": {}}')
                seen = [await ws.receive(timeout=60) for _ in range(3)]
                assert json.loads(seen[1].data)["data"]["code"] == "SESSION_ERROR"
                assert seen[2].type is aiohttp.WSMsgType.CLOSE
                await until(lambda: sessions.count == 0)
                with pytest.raises((ConnectionError, TypeError)):
                    await ask(ws, "reset")

        asyncio.run(main())


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8000"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_a_web_page_cannot_connect(url: str, headers: dict[str, str]) -> None:
    async def main() -> int:
        async with aiohttp.ClientSession() as http:
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await http.ws_connect(f"{url}/ws", headers=headers)
            return int(caught.value.status)

    assert asyncio.run(main()) == 403


def test_a_token_is_required_where_there_is_one() -> None:
    with serving(make_app, [QUIZ], token="secret-token") as (url, _):

        async def main() -> None:
            basic = base64.b64encode(b":secret-token").decode()
            wrong = [{}, {"Authorization": "Bearer nope"}, {"Authorization": "Basic ???"}]
            for headers in wrong:
                with pytest.raises(aiohttp.WSServerHandshakeError):
                    async with connected(url, headers=headers):
                        pass
            for scheme in ("Bearer secret-token", f"Basic {basic}"):
                async with connected(url, headers={"Authorization": scheme}) as ws:
                    assert (await ask(ws, "reset", index=0))["type"] == "observation"
            async with connected(url.replace("//", "//:secret-token@")) as ws:
                assert (await ask(ws, "reset", index=0))["type"] == "observation"

        asyncio.run(main())


def test_the_pages_about_the_server(url: str) -> None:
    async def main() -> list[Any]:
        async with aiohttp.ClientSession() as http:
            paths = ["/health", f"/{QUIZ}/metadata", "/schema"]
            pages = [await (await http.get(url + path)).json() for path in paths]
            refused = await http.post(f"{url}/step", json={"action": {}})
            return [*pages, refused.status]

    health, metadata, schema, status = asyncio.run(main())
    assert health == {"status": "healthy"}
    assert metadata["name"] == QUIZ
    assert {*schema} == {"action", "observation", "state"}
    assert status == 409


def test_a_failure_is_an_error_and_no_reward() -> None:
    with serving(make_app, ["textgym/EquivalenceJudge-v0"], judge=failing) as (url, _):

        async def main() -> Any:
            async with connected(url) as ws:
                await ask(ws, "reset", index=0)
                return await ask(ws, "step", content="<answer>nobody knows</answer>")

        reply = asyncio.run(main())
    assert (reply["type"], reply["data"]["code"]) == ("error", "EXECUTION_ERROR")
    assert reply["data"]["failure"] == "JudgeFailure"


async def failing(messages: Any) -> str:
    raise ConnectionError("the judge is down")


def test_a_text_with_a_lone_surrogate_is_answered(url: str) -> None:
    env = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{QUIZ}").unwrapped
    env.reset(options={"task": {"id": "a", "index": 0}})
    _, reward, done, *_ = env.step("\ud800")
    assert (reward, done) == (0.0, True)
    env.close()


def test_rows_of_clients_are_played_only_if_the_server_takes_them(url: str) -> None:
    row = {"question": "?", "options": {"A": "1", "B": "2"}, "answer": "A"}

    async def code(place: str) -> str:
        async with connected(place) as ws:
            reply = await ask(ws, "reset", task=row)
            return str(reply["data"].get("code", ""))

    assert asyncio.run(code(url)) == "VALIDATION_ERROR"
    with serving(make_app, [QUIZ], limits=Limits(takes_rows=True)) as (open_url, _):
        assert asyncio.run(code(open_url)) == ""


def test_environments_that_share_rows_play_alike(url: str, tmp_path: Any) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "index": 0}\n')
    right = gymnasium.make(QUIZ, split="test").unwrapped.get_task(0).answer
    rewards = []
    for _ in range(2):
        env = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{QUIZ}", dataset=str(path)).unwrapped
        env.reset(options={"index": 0})
        rewards.append(env.step(rf"\boxed{{{right}}}")[1])
        env.close()
    assert rewards == [1.0, 1.0]


def test_a_state_that_is_refused_leaves_the_episode_as_it_was(url: str) -> None:
    env = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{COUNTER}").unwrapped
    expected = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{COUNTER}").unwrapped
    for each in (env, expected):
        each.reset(options={"task": {"id": "a", "index": 0}})
        each.step(assistant_calls(("increment_counter", {"count": 3})))
    with pytest.raises(StateError):
        env.set_state({**env.get_state(), "state": {"earned": "no"}})
    action = assistant_calls(("get_counter_value", {}))
    assert env.step(action) == expected.step(action)
    env.reset(options={"task": {"id": "b", "index": 1}})
    other = env.get_state()
    for each in (env, expected):
        each.reset(options={"task": {"id": "a", "index": 0}})
    with pytest.raises(StateError):
        env.set_state({**other, "state": {"earned": "no"}})
    assert env.step(action) == expected.step(action)
    env.close()
    expected.close()


@pytest.mark.parametrize(
    "data",
    [
        {"observation": {"text": "a"}, "reward": "1.0", "done": True},
        {"observation": {"text": "a"}, "reward": float("nan"), "done": True},
        {"observation": {"messages": [{"role": "king"}]}, "reward": 1.0, "done": True},
        [],
    ],
)
def test_a_broken_reply_is_a_failure(data: Any) -> None:
    async def play(request: Any) -> Any:
        ws = aiohttp.web.WebSocketResponse()
        await ws.prepare(request)
        async for message in ws:
            first = json.loads(message.data)["type"] == "reset"
            fine = {"observation": {"text": "Begin."}, "reward": None, "done": False}
            await ws.send_str(json.dumps({"type": "observation", "data": fine if first else data}))
        return ws

    async def schema(request: Any) -> Any:
        return aiohttp.web.json_response({"action": {"properties": {"text": {"type": "string"}}}})

    def make_other(*_: Any) -> Any:
        app = aiohttp.web.Application()
        app.router.add_get("/ws", play)
        app.router.add_get("/schema", schema)
        return app

    with serving(make_other, [QUIZ]) as (url, _):
        env = gymnasium.make("textgym/OpenEnv-v0", url=url).unwrapped
        env.reset(seed=1)
        with pytest.raises(EnvironmentFailure):
            env.step("a")
        env.close()


def test_what_cannot_be_served_is_refused() -> None:
    with pytest.raises(UsageError, match="CartPole-v1 cannot be served: its observations"):
        Sessions(["CartPole-v1"])


def test_other_machines_are_named() -> None:
    assert is_loopback("localhost")
    assert not is_loopback("192.168.0.1")


def test_the_server_is_an_environment_again(url: str) -> None:
    env = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{COUNTER}").unwrapped
    direct = gymnasium.make(COUNTER, split="test").unwrapped
    for index in range(5):
        rng = random.Random(index)
        observation, info = env.reset(options={"task": {"id": "a", "index": index}})
        expected, expected_info = direct.reset(options={"index": index})
        assert observation == expected
        assert info["tools"] == expected_info["tools"]
        ended = False
        while not ended:
            action = direct.solve() if rng.random() < 0.8 else direct.guess(rng)
            expected = direct.step(action)
            state = env.get_state()
            env.set_state(state)  # a new session, in which the actions are repeated
            result = env.step(action)
            assert result[:4] == expected[:4]
            ended = expected[2] or expected[3]
        assert result[4]["is_success"] == expected[4]["is_success"]
    env.close()


def test_tasks_of_evaluation_have_seeds_and_one_reset_each(url: str) -> None:
    env = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{QUIZ}", split="test").unwrapped
    assert env.num_tasks == 500
    rows = [env.get_task(index).row for index in (3, 3, 499)]
    assert rows[0] == rows[1]
    other = gymnasium.make("textgym/OpenEnv-v0", url=f"{url}/{QUIZ}", split="validation").unwrapped
    assert other.get_task(3).row["seed"] != rows[0]["seed"]
    env.close()
    other.close()


def test_a_server_that_is_away_is_a_failure() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EnvironmentFailure, match=r"no reply from http://127\.0\.0\.1"):
        gymnasium.make("textgym/OpenEnv-v0", url=url).reset(seed=1)
    with pytest.raises(UsageError, match="needs the URL of a server"):
        gymnasium.make("textgym/OpenEnv-v0")


class AlwaysA(Policy):
    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        return Action(assistant(r"\boxed{A}"))


def test_a_rollout_plays_a_server(url: str) -> None:
    run = textgym.rollout(
        "textgym/OpenEnv-v0",
        AlwaysA(),
        episodes=12,
        env_kwargs={"url": f"{url}/{QUIZ}"},
    )
    assert [trajectory["failure"] for trajectory in run.trajectories()] == [None] * 12
