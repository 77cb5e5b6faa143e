"""WorkplaceAssistant: its tools, its verdict, its rows and its databases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workplace_data import FILES, outcome, request, write_database

from textgym.envs.office.company.database import TABLES, Database, Table, new_state
from textgym.envs.office.company.toolkits import TOOLKITS, Tools
from textgym.envs.office.workplace import WorkplaceAssistant
from textgym.errors import DatasetError, RowError, UnknownNameError, UsageError
from textgym.messages import assistant_calls
from textgym.registry import make
from textgym.tools import Toolbox

ANN = "ann.lee@acme.com"
NAMES = sorted(Toolbox(Tools).tools)


def call(env: WorkplaceAssistant, tool: str, /, **arguments: Any) -> Any:
    """Call a tool; return what it says, read where it is JSON."""
    said = env.toolbox().call(env, tool, arguments)
    try:
        read = json.loads(said)
    except ValueError:
        return said
    return said if isinstance(read, int) else read  # an id is a text


# Tools.


def test_there_are_27_tools_in_six_toolkits() -> None:
    assert len(NAMES) == 27
    assert all(name.startswith(TOOLKITS) for name in NAMES)


@pytest.mark.parametrize("name", ["Ann", "ANN.L", "acme", "nobody", "", ".*"])
def test_addresses_are_found_by_plain_text_in_any_case(env: WorkplaceAssistant, name: str) -> None:
    found = call(env, "company_directory_find_email_address", name=name)
    expected = {"acme": [ANN, "bob.ray@acme.com", "cy.fox@acme.com"], "nobody": [], ".*": []}
    assert found == (expected.get(name, [ANN]) if name else "Error: missing: name")


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({}, ["00000002", "00000001", "00000003"]),
        ({"query": "lunch ANN"}, ["00000002"]),
        ({"query": "late budget"}, ["00000003"]),
        ({"date_min": "2023-11-29"}, ["00000002", "00000001"]),
        ({"date_max": "2023-11-29"}, ["00000001", "00000003"]),
        ({"page_size": 1, "page": 2}, ["00000001"]),
        ({"page_size": 2, "page": 9}, ["00000003"]),
        ({"page": -1, "page_size": 1}, ["00000002"]),
    ],
)
def test_email_search(env: WorkplaceAssistant, arguments: dict[str, Any], ids: list[str]) -> None:
    found = call(env, "email_search_emails", **arguments)
    assert [email["email_id"] for email in found["emails"]] == ids


def test_pages_say_how_many_there_are(env: WorkplaceAssistant) -> None:
    found = call(env, "email_search_emails", page_size=2)
    expected = {"total_emails": 3, "page": 1, "page_size": 2, "total_pages": 2}
    assert found["pagination"] == expected


@pytest.mark.parametrize("page_size", [0, -5, 10**30])
def test_invalid_page_size_is_an_error(env: WorkplaceAssistant, page_size: int) -> None:
    said = call(env, "email_search_emails", page_size=page_size)
    assert said == "Error: page_size must be a number from 1 to 1000000"


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({"query": "STAND"}, ["00000007", "00000005"]),
        ({"query": "ann.lee"}, ["00000006"]),
        ({"time_min": "2023-12-01 00:00:00"}, ["00000006", "00000007"]),
        ({"time_max": "2023-12-01 09:00:00"}, ["00000007", "00000005"]),
        ({"time_min": "2023-12-01 09:00", "time_max": "2023-12-01 09:00"}, ["00000007"]),
    ],
)
def test_event_search(env: WorkplaceAssistant, arguments: dict[str, Any], ids: list[str]) -> None:
    found = call(env, "calendar_search_events", **arguments)
    assert [event["event_id"] for event in found["events"]] == ids


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({"task_name": "LOG"}, ["00000001", "00000002"]),
        ({"assigned_to_email": "Ann.Lee@acme.com"}, ["00000001"]),
        ({"task_name": "log", "board": "back"}, ["00000001"]),
        ({"list_name": "progress", "due_date": "2023-12"}, ["00000002"]),
        (
            {"assigned_to_email": "ann"},
            "Error: assigned_to_email must be an address such as kim@home.org, not 'ann'",
        ),
        ({"assigned_to_email": "nn.lee@acme.com"}, []),
        ({}, "Error: give at least one argument to search by"),
    ],
)
def test_task_search(env: WorkplaceAssistant, arguments: dict[str, Any], ids: Any) -> None:
    found = call(env, "project_management_search_tasks", **arguments)
    assert (found if isinstance(found, str) else [task["task_id"] for task in found]) == ids


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        ({"customer_name": "jo"}, ["00000010"]),
        ({"assigned_to_email": "acme", "product_interest": "ware"}, ["00000010", "00000011"]),
        ({"last_contact_date_max": "2023-11-20"}, ["00000010"]),
        ({"follow_up_by_min": "2023-12-11"}, ["00000011"]),
        ({"status": "lead", "follow_up_by_max": "2023-12-10"}, ["00000010"]),
    ],
)
def test_customer_search(env: WorkplaceAssistant, arguments: dict[str, Any], ids: Any) -> None:
    found = call(env, "customer_relationship_manager_search_customers", **arguments)
    assert [customer["customer_id"] for customer in found["customers"]] == ids


def test_an_empty_cell_is_null(env: WorkplaceAssistant) -> None:
    found = call(env, "customer_relationship_manager_search_customers", customer_name="jo")
    assert (found["customers"][0]["customer_phone"], found["customers"][0]["notes"]) == (None, None)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("total_visits_count", {}, {"2023-11-28": 2, "2023-11-29": 1}),
        ("total_visits_count", {"time_min": "2023-11-29"}, {"2023-11-29": 1}),
        ("total_visits_count", {"time_max": "2023-11-27"}, {}),
        ("engaged_users_count", {}, {"2023-11-28": 1, "2023-11-29": 1}),
        ("traffic_source_count", {}, {"2023-11-28": 2, "2023-11-29": 1}),
        (
            "traffic_source_count",
            {"traffic_source": "referral"},
            {"2023-11-28": 1, "2023-11-29": 0},
        ),
        ("get_average_session_duration", {}, {"2023-11-28": 7.5, "2023-11-29": 30.0}),
    ],
)
def test_figures_by_day(
    env: WorkplaceAssistant, name: str, arguments: dict[str, str], expected: dict[str, float]
) -> None:
    assert call(env, f"analytics_{name}", **arguments) == expected


def test_a_visitor_visit_by_visit(env: WorkplaceAssistant) -> None:
    visits = call(env, "analytics_get_visitor_information_by_id", visitor_id="0012")
    assert [visit["date_of_visit"] for visit in visits] == ["2023-11-28", "2023-11-29"]
    assert visits[0]["user_engaged"] is True


EVENT = {
    "event_name": "Talk",
    "participant_email": "ANN.LEE@acme.com",
    "event_start": "2023-12-04 10:00:00",
    "duration": "30",
}
TASK = {
    "task_name": "Test",
    "assigned_to_email": "Ann.Lee@ACME.com",
    "list_name": "Backlog",
    "due_date": "2023-12-09",
    "board": "Design",
}
PLOT = {
    "time_min": "2023-11-28",
    "time_max": "2023-11-29",
    "value_to_plot": "total_visits",
    "plot_type": "bar",
}
REPLIES = [
    ("email_get_email_information_by_id", {}, "Error: missing: email_id, field"),
    (
        "email_get_email_information_by_id",
        {"email_id": "00000001"},
        "Error: missing: field",
    ),
    (
        "email_get_email_information_by_id",
        {"email_id": "7", "field": "body"},
        "Error: no e-mail has the id '7'",
    ),
    (
        "email_get_email_information_by_id",
        {"email_id": "00000001", "field": "sender"},
        "Error: field cannot be 'sender'; use one of: email_id, inbox/outbox, sender/recipient, "
        "subject, sent_datetime, body",
    ),
    ("email_search_emails", {"query": "nothing like it"}, "No e-mail matches."),
    (
        "email_search_emails",
        {"date_min": "soon"},
        "Error: date_min must be a date such as 2023-11-30, not 'soon'",
    ),
    (
        "email_send_email",
        {"recipient": ANN},
        "Error: missing: subject, body",
    ),
    (
        "email_send_email",
        {"recipient": "ann", "subject": "S", "body": "B"},
        "Error: recipient must be an address such as kim@home.org, not 'ann'",
    ),
    ("email_delete_email", {"email_id": "1"}, "Error: no e-mail has the id '1'"),
    ("email_delete_email", {"email_id": "00000001"}, "The e-mail was deleted."),
    ("email_forward_email", {"email_id": "00000001"}, "Error: missing: recipient"),
    (
        "email_forward_email",
        {"email_id": "00000001", "recipient": "ann"},
        "Error: recipient must be an address such as kim@home.org, not 'ann'",
    ),
    (
        "email_forward_email",
        {"email_id": "9", "recipient": ANN},
        "Error: no e-mail has the id '9'",
    ),
    (
        "email_forward_email",
        {"email_id": "00000001", "recipient": ANN},
        "The e-mail was forwarded.",
    ),
    ("email_reply_email", {"email_id": "9", "body": "B"}, "Error: no e-mail has the id '9'"),
    ("email_reply_email", {"email_id": "00000003", "body": "B"}, "The reply was sent."),
    (
        "calendar_get_event_information_by_id",
        {"event_id": "5", "field": "duration"},
        "Error: an event_id has 8 digits, unlike '5'",
    ),
    (
        "calendar_get_event_information_by_id",
        {"event_id": "00000005", "field": "end"},
        "Error: field cannot be 'end'; use one of: event_id, event_name, participant_email, "
        "event_start, duration",
    ),
    (
        "calendar_search_events",
        {"time_min": "soon"},
        "Error: time_min must be a time such as 2023-11-30 09:30:00, not 'soon'",
    ),
    ("calendar_search_events", {"query": "nothing like it"}, "No event matches."),
    (
        "calendar_create_event",
        {},
        "Error: missing: event_name, participant_email, event_start, duration",
    ),
    (
        "calendar_create_event",
        {**EVENT, "participant_email": ""},
        "Error: missing: participant_email",
    ),
    ("calendar_create_event", {**EVENT, "duration": ""}, "Error: missing: duration"),
    (
        "calendar_create_event",
        {**EVENT, "event_start": "ten"},
        "Error: event_start must be a time such as 2023-11-30 09:30:00, not 'ten'",
    ),
    (
        "calendar_create_event",
        {**EVENT, "duration": "an hour"},
        "Error: duration must be a whole number of minutes over 0, not 'an hour'",
    ),
    (
        "calendar_create_event",
        {**EVENT, "duration": "-5"},
        "Error: duration must be a whole number of minutes over 0, not '-5'",
    ),
    ("calendar_create_event", EVENT, "00000008"),
    (
        "calendar_update_event",
        {"event_id": "00000005", "field": "event_id", "new_value": "00000009"},
        "Error: field cannot be 'event_id'; use one of: event_name, participant_email, "
        "event_start, duration",
    ),
    (
        "calendar_update_event",
        {"event_id": "00000005", "field": "duration", "new_value": "15"},
        "The event was changed.",
    ),
    (
        "calendar_update_event",
        {"event_id": "00000099", "field": "duration", "new_value": "15"},
        "Error: no event has the id '00000099'",
    ),
    (
        "calendar_delete_event",
        {"event_id": "00000099"},
        "Error: no event has the id '00000099'",
    ),
    (
        "analytics_get_visitor_information_by_id",
        {"visitor_id": "9"},
        "Error: no visitor has the id '9'",
    ),
    ("analytics_create_plot", {}, "Error: missing: time_min, time_max"),
    (
        "analytics_create_plot",
        {**PLOT, "value_to_plot": "visits"},
        "Error: value_to_plot cannot be 'visits'; use one of: total_visits, "
        "session_duration_seconds, user_engaged, visits_direct, visits_referral, "
        "visits_search_engine, visits_social_media",
    ),
    (
        "analytics_create_plot",
        {**PLOT, "plot_type": "Bar"},
        "Error: plot_type cannot be 'Bar'; use one of: bar, line, scatter, histogram",
    ),
    ("analytics_create_plot", PLOT, "plots/2023-11-28_2023-11-29_total_visits_bar.png"),
    (
        "project_management_create_task",
        {**TASK, "board": ""},
        "Error: missing: board",
    ),
    (
        "project_management_create_task",
        {**TASK, "assigned_to_email": "cy.fox@acme.com"},
        "Error: 'cy.fox@acme.com' is not the address of a team member",
    ),
    (
        "project_management_create_task",
        {**TASK, "list_name": "backlog"},
        "Error: list_name cannot be 'backlog'; use one of: Backlog, In Progress, In Review, "
        "Completed",
    ),
    (
        "project_management_create_task",
        {**TASK, "board": "Backend"},
        "Error: board cannot be 'Backend'; use one of: Back end, Front end, Design",
    ),
    ("project_management_create_task", TASK, "00000003"),
    (
        "project_management_update_task",
        {"task_id": "00000009", "field": "nothing", "new_value": "x"},
        "Error: no task has the id '00000009'",
    ),
    (
        "project_management_update_task",
        {"task_id": "00000001", "field": "nothing", "new_value": "x"},
        "Error: field cannot be 'nothing'; use one of: task_id, task_name, assigned_to_email, "
        "list_name, due_date, board",
    ),
    (
        "project_management_update_task",
        {"task_id": "00000001", "field": "list_name", "new_value": "Completed"},
        "The task was changed.",
    ),
    ("project_management_delete_task", {"task_id": "00000001"}, "The task was deleted."),
    (
        "customer_relationship_manager_search_customers",
        {},
        "Error: give at least one argument to search by",
    ),
    (
        "customer_relationship_manager_search_customers",
        {"customer_name": "nobody"},
        "No customer matches.",
    ),
    (
        "customer_relationship_manager_update_customer",
        {"customer_id": "00000010", "field": "status", "new_value": "won"},
        "Error: status cannot be 'won'; use one of: Qualified, Won, Lost, Lead, Proposal",
    ),
    (
        "customer_relationship_manager_update_customer",
        {"customer_id": "00000010", "field": "product_interest", "new_value": "Tea"},
        "Error: product_interest cannot be 'Tea'; use one of: Software, Hardware, Services, "
        "Consulting, Training",
    ),
    (
        "customer_relationship_manager_update_customer",
        {"customer_id": "00000010", "field": "status", "new_value": "Won"},
        "The customer was changed.",
    ),
    (
        "customer_relationship_manager_add_customer",
        {"customer_name": "Li Wu"},
        "Error: missing: assigned_to_email, status",
    ),
    (
        "customer_relationship_manager_add_customer",
        {"customer_name": "Li Wu", "assigned_to_email": ANN, "status": "Lead"},
        "00000012",
    ),
    (
        "customer_relationship_manager_delete_customer",
        {},
        "Error: missing: customer_id",
    ),
    (
        "customer_relationship_manager_delete_customer",
        {"customer_id": "00000010"},
        "The customer was deleted.",
    ),
]


@pytest.mark.parametrize(("name", "arguments", "reply"), REPLIES)
def test_tool_reply(
    env: WorkplaceAssistant, name: str, arguments: dict[str, str], reply: str
) -> None:
    assert call(env, name, **arguments) == reply


def test_a_number_is_taken_as_a_text(env: WorkplaceAssistant) -> None:
    assert call(env, "calendar_create_event", **{**EVENT, "duration": 30}) == "00000008"
    assert env.state["calendar_events"]["added"][0]["duration"] == "30"


def test_a_reply_goes_to_the_sender_at_the_time_of_the_clock(env: WorkplaceAssistant) -> None:
    call(env, "email_reply_email", email_id="00000003", body="Soon.")
    assert env.state["emails"]["added"] == [
        {
            "email_id": "4",
            "inbox/outbox": "outbox",
            "sender/recipient": ANN,
            "subject": "Budget",
            "sent_datetime": "2023-11-30 23:59:00",
            "body": "Soon.",
        }
    ]


def test_a_forwarded_email_keeps_its_text(env: WorkplaceAssistant) -> None:
    call(env, "email_forward_email", email_id="00000001", recipient="Cy.Fox@acme.com")
    sent = env.state["emails"]["added"][0]
    assert (sent["subject"], sent["body"]) == ("FW: Lunch", "Shall we?")
    assert sent["sender/recipient"] == "cy.fox@acme.com"


def test_the_id_of_a_deleted_new_event_is_given_again(env: WorkplaceAssistant) -> None:
    assert call(env, "calendar_create_event", **EVENT) == "00000008"
    assert call(env, "calendar_delete_event", event_id="00000008") == "The event was deleted."
    assert call(env, "calendar_create_event", **EVENT) == "00000008"


# Tables.

TEXT = st.sampled_from(["00000001", "00000002", "00000003", "log", "LOG", "Backlog", ""])
CHANGES = st.lists(
    st.tuples(st.just("add"), TEXT, TEXT)
    | st.tuples(st.just("delete"), TEXT, TEXT)
    | st.tuples(st.just("update"), TEXT, TEXT)
    | st.tuples(st.just("rename"), TEXT, TEXT),
    max_size=8,
)


class Plain:
    """The same operations on a plain list of rows."""

    def __init__(self, rows: tuple[Any, ...]) -> None:
        self.rows = [dict(row) for row in rows]

    def add(self, name: str) -> str:
        ids = (row["task_id"] for row in self.rows)
        id = f"{max((int(id) for id in ids if id.isdecimal()), default=0) + 1:08}"
        row = dict.fromkeys(FILES["project_tasks.csv"].split("\n")[0].split(","))
        self.rows.append({**row, "task_id": id, "task_name": name})
        return id

    def delete(self, id: str) -> bool:
        before = len(self.rows)
        self.rows = [row for row in self.rows if row["task_id"] != id]
        return len(self.rows) < before

    def update(self, id: str, column: str, value: str) -> bool:
        found = [row for row in self.rows if row["task_id"] == id]
        for row in found:
            row[column] = value
        return bool(found)


@given(CHANGES)
def test_a_table_is_as_a_plain_list_of_rows(changes: list[tuple[str, str, str]]) -> None:
    rows = [
        dict(
            zip(FILES["project_tasks.csv"].split("\n")[0].split(","), line.split(","), strict=True)
        )
        for line in FILES["project_tasks.csv"].split("\n")[1:3]
    ]
    records = Database({"project_tasks": rows}).records["project_tasks"]
    table = Table(records, new_state()["project_tasks"])
    plain = Plain(records.rows)
    for kind, id, text in changes:
        if kind == "add":
            assert table.add({"task_name": text}) == plain.add(text)
        elif kind == "delete":
            assert table.delete(id) == plain.delete(id)
        else:
            column = "task_id" if kind == "rename" else "task_name"
            assert table.update(id, column, text) == plain.update(id, column, text)
        assert list(table) == plain.rows
        found = table.containing({("task_name", "list_name"): [text]})
        assert found == [
            row
            for row in plain.rows
            if text.lower() in f"{row['task_name'] or ''}\n{row['list_name'] or ''}".lower()
        ]
        assert table.get(id) == next((row for row in plain.rows if row["task_id"] == id), None)
    assert [row["task_name"] for row in records.rows] == ["Fix login", "Draw logo"]


# Verdict.

SEND = ("email_send_email", {"recipient": ANN, "subject": "S", "body": "B"})
DELETE = ("calendar_delete_event", {"event_id": "00000005"})
WON = (
    "customer_relationship_manager_update_customer",
    {"customer_id": "00000010", "field": "status", "new_value": "Won"},
)
LEAD = (WON[0], {**WON[1], "new_value": "Lead"})
NEW_EVENT = ("calendar_create_event", EVENT)
NEW_TASK = ("project_management_create_task", TASK)
A_PLOT = ("analytics_create_plot", PLOT)
READ = ("email_search_emails", {"query": "budget"})
REFERENCE = [SEND, DELETE, WON, NEW_EVENT, NEW_TASK, A_PLOT]


@pytest.mark.parametrize(
    "calls",
    [
        REFERENCE,
        REFERENCE[::-1],
        [READ, *REFERENCE, READ],
        [*REFERENCE, DELETE, WON],
        [LEAD, *REFERENCE],
        [*REFERENCE, LEAD, WON],
        [*REFERENCE[:3], ("calendar_create_event", {**EVENT, "duration": 30}), *REFERENCE[4:]],
        [
            *REFERENCE[:3],
            ("calendar_create_event", {**EVENT, "event_start": "2023-12-04T10:00"}),
            *REFERENCE[4:],
        ],
        [
            *REFERENCE,
            ("email_send_email", {**SEND[1], "body": "oops"}),
            ("email_delete_email", {"email_id": "5"}),
        ],
    ],
    ids=[
        "the reference", "another order", "reading too", "again where that changes nothing",
        "overwritten", "changed and changed back", "a number for a text", "another format of time",
        "a wrong email taken back",
    ],
)  # fmt: skip
def test_right(env: WorkplaceAssistant, calls: list[tuple[str, dict[str, Any]]]) -> None:
    info = outcome(env, request(*REFERENCE), *calls)
    assert info["is_success"]
    components = dict.fromkeys(("correct", *TABLES), 1.0) | {"side_effects": 0.0}
    assert info["reward_components"] == components


@pytest.mark.parametrize(
    ("calls", "table"),
    [
        ([*REFERENCE, SEND], "emails"),
        (REFERENCE[1:], "emails"),
        ([*REFERENCE, ("calendar_delete_event", {"event_id": "00000006"})], "calendar_events"),
        ([*REFERENCE, A_PLOT], "plots"),
        ([*REFERENCE, LEAD], "customers"),
        (
            [*REFERENCE[:4], (NEW_TASK[0], {**TASK, "due_date": "2023-12-10"}), A_PLOT],
            "project_tasks",
        ),
    ],
    ids=["twice", "one less", "one more", "a plot twice", "changed back", "another date"],
)
def test_wrong(env: WorkplaceAssistant, calls: list[Any], table: str) -> None:
    components = outcome(env, request(*REFERENCE), *calls)["reward_components"]
    assert [name for name in TABLES if not components[name]] == [table]
    assert (components["correct"], components["side_effects"]) == (0.0, 1.0)


def test_silence_is_wrong_without_side_effects(env: WorkplaceAssistant) -> None:
    components = outcome(env, request(SEND))["reward_components"]
    assert (components["correct"], components["side_effects"]) == (0.0, 0.0)


def test_silence_is_right_where_nothing_is_to_be_done(env: WorkplaceAssistant) -> None:
    assert outcome(env, request())["is_success"]


def test_changes_up_to_the_last_turn_are_graded(folder: str) -> None:
    env = WorkplaceAssistant(database=folder, max_turns=1)
    env.reset(options={"task": request(SEND, DELETE)})
    _, reward, terminated, truncated, info = env.step(env.solve())
    assert (reward, terminated, truncated, info["stop_reason"]) == (1.0, False, True, "max_turns")


def test_episodes_share_a_database_and_no_change(folder: str) -> None:
    one, other = WorkplaceAssistant(database=folder), WorkplaceAssistant(database=folder)
    assert not outcome(one, request(), DELETE)["is_success"]
    assert outcome(other, request())["is_success"]
    assert one.database is other.database
    assert outcome(one, request())["is_success"]


# Saving.


def test_an_episode_goes_on_from_every_step(folder: str) -> None:
    env = WorkplaceAssistant(database=folder)
    env.reset(options={"task": request(*REFERENCE)})
    for place, made in enumerate(REFERENCE):
        saved = json.loads(json.dumps(env.get_state()))
        again = WorkplaceAssistant(database=folder)
        again.set_state(saved)
        assert again.step(assistant_calls(*REFERENCE[place:]))[0][-1]["role"] == "tool"
        assert again.step("Done.")[1] == 1
        env.step(assistant_calls(made))
    assert env.step("Done.")[1] == 1


# Hostile calls.

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from([
        "00000001", "00000005", "00000010", "task_id", "customer_id", "status", "2023-12-01", "5",
        "9" * 5000, 10**5000, ANN, "event_start", "Won", "\ud800",
    ])
)  # fmt: skip
ARGUMENTS = st.dictionaries(
    st.sampled_from(["event_id", "email_id", "task_id", "customer_id", "field", "new_value",
                     "page", "page_size", "query", "body", "recipient", "subject"]),
    SCALARS | st.lists(SCALARS, max_size=2),
    max_size=5,
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), ARGUMENTS), max_size=6))
def test_no_call_raises(folder: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    env = WorkplaceAssistant(database=folder)
    env.reset(options={"task": request(SEND)})
    for name, arguments in calls:
        made = {"id": "1", "function": {"name": name, "arguments": arguments}}
        told = env.step({"role": "assistant", "content": None, "tool_calls": [made]})[0]  # type: ignore
        assert isinstance(told[-1]["content"], str)
    assert json.loads(json.dumps(env.state)) == env.state
    assert env.step("")[1] in (0.0, 1.0)


# Rows.


def test_prompt_states_the_day_and_the_time(env: WorkplaceAssistant) -> None:
    messages, info = env.reset(options={"task": request()})
    assert "It is Thursday, 2023-11-30 23:59:00." in messages[0]["content"]
    assert messages[1] == {"role": "user", "content": "Do it."}
    assert [tool["function"]["name"] for tool in info["tools"]] == NAMES


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"query": " "}, "query"),
        ({"now": "soon"}, "now"),
        ({"now": None}, "now"),
        ({"world": "7"}, "world"),
        ({"ground_truth": "send an email"}, "ground_truth"),
        ({"ground_truth": [{"name": "do_it", "arguments": {}}]}, "ground_truth.0.name"),
        ({"ground_truth": [{"name": NAMES[0], "arguments": "{bad"}]}, "ground_truth.0.arguments"),
        ({"ground_truth": [{"name": NAMES[0], "arguments": {"x": 1}}]}, "ground_truth.0.arguments"),
        ({"tools": []}, "tools"),
        ({"tools": NAMES[0]}, "tools"),
        ({"tools": [NAMES[0], "sned"]}, "tools"),
        ({"tools": [7]}, "tools"),
    ],
)
def test_a_wrong_row_is_refused(env: WorkplaceAssistant, change: Any, field: str) -> None:
    with pytest.raises(RowError) as error:
        env.reset(options={"task": {**request(), **change}})
    assert error.value.field == field


def test_a_row_may_offer_fewer_tools(env: WorkplaceAssistant) -> None:
    offered = [NAMES[3], NAMES[1]]
    messages, info = env.reset(options={"task": {**request(), "tools": offered}})
    assert [tool["function"]["name"] for tool in info["tools"]] == sorted(offered)
    assert "It is Thursday, 2023-11-30 23:59:00." in messages[0]["content"]
    assert "analytics" not in messages[0]["content"]
    observation, *_ = env.step(assistant_calls((NAMES[0], {})))
    assert "there is no tool" in observation[-1]["content"]


def test_a_row_without_a_world_needs_a_database() -> None:
    with pytest.raises(RowError, match="no database="):
        WorkplaceAssistant().reset(options={"task": request()})


NEMO = {
    "responses_create_params": {
        "input": [
            {"role": "system", "content": "It is Monday, 2024-01-08 and the time is 08:30:00."},
            {"role": "user", "content": "Write to Ann."},
        ]
    },
    "ground_truth": [{"name": SEND[0], "arguments": json.dumps(SEND[1])}],
}


def test_a_nemo_gym_row_has_the_time_of_its_prompt(env: WorkplaceAssistant) -> None:
    assert outcome(env, NEMO, SEND)["is_success"]
    assert env.clock == "2024-01-08 08:30:00"


@pytest.mark.parametrize(("row", "mark"), [(NEMO, "RE: "), (request(), "")])
def test_a_new_email_is_a_reply_where_its_subject_is_the_same(
    env: WorkplaceAssistant, row: dict[str, Any], mark: str
) -> None:
    """NeMo Gym's replies are marked, WorkBench's are not."""
    reply = ("email_reply_email", {"email_id": "00000003", "body": "Soon."})
    asked = {**row, "ground_truth": request(reply)["ground_truth"]}
    for written in ("RE: ", ""):
        mail = {"recipient": ANN, "subject": f"{written}Budget", "body": "Soon."}
        info = outcome(env, asked, ("email_send_email", mail))
        assert info["is_success"] is (written == mark)


def test_extracted_answer_is_the_last_text_and_empty_for_tool_calls(folder: str) -> None:
    env = WorkplaceAssistant(database=folder, max_turns=1)
    for message, told in ((assistant_calls(SEND), ""), ("<think>Now?</think>Done.", "Done.")):
        env.reset(options={"task": request(SEND)})
        info = env.step(message)[4]
        assert (info["extracted_answer"], info["answer_sought"]) == (told, False)


def test_a_nemo_gym_row_offers_its_tools_alone(env: WorkplaceAssistant) -> None:
    tools = [{"type": "function", "name": SEND[0], "parameters": {"type": "object"}}]
    params = {**NEMO["responses_create_params"], "tools": tools}
    _, info = env.reset(options={"task": {**NEMO, "responses_create_params": params}})
    assert [tool["function"]["name"] for tool in info["tools"]] == [SEND[0]]
    told = env.step(assistant_calls(DELETE))[0][-1]["content"]
    assert told == f"Error: there is no tool 'calendar_delete_event'; the tools are: {SEND[0]}"


# Arguments.


def test_toolkits_narrow_the_tools(folder: str) -> None:
    env = WorkplaceAssistant(database=folder, toolkits=["email", "company_directory"])
    _, info = env.reset(options={"task": request()})
    assert len(info["tools"]) == 7
    assert outcome(env, request(DELETE), DELETE)["is_success"] is False


def test_generated_tasks_need_the_offered_tools_alone() -> None:
    env = WorkplaceAssistant(toolkits=["email", "company_directory"])
    for index in range(20):
        env.reset(options={"index": index})
        ended = False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(env.solve())
            ended = terminated or truncated
        assert reward == 1


def test_toolkits_that_suffice_for_no_task_are_refused() -> None:
    env = WorkplaceAssistant(toolkits=["company_directory"], level=1)
    with pytest.raises(UsageError, match="no generated task of level 1"):
        env.reset(options={"index": 0})


@pytest.mark.parametrize("toolkits", [[], "email", 3])
def test_toolkits_must_be_names(toolkits: Any) -> None:
    with pytest.raises(UsageError, match="toolkits must be a list"):
        WorkplaceAssistant(toolkits=toolkits)


def test_an_unknown_toolkit_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'email'"):
        WorkplaceAssistant(toolkits=["emails"])


def test_a_database_may_be_a_path_object(folder: str) -> None:
    env = WorkplaceAssistant(database=Path(folder))  # type: ignore[arg-type]
    assert outcome(env, request(DELETE), DELETE)["is_success"]
    assert env.arguments == {"database": folder}


@pytest.mark.parametrize("name", ["workbench", "workplace_assistant"])
def test_a_data_set_with_a_name_needs_a_database(name: str, folder: str) -> None:
    command = f"textgym eval {name} --set database=FOLDER, or database= in Python"
    with pytest.raises(UsageError, match=f"data set '{name}' needs .*{command}$"):
        make(name)
    with pytest.raises(UsageError, match="tset"):
        make(name, split="tset", database=folder)


def test_a_database_must_be_a_path() -> None:
    with pytest.raises(UsageError, match="database must be the path of a folder, not 3"):
        WorkplaceAssistant(database=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = write_database(tmp_path / "databases")
    Path(folder, name).unlink()
    with pytest.raises(DatasetError, match=f"{name}' is missing"):
        WorkplaceAssistant(database=folder)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "databases")
    Path(folder, "emails.csv").write_text("email_id,body\n1,Hello\n")
    with pytest.raises(DatasetError, match="has no column 'inbox/outbox'"):
        WorkplaceAssistant(database=folder)


def test_a_short_line_is_named(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "databases")
    with Path(folder, "project_tasks.csv").open("a") as file:
        file.write("00000009,Too short\n")
    with pytest.raises(DatasetError, match="row 3 has 2 cells, not 6"):
        WorkplaceAssistant(database=folder)


def test_a_database_that_changed_is_read_again(tmp_path: Path) -> None:
    folder = write_database(tmp_path / "databases")
    first = WorkplaceAssistant(database=folder)
    Path(folder, "email_addresses.csv").write_text("email_address\nzoe@acme.com\n")
    second = WorkplaceAssistant(database=folder)
    for env in (first, second):
        env.reset(options={"task": request()})
    assert call(first, "company_directory_find_email_address", name="zoe") == []
    assert call(second, "company_directory_find_email_address", name="zoe") == ["zoe@acme.com"]
