"""Reference models: playing rows, the file that holds them, and what pages show of them."""

from __future__ import annotations

import asyncio
import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repository import DOCS

import textgym
from textgym.errors import ContextFullError, PolicyFailure, UsageError
from textgym.policies import Action, Sampling, make_policy

sys.path.append(str(DOCS))

import make_pages
import make_reference
import page_figures
import reference_picture
from reference_rows import Cell, Row, cell_of, chance_of, merge, read, suite

MCQA, GUESS, MATH = (f"textgym/{name}-v0" for name in ("MCQA", "GuessNumber", "Math"))
FEW = {"episodes": 4, "seed": 0, "split": "test", "sampling": None, "engine": "script",
       "textgym": textgym.__version__}  # fmt: skip


def row_of(model: str, cell: Cell, solved: float = 0.5, **fields: Any) -> Row:
    """A made-up row; its interval is a tenth to both sides."""
    interval = [max(0.0, solved - 0.1), min(1.0, solved + 0.1)]
    figures = {"reward": solved, "reward_interval": interval, "success": solved,
               "success_interval": interval, "answered": 1.0}  # fmt: skip
    return {"model": model, **cell._asdict(), **figures, **FEW, **fields}


def failed_row(model: str, cell: Cell, reason: str = "UsageError: no pictures") -> Row:
    return {"model": model, **cell._asdict(), "failed": reason, **FEW}


class Says(textgym.Policy):
    """Calls a function for each message, and counts them."""

    name = "says:it"

    def __init__(self, answer: Callable[[int], str] = lambda turn: r"\boxed{A}") -> None:
        self.answer, self.turns = answer, 0

    async def act(
        self, messages: Sequence[Any], tools: Sequence[Any], *, prior: Any = None, seed: Any = None
    ) -> Action:
        self.turns += 1
        return Action(textgym.assistant(self.answer(self.turns)), "stop")


def play(
    folder: Path, policy: str | textgym.Policy, chosen: Sequence[Cell], **options: Any
) -> list[Row]:
    """Play rows as the command does, and return the rows of the file."""
    player = make_policy(policy)
    name = make_reference.model_name(player)
    arguments = {"out": folder / "rows.json", "runs": folder / "runs", "progress": False}
    settings = {**FEW, **options.pop("settings", {})}
    asyncio.run(
        make_reference.play_rows(player, name, chosen, settings, **{**arguments, **options})
    )
    return read(folder / "rows.json")


# The file


def test_a_row_replaces_the_same_row_only(tmp_path: Path) -> None:
    file, cell = tmp_path / "rows.json", Cell(MCQA, 1, 0)
    first = [row_of("b", cell, 0.1), row_of("a", cell, 0.2), row_of("a", Cell(MCQA, 1, 3), 0.3)]
    merge(first, file)
    merged = merge([row_of("a", cell, 0.9)], file)
    assert [(row["model"], row["shots"], row["success"]) for row in merged] == [
        ("a", 0, 0.9), ("a", 3, 0.3), ("b", 0, 0.1),
    ]  # fmt: skip
    assert read(file) == merged


def test_a_failed_row_replaces_only_a_failed_one(tmp_path: Path) -> None:
    file, cell = tmp_path / "rows.json", Cell(MCQA, 1, 0)
    merge([failed_row("a", cell, "first")], file)
    assert merge([failed_row("a", cell, "second")], file)[0]["failed"] == "second"
    assert merge([row_of("a", cell)], file)[0]["success"] == 0.5
    assert merge([failed_row("a", cell, "third")], file)[0] == row_of("a", cell)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"rows": 3}', '{"rows": [{"model": "a"}]}', '{"rows": [7]}', "{}"]
)
def test_a_file_without_rows_is_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(content)
    with pytest.raises(UsageError, match=r"rows\.json' does not hold rows of reference models"):
        read(tmp_path / "rows.json")


CELLS = st.builds(Cell, st.sampled_from([MCQA, GUESS]), st.integers(0, 5), st.sampled_from([0, 3]))
SHARES = st.sampled_from([0.0, 0.04, 0.5, 1.0])
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1)
ROWS = st.lists(st.builds(row_of, NAMES, CELLS, SHARES) | st.builds(failed_row, NAMES, CELLS))


@given(ROWS, st.integers(0, 10))
def test_merging_in_parts_gives_what_merging_at_once_gives(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], cut: int
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    merge(rows[:cut], folder / "parts.json")
    merge(rows[cut:], folder / "parts.json")
    merge(rows, folder / "once.json")
    assert (folder / "parts.json").read_bytes() == (folder / "once.json").read_bytes()


# Playing


def test_what_is_played_of_an_environment() -> None:
    found = make_reference.cells([MCQA, GUESS])
    assert found[:3] == [Cell(MCQA, 0, 0), Cell(GUESS, 0, 0), Cell(MCQA, 0, 3)]
    mine = [(cell.level, cell.shots) for cell in found if cell.id == MCQA]
    assert mine == [(0, 0), (0, 3), (1, 0), (1, 3), (2, 0), (3, 0), (4, 0), (5, 0)]
    assert make_reference.cells([MCQA], [1, 4], [0]) == [Cell(MCQA, 1, 0), Cell(MCQA, 4, 0)]


def test_every_environment_of_the_suite_has_the_cells_of_the_table() -> None:
    found = set(make_reference.cells(suite()))
    wanted = {Cell(id, *place) for id in suite() for place in page_figures.PLACES}
    assert {cell for cell in wanted - found if textgym.card(cell.id).first_rung} == set()


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("hf:SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct"),
        ("vllm:/models/Model-7B/", "Model-7B"),
        ("openai:org/Model-7B@http://127.0.0.1:8000/v1", "Model-7B"),
        ("openai:Model-7B", "Model-7B"),
        ("inspect:openai/gpt", "gpt"),
        ("oracle", "oracle"),
    ],
)
def test_name_of_a_model(spec: str, name: str) -> None:
    policy = Says()
    policy.name = spec
    assert make_reference.model_name(policy) == name


def test_oracle_and_random_policy_play_two_environments(tmp_path: Path) -> None:
    chosen = make_reference.cells([MCQA, GUESS], [0, 1], [0])
    play(tmp_path, "oracle", chosen)
    rows = play(tmp_path, "random", chosen, settings={"episodes": 8})
    assert [(row["model"], row["id"], row["level"]) for row in rows] == [
        (model, id, level) for model in ("oracle", "random") for id in (GUESS, MCQA)
        for level in (0, 1)
    ]  # fmt: skip
    oracle = rows[2]
    assert (oracle["reward"], oracle["success"], oracle["answered"]) == (1, 1, 1)
    assert oracle["success_interval"] == [pytest.approx(0.51, abs=0.01), 1.0]
    assert oracle["components"]["correct"] == 1
    assert oracle["stop_reasons"] == {"answer": 4}
    assert FEW.items() <= oracle.items()
    assert 0 < rows[6]["success"] < 1
    assert (tmp_path / "runs/oracle/MCQA-v0-level0-shots0/trajectories.jsonl").exists()


def test_shots_are_in_the_prompt(tmp_path: Path) -> None:
    seen = []

    class Reads(Says):
        async def act(self, messages: Sequence[Any], *rest: Any, **more: Any) -> Action:
            seen.append(len(messages))
            return await super().act(messages, *rest, **more)

    play(tmp_path, Reads(), [Cell(MCQA, 0, 0), Cell(MCQA, 0, 3)])
    assert seen == [1] * 4 + [7] * 4


def test_the_seed_gives_the_same_row_again(tmp_path: Path) -> None:
    rows = [
        play(tmp_path / name, "random", [Cell(GUESS, 1, 0)], settings={"episodes": 8})
        for name in ("a", "b")
    ]
    assert rows[0] == rows[1]


def test_rows_that_are_current_are_not_played_again(tmp_path: Path) -> None:
    policy, chosen = Says(), [Cell(MCQA, 0, 0), Cell(MCQA, 1, 0)]
    play(tmp_path, policy, chosen[:1])
    assert policy.turns == 4
    play(tmp_path, policy, chosen)
    assert policy.turns == 8
    play(tmp_path, policy, chosen)
    assert policy.turns == 8
    play(tmp_path, policy, chosen, again=True)
    assert policy.turns == 16


@pytest.mark.parametrize(
    "changed", [{"episodes": 5}, {"seed": 1}, {"textgym": "0"}, {"sampling": {"max_tokens": 9}}]
)
def test_rows_of_other_settings_are_played_again(changed: dict[str, Any], tmp_path: Path) -> None:
    policy = Says()
    play(tmp_path, policy, [Cell(MCQA, 0, 0)])
    (row,) = play(tmp_path, policy, [Cell(MCQA, 0, 0)], settings=changed)
    assert policy.turns == 4 + changed.get("episodes", 4)
    assert changed.items() <= row.items()


def test_a_stop_loses_only_the_row_in_progress(tmp_path: Path) -> None:
    def stop(turn: int) -> str:
        if turn == 6:
            raise KeyboardInterrupt
        return r"\boxed{A}"

    policy, chosen = Says(stop), [Cell(MCQA, level, 0) for level in (0, 1, 2)]
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path, policy, chosen, concurrency=1)
    assert [row["level"] for row in read(tmp_path / "rows.json")] == [0]
    rows = play(tmp_path, policy, chosen, concurrency=1)
    assert [row["level"] for row in rows] == [0, 1, 2]
    assert policy.turns == 6 + 8


# Rows that fail


def test_a_row_that_cannot_be_made_is_failed_and_the_others_are_played(tmp_path: Path) -> None:
    rows = play(tmp_path, "oracle", [Cell(GUESS, 1, 3), Cell(GUESS, 2, 0)])
    assert rows[0]["failed"].startswith("UsageError: FewShot: 4 solved tasks with different")
    assert "success" not in rows[0]
    assert rows[1]["success"] == 1


def test_a_policy_that_is_down_gives_a_failed_row_and_is_asked_again(tmp_path: Path) -> None:
    def down(turn: int) -> str:
        raise PolicyFailure("the server is down\nmore")

    (row,) = play(tmp_path, Says(down), [Cell(MCQA, 0, 0)])
    assert row["failed"] == "4 of 4 episodes failed: PolicyFailure: the server is down"
    assert "reward" not in row
    (row,) = play(tmp_path, Says(), [Cell(MCQA, 0, 0)])
    assert row["success"] >= 0


def test_a_reason_does_not_name_the_address_of_the_server(tmp_path: Path) -> None:
    def down(turn: int) -> str:
        raise PolicyFailure(f"{policy.name}: 503")

    policy = Says(down)
    policy.name = "openai:Model-7B@http://10.0.0.7:8000/v1"
    (row,) = play(tmp_path, policy, [Cell(MCQA, 0, 0)])
    assert row["failed"] == "4 of 4 episodes failed: PolicyFailure: Model-7B: 503"


@pytest.mark.parametrize(("episodes", "fails"), [(20, False), (4, True)])
def test_a_tenth_of_the_episodes_may_fail(episodes: int, fails: bool, tmp_path: Path) -> None:
    def once(turn: int) -> str:
        if turn <= 3:  # the first episode, and its retries
            raise PolicyFailure("out of memory")
        return r"\boxed{A}"

    settings = {"episodes": episodes}
    (row,) = play(tmp_path, Says(once), [Cell(MCQA, 1, 0)], settings=settings, concurrency=1)
    assert ("failed" in row) is fails
    assert row.get("failed_episodes") == (None if fails else 1)


def test_prompts_that_do_not_fit_are_not_a_zero(tmp_path: Path) -> None:
    def too_long(turn: int) -> str:
        raise ContextFullError("the prompt has 9,000 tokens")

    (row,) = play(tmp_path, Says(too_long), [Cell(MCQA, 0, 0)])
    assert row["failed"] == "the model answered no prompt; the episodes ended by context"


# The command


def run(folder: Path, *arguments: str) -> int:
    options = ["--out", str(folder / "rows.json"), "--runs", str(folder / "runs")]
    return make_reference.main([*arguments, *options])


def test_command_with_a_class_of_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my_reference_model.py").write_text(
        "import textgym\n"
        "class Model(textgym.Policy):\n"
        "    def __init__(self, sampling):\n"
        "        self.sampling, self.name = sampling, 'my:Model-1B'\n"
        "    async def act(self, messages, tools, *, prior=None, seed=None):\n"
        "        return textgym.Action(textgym.assistant('I do not know.'), 'stop')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    arguments = ("my_reference_model:Model", "MCQA-v0", "--episodes", "3", "--levels", "0")
    assert run(tmp_path, *arguments, "--max-tokens", "64") == 0
    printed = capsys.readouterr().out
    assert "Model-1B: 2 of 2 rows to play" in printed
    assert "2 of 2: textgym/MCQA-v0, level 0, 3 shots: success 0.00 (0.00 to 0.56)" in printed
    rows = read(tmp_path / "rows.json")
    assert [(row["model"], row["answered"]) for row in rows] == [("Model-1B", 0)] * 2
    sampling = {**Sampling().as_dict(), "max_tokens": 64, "stop": []}
    assert [row["sampling"] for row in rows] == [sampling] * 2
    assert run(tmp_path, *arguments, "--max-tokens", "64") == 0
    assert "Model-1B: 0 of 2 rows to play" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "name a policy, such as hf, or files with --merge"),
        (["nothing"], "there is no policy 'nothing'"),
        (["oracle", "Nowhere-v0"], "'textgym/Nowhere-v0' is not an environment of the suite"),
        (["oracle", "--levels", "9"], "no row has these levels and shots"),
        (["oracle", "--episodes", "0"], "--episodes must be at least 1, not 0"),
        (["oracle", "--policy-set", "x"], "--policy-set takes NAME=VALUE, not 'x'"),
        (["--merge", "missing.json"], "there is no file 'missing.json'"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, *arguments) == 1
    printed = capsys.readouterr().err
    assert printed.startswith(f"make_reference: {problem}")
    assert printed.count("\n") == 1
    assert not (tmp_path / "rows.json").exists()


def test_rows_of_another_machine_are_merged(tmp_path: Path) -> None:
    merge([row_of("a", Cell(MCQA, 0, 0))], tmp_path / "rows.json")
    merge([row_of("b", Cell(MCQA, 0, 0))], tmp_path / "other.json")
    assert run(tmp_path, "--merge", str(tmp_path / "other.json")) == 0
    assert [row["model"] for row in read(tmp_path / "rows.json")] == ["a", "b"]


# The pages


def section(*rows: Row, id: str = MCQA) -> str:
    return page_figures.reference_section(id, rows)


def test_an_environment_without_a_model_says_how_to_add_one() -> None:
    text = section(row_of("a", Cell(GUESS, 0, 0)))
    assert "No model has been played yet: [add one](../how-to/add-a-reference-model.md)." in text
    assert "|" not in text


def test_table_of_models_beside_chance() -> None:
    text = section(
        row_of("a", Cell(MCQA, 0, 3), 0.75, answered=0.5),
        row_of("a", Cell(MCQA, 1, 0), 0.25, reward=0.4),
        failed_row("b", Cell(MCQA, 1, 0), "UsageError: `no` pictures"),
    )
    lines = text.splitlines()
    assert "| model | level 0, 3 shots | level 0 | level 1 | level 1, 3 shots |" in lines
    shares = "0.75 (0.65 to 0.85); answered 0.50", "-", "0.25 (0.15 to 0.35); reward 0.40", "-"
    assert f"| a | {' | '.join(shares)} |" in lines
    assert "| b | - | - | failed | - |" in lines
    assert f"| chance | {' | '.join(f'{chance_of(MCQA, n):.3g}' for n in (0, 0, 1, 1))} |" in lines
    assert "- b could not play level 1: `UsageError: no pictures`" in lines
    assert "level 2" not in text


def test_higher_levels_are_shown_if_one_was_played() -> None:
    text = section(row_of("a", Cell(MCQA, 3, 0), 0.5), row_of("b", Cell(MCQA, 1, 0), 0.5))
    assert "| model | level 3 |\n" in text
    assert "| a | 0.50 (0.40 to 0.60) |\n| b | - |\n" in text


def test_settings_are_named_once() -> None:
    sampling = {"temperature": 0.7, "max_tokens": 64}
    text = section(
        *(row_of("a", Cell(MCQA, level, 0), sampling=sampling) for level in (0, 1)),
        row_of("a", Cell(MCQA, 2, 0), episodes=100),
    )
    assert (
        "- a: 4 tasks a level, script, temperature 0.7, at most 64 tokens a message; 100 tasks a "
        "level, script.\n" in text
    )


def models_of(*rows: Row) -> page_figures.Models:
    return page_figures.by_model(MCQA, rows)


def test_models_are_apart_where_intervals_do_not_overlap() -> None:
    models = models_of(
        row_of("a", Cell(MCQA, 0, 0), 0.9), row_of("b", Cell(MCQA, 0, 0), 0.75),
        row_of("a", Cell(MCQA, 1, 0), 0.9), row_of("b", Cell(MCQA, 1, 0), 0.6),
        row_of("a", Cell(MCQA, 1, 3), 0.2), row_of("b", Cell(MCQA, 1, 3), 0.6),
        row_of("a", Cell(MCQA, 2, 0), 0.9), failed_row("b", Cell(MCQA, 2, 0)),
        row_of("a", Cell(MCQA, 3, 0), 0.9),
    )  # fmt: skip
    assert page_figures.separated_models(models) == {("a", "b"): [(1, 0)], ("b", "a"): [(1, 3)]}


def test_intervals_that_touch_overlap() -> None:
    models = models_of(
        row_of("a", Cell(MCQA, 0, 0), success_interval=[0.5, 0.7]),
        row_of("b", Cell(MCQA, 0, 0), success_interval=[0.3, 0.5]),
    )
    assert page_figures.separated_models(models) == {}


def test_neighbouring_levels_differ_with_the_same_shots() -> None:
    rows = [
        row_of("a", Cell(MCQA, 0, 0), 0.9), row_of("a", Cell(MCQA, 1, 0), 0.2),
        row_of("a", Cell(MCQA, 0, 3), 0.9), row_of("a", Cell(MCQA, 1, 3), 0.9),
        failed_row("a", Cell(MCQA, 2, 0)), row_of("a", Cell(MCQA, 3, 0), 0.5),
    ]  # fmt: skip
    found = page_figures.differing_levels(models_of(*rows))
    assert found == {
        "a": [(Cell(MCQA, 0, 0), Cell(MCQA, 1, 0)), (Cell(MCQA, 1, 0), Cell(MCQA, 3, 0))]
    }
    assert (
        "Neighbouring levels whose intervals do not overlap: a from 0.90 at level 0 to 0.20 at "
        "level 1; a from 0.20 at level 1 to 0.50 at level 3." in section(*rows)
    )


def test_levels_that_separate_are_named_by_pair() -> None:
    rows = [
        row_of(model, Cell(MCQA, level, shots), solved)
        for model, solved in (("a", 0.9), ("b", 0.1))
        for level, shots in ((0, 0), (0, 3), (1, 0), (4, 0))
    ]
    words = "a above b at levels 0, 1 and 4, and level 0 with 3 shots"
    assert f"Models whose intervals do not overlap: {words}." in section(*rows)
    assert f"MCQA-v0.md) | {words} | none |" in page_figures.overview([MCQA, GUESS], rows)
    assert "yet in [`GuessNumber-v0`]" in page_figures.overview([MCQA, GUESS], rows)


def test_one_model_is_not_compared() -> None:
    rows = [row_of("a", Cell(MCQA, level, 0)) for level in (0, 1)]
    text = section(*rows)
    assert "No neighbouring levels differ for a model: their intervals overlap.\n" in text
    assert "Models whose" not in text
    assert "MCQA-v0.md) | - | none |" in page_figures.overview([MCQA], rows)


def test_one_level_is_not_compared() -> None:
    rows = [row_of("a", Cell(MCQA, 0, shots)) for shots in (0, 3)]
    assert "intervals overlap" not in section(*rows)
    assert "MCQA-v0.md) | - | - |" in page_figures.overview([MCQA], rows)


@given(ROWS)
def test_any_rows_make_a_table_with_equal_columns_and_a_picture(rows: list[Row]) -> None:
    lines = [line for line in section(*rows).splitlines() if line.startswith("| ")]
    assert {line.replace(r"\|", "").count("|") for line in lines} <= {3, 4, 5, 6}
    ET.fromstring(reference_picture.drawing([MCQA, GUESS], rows))


# The picture


def circles(rows: list[Row], ids: Sequence[str] = (MCQA, GUESS)) -> int:
    root = ET.fromstring(reference_picture.drawing(ids, rows))
    return sum(1 for node in root.iter() if node.tag.endswith("circle"))


def test_a_point_for_each_row_with_figures() -> None:
    rows = [row_of("a", Cell(MCQA, 0, 0)), row_of("a", Cell(MCQA, 0, 3))]
    legend = 3  # of one model, and both kinds of points
    assert circles(rows) == legend + 2
    assert circles([*rows, failed_row("a", Cell(MCQA, 1, 0))]) == legend + 2
    assert circles([*rows, row_of("a", Cell(MATH, 1, 0))]) == legend + 2
    assert circles([*rows, row_of("b", Cell(GUESS, 1, 0))]) == legend + 1 + 3


def test_names_are_escaped_in_the_picture() -> None:
    text = reference_picture.drawing([MCQA], [row_of("<b>&", Cell(MCQA, 0, 0))])
    assert ">&lt;b&gt;&amp;</text>" in text


# Learnability


def ladder(**informative: list[float]) -> dict[str, Any]:
    rungs = {name.removeprefix("level"): shares for name, shares in informative.items()}
    groups = {name: 30 + int(name) for name in rungs}
    return {"shares": [0.0, 0.25, 0.5, 0.75], "groups": groups, "informative": rungs}


def test_levels_that_teach_little_are_marked() -> None:
    figures = ladder(level1=[0.0, 0.1, 0.5, 0.9], level2=[0.0, 0.1, 0.49, 1.0])
    text = page_figures.learnability_section(MCQA, figures)
    assert "| level | 0 | 0.25 | 0.5 | 0.75 |\n" in text
    assert "| 1 | 0.00 | 0.10 | 0.50 | 0.90 |\n| 2 * | 0.00 | 0.10 | 0.49 | 1.00 |\n" in text
    assert "of 31 to 32 groups" in text
    assert "\n\\* Fewer than half" in text


def test_without_a_hard_level_there_is_no_note() -> None:
    text = page_figures.learnability_section(MCQA, ladder(level1=[0.9, 0.1, 0.0, 0.0]))
    assert "*" not in text
    assert "of 31 groups" in text


def test_without_an_audit_there_is_no_section() -> None:
    assert page_figures.learnability_section(MCQA, {}) == ""


@pytest.mark.parametrize("id", suite())
def test_page_of_each_environment_has_its_ladder(id: str) -> None:
    text = (make_pages.PAGES / f"{id.split('/')[-1]}.md").read_text(encoding="utf-8")
    figures = page_figures.audits()[id]["learnability"]
    assert page_figures.learnability_section(id, figures) in text, "run `make docs`"
    assert text.count("## Reference models") == 1


# What is in the repository


def test_the_overview_and_the_picture_are_made_from_the_rows() -> None:
    page = make_pages.OVERVIEW.read_text(encoding="utf-8")
    assert make_pages.overview_page(page) == page, "run `make docs`"
    picture = reference_picture.DRAWING.read_text(encoding="utf-8")
    assert reference_picture.drawing(suite(), read()) == picture, "run `make docs`"


def test_the_rows_are_of_levels_of_the_suite(tmp_path: Path) -> None:
    rows = read()
    assert {cell_of(row) for row in rows} <= set(make_reference.cells(suite()))
    merge(rows, tmp_path / "rows.json")
    assert json.loads((tmp_path / "rows.json").read_text("utf-8"))["rows"] == rows
    for row in rows:
        assert "failed" in row or row["success_interval"][0] <= row["success"], row
