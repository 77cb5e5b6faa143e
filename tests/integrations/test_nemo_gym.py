"""Resources servers of NeMo Gym as environments, and environments as such a server."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import textgym
from textgym.errors import EnvironmentFailure, StateError, UsageError
from textgym.integrations.nemo_gym.responses import flat_tools, output_items, response_of
from textgym.integrations.nemo_gym.rows import nemo_row, rows_of, task_row, write_rows
from textgym.messages import assistant, assistant_calls
from textgym.policies import Action, Policy
from textgym.tasks import nemo_rows

aiohttp = pytest.importorskip("aiohttp", reason="the extra 'http' is not installed")

from serving import serving  # noqa: E402

from textgym.integrations.nemo_gym.server import make_app  # noqa: E402
from textgym.integrations.server import Limits  # noqa: E402

GUEST = "nemo-gym/workplace_assistant-v0"  # its name decides nothing
FIT = ("MCQA", "SessionState", "MultiStep", "WorkplaceAssistant", "Math", "StructuredOutput",
       "SingleToolCall", "FunctionCall")  # fmt: skip
ORIGINAL = "TEXTGYM_NEMO_GYM_PYTHON"  # the interpreter of an environment with nemo-gym
SERVERS = {
    "mcqa": "MCQAResourcesServer",
    "example_session_state_mgmt": "StatefulCounterResourcesServer",
    "example_multi_step": "ExampleMultiStepResourcesServer",
    "calendar": "CalendarResourcesServer",
}
STARTER = Path(__file__).parents[1] / "support" / "nemo_gym_server.py"


def post(url: str, body: Any, cookie: str = "") -> tuple[int, Any, str]:
    """Return the status, the body and the cookie of a reply."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **({"Cookie": cookie} if cookie else {})}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data, headers), timeout=60
        ) as reply:
            set_cookie = reply.headers.get("Set-Cookie", "").partition(";")[0]
            return reply.status, reply.read().decode(), set_cookie
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), ""


def plays(own: Any, guest: Any, index: int, rng: random.Random) -> tuple[float, float]:
    """Play the same actions in an environment and in its server; return both returns."""
    own.reset(options={"index": index})
    guest.reset(options={"index": index})
    totals, ended = [0.0, 0.0], False
    while not ended:
        action = own.solve() if rng.random() < 0.85 else own.guess(rng)
        ours, reward, terminated, truncated, _ = own.step(action)
        theirs, reward_there, ended_there, cut_there, _ = guest.step(action)
        totals[0] += reward
        totals[1] += reward_there
        ended = terminated or truncated
        if not ended:
            assert [m.get("content") for m in theirs[-1:]] == [m["content"] for m in ours[-1:]]
        if ended_there or cut_there:
            return totals[0], totals[1]
    totals[1] += guest.step("That is all.")[1]  # an episode that calls have ended
    return totals[0], totals[1]


@pytest.mark.parametrize("name", FIT)
def test_the_guest_of_our_server_earns_what_the_environment_pays(name: str) -> None:
    id = f"textgym/{name}-v0"
    own = gymnasium.make(id, split="test").unwrapped
    rows = list(rows_of(id, 6, split="test"))
    with serving(make_app, [id], split="test") as (url, _):
        guest = gymnasium.make(GUEST, url=url, dataset=rows).unwrapped
        rng = random.Random(name)
        for index in range(6):
            ours, theirs = plays(own, guest, index, rng)
            assert ours == pytest.approx(theirs)
        guest.close()


def test_rows_go_out_and_back_without_loss(tmp_path: Path) -> None:
    for id in (id for id in textgym.ids(guests=False) if f"{id}"[8:-3] in FIT):
        env = gymnasium.make(id, split="test").unwrapped
        path = tmp_path / "rows.jsonl"
        assert write_rows(id, path, 5, split="test") == 5
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for index, row in enumerate(rows):
            task = env.get_task(index)
            assert task_row(row) == json.loads(json.dumps(task.row))
            assert nemo_rows.prompt_of(row) == [
                {k: m[k] for k in ("role", "content")} for m in task.messages
            ]


def test_rows_of_nemo_gym_stay_as_they_are(shared: Path) -> None:
    for name, id in (("mcqa", "MCQA"), ("calendar", "Calendar")):
        path = shared / f"data/nemo_gym/{name}/example.jsonl"
        given = [json.loads(line) for line in path.read_text().splitlines()]
        rows = rows_of(f"textgym/{id}-v0", dataset=str(path))
        for row, expected in zip(rows, given, strict=True):
            assert {**row, "id": None} == {**expected, "id": None}


@pytest.mark.parametrize(
    ("name", "id"),
    [("mcqa", "MCQA"), ("example_session_state_mgmt", "SessionState"),
     ("example_multi_step", "MultiStep"), ("calendar", "Calendar")],
)  # fmt: skip
def test_our_server_verifies_recorded_rollouts(shared: Path, name: str, id: str) -> None:
    golds = recorded_rows(shared, name)
    dataset = str(shared / "data/nemo_gym" / name / "example.jsonl")
    with serving(make_app, [f"textgym/{id}-v0"], max_turns=100, dataset=dataset) as (url, _):
        for recorded, row in golds:
            status, body, _ = post(f"{url}/verify", {**row, "response": recorded["response"]})
            assert status == 200, body
            reward = json.loads(body)["reward"]
            known = name == "mcqa" and recorded["extracted_answer"] is None  # a box with a text
            assert reward == (1.0 if known else recorded["reward"])


def recorded_rows(shared: Path, name: str) -> list[tuple[Any, Any]]:
    """Return recorded rollouts with the rows that they are of."""

    def key(row: Any) -> str:
        said = nemo_rows.messages_of(row["responses_create_params"]["input"], "input")
        return json.dumps([m["content"] for m in said if m["role"] == "user"][-1:])

    folder = shared / "data/nemo_gym" / name
    lines = (folder / "example.jsonl").read_text().splitlines()
    rows = {key(row): row for row in map(json.loads, lines)}
    lines = (folder / "example_rollouts.jsonl").read_text().splitlines()
    found = [(rec, rows[key(rec)]) for rec in map(json.loads, lines) if key(rec) in rows]
    assert found
    return found


@pytest.fixture
def counter() -> Iterator[str]:
    with serving(make_app, ["textgym/SessionState-v0"], limits=Limits(sessions=9)) as (url, _):
        yield url


def row_of(index: int = 0) -> Any:
    return nemo_row(gymnasium.make("textgym/SessionState-v0", split="test").unwrapped, index)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/seed_session", b"not json", 422),
        ("/seed_session", b"[" * 100_000, 422),
        ("/seed_session", [], 422),
        ("/seed_session", {"textgym_row": 7}, 422),
        ("/increment_counter", {"count": 1}, 400),
        ("/verify", {}, 422),
        ("/verify", {"response": {"output": 7}}, 422),
        ("/verify", {"response": {"output": [{"type": "dance"}]}}, 422),
    ],
)
def test_a_bad_request_is_answered(counter: str, path: str, body: Any, status: int) -> None:
    assert post(counter + path, body)[0] == status
    assert post(f"{counter}/seed_session", row_of())[0] == 200


def test_a_tool_cannot_reach_the_other_endpoints(counter: str) -> None:
    row = row_of()
    guest = gymnasium.make(GUEST, url=counter, dataset=[row]).unwrapped
    guest.reset(options={"index": 0})
    for name in ("verify", "seed_session", "../verify", "verify?x=1", "nope"):
        messages, reward, terminated, *_ = guest.step(assistant_calls((name, {"response": {}})))
        assert "There is no tool" in messages[-1]["content"]
        assert (reward, terminated) == (0.0, False)
    guest.close()


def test_arguments_that_are_no_object_are_answered(counter: str) -> None:
    guest = gymnasium.make(GUEST, url=counter, dataset=[row_of()]).unwrapped
    guest.reset(options={"index": 0})
    for text in ("{", "[1]", '"x"', "[" * 100_000, '{"count": NaN}', '{"count": 1e999}'):
        call = {"type": "function", "function": {"name": "increment_counter", "arguments": text}}
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        messages, *_ = guest.step(said)
        assert "Invalid tool call arguments" in messages[-1]["content"]
    guest.close()


def test_a_saved_episode_goes_on_in_a_new_session(counter: str) -> None:
    guest = gymnasium.make(GUEST, url=counter, dataset=[row_of()]).unwrapped
    guest.reset(options={"index": 0})
    guest.step(assistant_calls(("increment_counter", {"count": 5})))
    saved = guest.get_state()
    guest.step(assistant_calls(("increment_counter", {"count": 7})))
    other = gymnasium.make(GUEST, url=counter, dataset=[row_of()]).unwrapped
    for env in (guest, other):
        env.set_state(saved)
        messages, *_ = env.step(assistant_calls(("get_counter_value", {})))
        own = gymnasium.make("textgym/SessionState-v0", split="test").unwrapped
        own.reset(options={"index": 0})
        own.step(assistant_calls(("increment_counter", {"count": 5})))
        expected, *_ = own.step(assistant_calls(("get_counter_value", {})))
        assert messages[-1]["content"] == expected[-1]["content"]
        env.close()


def test_sessions_have_a_limit_and_end_with_the_verdict() -> None:
    response = response_of(output_items([assistant("It is 7.")]))
    with serving(make_app, ["textgym/SessionState-v0"], limits=Limits(sessions=2)) as (url, all_):
        cookie = post(f"{url}/seed_session", row_of())[2]
        assert all_.count == 1
        assert post(f"{url}/verify", {**row_of(), "response": response}, cookie)[0] == 200
        assert all_.count == 0
        cookies = {post(f"{url}/seed_session", row_of())[2] for _ in range(2)}
        assert len(cookies) == 2
        status, body, _ = post(f"{url}/seed_session", row_of())
        assert (status, "limit" in body) == (503, True)


def test_a_client_that_keeps_only_the_last_cookie_keeps_its_session(counter: str) -> None:
    cookie = post(f"{counter}/seed_session", row_of())[2]
    for _ in range(3):
        status, _, cookie = post(f"{counter}/increment_counter", {"count": 5}, cookie)
        assert status == 200


def test_a_row_that_cannot_be_played_takes_no_place() -> None:
    with serving(make_app, ["textgym/SessionState-v0"], limits=Limits(sessions=1)) as (url, all_):
        for _ in range(3):
            assert post(f"{url}/seed_session", {"textgym_row": 7})[0] == 422
        assert all_.count == 0
        cookie = post(f"{url}/seed_session", row_of())[2]
        response = response_of(output_items([assistant("It is 7.")]))
        assert post(f"{url}/verify", {**row_of(), "response": response}, cookie)[0] == 200


def test_a_response_of_only_reasoning_is_an_empty_message(counter: str) -> None:
    item = {"type": "reasoning", "id": "rs_0", "summary": []}
    status, body, _ = post(f"{counter}/verify", {**row_of(), "response": {"output": [item]}})
    assert (status, json.loads(body)["reward"]) == (200, 0.0)
    status, _, _ = post(f"{counter}/verify", {**row_of(), "response": {"output": "It is 7."}})
    assert status == 422


def test_a_state_that_is_refused_leaves_the_episode_as_it_was(counter: str) -> None:
    guest = gymnasium.make(GUEST, url=counter, dataset=[row_of()]).unwrapped
    guest.reset(options={"index": 0})
    guest.step(assistant_calls(("increment_counter", {"count": 3})))
    expected = guest.step(assistant_calls(("get_counter_value", {})))[0][-1]["content"]
    with pytest.raises(StateError):
        guest.set_state({**guest.get_state(), "state": {"calls": 7}})
    again = guest.step(assistant_calls(("get_counter_value", {})))[0][-1]["content"]
    assert again == expected
    guest.close()


def test_a_refused_state_of_another_row_leaves_the_session_of_this_one(counter: str) -> None:
    guest = gymnasium.make(GUEST, url=counter, dataset=[row_of(0), row_of(1)]).unwrapped
    values = []
    for refused in (False, True):
        guest.reset(options={"index": 1})
        other = guest.get_state()
        guest.reset(options={"index": 0})
        if refused:
            with pytest.raises(StateError):
                guest.set_state({**other, "state": {"calls": 7}})
        messages, *_ = guest.step(assistant_calls(("get_counter_value", {})))
        values.append(messages[-1]["content"])
    assert values[0] == values[1]
    guest.close()


def test_sessions_do_not_share_a_counter(counter: str) -> None:
    first, second = (post(f"{counter}/seed_session", row_of())[2] for _ in range(2))
    before = post(f"{counter}/get_counter_value", {}, second)[1]
    post(f"{counter}/increment_counter", {"count": 5}, first)
    assert post(f"{counter}/get_counter_value", {}, second)[1] == before
    assert post(f"{counter}/get_counter_value", {}, first)[1] != before


def test_environments_that_simple_agent_cannot_play_are_refused() -> None:
    with pytest.raises(UsageError, match="talks to a user"):
        list(rows_of("textgym/AskFirst-v0", 1))
    with (
        pytest.raises(UsageError, match="serve it as OpenEnv instead"),
        serving(make_app, ["textgym/AskFirst-v0"]),
    ):
        pass
    with (
        pytest.raises(UsageError, match="has one environment, not 2"),
        serving(make_app, ["textgym/MCQA-v0", "textgym/Math-v0"]),
    ):
        pass
    with pytest.raises(UsageError, match="state how many"):
        list(rows_of("textgym/MCQA-v0"))


def test_what_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match="needs the URL of a server"):
        gymnasium.make("nemo-gym/mcqa-v0")
    with pytest.raises(UsageError, match="needs NeMo Gym's rows"):
        gymnasium.make("nemo-gym/mcqa-v0", url="http://127.0.0.1:1")
    guest = gymnasium.make("nemo-gym/mcqa-v0", url="http://127.0.0.1:1", dataset=[row_of()])
    with pytest.raises(
        EnvironmentFailure, match=r"no reply from http://127\.0\.0\.1:1/seed_session"
    ):
        guest.reset(seed=1)


def test_a_server_without_a_reward_is_a_failure() -> None:
    async def nothing(request: Any) -> Any:
        return aiohttp.web.json_response({"reward": "high"} if request.path == "/verify" else {})

    def make_other(*_: Any) -> Any:
        app = aiohttp.web.Application()
        app.router.add_post("/{any}", nothing)
        return app

    with serving(make_other, ["textgym/MCQA-v0"]) as (url, _):
        guest = gymnasium.make("nemo-gym/mcqa-v0", url=url, dataset=[row_of()]).unwrapped
        guest.reset(options={"index": 0})
        with pytest.raises(EnvironmentFailure, match="gave no reward"):
            guest.step("A")
        guest.close()


def test_a_reply_that_is_too_long_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(request: Any) -> Any:
        long = request.path in ("/increment_counter", "/verify")
        return aiohttp.web.json_response({"reward": 1.0, "text": "x" * 10_000 * long})

    def make_other(*_: Any) -> Any:
        app = aiohttp.web.Application()
        app.router.add_post("/{any}", answer)
        return app

    monkeypatch.setattr("textgym.policies.openai.connections._MAX_REPLY_BYTES", 5_000)
    with serving(make_other, ["textgym/MCQA-v0"]) as (url, _):
        guest = gymnasium.make("nemo-gym/mcqa-v0", url=url, dataset=[row_of()]).unwrapped
        for action in (assistant_calls(("increment_counter", {"count": 1})), "It is 7."):
            guest.reset(options={"index": 0})
            with pytest.raises(EnvironmentFailure, match="sent more than 5000 bytes"):
                guest.step(action)
        guest.close()


def test_reasoning_and_text_are_items_of_their_own() -> None:
    said = {
        "role": "assistant",
        "content": "<think>hm</think>A",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"x": 1}}}
        ],
    }
    items = output_items([said])  # type: ignore[list-item]
    assert [item["type"] for item in items] == ["reasoning", "message", "function_call"]
    assert items[2]["arguments"] == '{"x": 1}'
    tools = [{"type": "function", "function": {"name": "f"}}]
    assert flat_tools(tools)[0]["name"] == "f"


@pytest.fixture(scope="module", params=SERVERS)
def original(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """A server of NeMo Gym's own, with its name."""
    python, name = os.environ.get(ORIGINAL), request.param
    if not python:
        pytest.skip(f"{ORIGINAL} does not name an interpreter with nemo-gym (make test-guests)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, str(STARTER), name, SERVERS[name], str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            assert process.poll() is None, "the server ended"
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", name
    finally:
        process.terminate()
        process.wait()


@pytest.mark.slow
def test_servers_of_nemo_gym_give_the_recorded_rewards(
    original: tuple[str, str], shared: Path
) -> None:
    url, name = original
    for recorded, row in recorded_rows(shared, name):
        env = gymnasium.make(f"nemo-gym/{name}-v0", url=url, dataset=[row], max_turns=50).unwrapped
        env.reset(options={"index": 0})
        messages = nemo_rows.messages_of(recorded["response"]["output"], "output")
        total = 0.0
        for message in (m for m in messages if m["role"] == "assistant"):
            _, reward, terminated, truncated, _ = env.step(message)
            total += reward
            if terminated or truncated:
                break
        assert total == recorded["reward"]
        env.close()


class SaysNothing(Policy):
    async def act(
        self, messages: Any, tools: Any, *, prior: Any = None, seed: Any = None
    ) -> Action:
        return Action(assistant(""))


def test_asynchronous_use_from_a_loop(counter: str) -> None:
    """A rollout steps in threads, so that the server is asked while the loop runs."""
    rows = [row_of(index) for index in range(2)]
    guest = gymnasium.make(GUEST, url=counter, dataset=rows)
    trajectory = asyncio.run(textgym.play_episode(guest, SaysNothing(), index=1))
    assert (trajectory["failure"], trajectory["reward"]) == (None, 0.0)
    guest.close()
