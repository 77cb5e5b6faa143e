"""Runs as logs of Inspect, which `inspect view` opens.

Invariants: a sample is an episode; a failed episode has an error and no score; messages, rewards,
successes and token counts are the trajectory's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from textgym._version import __version__
from textgym.errors import UsageError
from textgym.policies.inspect_messages import as_chat
from textgym.trajectories.run import Run
from textgym.trajectories.schema import Trajectory

__all__ = ["write_log"]


def write_log(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run as a log of Inspect.

    Args:
        run: The run, such as `Run.load(folder)`.
        path: The file, which ends in `.eval` or `.json`.

    Raises:
        UsageError: The file has another ending, or the run has no episodes.
    """
    target = os.fspath(path)
    if not target.endswith((".eval", ".json")):
        raise UsageError(f"a log of Inspect ends in .eval or .json, and {target!r} does not")
    trajectories = list(run.trajectories())
    if not trajectories:
        raise UsageError("the run has no episodes to write")
    first = trajectories[0]
    envs = sorted({trajectory["env_id"] for trajectory in trajectories})
    samples = [_sample(trajectory) for trajectory in trajectories]
    spec = EvalSpec(
        created=datetime.fromtimestamp(first["started_at"], UTC).isoformat(),
        task="textgym",
        task_args={"envs": envs},
        dataset=EvalDataset(name=", ".join(envs), samples=len(samples)),
        model=first["policy"],
        config=EvalConfig(),
        packages={"textgym": __version__},
    )
    log = EvalLog(status="success", eval=spec, results=_results(samples), samples=samples)
    write_eval_log(log, target)


def _sample(trajectory: Trajectory) -> EvalSample:
    usage = trajectory["usage"]
    read, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    counts = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    messages = as_chat(trajectory["messages"])
    first_reply = trajectory["steps"][0]["message_index"] if trajectory["steps"] else len(messages)
    failure, info = trajectory["failure"], trajectory["info"]
    sample = EvalSample(
        id=f"{trajectory['env_id']} {trajectory['task_id']}",
        epoch=trajectory["repeat"] + 1,
        input=messages[:first_reply],
        target="",
        messages=messages,
        output=ModelOutput(model=trajectory["policy"], usage=counts),
        model_usage={trajectory["policy"]: counts},
        total_time=trajectory["seconds"],
        metadata={"env_id": trajectory["env_id"], "info": info},
    )
    if failure is not None:
        text = failure["message"]
        trace = failure.get("traceback") or ""
        sample.error = EvalError(message=text, traceback=trace, traceback_ansi=trace)
    elif trajectory["reward"] is not None:
        reason = info.get("verdict_reason") or trajectory["stop_reason"]
        success = float(bool(trajectory["is_success"]))
        sample.scores = {
            "textgym": Score(
                value={"reward": trajectory["reward"], "success": success},
                answer=info.get("extracted_answer") or None,
                explanation=str(reason),
                metadata={"reward_components": info.get("reward_components", {})},
            )
        }
    return sample


def _results(samples: Sequence[EvalSample]) -> EvalResults:
    """Return the means of the samples that have a score."""
    values: list[Any] = [s.scores["textgym"].value for s in samples if s.scores]
    scores = []
    for name in ("reward", "success"):
        numbers = [value[name] for value in values]
        mean = sum(numbers) / len(numbers) if numbers else 0.0
        metrics = {"mean": EvalMetric(name="mean", value=mean)}
        scores.append(EvalScore(name=name, scorer="textgym", metrics=metrics))
    return EvalResults(total_samples=len(samples), completed_samples=len(values), scores=scores)
