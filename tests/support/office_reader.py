"""Reads the requests of `textgym/AskFirst-v0` and `textgym/MultiIntent-v0` as a person would.

Nothing here knows how a task was drawn. `requests_in` and `amendments_in` read what the user says,
and `Office` carries it out with tools alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from mail_reader import MAIL, mails_meant, quoted

__all__ = ["NEEDS", "Office", "Request", "amendments_in", "requests_in"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_Q = r"(?:(?<!\w)'[^']+'(?!\w))"
_MEETING = rf"(?:(?:the|my) (?:meeting )?(?:{_Q}|[A-Z][\w& -]*?) with [A-Z][a-z]+)"
_NEW_TASK = rf"(?:{_Q} (?:on the [A-Z][a-z ]+ board|\(board: [A-Z][a-z ]+\)))"
_CUSTOMER = r"(?:[A-Z][a-z]+ [A-Z][a-z]+)"
_WHO = (
    rf"(?:[Tt]he person whom you invite to {_Q}|[Tt]he person to whom you forward {MAIL}"
    rf"|[Tt]he person who gets the (?:mail|new task) {_Q}"
    rf"|[Tt]he person who takes over the task {_Q}"
    rf"|[Tt]he colleague in charge of the new lead {_CUSTOMER})"
)
_WHICH_DAY = (
    rf"(?:[Tt]he (?:new )?day of (?:{_Q}|{_MEETING})|[Tt]he due date of the new task {_Q}"
    rf"|[Tt]he new due date of the task {_Q}|[Tt]he new follow-up date of the customer {_CUSTOMER}"
    rf"|[Tt]he same day as {_MEETING})"
)
_MONTH = f"(?:{'|'.join(MONTHS)})"
_DATE = (
    rf"(?:(?:[A-Z][a-z]+day, )?{_MONTH} \d{{1,2}}|\d{{1,2}} {_MONTH}|\d{{4}}-\d\d-\d\d"
    rf"|{_WHICH_DAY})"
)
_PERSON = rf"(?:{_WHO}|[A-Z][a-z]+)"
_TIME = rf"(?:\d{{1,2}}:\d\d(?:am|pm)?|\d{{1,2}}(?:am|pm)|[Tt]he new end of {_MEETING})"
VALUES = {
    "participant": _PERSON,
    "recipient": _PERSON,
    "assignee": _PERSON,
    "owner": _PERSON,
    "day": _DATE,
    "due_date": _DATE,
    "follow_up": _DATE,
    "time": _TIME,
    "duration": r"\d+ minutes",
    "phone": r"\d{3}-\d{3}-\d{4}",
    "title": _Q,
    "subject": _Q,
    "body": _Q,
}
NEEDS = {
    "book_meeting": ("title", "participant", "day", "time", "duration"),
    "move_meeting": ("day", "time"),
    "resize_meeting": ("duration",),
    "send_mail": ("recipient", "subject", "body"),
    "forward_mail": ("recipient",),
    "answer_mail": ("body",),
    "add_task": ("assignee", "due_date"),
    "reassign_task": ("assignee",),
    "reschedule_task": ("due_date",),
    "add_lead": ("owner", "phone"),
    "change_phone": ("phone",),
    "move_follow_up": ("follow_up",),
}
_OPENINGS = {
    "book_meeting": "[Bb]ook a meeting|a new meeting in my calendar|set up a new meeting"
    "|Put a new meeting()",
    "move_meeting": f"give ({_MEETING}) a new day and a new time|I have to move ({_MEETING}), both"
    f"|I can't make ({_MEETING}) as planned|Can you find ({_MEETING}) in my calendar and put it",
    "resize_meeting": f"change the length of ({_MEETING})|the wrong length for ({_MEETING})"
    f"|a different amount of time for ({_MEETING})|give ({_MEETING}) another length",
    "send_mail": "write a mail|send an e-mail for me|[Ss]end a new mail()",
    "forward_mail": f"(?<!you )forward ({MAIL})|should see ({MAIL})|pass on ({MAIL})",
    "answer_mail": f"answer ({MAIL})|a reply to ({MAIL})|Reply to ({MAIL})|write back on ({MAIL})",
    "add_task": f"add the task ({_NEW_TASK})|a new task in the backlog: ({_NEW_TASK})"
    f"|put ({_NEW_TASK}) into the backlog|Create a task ({_NEW_TASK})",
    "reassign_task": f"reassign the task ({_Q})|The task ({_Q}) needs somebody else"
    f"|assign the task ({_Q}) to another person|give the task ({_Q}) to a new assignee",
    "reschedule_task": f"(?:change|keep) the due date of the task ({_Q})"
    f"|give the task ({_Q}) another due date|The task ({_Q}) has the wrong due date",
    "add_lead": f"add ({_CUSTOMER}) as a new lead|We have a new lead: ({_CUSTOMER})"
    f"|enter ({_CUSTOMER}) as a lead|lead for the customer list: ({_CUSTOMER})",
    "change_phone": f"(?:change|correct) the phone number of the customer ({_CUSTOMER})"
    f"|The customer ({_CUSTOMER}) has a new phone number"
    f"|Our phone number for the customer ({_CUSTOMER})",
    "move_follow_up": f"move the follow-up date of the customer ({_CUSTOMER})"
    f"|(?:The|the) follow-up with the customer ({_CUSTOMER})(?:,| needs another date)"
    f"|new date for the follow-up with the customer ({_CUSTOMER})"
    f"|when we follow up with the customer ({_CUSTOMER})",
}
_OPENING = re.compile("|".join(f"(?P<{kind}>{text})" for kind, text in _OPENINGS.items()))
_CUES = {  # what stands before or after the value of a detail
    "participant": [r"together with {}", r"with {}"],
    "day": [r"on {}", r"day is {}", r"{} is the day"],
    "time": [
        r"at {}", r"starts at {}", r"start is at {}", r"start at {}", r"begins at {}",
        r"{} is when we start",
    ],
    "duration": [r"for {}", r"{} long", r"Plan {}", r"to {}", r"takes {}", r"Make it {}"],
    "title": [r"Call it {}", r"under the title {}", r"named {}", r"called {}"],
    "recipient": [r"to {}", r"recipient is {}"],
    "subject": [
        r"subject is {}", r"Subject: {}", r"Put {} in the subject line", r"with the subject {}",
    ],
    "body": [
        r"text is {}", r"write: {}", r"Text: {}", r"says is {}", r"Write {}", r"Say {}",
        r"answer is {}",
    ],
    "assignee": [r"for {}", r"to {}", r"{} will do it", r"{} takes it"],
    "due_date": [
        r"due on {}", r"date is {}", r"finished by {}", r"to {}", r"a new one, {}", r"It is {}",
    ],
    "owner": [
        r"{} is in charge", r"with {} in charge", r"{} looks after it", r"{} will take care",
    ],
    "phone": [r"number is {}", r"phone number {}", r"Phone: {}", r"to {}", r"It is {}", r"be {}"],
    "follow_up": [r"to {}", r"{}, please", r"by {}", r"Make it {}"],
}  # fmt: skip
_LABELS = {
    "title": "title",
    "participant": "participant",
    "day": "day",
    "start": "time",
    "length": "duration",
    "recipient": "recipient",
    "assignee": "assignee",
    "due date": "due_date",
    "date": "follow_up",
    "colleague in charge": "owner",
    "phone number": "phone",
}
_SAID = [  # how earlier requests are named, and what they ask for
    (f"the new meeting ({_Q})|booking ({_Q})", "book_meeting"),
    (f"moving ({_MEETING})", "move_meeting"),
    (f"changing the length of ({_MEETING})", "resize_meeting"),
    (f"(?:sending )?the mail ({_Q})", "send_mail"),
    (f"the copy of ({MAIL})|forwarding ({MAIL})", "forward_mail"),
    (f"the answer to ({MAIL})|answering ({MAIL})", "answer_mail"),
    (f"the new task ({_Q})|adding the task ({_Q})", "add_task"),
    (f"reassigning the task ({_Q})", "reassign_task"),
    (f"changing the due date of the task ({_Q})", "reschedule_task"),
    (f"the new lead ({_CUSTOMER})|adding the lead ({_CUSTOMER})", "add_lead"),
    (f"changing the phone number of the customer ({_CUSTOMER})", "change_phone"),
    (f"(?:moving )?the follow-up with the customer ({_CUSTOMER})", "move_follow_up"),
    (f"the customer ({_CUSTOMER})", "change_phone"),
]
_BY_LABEL = {  # a name that fits two kinds of requests
    "time": "move_meeting",
    "day": "move_meeting",
    "duration": "resize_meeting",
    "assignee": "reassign_task",
    "due_date": "reschedule_task",
}
_LABEL = f"(?P<label>{'|'.join(sorted(_LABELS, key=len, reverse=True))})"
_ANY = "|".join(sorted(set(VALUES.values()), key=len, reverse=True))
_NAME = rf"(?P<name>(?:(?:the|my) (?:[^'.?:]|{_Q})+?))"
_NEW = f"(?P<new>{_ANY})"
_CORRECTIONS = [
    re.compile(form.replace("NAME", _NAME).replace("LABEL", _LABEL).replace("NEW", _NEW))
    for form in (
        "Wait, I was wrong about NAME: the LABEL should be NEW\\.",
        f"One correction: the LABEL of NAME is NEW, not (?:{_ANY})\\.",
        f"Sorry, please make it NEW instead of (?:{_ANY}) for NAME \\(the LABEL\\)\\.",
        "On second thoughts, NEW is better as the LABEL of NAME\\.",
        "I mixed something up\\. For NAME, the right LABEL is NEW\\.",
    )
]  # fmt: skip
_CANCELLATIONS = [
    re.compile(form.replace("ACT", rf"(?P<name>[a-z]+ing (?:[^'.?;]|{_Q})+?)"))
    for form in (
        "Actually, ACT is no longer needed\\.",
        "I have changed my mind: no ACT, please\\.",
        "Forget about ACT\\.",
        "Please leave out ACT after all\\.",
        "Scratch the bit about ACT; I don't want it any more\\.",
    )
]


@dataclass
class Request:
    """A request as it was read: its kind, what it is about, and the values that it tells."""

    kind: str
    thing: str
    values: dict[str, str] = field(default_factory=dict)
    id: str = ""
    row: dict[str, Any] = field(default_factory=dict)
    is_done: bool = False

    @property
    def missing(self) -> list[str]:
        """The details that it needs and does not tell."""
        return [slot for slot in NEEDS[self.kind] if slot not in self.values]


def requests_in(text: str) -> list[Request]:
    """Read the requests of a message without amendments, in their order."""
    found = list(_OPENING.finditer(text))
    requests = []
    for place, match in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        kind = str(match.lastgroup)
        things = [group for group in match.groups() if group and group != match[0]]
        request = Request(kind, things[-1] if things else "")
        rest = text[match.end() : end]
        mails = [mail.span() for mail in re.finditer(MAIL, rest)]  # the days in them are no details
        for slot in NEEDS[kind]:
            for cue in _CUES[slot]:
                pattern = rf"(?<!\w){cue.format(f'({VALUES[slot]})')}(?!\w)"
                found_here = [
                    found[1]
                    for found in re.finditer(pattern, rest)
                    if not any(start < found.start(1) < end for start, end in mails)
                ]
                if found_here:  # a recipient may be told by the subject of another mail
                    request.values[slot] = found_here[-1 if slot == "subject" else 0]
                    break
        if kind in ("book_meeting", "send_mail"):
            request.thing = request.values.get("title" if kind == "book_meeting" else "subject", "")
        requests.append(request)
    return requests


def amendments_in(text: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Read what is corrected or cancelled.

    Returns:
        The message without it; and for each amendment the kind of the request, what that is about,
        the slot and its new value, which are empty for a cancellation.
    """
    found = []
    for pattern in (*_CORRECTIONS, *_CANCELLATIONS):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            slot = _LABELS[groups["label"]] if "label" in groups else ""
            kind, thing = _named(groups["name"], slot)
            found.append((kind, thing, slot, groups.get("new", "")))
        text = pattern.sub(" ", text)
    return text, found


def _named(name: str, slot: str) -> tuple[str, str]:
    for pattern, kind in _SAID:
        match = re.fullmatch(pattern, name)
        if match:
            return kind, next(group for group in match.groups() if group)
    thing = name.removeprefix("the task ") if name.startswith("the task ") else name
    return _BY_LABEL[slot], thing


class Office:
    """Carries out requests.

    Args:
        call: Calls a tool with its arguments, and returns what it says, as text.
        now: The time of the requests.
    """

    def __init__(self, call: Callable[[str, dict[str, Any]], str], now: str) -> None:
        self._call, self._now = call, datetime.fromisoformat(now)
        self.requests: list[Request] = []

    def find(self, request: Request) -> bool:
        """Look up what a request is about and the people in it; return whether all exist."""
        self.requests.append(request)
        people = [
            value
            for slot, value in request.values.items()
            if VALUES[slot] is _PERSON and not re.match("[Tt]he ", value)
        ]
        return self._find_row(request) and all(map(self.address, people))

    def carry_out(self, request: Request) -> None:
        """Make the change of a request whose details are all told."""
        request.is_done = True
        values = {slot: self.value(slot, said) for slot, said in request.values.items()}
        match request.kind:
            case "book_meeting":
                request.id = self._call(
                    "calendar_create_event",
                    {
                        "event_name": values["title"],
                        "participant_email": values["participant"],
                        "event_start": f"{values['day']} {values['time']}",
                        "duration": values["duration"],
                    },
                )
            case "send_mail":
                mail = {name: values[name] for name in ("recipient", "subject", "body")}
                self._call("email_send_email", mail)
            case "forward_mail":
                mail = {"email_id": request.id, "recipient": values["recipient"]}
                self._call("email_forward_email", mail)
            case "answer_mail":
                self._call("email_reply_email", {"email_id": request.id, "body": values["body"]})
            case "add_task":
                name = re.match(_Q, request.thing)
                board = re.search(r"(?:on the|board:) ([A-Z][a-z]+(?: end)?)", request.thing)
                assert name
                assert board
                task = {
                    "task_name": name[0].strip("'"),
                    "assigned_to_email": values["assignee"],
                    "list_name": "Backlog",
                    "due_date": values["due_date"],
                    "board": board[1],
                }
                request.id = self._call("project_management_create_task", task)
                request.thing = name[0]
            case "add_lead":
                lead = {
                    "customer_name": request.thing,
                    "assigned_to_email": values["owner"],
                    "status": "Lead",
                    "customer_phone": values["phone"],
                }
                request.id = self._call("customer_relationship_manager_add_customer", lead)
            case _:
                self._update(request, values)

    def amend(self, kind: str, thing: str, slot: str, new: str) -> None:
        """Correct or cancel a request, also one that was carried out."""
        request = next(r for r in self.requests if (r.kind, self._name(r)) == (kind, thing))
        if slot:
            request.values[slot] = new
        if not request.is_done:
            if not slot:
                self.requests.remove(request)
            return
        creates = kind in ("book_meeting", "add_task", "add_lead")
        if not slot and creates:
            self._call(_DELETE[kind], {_ID[kind]: request.id})
        elif not slot:
            column = _COLUMN[kind]
            self._call(
                _UPDATE[kind],
                {_ID[kind]: request.id, "field": column, "new_value": request.row[column]},
            )
        else:
            values = {name: self.value(name, said) for name, said in request.values.items()}
            self._update(request, values, slot if creates else "")

    def _name(self, request: Request) -> str:
        match = re.match(_Q, request.thing) if request.kind == "add_task" else None
        return match[0] if match else request.thing

    def _update(self, request: Request, values: dict[str, str], slot: str = "") -> None:
        """Write the changed column of a row, or the column of one slot of a new row."""
        column = _NEW_COLUMN[slot] if slot else _COLUMN[request.kind]
        slot = slot or NEEDS[request.kind][0]
        value = f"{values['day']} {values['time']}" if column == "event_start" else values[slot]
        arguments = {_ID[request.kind]: request.id, "field": column, "new_value": value}
        self._call(_UPDATE[request.kind], arguments)

    def value(self, slot: str, said: str) -> str:
        """Return what a tool takes for what the user says."""
        form = VALUES[slot]
        said = re.sub("^The ", "the ", said)
        if form is _PERSON:
            return self._person(said)
        if form is _DATE:
            return self._date(said)
        if form is _TIME:
            return self._time(said)
        return said.removesuffix(" minutes") if slot == "duration" else said.strip("'")

    def _person(self, said: str) -> str:
        for form, kind, slot in (
            (f"the person whom you invite to ({_Q})", "book_meeting", "participant"),
            (f"the person to whom you forward ({MAIL})", "forward_mail", "recipient"),
            (f"the person who gets the mail ({_Q})", "send_mail", "recipient"),
            (f"the person who gets the new task ({_Q})", "add_task", "assignee"),
            (f"the person who takes over the task ({_Q})", "reassign_task", "assignee"),
            (f"the colleague in charge of the new lead ({_CUSTOMER})", "add_lead", "owner"),
        ):
            if match := re.fullmatch(form, said):
                return self.value(slot, self._earlier(kind, match[1]).values[slot])
        return self.address(said)

    def _date(self, said: str) -> str:
        for form, kind, slot in (
            (f"the day of ({_Q})", "book_meeting", "day"),
            (f"the new day of ({_MEETING})", "move_meeting", "day"),
            (f"the due date of the new task ({_Q})", "add_task", "due_date"),
            (f"the new due date of the task ({_Q})", "reschedule_task", "due_date"),
            (
                f"the new follow-up date of the customer ({_CUSTOMER})",
                "move_follow_up",
                "follow_up",
            ),
        ):
            if match := re.fullmatch(form, said):
                return self.value(slot, self._earlier(kind, match[1]).values[slot])
        if match := re.fullmatch(f"the same day as ({_MEETING})", said):
            return str(self._earlier("resize_meeting", match[1]).row["event_start"])[:10]
        if re.fullmatch(r"\d{4}-\d\d-\d\d", said):
            return said
        month = next(number for number, name in enumerate(MONTHS, 1) if name in said)
        number = int(re.findall(r"\d+", said)[0])
        day = date(self._now.year, month, number)
        if day < self._now.date():
            day = date(self._now.year + 1, month, number)
        return day.isoformat()

    def _time(self, said: str) -> str:
        if match := re.fullmatch(f"the new end of ({_MEETING})", said):
            request = self._earlier("resize_meeting", match[1])
            start = datetime.fromisoformat(request.row["event_start"])
            end = start + timedelta(minutes=int(request.values["duration"].split()[0]))
            return f"{end:%H:%M:%S}"
        hour, _, minute = re.sub("[ap]m", "", said).partition(":")
        later = 12 if said.endswith("pm") and hour != "12" else 0
        return f"{int(hour) + later:02}:{minute or '00'}:00"

    def _earlier(self, kind: str, thing: str) -> Request:
        return next(r for r in self.requests if (r.kind, self._name(r)) == (kind, thing))

    def address(self, name: str) -> str:
        """Return the address of a colleague; "" if there is none."""
        found = json.loads(self._call("company_directory_find_email_address", {"name": name}))
        return found[0] if len(found) == 1 else ""

    def _find_row(self, request: Request) -> bool:
        """Find the row that a request changes; return whether there is one, if it needs one."""
        rows: list[dict[str, Any]] = []
        if request.kind in ("move_meeting", "resize_meeting"):
            name, _, partner = request.thing.rpartition(" with ")
            name = re.sub(r"^(?:the|my) (?:meeting )?", "", name).strip("'")
            address = self.address(partner)
            found = self._search("calendar_search_events", "events", query=name)
            rows = [
                row
                for row in found
                if row["event_name"] == name
                and row["participant_email"] == address
                and row["event_start"] >= self._now.isoformat(" ")
            ]
        elif request.kind in ("forward_mail", "answer_mail"):
            found = self._search("email_search_emails", "emails", query=quoted(request.thing))
            rows = list(mails_meant(request.thing, found, self._now.date(), self.address))
        elif request.kind in ("reassign_task", "reschedule_task"):
            name = request.thing.strip("'")
            said = self._call("project_management_search_tasks", {"task_name": name})
            rows = json.loads(said) if said.startswith("[") else []
        elif request.kind in ("change_phone", "move_follow_up"):
            tool = "customer_relationship_manager_search_customers"
            rows = self._search(tool, "customers", customer_name=request.thing)
        else:
            return True
        if len(rows) != 1:
            return False
        request.row, request.id = rows[0], rows[0][_ID[request.kind]]
        return True

    def _search(self, tool: str, name: str, **arguments: str) -> list[dict[str, Any]]:
        said = self._call(tool, {**arguments, "page_size": 1000})
        return json.loads(said)[name] if said.startswith("{") else []


_ID = {
    **dict.fromkeys(("book_meeting", "move_meeting", "resize_meeting"), "event_id"),
    **dict.fromkeys(("forward_mail", "answer_mail"), "email_id"),
    **dict.fromkeys(("add_task", "reassign_task", "reschedule_task"), "task_id"),
    **dict.fromkeys(("add_lead", "change_phone", "move_follow_up"), "customer_id"),
}
_KIT = {
    "event_id": "calendar_{}_event",
    "task_id": "project_management_{}_task",
    "customer_id": "customer_relationship_manager_{}_customer",
    "email_id": "email_{}_email",
}
_UPDATE = {kind: _KIT[id].format("update") for kind, id in _ID.items()}
_DELETE = {kind: _KIT[id].format("delete") for kind, id in _ID.items()}
_COLUMN = {
    "move_meeting": "event_start",
    "resize_meeting": "duration",
    "reassign_task": "assigned_to_email",
    "reschedule_task": "due_date",
    "change_phone": "customer_phone",
    "move_follow_up": "follow_up_by",
}
_NEW_COLUMN = {
    "participant": "participant_email",
    "day": "event_start",
    "time": "event_start",
    "duration": "duration",
    "assignee": "assigned_to_email",
    "due_date": "due_date",
    "owner": "assigned_to_email",
    "phone": "customer_phone",
}
