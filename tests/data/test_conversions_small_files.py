"""A small file of each data set goes through its script, and its rows through the environment."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from conversion_samples import RIGHT, SAMPLES, WRONG, converted
from repository import SCRIPTS
from workplace_data import write_database

from textgym.messages import assistant_calls
from textgym.tasks.named import dataset_names, named_dataset


def run_script(name: str, *arguments: object) -> int:
    """Run the script of a data set in this process; return its exit code."""
    script = {"math": "competition_math"}.get(name, name)  # Python has a module `math`
    sys.argv = [f"{script}.py", *map(str, arguments)]
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPTS / f"{script}.py"), run_name="__main__")
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setattr(sys, "argv", [])


def reward_of(env: Any, index: int, *replies: Any) -> float:
    """Play a task: with the oracle, or with some replies. Return the return."""
    env.reset(options={"index": index})
    earned, ended, given = 0.0, False, iter(replies)
    while not ended:
        _, reward, terminated, truncated, _ = env.step(next(given) if replies else env.solve())
        earned, ended = earned + float(reward), terminated or truncated
    return earned


def wrong_reply(name: str, task: Any) -> Any:
    if name in WRONG:
        return WRONG[name]
    if named_dataset(name).env == "textgym/MCQA-v0":
        return f"\\boxed{{{next(letter for letter in task.options if letter != task.answer)}}}"
    return "\\boxed{987}" if named_dataset(name).env == "textgym/Math-v0" else "Nothing is known."


def test_each_data_set_has_a_sample() -> None:
    assert sorted(SAMPLES) == dataset_names()


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_script_and_environment(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "small.jsonl", tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in SAMPLES[name]))
    count = len(SAMPLES[name])
    assert run_script(name, file, "--split", "test", "--out", out) == 0
    assert capsys.readouterr().out == f"{name} (test): {count} rows written\n"
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert all(row["id"].startswith(f"{name}-test-") for row in rows)
    assert len({row["id"] for row in rows}) == count
    dataset = named_dataset(name)
    more: dict[str, Any] = {}
    if dataset.env == "textgym/WorkplaceAssistant-v0":
        more["database"] = write_database(tmp_path / "databases")
    env = gymnasium.make(dataset.env, dataset=str(out), **dataset.env_kwargs, **more)
    inner: Any = env.unwrapped
    assert inner.num_tasks == count
    for index in range(count):
        right = [RIGHT[name][index]] if name in RIGHT else []
        assert reward_of(inner, index, *right) == 1.0
        assert reward_of(inner, index, wrong_reply(name, inner.task)) == 0.0
    env.close()


def test_left_out_records_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, file = SAMPLES["gsm_plus"][0], tmp_path / "small.jsonl"
    records = [good, {**good, "answer": "None"}, good, {**good, "answer": "None"}]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert run_script("gsm_plus", file, "--out", tmp_path / "rows.jsonl") == 0
    assert capsys.readouterr().out == (
        "gsm_plus (test): 2 records are left out (there is no answer: 2)\n"
        "gsm_plus (test): 2 rows written\n"
    )
    rows = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [json.loads(row)["id"] for row in rows] == ["gsm_plus-test-1", "gsm_plus-test-3"]


def test_workplace_call(tmp_path: Path) -> None:
    """A call that the reference does not make costs the reward."""
    row = converted("workplace_assistant", SAMPLES["workplace_assistant"][0])
    database = write_database(tmp_path / "databases")
    env = gymnasium.make("textgym/WorkplaceAssistant-v0", dataset=[row], database=database)
    other = assistant_calls(("calendar_delete_event", {"event_id": "00000006"}))
    assert reward_of(env.unwrapped, 0, other, "Done.") == 0.0
