"""The rows of an environment's generator, each once.

They are the rows of the tasks 0, 1, 2, … of a split. A task is left out if an earlier one has its
prompt and its answer, or its question and its options in another order.

Invariants: the row with an id is the row of the environment's task with this id; no content is in
two splits; the rows depend on the arguments, and not on the number of workers; a generator with too
few different rows is noticed after a bounded number of draws.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from typing import Any

from textgym.concurrency.worker_calls import WorkerCalls
from textgym.core.text_env import TextEnv
from textgym.errors import UsageError
from textgym.integrations.exported import exported
from textgym.json_values import canonical_json, json_round_trip, json_row
from textgym.registry import make
from textgym.rollouts.env_pool import check_minimum
from textgym.tasks.task import MAX_DRAWS_OF_A_PROMPT, draw_rows, hash_int, prompt_hash

__all__ = ["generate_rows"]

Drawn = tuple[int, int, dict[str, Any]]
"""Hashes of the prompt with its tools, and of what is asked with its answer; and the row."""

# The search ends after so many draws. Of rows that are equally likely, one in a million is then
# missing (e to the power of -14).
_MIN_DRAWS, _DRAWS_PER_ROW = 1000, 14

_CHUNK = 200  # tasks that a worker draws at once


def generate_rows(
    id: str, rows: int, *, workers: int = 1, **kwargs: Any
) -> Generator[dict[str, Any], None, None]:
    """Yield different rows of an environment's generator.

    Args:
        id: The environment.
        rows: The number of rows.
        workers: The number of processes that draw. If there are several, other processes must be
            able to import the environment, and its arguments must be picklable.
        **kwargs: The keyword arguments of the environment, such as `split` and `level`.

    Raises:
        UsageError: The environment has too few different rows, or no generator, or an argument is
            invalid.
        WorkerFailure: A worker died for a reason other than the generator.

    Example:
        >>> [row["id"] for row in generate_rows("textgym/Math-v0", 2, split="test", level=1)]
        ['test-1-0', 'test-1-1']
    """
    check_minimum(1, rows=rows, workers=workers)
    if kwargs.get("dataset") is not None:
        raise UsageError("rows come from the generator, so there is no dataset= here")
    with exported(id, rows, lambda env: "", **kwargs) as (env, _):
        env.get_task(0)  # checks what its author wrote
        firsts = _first_draws(env) if workers == 1 else _first_draws_of(workers, id, kwargs)
        with closing(firsts):
            yield from _choose(env, firsts, rows)


def _choose(env: TextEnv[Any], firsts: Iterator[Drawn], count: int) -> Iterator[dict[str, Any]]:
    """Yield the rows that do not repeat an earlier one.

    Args:
        env: The environment.
        firsts: What each task draws first.
        count: The number of rows.
    """
    redraws = 0 if env.split == "train" else MAX_DRAWS_OF_A_PROMPT - 1
    prompts, asked = set[int](), set[int]()
    for index, first in enumerate(firsts):
        drawn = first
        if redraws and first[0] in prompts:  # the environment draws again, too
            others = islice(_draws(env, index), 1, 1 + redraws)
            drawn = next((other for other in others if other[0] not in prompts), first)
            redraws = 0 if drawn is first else redraws
        prompt, question, row = drawn
        if question not in asked:
            yield row
        elif index >= _MIN_DRAWS + _DRAWS_PER_ROW * len(asked):
            raise UsageError(_too_few(env, len(asked), index))
        prompts.add(prompt)
        asked.add(question)
        if len(asked) == count:
            return


def _too_few(env: TextEnv[Any], found: int, draws: int) -> str:
    level = "" if env.level is None else f" at level {env.level}"
    rows = f"{found:,} different {env.split} " + ("row" if found == 1 else "rows")
    return f"{env.card.id} has only {rows}{level} ({draws:,} were drawn): ask for at most {found:,}"


def _draws(env: TextEnv[Any], index: int) -> Iterator[Drawn]:
    """Yield what a task draws, one after the other."""
    rows = draw_rows(
        env.generate,
        env.canonical,
        id=env.card.id,
        split=env.split,
        level=env.level,
        levels=env.card.levels,
        index=index,
    )
    for row in rows:
        task = env.read_row(row)
        prompt, options = prompt_hash(task), row.get("options")
        asked = [prompt, json_round_trip(task.answer)]
        if isinstance(options, Mapping):
            asked = [row.get("question"), sorted(map(str, options.values()))]
        yield prompt, hash_int(canonical_json(asked)), json_row(task.row)


def _first_draws(env: TextEnv[Any]) -> Generator[Drawn, None, None]:
    for index in itertools.count():
        yield next(_draws(env, index))


@contextmanager
def drawer(id: str, kwargs: dict[str, Any]) -> Iterator[Callable[[int], list[Drawn]]]:
    """Yield the function that a worker calls: it draws the tasks from an index on.

    Args:
        id: The environment.
        kwargs: Its keyword arguments.
    """
    with closing(make(id, **kwargs)) as made:
        env: Any = made.unwrapped
        yield lambda start: [next(_draws(env, start + number)) for number in range(_CHUNK)]


def _first_draws_of(workers: int, id: str, kwargs: dict[str, Any]) -> Generator[Drawn, None, None]:
    """Yield what each task draws first; worker processes draw."""
    with WorkerCalls(partial(drawer, id, kwargs), workers, name="generator") as calls:
        for call in calls.in_order(itertools.count(0, _CHUNK)):
            yield from call.result()
