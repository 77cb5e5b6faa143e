"""Values that a model writes in another form: read, or answered with an error, never lost."""

from __future__ import annotations

from typing import Any

import pytest
from workplace_data import outcome, request

from textgym.envs.office.company.database import new_state
from textgym.envs.office.workplace import WorkplaceAssistant

ANN = "ann.lee@acme.com"


def call(env: WorkplaceAssistant, tool: str, /, **arguments: Any) -> str:
    """Call a tool, and return what it says."""
    return env.toolbox().call(env, tool, arguments)


PLOT = {"time_min": "2023-11-28", "time_max": "2023-11-29", "value_to_plot": "total_visits",
        "plot_type": "bar"}  # fmt: skip
LEAD = {"customer_name": "Li Wu", "assigned_to_email": ANN, "status": "Lead"}
LI = {**LEAD, "customer_email": "li@wu.org", "customer_phone": "399-396-4906",
      "follow_up_by": "2025-05-21", "notes": "met"}  # fmt: skip
TASK = {"task_name": "Fix bug", "assigned_to_email": ANN, "list_name": "Backlog",
        "due_date": "2025-05-21", "board": "Back end"}  # fmt: skip
MEETING = {"event_name": "Talk", "participant_email": ANN, "event_start": "2025-05-21 10:00:00",
           "duration": "30"}  # fmt: skip
MAIL = {"recipient": ANN, "subject": "Lunch", "body": "At noon?"}
ADD, SEND = "customer_relationship_manager_add_customer", "email_send_email"
CREATE, BOOK = "project_management_create_task", "calendar_create_event"
DRAW = "analytics_create_plot"

READ = [  # a tool, the arguments of the reference, and those that differ
    (SEND, MAIL, {"body": "At noon? "}), (SEND, MAIL, {"body": "\nAt noon?\n"}),
    (SEND, MAIL, {"recipient": f" {ANN} "}), (SEND, MAIL, {"recipient": ANN.upper() + "\n"}),
    (SEND, MAIL, {"subject": "Lunch\u00a0"}), (SEND, MAIL, {"body": "At\u00a0noon?"}),
    (ADD, LI, {"customer_name": "Li\u00a0Wu"}), (CREATE, TASK, {"task_name": "Fix\u202fbug"}),
    (CREATE, TASK, {"board": "Back\u00a0end"}),
    (ADD, LI, {"customer_phone": "(399) 396-4906"}), (ADD, LI, {"customer_phone": "399.396.4906"}),
    (ADD, LI, {"customer_phone": "3993964906"}), (ADD, LI, {"customer_phone": 3993964906}),
    (ADD, LI, {"customer_phone": "399\u2011396\u20114906"}),
    (ADD, LI, {"customer_phone": "+399 396 4906 "}),
    (ADD, LI, {"follow_up_by": "21.05.2025"}), (ADD, LI, {"follow_up_by": "May 21, 2025"}),
    (ADD, LI, {"follow_up_by": "2025\u201105\u201121"}),
    (BOOK, MEETING, {"event_start": "2025\u201305\u201321\u202f10:00"}),
    (ADD, LI, {"follow_up_by": "2025/05/21"}), (ADD, LI, {"customer_email": " LI@wu.org"}),
    (ADD, LI, {"notes": "met "}), (ADD, LI, {"status": " Lead"}),
    (ADD, LI, {"assigned_to_email": ANN + " "}),
    (CREATE, TASK, {"due_date": "21.05.2025"}), (CREATE, TASK, {"due_date": "21 May 2025"}),
    (CREATE, TASK, {"due_date": "2025-05-21T00:00:00"}), (CREATE, TASK, {"board": "Back end "}),
    (CREATE, TASK, {"assigned_to_email": f" {ANN}"}),
    (BOOK, MEETING, {"event_start": "21.05.2025 10:00"}), (BOOK, MEETING, {"duration": "30 "}),
    (BOOK, MEETING, {"participant_email": f"{ANN} "}), (BOOK, MEETING, {"event_name": " Talk"}),
    (DRAW, PLOT, {"time_min": "November 28, 2023"}), (DRAW, PLOT, {"time_max": "29.11.2023"}),
    (DRAW, PLOT, {"time_min": "2023-11-28 00:00:00"}),
]  # fmt: skip
REFUSED = [
    (ADD, LI, {"status": "lead"}), (ADD, LI, {"status": "New"}),
    (ADD, LI, {"product_interest": "software"}), (ADD, LI, {"follow_up_by": "January 8"}),
    (ADD, LI, {"follow_up_by": "next week"}), (ADD, LI, {"follow_up_by": "31.02.2025"}),
    (ADD, LI, {"last_contact_date": "today"}), (ADD, LI, {"customer_email": "Li Wu"}),
    (ADD, LI, {"assigned_to_email": "Ann"}), (ADD, LI, {"assigned_to_email": f"Ann <{ANN}>"}),
    (CREATE, TASK, {"due_date": "January 8"}), (CREATE, TASK, {"due_date": "2025-05-32"}),
    (CREATE, TASK, {"due_date": "2025-05-21 or 2025-05-22"}), (CREATE, TASK, {"board": "back end"}),
    (BOOK, MEETING, {"participant_email": "Ann"}), (BOOK, MEETING, {"event_start": "January 8"}),
    (BOOK, MEETING, {"participant_email": f"{ANN}, bob.ray@acme.com"}),
    (SEND, MAIL, {"recipient": f"Ann Lee <{ANN}>"}), (SEND, MAIL, {"recipient": " "}),
    (SEND, MAIL, {"recipient": f"{ANN}; bob.ray@acme.com"}), (SEND, MAIL, {"body": "\n"}),
    (DRAW, PLOT, {"time_min": "last month"}), (DRAW, PLOT, {"time_max": "November 29"}),
]  # fmt: skip
OTHER = [
    (ADD, LI, {"customer_phone": "399-396-4907"}), (ADD, LI, {"customer_phone": "396-4906"}),
    (ADD, LI, {"customer_phone": "399-396-4906 or 399-396-4907"}),
    (ADD, LI, {"customer_phone": "not 399-396-4906"}), (ADD, LI, {"customer_phone": "none"}),
    (ADD, LI, {"notes": "not met"}), (ADD, LI, {"customer_name": "LiWu"}),
    (ADD, LI, {"customer_name": "Li\u00a0\u00a0Wu"}), (ADD, LI, {"customer_name": "Li\u200bWu"}),
    (CREATE, TASK, {"task_name": "Fix-bug"}), (SEND, MAIL, {"body": "At_noon?"}),

    (ADD, LI, {"follow_up_by": "22.05.2025"}), (CREATE, TASK, {"due_date": "2025-05-21 10:00"}),
    (CREATE, TASK, {"due_date": "12.05.2025"}), (SEND, MAIL, {"body": "At  noon?"}),
    (SEND, MAIL, {"subject": "Lunch!"}), (BOOK, MEETING, {"event_start": "21.05.2025 11:00"}),
    (DRAW, PLOT, {"time_min": "27.11.2023"}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "changed"), READ, ids=str)
def test_another_form_of_a_value_is_read(
    env: WorkplaceAssistant, tool: str, arguments: dict[str, Any], changed: dict[str, Any]
) -> None:
    made = (tool, {**arguments, **changed})
    assert outcome(env, request((tool, arguments)), made)["reward_components"]["correct"] == 1
    assert outcome(env, request(made), (tool, arguments))["reward_components"]["correct"] == 1


@pytest.mark.parametrize(("tool", "arguments", "changed"), REFUSED, ids=str)
def test_value_that_cannot_be_read_is_an_error_and_changes_nothing(
    env: WorkplaceAssistant, tool: str, arguments: dict[str, Any], changed: dict[str, Any]
) -> None:
    said = call(env, tool, **{**arguments, **changed})
    assert said.startswith("Error: ")
    assert next(iter(changed)) in said
    assert env.state == new_state()
    assert not call(env, tool, **arguments).startswith("Error: ")


@pytest.mark.parametrize(("tool", "arguments", "changed"), OTHER, ids=str)
def test_another_value_is_another_one(
    env: WorkplaceAssistant, tool: str, arguments: dict[str, Any], changed: dict[str, Any]
) -> None:
    made = (tool, {**arguments, **changed})
    assert outcome(env, request((tool, arguments)), made)["reward_components"]["correct"] == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "same"),
    [
        ("customer_relationship_manager_search_customers", {"follow_up_by_min": "15.12.2023"},
         {"follow_up_by_min": "2023-12-15"}),
        ("analytics_total_visits_count", {"time_min": "29.11.2023"}, {"time_min": "2023-11-29"}),
        ("analytics_total_visits_count", {"time_min": "2023-11-29 00:00:00"},
         {"time_min": "2023-11-29"}),
        ("project_management_search_tasks", {"due_date": "December 5, 2023"},
         {"due_date": "2023-12-05"}),
        ("project_management_search_tasks", {"task_name": " login "}, {"task_name": "login"}),
        ("email_search_emails", {"date_min": "30.11.2023"}, {"date_min": "2023-11-30"}),
    ],
    ids=str,
)  # fmt: skip
def test_searches_read_dates_in_other_forms(
    env: WorkplaceAssistant, tool: str, arguments: dict[str, str], same: dict[str, str]
) -> None:
    found = call(env, tool, **arguments)
    assert found == call(env, tool, **same)
    assert found != call(env, tool, **dict.fromkeys(same, "1999-01-01"))


def test_a_phone_number_in_another_form_is_no_change(env: WorkplaceAssistant) -> None:
    arguments = {"customer_id": "00000011", "field": "customer_phone", "new_value": "555 1234"}
    same = ("customer_relationship_manager_update_customer", arguments)
    assert outcome(env, request(), same)["reward_components"]["side_effects"] == 0
