"""Verdicts of others on the workplace: NeMo Gym's, and WorkBench's reference solutions."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from repository import SCRIPTS
from workplace_data import request, write_database

from textgym.envs.office.company.database import TABLES
from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.errors import RowError
from textgym.messages import assistant_calls

DISAGREE = {
    "diff:148:mails_swapped": "creates in another order are right",
    "diff:160:ev1_fmt_nosec": "equal times in another format are right",
    "diff:177:evint_str": "the number 30 and the text 30 are one duration",
    "diff:222:pl2_swapped": "creates in another order are right",
}
REFUSED = ("diff:210:cu1_status_case",)  # adds a status that updates refuse, and is not right
NO_TASK = ("diff:192:strgt_write",)  # its ground truth is no list


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line]


@pytest.fixture(scope="module")
def env(shared: Path) -> WorkplaceAssistant:
    return WorkplaceAssistant(database=str(shared / "data" / "workbench" / "databases"))


@pytest.fixture(scope="module")
def queries(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """WorkBench's queries as the script writes them."""
    data, out = shared / "data" / "workbench", tmp_path_factory.mktemp("rows") / "workbench.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        script = importlib.import_module("workbench")
    files = sorted(map(str, (data / "queries").glob("*.csv")))
    assert script.main([*files, "--database", str(data / "databases"), "--out", str(out)]) == 0
    return out


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("workbench")


def play(env: WorkplaceAssistant, row: dict[str, Any], actions: list[Any]) -> tuple[Any, ...]:
    """Play a row to its end; return the reward, the last info and what the tools said."""
    env.reset(options={"task": row})
    for action in actions:
        messages, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            return reward, info, [item["content"] for item in messages if item["role"] == "tool"]
    raise AssertionError("the actions do not end the episode")


def make_calls(env: WorkplaceAssistant, row: dict[str, Any], calls: list[Any]) -> dict[str, float]:
    """Play a row with some calls at once; return the components of its grade."""
    actions = [assistant_calls(*((c["name"], c["arguments"]) for c in calls))] if calls else []
    components: dict[str, float] = play(env, row, [*actions, ""])[1]["reward_components"]
    return components


def test_every_case_gets_its_verdict(env: WorkplaceAssistant, shared: Path) -> None:
    wrong = {}
    cases = read_jsonl(shared / "conformance" / "workplace_assistant.jsonl")
    for case in cases:
        if case["case"] in NO_TASK:
            with pytest.raises(RowError, match="ground_truth"):
                env.reset(options={"task": case["task"]})
        elif play(env, case["task"], case["actions"])[0] != case["reward"]:
            wrong[case["case"]] = case
    assert wrong.keys() == DISAGREE.keys()
    assert all("suspect" in case for case in wrong.values())
    assert len(cases) >= 90


def comparable(output: Any) -> Any:
    """Without what is in NeMo Gym's copy of the customers alone: empty cells, the time of dates."""
    return json.loads(json.dumps(output).replace("NaN", "null").replace(" 23:59:00", ""))


ID_OR_PATH = re.compile(r"\d{8}|plots/\S+\.png")


def check_reply(reply: str, original: Any, name: str) -> None:
    """Check that a reply carries the original's data; its sentences are our own."""
    if isinstance(original, (dict, list)):
        assert json.loads(reply) == comparable(original), name
    elif original is not None and ID_OR_PATH.fullmatch(original):
        assert reply == original, name
    else:
        refused = original is None or not re.search("successfully|^No ", original)
        assert reply.startswith("Error: ") == refused, (name, reply, original)


def test_tool_replies_carry_the_data_of_the_originals(
    env: WorkplaceAssistant, shared: Path
) -> None:
    compared = 0
    for case in read_jsonl(shared / "conformance" / "workplace_assistant.jsonl"):
        expected = (case.get("components") or {}).get("tool_outputs", [])
        if not expected or case["case"] in (*NO_TASK, *REFUSED):
            continue
        replies = play(env, case["task"], case["actions"])[2]
        for reply, original in zip(replies, expected, strict=True):
            check_reply(reply, original, case["case"])
            compared += 1
    assert compared > 150


CRM = "customer_relationship_manager"
RECORDED = {  # what each recorded request asks for; the records do not tell
    "Create a bar chart": [
        (
            "analytics_create_plot",
            {
                "time_min": "2023-11-30",
                "time_max": "2023-11-30",
                "value_to_plot": "total_visits",
                "plot_type": "bar",
            },
        )
    ],
    "We need to move all customers": [],
    "Delete Casey Wilson": [(f"{CRM}_delete_customer", {"customer_id": "00000014"})],
    "Add Dakota Thomas": [
        (
            f"{CRM}_add_customer",
            {
                "customer_name": "Dakota Thomas",
                "assigned_to_email": "nadia.moreau@atlas.com",
                "status": "Lead",
            },
        )
    ],
    "Delete my last email": [("email_delete_email", {"email_id": "00000259"})],
}


def test_recorded_rollouts_get_their_rewards_and_tool_outputs(
    env: WorkplaceAssistant, shared: Path
) -> None:
    folder = shared / "data" / "nemo_gym" / "workplace_assistant"
    records = read_jsonl(folder / "example_rollouts.jsonl")
    assert sorted(record["reward"] for record in records) == [0, 1, 1, 1, 1]
    for record in records:
        query = record["responses_create_params"]["input"][-1]["content"]
        (reference,) = [calls for start, calls in RECORDED.items() if query.startswith(start)]
        row = {**request(*reference), "responses_create_params": record["responses_create_params"]}
        output = record["response"]["output"]
        calls = [item for item in output if item["type"] == "function_call"]
        actions = [assistant_calls((c["name"], json.loads(c["arguments"]))) for c in calls]
        reward, _, replies = play(env, row, [*actions, "Done."])
        assert reward == record["reward"], query
        originals = [json.loads(item["output"])["output"] for item in output if "output" in item]
        for reply, original in zip(replies, originals, strict=True):
            check_reply(reply, original, query)


def test_rows_as_nemo_gym_ships_them(shared: Path) -> None:
    path = shared / "data" / "nemo_gym" / "workplace_assistant" / "example.jsonl"
    database = str(shared / "data" / "workbench" / "databases")
    env = WorkplaceAssistant(dataset=str(path), database=database)
    assert env.num_tasks == 5
    for index in range(5):
        assert env.reset(options={"index": index})[1]["tools"]
        ended = False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(env.solve())
            ended = terminated or truncated
        assert (reward, terminated) == (1.0, True)


def test_workbenchs_reference_solutions_are_right(env: WorkplaceAssistant, queries: Path) -> None:
    rows = read_jsonl(queries)
    assert len(rows) == 690
    wrong = [row["id"] for row in rows if not make_calls(env, row, row["ground_truth"])["correct"]]
    assert wrong == []


def test_silence_is_right_where_a_query_is_tagged_so(
    env: WorkplaceAssistant, queries: Path
) -> None:
    rows = read_jsonl(queries)
    assert sum(row["no_op"] for row in rows) == 124  # 122 without calls, 2 that change nothing
    assert sum(not row["ground_truth"] for row in rows) == 122
    for row in rows:
        components = make_calls(env, row, [])
        assert bool(components["correct"]) == row["no_op"], row["id"]
        assert components["side_effects"] == 0


MORE = {
    "name": "email_send_email",
    "arguments": {"recipient": "a@b.c", "subject": "S", "body": "B"},
}
OTHER = {
    "field": {"customer_name": "notes", "status": "notes", "assigned_to_email": "customer_email"},
    "value_to_plot": {"total_visits": "user_engaged", "user_engaged": "total_visits"},
    "plot_type": {"bar": "line", "line": "bar", "scatter": "bar", "histogram": "bar"},
}


def altered(call: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a call with another value of one argument."""
    value = call["arguments"][name]
    other = OTHER.get(name, {}).get(value) or ("99999999" if name.endswith("_id") else f"{value}x")
    return {**call, "arguments": {**call["arguments"], name: other}}


def test_altered_reference_solutions_are_wrong(env: WorkplaceAssistant, queries: Path) -> None:
    """A call more, the last one less, and in turn each argument of the last one another one."""
    played = 0
    for row in read_jsonl(queries):
        calls = row["ground_truth"]
        runs = [[*calls, MORE]]
        if not row["no_op"]:
            runs.append(calls[:-1])
            runs += [[*calls[:-1], altered(calls[-1], name)] for name in calls[-1]["arguments"]]
        for run in runs:
            components = make_calls(env, row, run)
            assert components["correct"] == 0, (row["id"], run)
            assert not all(components[table] for table in TABLES)
            played += 1
    assert played > 690 + 2 * 566


# The script.


def test_a_query_becomes_a_row(script: ModuleType, tmp_path: Path) -> None:
    folder = write_database(tmp_path / "databases")
    queries = tmp_path / "calendar_queries_and_answers.csv"
    queries.write_text(
        '"query","answer","base_template","chosen_template","domains"\n'
        '"Cancel it","[\'calendar.delete_event.func(event_id=""00000005"")\']","Cancel","C",'
        "\"['calendar']\"\n"
        '"Wait","[]","Wait","W","[\'calendar\']"\n'
    )
    out = tmp_path / "rows.jsonl"
    assert script.main([str(queries), "--database", folder, "--out", str(out)]) == 0
    first, second = read_jsonl(out)
    call = {"name": "calendar_delete_event", "arguments": {"event_id": "00000005"}}
    assert (first["id"], first["ground_truth"]) == ("workbench-test-1", [call])
    assert (first["category"], first["no_op"]) == ("calendar", False)
    assert (second["query"], second["domains"], second["no_op"]) == ("Wait", ["calendar"], True)


def test_a_nemo_gym_row_keeps_its_prompt(script: ModuleType, tmp_path: Path) -> None:
    folder = write_database(tmp_path / "databases")
    calls = request()["ground_truth"]
    row = {"id": 3, "responses_create_params": {"input": "Do nothing."}, "ground_truth": calls}
    rows, out = tmp_path / "rows.jsonl", tmp_path / "tagged.jsonl"
    rows.write_text(json.dumps(row) + "\n")
    words = [str(rows), "--database", folder, "--split", "train", "--out", str(out)]
    assert script.main(words, "workplace_assistant") == 0
    assert read_jsonl(out) == [{**row, "id": "workplace_assistant-train-3", "no_op": True}]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("None", "field 'answer' must be a list of strings, not 'None'"),
        ("['rm()']", "field 'ground_truth.0.name' must be the name of a tool, not 'rm'"),
        ("['1 + 1']", "field 'answer' contains '1 + 1', which is not a call"),
        ("['a.b.func(1)']", "field 'answer' contains 'a.b.func(1)', which is not a call"),
        ("['a.b.func(**x)']", "field 'answer' contains 'a.b.func(**x)', which is not a call"),
        ("['a.b.func(']", "field 'answer' contains 'a.b.func(', which is not a call"),
    ],
)
def test_a_wrong_query_is_named(
    script: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    problem: str,
) -> None:
    folder, queries = write_database(tmp_path / "databases"), tmp_path / "q.csv"
    queries.write_text(f'query,answer,base_template,domains\nDo it,"{answer}",T,[]\n')
    out = tmp_path / "rows.jsonl"
    assert script.main([str(queries), "--database", folder, "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"error: line 2 of {queries}: {problem}\n"
    assert not out.exists()


def test_a_missing_file_of_queries_is_named(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, missing = write_database(tmp_path / "databases"), tmp_path / "none.csv"
    out = str(tmp_path / "rows.jsonl")
    assert script.main([str(missing), "--database", folder, "--out", out]) == 2
    assert capsys.readouterr().err == f"error: file '{missing}' is missing\n"


def test_script_does_not_overwrite_its_input(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, rows = write_database(tmp_path / "databases"), tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(request()) + "\n")
    assert script.main([str(rows), "--database", folder, "--out", str(rows)]) == 2
    assert capsys.readouterr().err == f"error: --out '{rows}' is one of the files to read\n"
    assert read_jsonl(rows) == [request()]
