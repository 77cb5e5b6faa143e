"""Shards of a run in several folders, and the one run that `merge_runs` makes of them."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run_contents import content, without_times

import textgym
from textgym.errors import PolicyFailure, RunError, UsageError
from textgym.messages import assistant, user
from textgym.metrics import run_index
from textgym.metrics.run_metrics import StoredRun
from textgym.policies import Action, Policy
from textgym.rollouts import merging
from textgym.trajectories import run_folder

MCQA, GUESS, MATH = "textgym/MCQA-v0", "textgym/GuessNumber-v0", "textgym/Math-v0"


def play(out: Path, envs: Any = MCQA, policy: Any = "random", **options: Any) -> Path:
    options = {"episodes": 6, "repeats": 2, "concurrency": 1, **options}
    textgym.rollout(envs, policy, out=out, **options)
    return out


def shards(folder: Path, n: int, *args: Any, **options: Any) -> list[Path]:
    return [play(folder / f"{k}", *args, shard=(k, n), **options) for k in range(1, n + 1)]


def shortest(group: list[Any]) -> list[float]:
    """Reward the shortest episodes of a group."""
    sizes = [len(str(episode["messages"])) for episode in group]
    return [float(size == min(sizes)) for size in sizes]


class Failing(Policy):
    """Plays as the random policy does; fails where `fails` says so."""

    name = "failing"

    def __init__(self, fails: Callable[[str], bool]) -> None:
        self.fails = fails

    async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
        if self.fails(messages[-1]["content"]):
            raise PolicyFailure("down")
        return Action(assistant("A"))


@pytest.mark.parametrize(
    ("envs", "options"),
    [
        (MCQA, {}),
        (MCQA, {"tasks": [9, 2, 5], "episodes": None}),
        (MATH, {"tasks": [{"question": "1+1?", "answer": "2"}, {"question": "1+2?", "answer": "3"}],
                "episodes": None}),
        ({MCQA: 3.0, GUESS: 1.0}, {"episodes": 8, "start": 2}),
        (MCQA, {"group_reward": shortest}),
        (MCQA, {"wrappers": ["StepPenalty:amount=0.01"], "env_kwargs": {"level": 2}}),
    ],
    ids=["tasks in order", "indices", "rows", "mixture", "group rewards", "wrappers"],
)  # fmt: skip
def test_merged_shards_are_the_run_of_one_process(
    envs: Any, options: dict[str, Any], tmp_path: Path
) -> None:
    one = play(tmp_path / "one", envs, **options)
    run = textgym.merge_runs(shards(tmp_path, 3, envs, **options)[::-1], tmp_path / "merged")
    assert content(tmp_path / "merged") == content(one)
    assert without_times(run.metrics) == content(one)["metrics.json"]


@given(st.integers(1, 7), st.integers(1, 6), st.integers(1, 3), st.integers(0, 3))
@settings(max_examples=12)
def test_any_division_gives_the_same_run(n: int, tasks: int, repeats: int, seed: int) -> None:
    options = {"episodes": tasks, "repeats": repeats, "seed": seed}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one = play(folder / "one", **options)
        parts = shards(folder, n, **options)
        sizes = [len((part / "trajectories.jsonl").read_bytes().splitlines()) for part in parts]
        assert sum(sizes) == tasks * repeats
        assert max(sizes) - min(sizes) <= repeats
        textgym.merge_runs(parts, folder / "merged")
        assert content(folder / "merged") == content(one)


def test_shard_says_which_it_is(tmp_path: Path) -> None:
    play(tmp_path / "run", shard=(2, 3))
    stored = StoredRun.read(tmp_path / "run")
    assert stored.config["shard"] == [2, 3]
    assert stored.metrics["planned_episodes"] == stored.metrics["overall"]["episodes"] == 4
    assert stored.headlines()[0].endswith("4 episodes, shard 2 of 3")
    assert textgym.rescore(tmp_path / "run").counts["same"] == 4


def test_shard_is_resumed(tmp_path: Path) -> None:
    whole, torn = (play(tmp_path / name, shard=(2, 3)) for name in ("whole", "torn"))
    lines = (torn / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (torn / "trajectories.jsonl").write_bytes(lines[0] + lines[1][:50])
    play(torn, shard=(2, 3), resume=True)
    assert content(torn) == content(whole)


@pytest.mark.parametrize("shard", [(1, 3), (2, 4), None], ids=str)
def test_shard_is_not_resumed_as_another(shard: Any, tmp_path: Path) -> None:
    play(tmp_path / "run", shard=(2, 3))
    with pytest.raises(RunError, match="its shard is"):
        play(tmp_path / "run", shard=shard, resume=True)


def test_run_with_fewer_tasks_than_shards(tmp_path: Path) -> None:
    parts = shards(tmp_path, 4, episodes=2)
    assert content(parts[3])["metrics.json"]["overall"]["episodes"] == 0
    textgym.merge_runs(parts, tmp_path / "merged")
    assert content(tmp_path / "merged") == content(play(tmp_path / "one", episodes=2))


def test_shards_without_an_episode_are_merged(tmp_path: Path) -> None:
    parts = shards(tmp_path, 4, episodes=2)
    run = textgym.merge_runs(parts[2:], tmp_path / "merged", partial=True)
    assert (run.metrics["planned_episodes"], run.metrics["overall"]["episodes"]) == (4, 0)


@pytest.mark.parametrize("curriculum", [True, textgym.TaskPool()], ids=["curriculum", "pool"])
def test_curricula_have_no_shards(curriculum: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"curriculum draws .* no shards") as found:
        play(tmp_path / "run", {MCQA: 1.0, MATH: 1.0}, curriculum=curriculum, shard=(1, 2))
    assert "\n" not in str(found.value)
    assert not (tmp_path / "run").exists()


def test_runs_with_a_curriculum_are_not_merged(tmp_path: Path) -> None:
    run = play(tmp_path / "run", {MCQA: 1.0, MATH: 1.0}, curriculum=True)
    with pytest.raises(RunError, match="does not say which tasks"):
        textgym.merge_runs([run, run], tmp_path / "merged")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "its seed is 1, not 0"),
        ({"repeats": 3}, "its repeats is 3, not 2"),
        ({"policy": "oracle"}, "its policy is 'oracle', not 'random'"),
        ({"env_kwargs": {"level": 2}}, "its env_kwargs is "),
        ({"wrappers": ["StepPenalty:amount=0.01"]}, "its env_kwargs is "),
        ({"episodes": 7}, "its episodes is 7, not 6"),
        ({"envs": MATH}, "its envs is "),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_run_with_other_settings_is_refused(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    first = play(tmp_path / "1", shard=(1, 2))
    other = play(tmp_path / "2", shard=(2, 2), **options)
    refused([first, other], tmp_path, f"'{other}' holds another run than '{first}': {message}")


def refused(runs: list[Path], tmp_path: Path, message: str, **options: Any) -> None:
    """Check that a merge is refused in one line, and leaves nothing behind."""
    before = sorted(tmp_path.iterdir())
    with pytest.raises(RunError) as found:
        textgym.merge_runs(runs, tmp_path / "merged", **options)
    assert message in str(found.value)
    assert "\n" not in str(found.value)
    assert sorted(tmp_path.iterdir()) == before


@contextmanager
def changed(path: Path) -> Iterator[Any]:
    """Change a JSON file."""
    value = json.loads(path.read_bytes())
    yield value
    path.write_text(json.dumps(value))


def test_another_version_is_refused(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    with changed(parts[1] / "run.json") as config:
        config["textgym"] = "0.0.1"
    refused(parts, tmp_path, "its version of textgym is '0.0.1'")


def test_changed_data_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    options = {"env_kwargs": {"dataset": str(data)}, "episodes": None}
    parts = []
    for k, answer in ((1, "2"), (2, "3")):
        rows = [{"question": f"{n}?", "expected_answer": answer} for n in range(3)]
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        parts.append(play(tmp_path / str(k), MATH, shard=(k, 2), **options))
    refused(parts, tmp_path, f"played with another content of '{data}'")


def test_missing_shards_are_listed(tmp_path: Path) -> None:
    parts = shards(tmp_path, 6)
    refused([parts[0], parts[2]], tmp_path, "missing shards: 2, 4-6 of 6")


def test_incomplete_shard_is_named(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    file = parts[1] / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    refused(parts, tmp_path, f"'{parts[1]}' holds 5 of 6 episodes of shard 2 of 2")


def test_incomplete_run_is_named(tmp_path: Path) -> None:
    run = play(tmp_path / "run")
    file = run / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    refused([run], tmp_path, "the runs hold 11 of 12 episodes")


def test_partial_run_is_resumed(tmp_path: Path) -> None:
    parts = shards(tmp_path, 3)
    run = textgym.merge_runs([parts[0], parts[2]], tmp_path / "merged", partial=True)
    assert run.metrics["planned_episodes"] == 12
    assert run.metrics["overall"]["episodes"] == 8
    play(tmp_path / "merged", resume=True)
    found, wanted = (content(folder) for folder in (tmp_path / "merged", play(tmp_path / "one")))
    assert sorted(map(str, found["trajectories.jsonl"])) == sorted(
        map(str, wanted["trajectories.jsonl"])
    )


def test_partial_run_is_merged_again(tmp_path: Path) -> None:
    parts = shards(tmp_path, 3)
    textgym.merge_runs(parts[:2], tmp_path / "partial", partial=True)
    textgym.merge_runs([tmp_path / "partial", parts[2]], tmp_path / "merged")
    assert content(tmp_path / "merged") == content(play(tmp_path / "one"))


def test_equal_records_are_taken_once(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    again = play(tmp_path / "again", shard=(1, 2))
    textgym.merge_runs([*parts, again, parts[0]], tmp_path / "merged")
    assert content(tmp_path / "merged") == content(play(tmp_path / "one"))


def test_records_that_differ_are_refused(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    again = play(tmp_path / "again", shard=(1, 2))
    lines = (again / "trajectories.jsonl").read_text().splitlines()
    episode = json.loads(lines[3])
    assert episode["task_index"] == 2
    lines[3] = json.dumps({**episode, "messages": [*episode["messages"], user("more")]})
    (again / "trajectories.jsonl").write_text("\n".join(lines) + "\n")
    refused(
        [*parts, again],
        tmp_path,
        f"{parts[0]} and {again} have different records of task 2, repeat 1 of {MCQA}",
    )


def test_failed_episodes_stay_failed(tmp_path: Path) -> None:
    policy = Failing(lambda prompt: "A" in prompt)
    parts = shards(tmp_path, 2, policy=policy, retries=0)
    run = textgym.merge_runs(parts, tmp_path / "merged")
    assert run.metrics["overall"]["failures"] == 12
    one = play(tmp_path / "one", policy=policy, retries=0)
    assert content(tmp_path / "merged")["metrics.json"] == content(one)["metrics.json"]


@pytest.mark.parametrize("later", [False, True])
def test_record_with_a_reward_replaces_a_failure(later: bool, tmp_path: Path) -> None:
    failed = shards(tmp_path / "failed", 2, policy=Failing(lambda _: True), retries=0)
    parts = shards(tmp_path, 2, policy=Failing(lambda _: False))
    order = [failed[0], *parts] if later else [*parts, failed[0]]
    textgym.merge_runs(order, tmp_path / "merged")
    one = play(tmp_path / "one", policy=Failing(lambda _: False))
    assert content(tmp_path / "merged") == content(one)


def test_address_of_the_model_server_may_differ(tmp_path: Path) -> None:
    parts = []
    for k in (1, 2):
        policy = Failing(lambda _: False)
        policy.name = f"openai:model@http://127.0.0.1:800{k}/v1"
        parts.append(play(tmp_path / str(k), policy=policy, shard=(k, 2)))
    assert textgym.merge_runs(parts, tmp_path / "merged").metrics["overall"]["episodes"] == 12


def test_shards_that_were_rescored_are_the_run_that_was_rescored(tmp_path: Path) -> None:
    changes = {"grading_mode": "lenient_boxed"}
    parts = shards(tmp_path, 2)
    again = [path.with_name(f"again{path.name}") for path in parts]
    for path, out in zip(parts, again, strict=True):
        textgym.rescore(path, env_kwargs=changes, out=out)
    textgym.merge_runs(again, tmp_path / "merged")
    textgym.rescore(play(tmp_path / "one"), env_kwargs=changes, out=tmp_path / "again")
    merged, whole = content(tmp_path / "merged"), content(tmp_path / "again")
    assert merged["run.json"].pop("rescored") == {"run": None, "env_kwargs": changes}
    del whole["run.json"]["rescored"]
    assert merged == whole


def test_shards_of_other_divisions_are_refused(tmp_path: Path) -> None:
    runs = [play(tmp_path / "2", shard=(1, 2)), play(tmp_path / "3", shard=(1, 3))]
    refused(runs, tmp_path, "shard 1 of 2 and shard 1 of 3 cannot be merged")


@pytest.mark.parametrize(
    ("field", "value"), [("task_index", 1), ("task_index", 50), ("repeat", 2), ("seed", 7)]
)
def test_episode_of_another_run_is_refused(field: str, value: int, tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    lines = (parts[0] / "trajectories.jsonl").read_text().splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), field: value})
    (parts[0] / "trajectories.jsonl").write_text("\n".join(lines) + "\n")
    refused(parts, tmp_path, "which is not part of shard 1 of 2")


@pytest.mark.parametrize("line", [b"{}\n", b"no JSON\n", b'{"version": 2}\n'])
def test_broken_line_is_refused(line: bytes, tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    with (parts[0] / "trajectories.jsonl").open("ab") as file:
        file.write(line)
    refused(parts, tmp_path, str(parts[0]))


def test_folder_without_run_json_is_refused(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    (parts[1] / "run.json").unlink()
    refused(parts, tmp_path, f"'{parts[1]}' has no run.json")


def test_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    refused([tmp_path / "nothing"], tmp_path, "holds no run")


@pytest.mark.parametrize("kind", ["run", "file", "folder"])
def test_used_folder_is_refused(kind: str, tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    if kind == "run":
        play(tmp_path / "merged")
    elif kind == "file":
        (tmp_path / "merged").touch()
    else:
        (tmp_path / "merged" / "mine").mkdir(parents=True)
    refused(parts, tmp_path, f"'{tmp_path / 'merged'}' exists")


def test_empty_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "merged").mkdir()
    textgym.merge_runs(shards(tmp_path, 2), tmp_path / "merged")
    assert content(tmp_path / "merged") == content(play(tmp_path / "one"))


def test_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = shards(tmp_path, 2)
    copied = 0

    def fail(*_: Any) -> None:
        nonlocal copied
        copied += 1
        if copied == 5:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_folder, "copy_media", fail)
    refused(parts, tmp_path, "No space left on device")


def test_read_only_folder_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refuse)
    refused(shards(tmp_path, 2), tmp_path, f"cannot write to '{tmp_path / 'merged'}'")


def test_lines_of_indexed_shards_are_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_index, "MIN_SIZE", 1)
    parts = shards(tmp_path, 2)
    for part in parts:
        run_index.read_index(part)
    with monkeypatch.context() as patch:
        patch.setattr(run_folder, "decode_line", lambda _: pytest.fail("a line is parsed"))
        textgym.merge_runs(parts, tmp_path / "merged")
    assert content(tmp_path / "merged") == content(play(tmp_path / "one"))


def test_lines_are_read_in_small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_BLOCK", 3000)
    textgym.merge_runs(shards(tmp_path, 3), tmp_path / "merged")
    assert content(tmp_path / "merged") == content(play(tmp_path / "one"))


class Painter(Policy):
    """Answers with a picture of its own."""

    name = "painter"

    async def act(self, messages: Any, tools: Any, **_: Any) -> Action:
        data = base64.b64encode(messages[-1]["content"].encode() * 20).decode()
        return Action(assistant(f"data:image/png;base64,{data}"))


def test_pictures_are_copied(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2, policy=Painter())
    textgym.merge_runs(parts, tmp_path / "merged")
    assert len(list((tmp_path / "merged" / "image").iterdir())) == 6
    assert content(tmp_path / "merged") == content(play(tmp_path / "one", policy=Painter()))


def test_missing_picture_is_named(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2, policy=Painter())
    textgym.metrics.run_metrics.StoredRun.read(parts[0])
    picture = next((parts[0] / "image").iterdir())
    picture.unlink()
    refused(parts, tmp_path, f"'{picture}', which a trajectory names")
