"""What does a model behind an API fail at in an office, and what would one train it on?

The loop that comes before any training, on `textgym/WorkplaceAssistant-v0`:

1. Baseline: the success rate on held-out tasks, with an interval, by level and by kind.
2. Failure analysis: why each episode failed, as its calls and its final databases show.
3. What to train on: the tasks of the train split that the model sometimes solves. From tasks that
   it always or never solves, a group of episodes has equal rewards, and nothing is learned.

    python examples/workplace.py --policy openai:MODEL@http://127.0.0.1:8000/v1

Any policy will do. The tasks to train on are written with how often each was solved, and the
conversations that succeeded in the form that supervised fine-tuning reads.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
from rich.console import Console
from rich.table import Table

import textgym
from textgym.cli.arguments import read_settings
from textgym.cli.output.tables import metrics_table
from textgym.messages import text_of
from textgym.metrics.statistics import Estimate, rate_interval
from textgym.policies import Policy
from textgym.trajectories.schema import Trajectory

__all__ = ["cause_of", "main", "to_train_on", "wrong_changes"]

ID = "textgym/WorkplaceAssistant-v0"
REFUSALS = {  # how a tool's answer begins
    "Error: there is no tool": "a tool that does not exist",
    "Error: wrong arguments": "wrong arguments",
    "Error: the arguments of": "arguments that are not a JSON object",
}


def cause_of(episode: Trajectory) -> str:
    """Return why an episode did not succeed; "" if it did.

    The first cause that applies is returned. Those that make the others meaningless come first.
    """
    if episode["failure"]:
        return f"failed, not graded: {episode['failure']['boundary']}"
    if episode["is_success"]:
        return ""
    if any(step["finish_reason"] == "length" for step in episode["steps"]):
        return "a message was cut by the token limit"
    if episode["truncated"]:
        return f"ended by a limit: {episode['stop_reason']}"
    results = [text_of(message) for message in episode["messages"] if message["role"] == "tool"]
    if not results:
        return "no tool was called"
    if episode["steps"][-1]["components"]["side_effects"]:
        return wrong_changes(episode)
    refused = [what for result in results for start, what in REFUSALS.items()
               if result.startswith(start)]  # fmt: skip
    if refused:
        return f"nothing was changed, after {Counter(refused).most_common(1)[0][0]}"
    return "nothing was changed"


def wrong_changes(episode: Trajectory) -> str:
    """Play an episode again and return what its changes lack, or have too much, and where."""
    env: Any = gymnasium.make(ID, **episode["env_kwargs"])
    env.reset(options={"index": episode["task_index"]})
    for step in episode["steps"]:
        env.step(episode["messages"][step["message_index"]])
    made, expected = env.unwrapped.changes()
    missing, extra = expected - made, made - expected
    what = "side effects" if not missing else "wrong changes" if extra else "missing changes"
    tables = sorted({table for table, _ in (*missing, *extra)})
    return f"{what}: {', '.join(tables)}"


def shortened(episode: Trajectory, width: int = 150) -> list[str]:
    """Return the conversation of an episode, one line a message, without the system message."""
    lines = []
    for message in episode["messages"]:
        calls = [
            f"{call['function']['name']}({call['function']['arguments']})"
            for call in message.get("tool_calls") or ()
        ]
        text = " ".join([text_of(message), *calls]).strip().replace("\n", " ")
        if message["role"] != "system":
            lines.append(f"{message['role']}: {text if len(text) <= width else text[:width] + '…'}")
    return lines


def to_train_on(episodes: Iterable[Trajectory]) -> list[dict[str, Any]]:
    """Return the rows of the tasks that were solved sometimes but not always, hardest last.

    A row is the task itself, so that an environment with `dataset=` plays it at any level.
    The share of episodes that solved it is added as `solved`.

    Args:
        episodes: Several episodes of each task, all with the same keyword arguments.
    """
    wins: defaultdict[int, list[bool]] = defaultdict(list)
    kwargs: Mapping[str, Any] = {}
    for episode in episodes:
        if not episode["failure"]:
            wins[episode["task_index"]].append(bool(episode["is_success"]))
            kwargs = episode["env_kwargs"]
    found = {task: sum(of) / len(of) for task, of in wins.items() if 0 < sum(of) < len(of)}
    env: Any = gymnasium.make(ID, **kwargs)
    rows = []
    for task in sorted(found, key=lambda task: -found[task]):
        env.reset(options={"index": task})
        rows.append({**env.unwrapped.task.row, "solved": found[task]})
    return rows


def show_baseline(console: Console, name: str, metrics: Mapping[str, Any]) -> None:
    """Print the success rate with its interval, by level and by kind."""
    overall = metrics["overall"]
    estimate = Estimate(overall["success_rate"], overall["success_error"], overall["tasks"])
    low, high = rate_interval(estimate)
    console.print(f"\n[bold]1. Baseline[/]: {overall['success_rate']:.3f}, 95 % interval "
                  f"{low:.3f} to {high:.3f}, {overall['tasks']} held-out tasks")  # fmt: skip
    groups = metrics["envs"][ID]
    rows = [(name, overall)]
    rows += [(f"level {level}", of_level) for level, of_level in groups["levels"].items()]
    rows += [
        (kind.removeprefix("workplace_assistant_"), of_kind)
        for kind, of_kind in groups["categories"].items()
    ]
    console.print(metrics_table(rows))


def show_failures(console: Console, episodes: Sequence[Trajectory]) -> None:
    """Print how often each cause occurred, with an example."""
    failed: defaultdict[str, list[Trajectory]] = defaultdict(list)
    for episode in episodes:
        if cause := cause_of(episode):
            failed[cause].append(episode)
    console.print(f"\n[bold]2. Failures[/]: {sum(map(len, failed.values()))} of {len(episodes)}")
    table = Table("cause", "episodes", box=None, header_style="bold")
    for cause in sorted(failed, key=lambda cause: -len(failed[cause])):
        table.add_row(cause, str(len(failed[cause])))
    console.print(table)
    for cause, of_cause in failed.items():
        example = min(of_cause, key=lambda episode: len(episode["messages"]))
        console.print(f"\nFor example, {cause} (task {example['task_index']}):", style="dim")
        for line in shortened(example):
            console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def show_training(
    console: Console, tasks: Sequence[Mapping[str, Any]], count: int, folder: Path
) -> None:
    """Print how many tasks of each level are worth training on."""
    console.print(f"\n[bold]3. To train on[/]: {len(tasks)} of {count} train tasks were solved "
                  "sometimes, but not always")  # fmt: skip
    by_level = Counter(task["level"] for task in tasks)
    for level, number in sorted(by_level.items()):
        console.print(f"  level {level}: {number}")
    console.print(f"\nThe tasks are in {folder / 'tasks.jsonl'}.")
    console.print(f"The conversations that succeeded are in {folder / 'solved.jsonl'}.")


def write_lines(path: Path, lines: Iterable[Any]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, analyse, and write what to train on."""
    parser = argparse.ArgumentParser(description="A model in an office: what does it fail at?")
    parser.add_argument("--policy", default="hf", help="a policy, such as openai:MODEL")
    parser.add_argument(
        "--policy-set",
        metavar="NAME=VALUE",
        nargs="+",
        default=[],
        help="options of the policy, such as tool_prompt=true",
    )
    parser.add_argument("--tasks", type=int, default=20, help="held-out tasks, and train tasks")
    parser.add_argument("--samples", type=int, default=4, help="episodes of each train task")
    parser.add_argument("--max-tokens", type=int, default=512, help="of a message")
    parser.add_argument("--level", type=int, help="play one level only")
    parser.add_argument("--out", type=Path, default=Path("runs/workplace"))
    asked = parser.parse_args(arguments)
    console = Console(highlight=False)
    policy: str | Policy = asked.policy
    if asked.policy.partition(":")[0] in ("hf", "vllm", "openai"):
        options = read_settings(asked.policy_set, "--policy-set")
        policy = textgym.make_policy(asked.policy, {"max_tokens": asked.max_tokens}, options)
    kwargs = {} if asked.level is None else {"level": asked.level}

    def play(split: str, repeats: int) -> Any:
        console.print(f"{split}: {asked.tasks} tasks, {repeats} each")
        return textgym.rollout(
            ID,
            policy,
            episodes=asked.tasks,
            repeats=repeats,
            env_kwargs={**kwargs, "split": split},
        )

    held_out = play("validation", 1)
    train = play("train", asked.samples)
    show_baseline(console, asked.policy.partition("@")[0], held_out.metrics)
    show_failures(console, list(held_out.trajectories()))
    tasks = to_train_on(train.trajectories())
    asked.out.mkdir(parents=True, exist_ok=True)
    write_lines(asked.out / "tasks.jsonl", tasks)
    write_lines(
        asked.out / "solved.jsonl",
        (
            {"messages": episode["messages"], "tools": episode["tools"]}
            for episode in train.trajectories()
            if episode["is_success"]
        ),
    )
    show_training(console, tasks, asked.tasks, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
