"""CPU and time of chat requests through `openai:`, beside the `openai` package's client.

All clients send the same conversations to one server on loopback, which answers after 20 ms in a
process of its own, so only the client's CPU time is measured here. The package is called in
three ways: on aiohttp with the reply parsed by the package, the same with the raw reply parsed by
orjson, and on its default transport. Its connection limits are raised to the number in flight.
Without the package only textgym is measured: `pip install openai`.
"""

from __future__ import annotations

import asyncio
import importlib
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import gymnasium
import orjson
from loopback_server import loopback_server
from measure import Figures, aim, asked_quick, measure, table, write_rows

from textgym.messages import Message
from textgym.policies import Sampling
from textgym.policies.openai.policy import OpenAIPolicy

SECONDS = 0.02
TASKS = 200
SETTINGS = {64: 2_048, 512: 2_048}  # requests in flight, and in all
MODEL = "loopback"
AIM = 1.5  # how many times textgym's CPU the package on aiohttp takes

Act = Callable[[Sequence[Message], int], Awaitable[str]]
Client = tuple[Act, Callable[[], Awaitable[None]]]


def textgym_client(address: str) -> Client:
    """Return the policy's request for a message's text, and what closes it."""
    policy = OpenAIPolicy(MODEL, address, Sampling(), api_key="none")

    async def act(messages: Sequence[Message], seed: int) -> str:
        action = await policy.act(messages, (), seed=seed)
        return str(action.message["content"])

    return act, policy.close


def package_client(
    package: Any, address: str, in_flight: int, *, on_aiohttp: bool, is_raw: bool = False
) -> Client:
    """Return a request for a message's text through the package, and what closes it."""
    limits = type(package.DEFAULT_CONNECTION_LIMITS)(
        max_connections=in_flight, max_keepalive_connections=in_flight
    )
    kind = package.DefaultAioHttpClient if on_aiohttp else package.DefaultAsyncHttpxClient
    timeout = package.Timeout(600.0)  # for connecting too, which takes long if many connect at once
    client = package.AsyncOpenAI(
        base_url=address,
        api_key="none",
        max_retries=0,
        timeout=timeout,
        http_client=kind(limits=limits, timeout=timeout),
    )
    fields = {"model": MODEL, "temperature": 1.0, "top_p": 1.0, "max_tokens": 512}

    async def act(messages: Sequence[Message], seed: int) -> str:
        reply = await client.chat.completions.create(messages=messages, seed=seed, **fields)
        return str(reply.choices[0].message.content)

    async def act_raw(messages: Sequence[Message], seed: int) -> str:
        create = client.chat.completions.with_raw_response.create
        reply = await create(messages=messages, seed=seed, **fields)
        return str(orjson.loads(reply.content)["choices"][0]["message"]["content"])

    return (act_raw if is_raw else act), client.close


def request_all(
    make_client: Callable[[], Client], prompts: list[list[Message]], in_flight: int, count: int
) -> tuple[float, float]:
    """Return the microseconds of CPU that a request takes, and the requests a second."""
    numbers = iter(range(count))

    async def worker(act: Act) -> None:
        for number in numbers:
            if "boxed" not in await act(prompts[number % len(prompts)], number):
                raise SystemExit("a reply has the wrong text")

    async def run() -> tuple[float, float]:
        act, close = make_client()
        try:
            await act(prompts[0], 0)  # imports, and what is made once
            cpu, wall = time.process_time(), time.perf_counter()
            await asyncio.gather(*(worker(act) for _ in range(in_flight)))
            return time.process_time() - cpu, time.perf_counter() - wall
        finally:
            await close()

    cpu, wall = asyncio.run(run())
    return 1e6 * cpu / count, count / wall


def import_package() -> Any:
    """Return the `openai` package; None if it is not installed."""
    try:
        return importlib.import_module("openai")
    except ModuleNotFoundError:
        return None


def clients_of(package: Any, address: str, in_flight: int) -> dict[str, Callable[[], Client]]:
    """Return what makes each client, textgym's first."""
    clients: dict[str, Callable[[], Client]] = {
        "textgym, openai: policy": lambda: textgym_client(address)
    }
    if package is None:
        return clients
    return clients | {
        "openai on aiohttp": lambda: package_client(package, address, in_flight, on_aiohttp=True),
        "openai on aiohttp, raw replies": lambda: package_client(
            package, address, in_flight, on_aiohttp=True, is_raw=True
        ),
        "openai on its default transport": lambda: package_client(
            package, address, in_flight, on_aiohttp=False
        ),
    }


def ratio_of_pairs(figures: Figures, name: str) -> float:
    """Return the median of a client's figure over textgym's, round by round."""
    ours = next(iter(figures.values()))
    return statistics.median(theirs / own for theirs, own in zip(figures[name], ours, strict=True))


def measure_clients(
    package: Any, prompts: list[list[Message]], in_flight: int, count: int, rounds: int
) -> None:
    """Measure all clients in turn, and print two tables."""
    rates: Figures = {}
    with loopback_server(SECONDS) as address:

        def case(name: str, make_client: Callable[[], Client]) -> float:
            cpu, rate = request_all(make_client, prompts, in_flight, count)
            rates.setdefault(name, []).append(rate)
            return cpu

        clients = clients_of(package, address, in_flight)
        cpu = measure({name: partial(case, name, make) for name, make in clients.items()}, rounds)
    rates = {name: values[1:] for name, values in rates.items()}  # without the warm-up
    print(table(f"CPU microseconds a request, {in_flight} in flight", cpu))
    print(table(f"requests a second, {in_flight} in flight", rates, digits=0))
    for name in list(cpu)[1:]:
        ratio = ratio_of_pairs(cpu, name)
        print(aim(f"CPU of {name}, of textgym's", ratio, AIM, "", at_least=True))
    print(flush=True)


def main() -> None:
    """Measure each number in flight."""
    quick = asked_quick(__doc__)
    rounds = 3 if quick else 5
    package = import_package()
    if package is None:
        print("skipped: the package openai is not installed, so there is no client to compare with")
    else:
        print(f"openai {package.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        env: Any = gymnasium.make("textgym/MCQA-v0", dataset=write_rows(folder, TASKS)).unwrapped
        prompts = [list(env.get_task(index).messages) for index in range(TASKS)]
    for in_flight, count in SETTINGS.items():
        measure_clients(package, prompts, in_flight, count // (4 if quick else 1), rounds)


if __name__ == "__main__":
    main()
