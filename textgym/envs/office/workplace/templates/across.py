"""Templates that need several domains, up to the fourth level."""

from __future__ import annotations

from datetime import timedelta

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, received
from textgym.envs.office.company.mails import NEUTRAL, draw_mail
from textgym.envs.office.workplace.templates.analytics import days_of
from textgym.envs.office.workplace.templates.template import (
    ANALYTICS,
    CALENDAR,
    CUSTOMERS,
    EMAIL,
    PROJECTS,
    template,
)


@template(
    3,
    (CALENDAR, EMAIL),
    "Send whoever I meet first on {day} an email titled with the name of that event, saying"
    " '{body}'",
    "Write '{body}' to the participant of my first event on {day}. The subject is the name of the"
    " event.",
    "The person in my first meeting on {day} should get an email from me: '{body}' Use the event's"
    " name as the subject.",
)
def _mail_to_first_of_day(draft: CompanyDraft) -> dict[str, str]:
    day, body = draft.work_day(), draft.new_mail()["body"]
    events = draft.events(since=day, until=day)
    draft.need(len(events) > 1)
    draft.send(events[0]["participant_email"], events[0]["event_name"], body)
    return {"day": draft.day(day), "body": body}


@template(
    3,
    (PROJECTS, EMAIL),
    "Email the person who works on the task '{task}'. Title: '{subject}'. Text: '{body}'",
    "Whoever the task '{task}' is assigned to should get an email titled '{subject}' saying"
    " '{body}'",
    "Find out who has the task '{task}' and send them '{body}' with the subject '{subject}'",
)
def _mail_to_assignee(draft: CompanyDraft) -> dict[str, str]:
    name, mail = draft.row("project_tasks")["task_name"], draft.new_mail()
    draft.send(draft.one(draft.tasks(task_name=name))["assigned_to_email"], **mail)
    return {"task": name, **mail}


@template(
    3,
    (CUSTOMERS, CALENDAR),
    "Book a {length} meeting called 'About {customer}' on {day} at {time} with whoever {customer}"
    " is assigned to",
    "I want to talk about {customer} with the colleague who looks after them. Create the {length}"
    " event 'About {customer}' on {day} at {time}.",
    "Schedule 'About {customer}' for {day} at {time}, a {length} meeting with the person that the"
    " CRM names as responsible for {customer}",
)
def _meet_about_customer(draft: CompanyDraft) -> dict[str, str]:
    customer, minutes = draft.row("customers")["customer_name"], draft.choice((30, 60, 90))
    start = draft.start(draft.work_day())
    row = draft.one(draft.customers(customer_name=customer))
    draft.book(f"About {customer}", row["assigned_to_email"], start, minutes)
    return {
        "customer": customer,
        "length": draft.length(minutes),
        "day": draft.day(start.date()),
        "time": draft.clock(start),
    }


@template(
    3,
    (EMAIL, CALENDAR),
    "Find {mail} and book a {length} meeting called '{title}' with its sender on {day} at {time}",
    "Whoever wrote me {mail} should meet me on {day} at {time}. Make it a {length} event named"
    " '{title}'.",
    "Schedule a {length} event named '{title}' on {day} at {time} with the sender of {mail}",
)
def _meet_sender(draft: CompanyDraft) -> dict[str, str]:
    mention, mail = draw_mail(draft, is_received=True, ways=NEUTRAL)
    title, minutes = draft.choice(words.NEW_MEETINGS), draft.choice((30, 60))
    start = draft.start(draft.work_day())
    draft.book(title, mail["sender/recipient"], start, minutes)
    return {
        "mail": mention,
        "title": title,
        "length": draft.length(minutes),
        "day": draft.day(start.date()),
        "time": draft.clock(start),
    }


@template(
    4,
    (CUSTOMERS, CALENDAR, EMAIL),
    "If the last contact with {customer} is more than {weeks} weeks ago, book a half-hour meeting"
    " called 'Reviving {customer}' with whoever they are assigned to, at the first time I am free"
    " tomorrow. If it is newer, send that colleague an email titled '{customer}' saying 'Thanks for"
    " staying in touch.'",
    "When did we last contact {customer}? Up to {weeks} weeks ago is fine: email the colleague"
    " responsible for them 'Thanks for staying in touch.' under the title '{customer}'. If it is"
    " longer, put a 30-minute event 'Reviving {customer}' with that colleague into my first free"
    " slot of tomorrow.",
    "Check the CRM for {customer}. Last contact more than {weeks} weeks back: schedule 'Reviving"
    " {customer}', 30 minutes, with the person they are assigned to, as early tomorrow as I am"
    " free. Otherwise write that person an email titled '{customer}' with the text 'Thanks for"
    " staying in touch.'",
)
def _revive_or_thank(draft: CompanyDraft) -> dict[str, str]:
    customer, weeks = draft.row("customers")["customer_name"], draft.randint(3, 6)
    rows = [draft.one(draft.customers(customer_name=customer))]
    colleague = rows[0]["assigned_to_email"]
    if draft.before(rows, "last_contact_date", 7 * weeks):
        start = draft.free(draft.today + timedelta(days=1), 30)
        draft.book(f"Reviving {customer}", colleague, start, 30)
    else:
        draft.send(colleague, customer, "Thanks for staying in touch.")
    return {"customer": customer, "weeks": str(weeks)}


@template(
    4,
    (PROJECTS, EMAIL),
    "If {name} has tasks that are overdue and not completed on the {board} board, send them an"
    " email titled 'Overdue tasks' saying '{nudge}'. Otherwise send one titled 'Well done' saying"
    " '{praise}'",
    "Check {name}'s tasks on the {board} board. Is one past its due date and not completed, then"
    " email them '{nudge}' (title: 'Overdue tasks'), else '{praise}' (title: 'Well done').",
    "Does {name} have anything overdue and uncompleted on the {board} board? An email titled"
    " 'Overdue tasks' with the text '{nudge}' if so, one titled 'Well done' with '{praise}' if not,"
    " please.",
)
def _nudge_or_praise(draft: CompanyDraft) -> dict[str, str]:
    name, board = draft.team(1)[0].first, draft.choice(words.BOARDS)
    nudge = draft.choice(("Some of your tasks are late. What do you need?", "Can I help you out?"))
    praise = draft.choice(("Everything is on time, thank you!", "Nice to see you on schedule."))
    address = draft.address(name)
    if draft.overdue(draft.tasks(assigned_to_email=address, board=board)):
        draft.send(address, "Overdue tasks", nudge)
    else:
        draft.send(address, "Well done", praise)
    return {"name": name, "board": board, "nudge": nudge, "praise": praise}


@template(
    4,
    (EMAIL, CALENDAR),
    "If {name} has not emailed me in the last {days} days, book a half-hour meeting called"
    " '{title}' with them on {day} at {time}",
    "Has {name} sent me an email during the past {days} days? If not, create a 30-minute event"
    " '{title}' with them on {day} at {time}.",
    "Only if there was no email from {name} within the last {days} days, schedule '{title}' with"
    " them: {day}, {time}, 30 minutes",
    may_do_nothing=True,
)
def _meet_if_silent(draft: CompanyDraft) -> dict[str, str]:
    name, days = draft.colleagues(1)[0].first, draft.randint(3, 8)
    title, start = draft.choice(words.NEW_MEETINGS), draft.start(draft.work_day())
    address = draft.address(name)
    mails = [mail for mail in draft.mails(address) if received(mail)]
    if not draft.since(mails, "sent_datetime", days):
        draft.book(title, address, start, 30)
    return {
        "name": name,
        "days": str(days),
        "title": title,
        "day": draft.day(start.date()),
        "time": draft.clock(start),
    }


@template(
    4,
    (CALENDAR, EMAIL),
    "I have not met {name} in a while. If there was no meeting with them in the last {days} days,"
    " send them an email titled '{subject}' saying '{body}'",
    "Did I have a meeting with {name} within the past {days} days? If I did not, email them"
    " '{body}' under the subject '{subject}'.",
    "Please check my calendar for meetings with {name} over the last {days} days. Should there be"
    " none, write them '{body}' with the title '{subject}'.",
    may_do_nothing=True,
)
def _mail_if_not_met(draft: CompanyDraft) -> dict[str, str]:
    name, days, mail = draft.colleagues(1)[0].first, draft.randint(5, 15), draft.new_mail()
    address = draft.address(name)
    events = draft.events(address, until=draft.today - timedelta(days=1))
    if not draft.since(events, "event_start", days):
        draft.send(address, **mail)
    return {"name": name, "days": str(days), **mail}


@template(
    4,
    (ANALYTICS, PROJECTS, EMAIL),
    "If we had fewer than {limit} visits in all from {since} to {until}, add '{task}' to the Front"
    " end backlog for {name}, due on {day}. Otherwise email {name} '{body}' with the title"
    " 'Visits'.",
    "Add up the visits from {since} to {until}. Below {limit}, {name} gets a new task '{task}' in"
    " the backlog of the Front end board, due on {day}. With {limit} or more they get an email"
    " titled 'Visits' saying '{body}'",
    "Did the website have at least {limit} visits altogether between {since} and {until}? Then"
    " write {name} '{body}' under the title 'Visits'. If not, create the task '{task}' for {name}"
    " in the Front end backlog with the due date {day}.",
)
def _task_if_few_visits(draft: CompanyDraft) -> dict[str, str]:
    name, task, day = draft.team(1)[0].first, draft.choice(words.NEW_TASKS), draft.work_day()
    body = draft.choice(
        ("The figures look good, thank you!", "Many visitors this time, well done.")
    )
    since, until = draft.period(3, 10)
    total = sum(draft.visits("total_visits_count", since, until).values())
    limit, address = int(total) + draft.randint(-8, 9), draft.address(name)
    if total < limit:
        draft.add_task(task, "Front end", address, day)
    else:
        draft.send(address, "Visits", body)
    slots = {"limit": str(limit), "task": task, "name": name, "day": draft.day(day), "body": body}
    return {**slots, **days_of(draft, since, until)}


@template(
    4,
    (PROJECTS, CUSTOMERS, CALENDAR),
    "Of {one}, {two} and {three}, who has the most overdue tasks (past their due date and not"
    " completed)? Book a {length} meeting '{title}' with that person on {day} at {time}.",
    "Count the overdue, uncompleted tasks of {one}, {two} and {three}, and schedule the {length}"
    " event '{title}' on {day} at {time} with whoever has the most",
    "The one of {one}, {two} and {three} with the largest number of tasks that are overdue and not"
    " completed should meet me on {day} at {time}: a {length} event called '{title}'",
)
def _meet_most_overdue(draft: CompanyDraft) -> dict[str, str]:
    names = [person.first for person in draft.team(3)]
    title, minutes = draft.choice(words.NEW_MEETINGS), draft.choice((30, 60))
    start = draft.start(draft.work_day())
    counts = {
        address: len(draft.overdue(draft.tasks(assigned_to_email=address)))
        for address in map(draft.address, names)
    }
    draft.book(title, draft.top(counts), start, minutes)
    return {
        **dict(zip(("one", "two", "three"), names, strict=True)),
        "title": title,
        "length": draft.length(minutes),
        "day": draft.day(start.date()),
        "time": draft.clock(start),
    }
