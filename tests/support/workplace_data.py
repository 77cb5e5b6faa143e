"""A small company in WorkBench's CSV format, for tests of the workplace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textgym.messages import assistant_calls

FILES = {
    "emails.csv": """\
email_id,inbox/outbox,sender/recipient,subject,sent_datetime,body
00000003,inbox,ann.lee@acme.com,Budget,2023-11-28 09:00:00,"Hi Sam,\\n\\nit is late.\\n\\nAnn"
00000001,outbox,bob.ray@acme.com,Lunch,2023-11-29 12:30:00,Shall we?
00000002,inbox,ann.lee@acme.com,Re: Lunch,2023-11-30 08:15:00,Without me.
""",
    "calendar_events.csv": """\
event_id,event_name,participant_email,event_start,duration
00000005,Daily stand-up,bob.ray@acme.com,2023-11-30 09:00:00,30
00000006,Budget review,ann.lee@acme.com,2023-12-01 13:00:00,60
00000007,Daily stand-up,cy.fox@acme.com,2023-12-01 09:00:00,30
""",
    "analytics_data.csv": """\
date_of_visit,visitor_id,page_views,session_duration_seconds,traffic_source,user_engaged
2023-11-28,0012,3,10,direct,True
2023-11-28,0013,1,5,referral,False
2023-11-29,0012,2,30,direct,True
""",
    "project_tasks.csv": """\
task_id,task_name,assigned_to_email,list_name,due_date,board
00000001,Fix login,ann.lee@acme.com,Backlog,2023-12-05,Back end
00000002,Draw logo,bob.ray@acme.com,In Progress,2023-12-01,Design
""",
    "customer_relationship_manager_data.csv": """\
customer_id,assigned_to_email,customer_name,customer_email,customer_phone,last_contact_date,\
product_interest,status,follow_up_by,notes
00000010,ann.lee@acme.com,Jo Day,jo.day@tree,,2023-11-20,Software,Lead,2023-12-10,
00000011,bob.ray@acme.com,Kim Poe,kim.poe@rock,555-1234,2023-11-25,Hardware,Proposal,2023-12-20,Met.
""",
    "email_addresses.csv": "ann.lee@acme.com\nbob.ray@acme.com\ncy.fox@acme.com\n",
}


def write_database(folder: Path) -> str:
    """Write the files into a folder; return its path."""
    folder.mkdir(exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return str(folder)


def request(*reference: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a row with the given calls as its reference."""
    calls = [{"name": name, "arguments": arguments} for name, arguments in reference]
    return {"query": "Do it.", "now": "2023-11-30 23:59:00", "ground_truth": calls}


def outcome(env: Any, row: dict[str, Any], *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Play a row with some calls, each in a separate message, and return the last info."""
    env.reset(options={"task": row})
    for call in calls:
        env.step(assistant_calls(call))
    info: dict[str, Any] = env.step("Done.")[4]
    return info
