"""Templates of the fifth level that need several domains."""

from __future__ import annotations

from datetime import timedelta

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft
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
    5,
    (PROJECTS, CALENDAR, EMAIL),
    "If {name} has more than {limit} tasks that are overdue and not completed, book a half-hour"
    " meeting 'Overdue tasks' with them at the first time I am free tomorrow and email them 'Let us"
    " look at your overdue tasks tomorrow.' with the title 'Overdue tasks'. Otherwise just send"
    " them an email titled 'Well done' saying 'Thank you for keeping your tasks on time.'",
    "Count {name}'s tasks that are past their due date and not completed. More than {limit}? Then"
    " create the 30-minute event 'Overdue tasks' with them in my earliest free slot of tomorrow,"
    " and write them 'Let us look at your overdue tasks tomorrow.' under the title 'Overdue tasks'."
    " If not, all they get is 'Thank you for keeping your tasks on time.' titled 'Well done'.",
    "{name} gets an email titled 'Well done' saying 'Thank you for keeping your tasks on time.' if"
    " they have at most {limit} overdue tasks, completed ones aside. If they have more, it says"
    " 'Let us look at your overdue tasks tomorrow.', is titled 'Overdue tasks', and we also meet:"
    " a half-hour event 'Overdue tasks' at the first time I am free tomorrow.",
)
def _meet_and_mail_if_overdue(draft: CompanyDraft) -> dict[str, str]:
    name, limit = draft.team(1)[0].first, draft.randint(2, 4)
    address = draft.address(name)
    if len(draft.overdue(draft.tasks(assigned_to_email=address))) > limit:
        start = draft.free(draft.today + timedelta(days=1), 30)
        draft.book("Overdue tasks", address, start, 30)
        draft.send(address, "Overdue tasks", "Let us look at your overdue tasks tomorrow.")
    else:
        draft.send(address, "Well done", "Thank you for keeping your tasks on time.")
    return {"name": name, "limit": str(limit)}


@template(
    5,
    (CALENDAR, PROJECTS, EMAIL),
    "{name} is ill. Cancel my meetings with them from today to {day}, give their tasks in"
    " progress to {other}, and email {other} '{body}' with the title 'Standing in for {name}'",
    "{other} stands in for {name}: they get {name}'s 'In Progress' tasks and an email titled"
    " 'Standing in for {name}' saying '{body}'. My meetings with {name} from today until {day},"
    " this day included, are off, please delete them.",
    "Please delete my meetings with {name} up to and including {day}, starting with today, hand"
    " everything that {name} has in progress over to {other}, and tell {other} '{body}' in an email"
    " with the subject 'Standing in for {name}'",
)
def _stand_in(draft: CompanyDraft) -> dict[str, str]:
    name, colleague = (person.first for person in draft.team(2))
    day = draft.work_day(3, 20)
    body = draft.choice(("Thank you for helping out.", "Please have a look at your new tasks."))
    address, helper = draft.address(name), draft.address(colleague)
    events = draft.events(address, since=draft.today, until=day)
    tasks = draft.tasks(assigned_to_email=address, list_name="In Progress")
    draft.need(events and tasks)
    for event in events:
        draft.cancel(event)
    for task in tasks:
        draft.change_task(task, "assigned_to_email", helper)
    draft.send(helper, f"Standing in for {name}", body)
    return {"name": name, "other": colleague, "day": draft.day(day), "body": body}


@template(
    5,
    (CUSTOMERS, CALENDAR, EMAIL),
    "{name} is leaving. Their customers in {status} go to {other}, my upcoming meetings with {name}"
    " are with {other} from now on (today's included), and {other} gets an email titled 'Taking"
    " over from {name}' saying '{body}'",
    "{other} takes over from {name}: reassign {name}'s {status} customers, make {other} the"
    " participant of all my meetings with {name} from today on, and send {other} '{body}' with the"
    " title 'Taking over from {name}'",
    "Replace {name} by {other} in every meeting I have with {name} from today on and as the one"
    " responsible for their customers with the status {status}. Then write to {other}: subject"
    " 'Taking over from {name}', text '{body}'",
)
def _take_over(draft: CompanyDraft) -> dict[str, str]:
    name, colleague = (person.first for person in draft.sales(2))
    status = draft.choice(words.STATUSES)
    body = draft.choice(("Good luck with it!", "Call me if anything is unclear."))
    address, successor = draft.address(name), draft.address(colleague)
    customers = draft.customers(assigned_to_email=address, status=status)
    events = draft.coming(address)
    draft.need(customers and events)
    for customer in customers:
        draft.change_customer(customer, "assigned_to_email", successor)
    for event in events:
        draft.change_event(event, "participant_email", successor)
    draft.send(successor, f"Taking over from {name}", body)
    return {"name": name, "other": colleague, "status": status, "body": body}


@template(
    5,
    (PROJECTS, EMAIL),
    "Everyone who has an overdue task in '{list}' on the {board} board gets one email from me,"
    " titled '{subject}', saying '{body}'",
    "Find the tasks in '{list}' on the {board} board whose due date is over, and email each person"
    " that has at least one of them '{body}' once, with the title '{subject}'",
    "Who is late on the {board} board with tasks in '{list}'? Write to each of these people, once"
    " per person: subject '{subject}', text '{body}'",
)
def _mail_to_all_late(draft: CompanyDraft) -> dict[str, str]:
    board, where = draft.choice(words.BOARDS), draft.choice(words.LISTS[:3])
    mail = draft.new_mail()
    late = draft.overdue(draft.tasks(board=board, list_name=where))
    people = sorted({task["assigned_to_email"] for task in late})
    draft.need(len(people) > 2)
    for address in people:
        draft.send(address, **mail)
    return {"list": where, "board": board, **mail}


@template(
    5,
    (CALENDAR, EMAIL),
    "I cannot come in on {day}. Cancel my meetings of that day and send each person I would have"
    " met one email titled 'Not in on this day' saying '{body}'",
    "Delete all events of {day}, and let everybody who was to take part in one know: one email per"
    " person with the subject 'Not in on this day' and the text '{body}'",
    "Clear {day} in my calendar. Each participant of the deleted meetings gets a single email:"
    " title 'Not in on this day', text '{body}'",
)
def _cancel_and_tell(draft: CompanyDraft) -> dict[str, str]:
    day = draft.work_day()
    body = draft.choice(("I will find a new date for us.", "Please send me your notes instead."))
    events = draft.events(since=day, until=day)
    draft.need(len(events) > 1)
    for event in events:
        draft.cancel(event)
    for address in sorted({event["participant_email"] for event in events}):
        draft.send(address, "Not in on this day", body)
    return {"day": draft.day(day), "body": body}


@template(
    5,
    (CUSTOMERS, EMAIL),
    "Set all customers with the status Proposal and an interest in {product} whose last contact is"
    " more than {weeks} weeks ago to Lost, and send the colleagues they are assigned to one email"
    " each, titled 'Lost proposals', saying '{body}'",
    "Proposals for {product} without any contact for more than {weeks} weeks are lost. Change the"
    " status of these customers, and write once to each colleague responsible for one of them:"
    " '{body}' under the title 'Lost proposals'",
    "Look for {product} customers in the Proposal stage whom we last contacted more than {weeks}"
    " weeks ago. They become Lost, and everyone who is assigned to at least one of them gets one"
    " email titled 'Lost proposals' with the text '{body}'",
)
def _lost_proposals(draft: CompanyDraft) -> dict[str, str]:
    product, weeks = draft.choice(words.INTERESTS), draft.randint(2, 5)
    body = draft.choice(
        ("Please look at your lost proposals.", "Let us talk about what went wrong.")
    )
    rows = draft.customers(product_interest=product, status="Proposal")
    stale = draft.before(rows, "last_contact_date", 7 * weeks)
    draft.need(stale)
    for customer in stale:
        draft.change_customer(customer, "status", "Lost")
    for address in sorted({customer["assigned_to_email"] for customer in stale}):
        draft.send(address, "Lost proposals", body)
    return {"product": product, "weeks": str(weeks), "body": body}


@template(
    5,
    (ANALYTICS, CUSTOMERS, EMAIL),
    "Were there more engaged users on {until} than on {since}? If so, move all of {name}'s leads"
    " for {product} to Qualified and email {name} '{good}' titled 'Leads'. If not, delete these"
    " leads and email {name} '{bad}' with the same title.",
    "Compare engaged users on {since} and on {until}. With more on the later day, {name}'s leads"
    " that are interested in {product} become Qualified and {name} gets an email titled 'Leads'"
    " saying '{good}'. Otherwise these leads are deleted, and the email says '{bad}'",
    "{name}'s leads with an interest in {product} depend on the figures: if {until} had more"
    " engaged users than {since}, set them to Qualified, otherwise delete them. {name} gets an"
    " email titled 'Leads' too: '{good}' in the first case, '{bad}' in the second.",
)
def _leads_by_figures(draft: CompanyDraft) -> dict[str, str]:
    name, product = draft.sales(1)[0].first, draft.choice(words.INTERESTS)
    since, until = draft.period(2, 12)
    good = draft.choice(("Your leads are promoted.", "Good news for your leads."))
    bad = draft.choice(("Your leads are gone.", "Please look for other leads."))
    figures = [
        sum(draft.visits("engaged_users_count", day, day).values()) for day in (since, until)
    ]
    address = draft.address(name)
    leads = draft.customers(assigned_to_email=address, status="Lead", product_interest=product)
    draft.need(leads)
    for lead in leads:
        if figures[1] > figures[0]:
            draft.change_customer(lead, "status", "Qualified")
        else:
            draft.delete_customer(lead)
    draft.send(address, "Leads", good if figures[1] > figures[0] else bad)
    slots = {"name": name, "product": product, "good": good, "bad": bad}
    return {**slots, **days_of(draft, since, until)}


@template(
    5,
    (PROJECTS, CALENDAR),
    "Book a half-hour meeting '{title}' on {day} with everyone who has a task in review on the"
    " {board} board, one after another in the alphabetical order of their email addresses, each at"
    " the first time I am still free that day",
    "Who has tasks in 'In Review' on the {board} board? Schedule a 30-minute event '{title}' with"
    " each of them on {day}: sorted by email address, always in my earliest slot that is left.",
    "For every person with at least one task in the list 'In Review' of the {board} board, taken in"
    " alphabetical order of email address, create the 30-minute event '{title}' on {day} as early"
    " as my calendar has room that day",
)
def _review_round(draft: CompanyDraft) -> dict[str, str]:
    board, day, title = (
        draft.choice(words.BOARDS),
        draft.work_day(),
        draft.choice(words.NEW_MEETINGS),
    )
    tasks = draft.tasks(board=board, list_name="In Review")
    people = sorted({task["assigned_to_email"] for task in tasks})
    draft.need(len(people) > 1)
    taken = draft.events(since=day, until=day)
    for address in people:
        start = draft.free(day, 30, taken)
        draft.book(title, address, start, 30)
        booked = {"event_start": f"{start:%Y-%m-%d %H:%M:%S}", "duration": "30"}
        taken = sorted([*taken, booked], key=lambda event: event["event_start"])
    return {"board": board, "day": draft.day(day), "title": title}
