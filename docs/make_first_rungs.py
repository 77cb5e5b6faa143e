"""Plays the runs of the first rungs that are missing, and writes their table and their picture.

    .venv-vllm/bin/python docs/make_first_rungs.py --play               # all; hours on a CPU
    .venv-vllm/bin/python docs/make_first_rungs.py --play --env Math --seeds 1
    python docs/make_first_rungs.py                                     # `make first-rungs`

A run is a process of `examples/first_rungs.py`. Each finished run is added to
docs/first_rungs.json and is not played again; one that was killed begins again. The page
docs/first-rungs.md and docs/first-rungs.png are made from that file.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from first_rungs_runs import FOLDER, MAX_TOKENS, Found, finished, job_of, jobs, merge, read

__all__ = ["draw", "page_with", "play_missing", "table"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "first-rungs.md"
PICTURE = PAGE.with_suffix(".png")
START, END = "<!-- runs -->", "<!-- end -->"
COLOURS = {"none": "#2171b5", "shuffled": "#d94801", "format": "#238b45", "no-feedback": "#6a51a3"}
HEAD = """\
| environments | rewards | seed | 3 examples, before and after | no examples, before and after \
| gain without examples | level 1 without examples, after | last rung | minutes |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |"""


def play_missing(envs: Sequence[str], seeds: int) -> bool:
    """Play the runs that are missing; return whether all of them ended without an error."""
    known = {job_of(run) for run in read()}
    missing = [job for job in jobs(envs, seeds) if job not in known]
    sound = True
    for number, job in enumerate(missing, 1):
        print(f"{number} of {len(missing)}: {job.name}", flush=True)
        command = [sys.executable, "-W", "ignore", "examples/first_rungs.py", *job.arguments()]
        log = FOLDER / f"{job.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as file:
            code = subprocess.run(
                command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False
            ).returncode
        sound &= code == 0
        if code:
            print(f"  it ended with status {code}: see {log}", flush=True)
        merge(finished())
    return sound


def table(runs: Sequence[Found]) -> str:
    """Return the runs as a table in Markdown: one line for each environment that a run tried."""
    lines = [HEAD]
    for run in runs:
        control = run["control"] if run["control"] != "none" else "its own"
        for name, tried in run["tried"].items():
            trained = " + ".join(run["envs"])
            about = name if trained == name else f"{name}, trained on {trained}"
            low, high = tried["held_out"]["gain"][1:]
            cells = [
                *(about, control, run["seed"]),
                *(_before_after(tried[kind]) for kind in ("examples", "held_out")),
                f"{tried['held_out']['gain'][0]:+.2f} ({low:+.2f} to {high:+.2f})",
                _rate(tried["next"], -1) if "next" in tried else "not tried",
                _last_rung(run["rungs"].get(name)),
                f"{run['minutes']:.0f}",
            ]
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _before_after(tried: Mapping[str, Any]) -> str:
    return f"{tried['success'][0]:.2f} → {_rate(tried, -1)}"


def _rate(tried: Mapping[str, Any], at: int) -> str:
    rate, low, high = (tried[key][at] for key in ("success", "success_low", "success_high"))
    return f"{rate:.2f} ({low:.2f} to {high:.2f})"


def _last_rung(rungs: Sequence[tuple[float, float]] | None) -> str:
    """Return the level and the examples of the last step; "never played" without any."""
    if not rungs:
        return "never played"
    level, shots = map(int, rungs[-1])
    return f"level {level}, {shots} shots" if shots != 1 else f"level {level}, 1 shot"


def draw(runs: Sequence[Found], place: Path) -> None:
    """Draw a panel for each environment that was trained by itself: held-out success by step.

    Args:
        runs: The runs.
        place: The picture.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    single = [run for run in runs if len(run["envs"]) == 1]
    names = [name for name in MAX_TOKENS if any(run["envs"] == [name] for run in single)]
    columns = min(3, len(names))
    rows = math.ceil(len(names) / columns)
    figure, panels = plt.subplots(
        rows,
        columns,
        figsize=(4.2 * columns, 2.9 * rows + 0.5),
        dpi=110,
        layout="constrained",
        squeeze=False,
    )
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    for name, axes in zip(names, panels.flat, strict=False):
        for run in single:
            if run["envs"] == [name]:
                _draw_run(axes, run["tried"][name], COLOURS[run["control"]])
        axes.set(title=name, ylim=(-0.03, 1.03))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.25)
    figure.supxlabel("step", fontsize=10)
    figure.supylabel("success in held-out tasks of level 0", fontsize=10)
    shown = {run["control"] for run in single}
    labels = {"none": "its own rewards", "shuffled": "shuffled rewards", "format": "format only"}
    handles = [
        plt.Line2D([], [], color=colour, label=labels.get(control, control))
        for control, colour in COLOURS.items()
        if control in shown
    ]
    handles += [
        plt.Line2D([], [], color="#636363", label="no examples in the prompt"),
        plt.Line2D([], [], color="#636363", linestyle=":", label="three examples"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    figure.savefig(place)
    plt.close(figure)


def _draw_run(axes: Any, tried: Mapping[str, Any], colour: str) -> None:
    for kind, style in (("examples", ":"), ("held_out", "-")):
        trial = tried[kind]
        axes.plot(trial["steps"], trial["success"], style, color=colour, marker="o", markersize=3)
    low, high = trial["success_low"], trial["success_high"]
    axes.fill_between(trial["steps"], low, high, color=colour, alpha=0.1, linewidth=0)


def page_with(text: str, runs: Sequence[Found]) -> str:
    """Return a page with the table between its marks."""
    before, rest = text.split(START)
    return f"{before}{START}\n\n{table(runs)}\n\n{END}{rest.split(END)[1]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, or write the page."""
    parser = argparse.ArgumentParser(description="Runs of the first rungs.")
    parser.add_argument("--play", action="store_true", help="play what is missing; needs vLLM")
    parser.add_argument("--env", nargs="+", choices=MAX_TOKENS, default=[], help="only these")
    parser.add_argument("--seeds", type=int, default=3, help="where there are several")
    asked = parser.parse_args(arguments)
    if asked.play:
        return 0 if play_missing(asked.env, asked.seeds) else 1
    runs = merge(finished())
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), runs), encoding="utf-8")
    draw(runs, PICTURE)
    print(PAGE, PICTURE, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
