"""The report of runs: its data, its figures, and that nothing of a run becomes markup."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from byte_tokenizer import make_byte_tokenizer
from hostile_runs import ATTACK, hostile_run
from html_reader import Reader
from hypothesis import given
from hypothesis import strategies as st
from in_process import output_of, run_command
from stored_episodes import MCQA, episode, step, stored

import textgym
from textgym.errors import RunError, UsageError
from textgym.metrics.run_metrics import StoredRun
from textgym.metrics.tables import mean_cell, rate_cell
from textgym.report import report_page
from textgym.report.episode_data import episode_data
from textgym.training.history import History
from textgym.trajectories.tokens import token_sequences


def data_of(page: str) -> dict[str, Any]:
    """Return the data of a page by the id of its element."""
    form = r'<script type="application/octet-stream" id="([\w-]+)">([A-Za-z0-9+/=]*)</script>'
    return {
        id: json.loads(gzip.decompress(base64.b64decode(text)))
        for id, text in re.findall(form, page)
    }


def episodes_of(page: str, run: int = 0) -> list[dict[str, Any]]:
    blocks = [block for id, block in data_of(page).items() if id.startswith(f"block-{run}-")]
    return [item for _, items in blocks for item in items]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name in ("random", "oracle"):
        textgym.rollout(MCQA, name, episodes=12, repeats=2, out=folder / name)
    return folder


# The figures


def test_the_page_shows_the_metrics_of_the_run(runs: Path) -> None:
    text = Reader(report_page([runs / "random"])).text
    metrics = StoredRun.read(runs / "random").metrics
    overall = metrics["overall"]
    for cell in (mean_cell(overall), rate_cell(overall)):
        assert " ".join(cell.split()) in text or cell.replace(" ", "") in text
    assert "pass^2" in text
    assert f"{overall['at_k']['pass^2']['mean']:.1%}" in text
    for level in metrics["envs"][MCQA]["levels"]:
        assert f"level {level}" in text
    assert "12 tasks, 24 episodes" in text
    for title in ("Reward (24 episodes)", "Success rate of a task (12 tasks)", "Stop reasons"):
        assert title in text


def test_a_run_of_failures_has_no_figures(tmp_path: Path) -> None:
    folder = stored(tmp_path / "run", episode(0, None), episode(1, None))
    page = report_page([folder])
    text = Reader(page).text
    assert "All episodes failed." in text
    assert "Stop reasons" not in text
    assert 'href="#episode-0-1"' in page
    assert "PolicyFailure" in text
    assert "no server\\x1b[2J" in text


def test_reasons_and_failures_are_counted(tmp_path: Path) -> None:
    wrong = episode(0, 0.0, info={"verdict_reason": "wrong"})
    data = episode_data([wrong, wrong, episode(1), episode(2, None)])
    assert dict(data.verdicts[MCQA]) == {"wrong": 2}
    cause = (MCQA, "policy", "PolicyFailure")
    assert data.failures == {cause: ("no server\x1b[2J", [3])}


# The episodes


def test_every_episode_is_there_once_and_in_order(tmp_path: Path) -> None:
    long = "word " * 30_000
    many = [episode(n, messages=[{"role": "user", "content": f"{n} {long}"}]) for n in range(12)]
    page = report_page([stored(tmp_path / "run", *many)], answers=False)
    shown = [item["messages"][0][2][0][1].split()[0] for item in episodes_of(page)]
    assert shown == [str(n) for n in range(12)]
    (run,) = data_of(page)["index"]["runs"]
    assert run["columns"]["index"] == list(range(12))
    assert len(run["starts"]) > 1
    blocks = [data_of(page)[f"block-0-{n}"] for n in range(len(run["starts"]))]
    assert [sum(len(items) for _, items in blocks[:n]) for n in range(len(blocks))] == run["starts"]


def test_messages_tools_and_payments(tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "find", "arguments": '{"code": "a\\nb", "n": 1}'}}
    broken = {"id": "c2", "function": {"name": "find", "arguments": "{code"}}
    parameters = {"properties": {"code": {"type": "string"}}, "required": ["code"]}
    function = {"name": "find", "description": "Find it.", "parameters": parameters}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    link = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Look"}, image, link]},
        {"role": "assistant", "content": None, "tool_calls": [call, broken]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "assistant", "content": "<think>so</think>Done", "refusal": "no"},
    ]
    steps = [step(1, 0.25, components={"found": 0.25}), step(3, 0.75)]
    item = episode(
        0, messages=messages, steps=steps, tools=[{"type": "function", "function": function}]
    )
    page = report_page([stored(tmp_path / "run", item)], answers=False)
    (shared, (shown,)) = data_of(page)["block-0-0"]
    assert shared["tools"][shown["tools"]] == [
        ["find", "Find it.", [["code", "string, required", ""]]]
    ]
    assert shown["messages"] == [
        ["user", 0, [["text", "Look"], ["image", "data:image/png;base64,AAAA"],
                     ["other", "image: https://example.org/a.png"]], ""],
        ["assistant", 1, [["call", "find", "c1", [["code", "a\nb"], ["n", "1"]]],
                          ["call", "find", "c2", "{code"]], ""],
        ["tool c1", 0, [["text", "found"]], "reward 0.25: found 0.25"],
        ["assistant", 1, [["refusal", "no"], ["reasoning", "<think>so</think>"],
                          ["text", "Done"]], "reward 0.75"],
    ]  # fmt: skip
    assert ["reward", "1"] in shown["facts"]


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html;base64,AA", "data:image/svg+xml;base64,AA",
     "DATA:image/png;base64,AA", "data:image/png,<svg>", ["data:image/png;base64,AA"], None],
)  # fmt: skip
def test_only_plain_images_are_shown_as_images(url: Any) -> None:
    part = {"type": "image_url", "image_url": {"url": url}}
    data = episode_data([episode(0, messages=[{"role": "user", "content": [part]}])])
    assert b'"image",' not in gzip.decompress(data.blocks[0])


def test_tokens_have_their_masks_and_log_probabilities(tmp_path: Path) -> None:
    first = step(1, prompt_ids=[1, 2], token_ids=[3], logprobs=[-0.5])
    second = step(3, prompt_ids=[1, 2, 3, 4], token_ids=[5, 6], logprobs=[-0.25, float("nan")])
    steps = [first, second, step(5, prompt_ids=[9], token_ids=[5], logprobs=[-1.0])]
    item = episode(0, steps=steps)
    texts = {id: f"<{id}>" for id in (1, 2, 3, 4, 5, 6, 9)}
    data = episode_data([item], decode=lambda ids: "".join(map(texts.__getitem__, ids)))
    shared, (shown,) = json.loads(gzip.decompress(data.blocks[0]))
    assert shared["tokens"] == {str(id): text for id, text in texts.items()}
    assert shown["sequences"] == [
        [[1, 2, 3, 4, 5, 6], [2, 1, 1, 2], [-0.5, -0.25, None], {}],
        [[9, 5], [1, 1], [-1.0], {}],
    ]
    for tokens, (ids, lengths, *_) in zip(token_sequences(steps), shown["sequences"], strict=True):
        mask = [place % 2 for place, length in enumerate(lengths) for _ in range(length)]
        assert (ids, mask) == (tokens.ids, tokens.loss_mask)


def test_a_tokenizer_gives_the_texts_of_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    tokenizer = make_byte_tokenizer()
    monkeypatch.setattr("textgym.policies.models.load_tokenizer", {"mine": tokenizer}.get)
    prompt, sampled = (tokenizer.encode(text) for text in ("<|user|>Hé", "a€\x1b"))
    sampled.append(tokenizer.encode("€")[0])  # a part of a character that has no end
    said = step(1, prompt_ids=prompt, token_ids=sampled, logprobs=[-0.1] * len(sampled))
    folder = stored(tmp_path / "run", episode(0, steps=[said]))
    page = report_page([folder], answers=False, tokenizer="mine")
    shared, (shown,) = data_of(page)["block-0-0"]
    ids, _, _, others = shown["sequences"][0]
    texts = [others.get(str(at), shared["tokens"][str(id)]) for at, id in enumerate(ids)]
    assert texts == ["<|user|>", "H", "é", "", "a", "€", "", "", "\\x1b", "\ufffd"]


def test_answers_are_drawn_again_and_a_changed_task_has_none(runs: Path, tmp_path: Path) -> None:
    shown = episodes_of(report_page([runs / "oracle"]))
    stored_run = textgym.trajectories.run_folder.read_trajectories(runs / "oracle")
    assert [item["answer"] for item in shown] == [
        [trajectory["info"]["extracted_answer"], ""] for trajectory in stored_run
    ]
    folder = stored(tmp_path / "run", episode(0), episode(1, env_id="demo/Gone-v0"))
    first, second = (item["answer"] for item in episodes_of(report_page([folder])))
    assert first == ["", "the task has changed since the run was played"]
    assert second[0] == ""
    assert "demo/Gone-v0" in second[1]
    assert [item["answer"] for item in episodes_of(report_page([folder], answers=False))] == [
        None, None,
    ]  # fmt: skip


# Several runs, and histories


def test_two_runs_are_compared_by_task(runs: Path) -> None:
    page = report_page([runs / "random", runs / "oracle"])
    text = Reader(page).text
    before, after = (StoredRun.read(runs / name) for name in ("random", "oracle"))
    difference = after.metrics["overall"]["mean_reward"] - before.metrics["overall"]["mean_reward"]
    assert f"{difference:+.3f}" in text
    pairs = data_of(page)["index"]["pairs"]
    assert pairs["runs"] == [0, 1]
    columns = [run["columns"] for run in data_of(page)["index"]["runs"]]
    for task in pairs["tasks"]:
        places = zip(columns, task["episodes"], strict=True)
        tasks = [{column["index"][place] for place in some} for column, some in places]
        assert tasks[0] == tasks[1]
        assert len(tasks[0]) == 1
        assert task["rewards"][0] != task["rewards"][1] == 1.0
    assert f"They disagree on {len(pairs['tasks'])} of 12 shared tasks." in text


def test_runs_without_shared_tasks_have_no_pairs(tmp_path: Path) -> None:
    folders = [stored(tmp_path / str(n), episode(n), episode(n + 1)) for n in (0, 5)]
    page = report_page(folders, answers=False)
    assert data_of(page)["index"]["pairs"]["tasks"] == []
    assert "Where A and B disagree" not in page


def test_three_runs_are_a_series(runs: Path) -> None:
    page = report_page([runs / "random", runs / "oracle", runs / "random"], answers=False)
    assert "The runs as a series" in Reader(page).text
    assert data_of(page)["index"]["pairs"]["runs"] == [0, 2]
    assert data_of(page)["index"]["pairs"]["tasks"] == []
    assert "They disagree on 0 of 12 shared tasks." in Reader(page).text


def test_a_history_is_shown_as_curves(runs: Path, tmp_path: Path) -> None:
    with History(tmp_path / "history.jsonl") as history:
        for number in range(1, 60):
            bounds = {"validation/success_low": 0.1, "validation/success_high": 0.9}
            figures = {"reward": number / 60, "validation/episodes/success": 0.5, **bounds}
            history.log(number, {**figures, "broken": float("inf")})
    page = report_page([tmp_path])
    text = Reader(page).text
    assert text.index("reward") < text.index("validation/episodes/success")
    assert "success_low" not in text
    assert "broken" not in text
    assert page.count('class="band-0"') == 1
    assert data_of(page)["index"]["runs"] == []
    both = tmp_path / "both"
    shutil.copytree(runs / "random", both)
    shutil.copy(tmp_path / "history.jsonl", both)
    assert {"Curves", "Overview", "Episodes"} <= set(re.findall(r">(\w+)</a>", report_page([both])))


# What is refused


def test_missing_and_broken_sources(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="holds no run"):
        report_page([tmp_path / "nothing"])
    (tmp_path / "text.jsonl").write_text("not json\n")
    with pytest.raises(UsageError, match="not a line of a history"):
        report_page([tmp_path / "text.jsonl"])
    with pytest.raises(UsageError, match="at least one"):
        report_page([])


def test_the_command_writes_the_page(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "random", tmp_path / "a")
    said = output_of(run_command(tmp_path, "report", "a", str(runs / "oracle")))
    assert said == "wrote a/report.html\n"
    assert (tmp_path / "a" / "report.html").read_text().startswith("<!doctype html>")
    assert output_of(run_command(tmp_path, "report", "a", "--out", "p.html")) == "wrote p.html\n"
    for place in (".", "no/where.html"):
        done = run_command(tmp_path, "report", "a", "--out", place)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("textgym: --out: ")
        assert done.stderr.count("\n") == 1


# Attacks


def test_nothing_of_a_run_becomes_markup(tmp_path: Path) -> None:
    first, second = hostile_run(tmp_path / "<img src=x>"), hostile_run(tmp_path / "b", reward=1.0)
    history = tmp_path / "<b>.jsonl"
    history.write_text(json.dumps({"step": 1, ATTACK: 0.5, f"{ATTACK}_low": 0.1}) + "\n")
    page = report_page([first, second, first, history])
    read = Reader(page)
    assert ATTACK.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b") in read.text
    assert not any(key.startswith("on") for _, attributes in read.elements for key in attributes)
    assert {name for name, _ in read.elements} & {
        "img",
        "iframe",
        "link",
        "object",
        "form",
    } == set()
    for name, attributes in read.elements:
        assert (attributes.get("href") or "#").startswith("#")
        assert "src" not in attributes
        if name == "script":
            assert attributes == {} or attributes["type"] == "application/octet-stream"
    scripts = [attributes for name, attributes in read.elements if name == "script"]
    assert scripts.count({}) == 1
    assert len(scripts) == 1 + len(data_of(page))
    (policy,) = (
        attributes["content"] for _, attributes in read.elements if "http-equiv" in attributes
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert re.search(r"script-src 'sha256-[^ ;']+';", policy)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_the_script_has_no_way_to_make_markup_of_text() -> None:
    folder = Path(textgym.__file__).parent / "report"
    for file in folder.glob("*.js"):
        code = file.read_text()
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(", code
        )
        assert not re.search(r"fetch\(|XMLHttp|import\(|setAttribute|<!--|</", code)


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_is_data(name: str, text: str) -> None:
    message = {"role": name, "content": text, "tool_calls": [{"function": {"name": text}}]}
    item = episode(0, messages=[message], info={"level": text, name: text}, env_id=name)
    shared, (shown,) = json.loads(gzip.decompress(episode_data([item]).blocks[0]))
    written = json.dumps(shown, ensure_ascii=False)
    assert not re.search("[\x00-\x08\x7f\u202e\ud800-\udfff]", written)
    assert shared["tools"] == [[]]


@pytest.mark.parametrize(
    "changes",
    [
        {"messages": []},
        {"messages": ["text", None, 3]},
        {"messages": [{"content": {"a": [1]}}]},
        {"messages": [{"role": "assistant", "tool_calls": [None, "x", {"function": 3}, {}]}]},
        {"messages": [{"role": "assistant", "tool_calls": "x", "reasoning_content": [1]}]},
        {"tools": [None, {"function": None}, {"function": {"name": 3, "parameters": "x"}}]},
        {"steps": []},
        {"info": {"level": {"a": 1}, "deep": json.loads("[" * 90 + "]" * 90)}},
        {"env_kwargs": {"n": 10**30}, "info": {"n": 10**30}},
    ],
)
def test_malformed_episodes_are_shown(changes: dict[str, Any], tmp_path: Path) -> None:
    folder = stored(tmp_path / "run", episode(0, **changes))
    assert len(episodes_of(report_page([folder], answers=False))) == 1
