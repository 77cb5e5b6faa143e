"""The parts of pages with figures: what reference models earn, and how learnable a level is.

They are made from `reference_models.json` and `audit.json`. An environment's page has two sections;
`reference-models.md` has the picture of all environments, and which levels separate which models.
Invariants: a figure of a model stands beside its interval and the environment's chance; a row that
was not played is a dash, and one that could not be played is a reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise, permutations
from pathlib import Path
from typing import Any

from reference_rows import Cell, Row, cell_of, chance_of

import textgym

__all__ = [
    "audits", "by_model", "differing_levels", "learnability_section", "overview",
    "reference_section", "separated_models",
]  # fmt: skip

AUDITS = Path(__file__).resolve().parent / "audit.json"
PLACES = {
    (0, 3): "level 0, 3 shots",
    (0, 0): "level 0",
    (1, 0): "level 1",
    (1, 3): "level 1, 3 shots",
}
"""The columns of the first table by level and shots."""

_HALF = 0.5  # of the turns, and of the groups
_MOST_ANSWERED = 0.95  # of the episodes; if more have an answer, the table does not say how many
_SAME = 0.005  # means that look the same with two digits

Models = dict[str, dict[tuple[int, int], Row]]
"""The rows of an environment by model, and by level and shots."""


@cache
def audits() -> dict[str, Any]:
    """Return the figures of the last audits by environment."""
    found: dict[str, Any] = json.loads(AUDITS.read_text(encoding="utf-8"))["environments"]
    return found


def by_model(id: str, rows: Iterable[Row]) -> Models:
    """Return the rows of an environment by model, and by level and shots."""
    models: Models = {}
    for row in rows:
        if row["id"] == id:
            models.setdefault(row["model"], {})[row["level"], row["shots"]] = row
    return models


# Reference models


def reference_section(id: str, rows: Iterable[Row]) -> str:
    """Return the section with what models earn in an environment.

    Args:
        id: The environment.
        rows: Rows of any environments.
    """
    models = by_model(id, rows)
    how_to = "../how-to/add-a-reference-model.md"
    if not models:
        return f"\n## Reference models\n\nNo model has been played yet: [add one]({how_to}).\n"
    higher = {
        (level, 0): f"level {level}"
        for level in textgym.card(id).levels
        if level > 1 and any((level, 0) in mine for mine in models.values())
    }
    parts = [
        "The share of test tasks that a model solves, with its 95 % interval. Shots are solved "
        "examples in the prompt; where no number is given, there are none. `-` was not played.",
        _models_table(id, models, PLACES),
        _models_table(id, models, higher) if higher else "",
        _list(f"{name}: {'; '.join(_settings(mine))}." for name, mine in models.items()),
        _list(_failures(models)),
        _calibration(models),
        f"[All environments](../reference-models.md) in one picture. [Add a model]({how_to}).",
    ]
    return "\n".join(["", "## Reference models", *(f"\n{part}" for part in parts if part), ""])


def _models_table(id: str, models: Models, places: Mapping[tuple[int, int], str]) -> str:
    lines = [
        ["model", *places.values()],
        ["---"] * (len(places) + 1),
        *(
            [name.replace("|", "\\|"), *(_cell(mine.get(place)) for place in places)]
            for name, mine in models.items()
        ),
        ["chance", *(f"{chance_of(id, level):.3g}" for level, _ in places)],
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(row: Row | None) -> str:
    """Return the success rate of a row with its interval, and what else is worth knowing."""
    if row is None:
        return "-"
    if "failed" in row:
        return "failed"
    low, high = row["success_interval"]
    more = []
    if abs(row["reward"] - row["success"]) > _SAME:
        more.append(f"reward {row['reward']:.2f}")
    if row["answered"] is not None and row["answered"] < _MOST_ANSWERED:
        more.append(f"answered {row['answered']:.2f}")
    return "; ".join([f"{row['success']:.2f} ({low:.2f} to {high:.2f})", *more])


def _settings(mine: Mapping[Any, Row]) -> list[str]:
    """Return how the rows of a model were played, usually in one way."""
    texts = []
    for row in mine.values():
        text = f"{row['episodes']} tasks a level, {row['engine']}"
        if sampling := row["sampling"]:
            text += (
                f", temperature {sampling['temperature']:g}, at most {sampling['max_tokens']} "
                "tokens a message"
            )
        texts.append(text)
    return list(dict.fromkeys(texts))


def _failures(models: Models) -> Iterator[str]:
    """Yield a line for each reason why rows of a model failed."""
    for name, mine in models.items():
        reasons: dict[str, list[tuple[int, int]]] = {}
        for place, row in mine.items():
            if "failed" in row:
                reasons.setdefault(row["failed"], []).append(place)
        for reason, places in reasons.items():
            yield f"{name} could not play {_places(places)}: `{reason.replace('`', '')}`"


# Calibration


def separated_models(models: Models) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return at which levels, with how many shots, a model is better than another one.

    A model is better if its interval is above the other's.
    """
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for better, worse in permutations(models, 2):
        for place, row in models[better].items():
            above, below = _interval(row), _interval(models[worse].get(place))
            if above and below and above[0] > below[1]:
                found.setdefault((better, worse), []).append(place)
    return found


def differing_levels(models: Models) -> dict[str, list[tuple[Cell, Cell]]]:
    """Return the neighbouring levels, with equal shots, whose intervals do not overlap, by model.

    A level that was not played is left out, so that its neighbours become neighbours.
    """
    found: dict[str, list[tuple[Cell, Cell]]] = {}
    for name, mine in models.items():
        places = sorted(mine, key=lambda place: (place[1], place[0]))
        for _, group in groupby(places, key=lambda place: place[1]):
            rows = [mine[place] for place in group if _interval(mine[place])]
            for row, other in pairwise(rows):
                low, high = sorted((row, other), key=lambda row: float(row["success"]))
                if high["success_interval"][0] > low["success_interval"][1]:
                    found.setdefault(name, []).append((cell_of(row), cell_of(other)))
    return found


def _interval(row: Row | None) -> list[float] | None:
    return row.get("success_interval") if row else None


def _calibration(models: Models) -> str:
    """Return which levels separate models, and which neighbouring levels differ for a model."""
    apart, differing = _separated_text(models), _differing_text(models)
    texts = []
    if _has_neighbours(models):
        texts.append(
            f"Neighbouring levels whose intervals do not overlap: {differing}."
            if differing
            else "No neighbouring levels differ for a model: their intervals overlap."
        )
    if len(models) > 1:
        texts.append(
            f"Models whose intervals do not overlap: {apart}."
            if apart
            else "No level separates two models: their intervals overlap."
        )
    return " ".join(texts)


def _has_neighbours(models: Models) -> bool:
    """Return whether a model has figures of two levels with the same number of shots."""
    return any(
        count > 1
        for mine in models.values()
        for count in Counter(shots for (_, shots), row in mine.items() if _interval(row)).values()
    )


def _separated_text(models: Models) -> str:
    return "; ".join(
        f"{better} above {worse} at {_places(places)}"
        for (better, worse), places in separated_models(models).items()
    )


def _differing_text(models: Models) -> str:
    texts = []
    for name, pairs in differing_levels(models).items():
        for cell, other in pairs:
            before, after = (
                f"{models[name][at.level, at.shots]['success']:.2f}" for at in (cell, other)
            )
            shots = f" with {cell.shots} shots" if cell.shots else ""
            texts.append(
                f"{name} from {before} at level {cell.level} to {after} at level "
                f"{other.level}{shots}"
            )
    return "; ".join(texts)


def overview(ids: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the table of `reference-models.md`: what each environment separates.

    Args:
        ids: The environments.
        rows: Rows of any environments.
    """
    lines = [
        "| environment | models that a level separates | neighbouring levels that differ |",
        "| --- | --- | --- |",
    ]
    missing = []
    for id in ids:
        name, models = id.split("/")[-1], by_model(id, rows)
        link = f"[`{name}`](environments/{name}.md)"
        if models:
            apart = _separated_text(models) or ("none" if len(models) > 1 else "-")
            differing = _differing_text(models) or ("none" if _has_neighbours(models) else "-")
            lines.append(f"| {link} | {apart} | {differing} |")
        else:
            missing.append(link)
    if missing:
        lines.append(f"\nNo model has been played yet in {_joined(missing)}.")
    return "\n".join(lines)


# Learnability


def learnability_section(id: str, ladder: Mapping[str, Any]) -> str:
    """Return the section with the shares of informative groups.

    Args:
        id: The environment.
        ladder: Its figures of the last audit; empty if it has none.
    """
    if not ladder:
        return ""
    shares = ladder["shares"]
    lines = [
        ["level", *(f"{share:g}" for share in shares)],
        ["---"] * (len(shares) + 1),
    ]
    marked, credited = False, ladder.get("informative_with_partial_credit", {})
    for level, rungs in ladder["informative"].items():
        early = [rung for share, rung in zip(shares, rungs, strict=True) if share <= _HALF]
        is_hard = max(early) < _HALF
        marked = marked or is_hard
        lines.append([f"{level} *" if is_hard else level, *(f"{rung:.2f}" for rung in rungs)])
        if level in credited:
            figures = (f"{rung:.2f}" for rung in credited[level])
            lines.append([f"{level}, with `partial_credit=True`", *figures])
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    fewest, most = min(ladder["groups"].values()), max(ladder["groups"].values())
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    note = (
        "\n\\* Fewer than half of the groups are informative while the oracle takes at most half "
        "of the turns: a policy that begins to learn rarely learns from this level.\n"
    )
    return (
        "\n## Learnability\n\n"
        "A group of episodes of one task is informative if its rewards differ: only then does a "
        "group-relative method such as GRPO learn from it. The table has the share of informative "
        f"groups, of {count} groups at each level, where the oracle takes each turn with the "
        "probability in the first line, and the random policy takes the others "
        f"([`statistical.learnability`](../audit.md)).\n\n{table}\n{note if marked else ''}"
    )


# Words


def _places(places: Iterable[tuple[int, int]]) -> str:
    """Return pairs of level and shots in words.

    Example:
        >>> _places([(0, 3), (0, 0), (1, 0), (4, 0)])
        'levels 0, 1 and 4, and level 0 with 3 shots'
    """
    texts = []
    ordered = sorted(places, key=lambda place: (place[1], place[0]))
    for shots, group in groupby(ordered, key=lambda place: place[1]):
        levels = [str(level) for level, _ in group]
        text = f"level{'s' * (len(levels) > 1)} {_joined(levels)}"
        texts.append(text + (f" with {shots} shots" if shots else ""))
    return ", and ".join(texts)


def _joined(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
