"""Templates about meetings."""

from __future__ import annotations

from datetime import datetime, timedelta

from textgym.envs.generation import listing
from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, ending
from textgym.envs.office.workplace.templates.template import CALENDAR, template


@template(
    1,
    CALENDAR,
    "Book a {length} meeting called '{title}' with {address} on {day} at {time}",
    "Put '{title}' into my calendar: {day}, {time}, a {length} meeting with {address}",
    "Can you create a {length} event named '{title}' on {day} at {time}? The participant is"
    " {address}.",
)
def _book_with_address(draft: CompanyDraft) -> dict[str, str]:
    address, title = draft.colleagues(1)[0].email, draft.choice(words.NEW_MEETINGS)
    start, minutes = draft.start(draft.work_day()), draft.choice((30, 60, 90))
    draft.book(title, address, start, minutes)
    return {"address": address, **_booked(draft, title, start, minutes)}


def _booked(draft: CompanyDraft, title: str, start: datetime, minutes: int) -> dict[str, str]:
    """Return the words for a new meeting."""
    return {
        "title": title,
        "day": draft.day(start.date()),
        "time": draft.clock(start),
        "length": draft.length(minutes),
    }


@template(
    1,
    CALENDAR,
    "Cancel the event with the id {id}",
    "Event {id} is not going to happen, please take it out of my calendar",
    "Can you delete event {id}?",
)
def _cancel_by_id(draft: CompanyDraft) -> dict[str, str]:
    event = draft.row("calendar_events")
    draft.cancel(event)
    return {"id": event["event_id"]}


@template(
    1,
    CALENDAR,
    "Rename event {id} to '{title}'",
    "The event with the id {id} should be called '{title}'",
    "Please change the name of event {id}: it is '{title}' now",
)
def _rename_by_id(draft: CompanyDraft) -> dict[str, str]:
    event, title = draft.row("calendar_events"), draft.choice(words.NEW_MEETINGS)
    draft.change_event(event, "event_name", title)
    return {"id": event["event_id"], "title": title}


@template(
    2,
    CALENDAR,
    "Cancel my next meeting with {name}",
    "I cannot make the next meeting with {name}, please delete it",
    "The upcoming meeting with {name} falls through. Just the very next one, take it out please.",
)
def _cancel_next_with(draft: CompanyDraft) -> dict[str, str]:
    name = draft.colleagues(1)[0].first
    events = draft.coming(draft.address(name))
    draft.need(events)
    draft.cancel(events[0])
    return {"name": name}


@template(
    2,
    CALENDAR,
    "Rename the next {event} to '{title}'",
    "The next {event} in my calendar should be called '{title}' instead",
    "Can you give the upcoming {event} (the first one from now) the name '{title}'?",
)
def _rename_next(draft: CompanyDraft) -> dict[str, str]:
    event, title = draft.choice(words.EVENTS), draft.choice(words.NEW_MEETINGS)
    events = draft.coming(event)
    draft.need(events)
    draft.change_event(events[0], "event_name", title)
    return {"event": event, "title": title}


@template(
    2,
    CALENDAR,
    "Schedule a {length} meeting with {name} on {day} at {time} and call it '{title}'",
    "{name} and I meet on {day} at {time}. Create the {length} event '{title}'.",
    "Set up '{title}' with {name}, a {length} event, on {day} at {time}",
)
def _book_with_name(draft: CompanyDraft) -> dict[str, str]:
    name, title = draft.colleagues(1)[0].first, draft.choice(words.NEW_MEETINGS)
    start, minutes = draft.start(draft.work_day()), draft.choice((30, 60, 90))
    draft.book(title, draft.address(name), start, minutes)
    return {"name": name, **_booked(draft, title, start, minutes)}


@template(
    2,
    CALENDAR,
    "Delete my {which} meeting on {day}",
    "Please cancel the {which} event I have on {day}",
    "I have to skip the {which} meeting of {day}, can you take it out of the calendar?",
)
def _cancel_first_or_last(draft: CompanyDraft) -> dict[str, str]:
    day, which = draft.work_day(), draft.choice(("first", "last"))
    events = draft.events(since=day, until=day)
    draft.need(len(events) > 1)
    draft.cancel(events[0 if which == "first" else -1])
    return {"day": draft.day(day), "which": which}


@template(
    3,
    CALENDAR,
    "Cancel all my meetings on {day}",
    "I am away on {day}. Clear my calendar for that day.",
    "Please delete every event I have on {day}",
)
def _clear_day(draft: CompanyDraft) -> dict[str, str]:
    day = draft.work_day()
    for event in draft.events(since=day, until=day):
        draft.cancel(event)
    draft.need(len(draft.writes) > 1)
    return {"day": draft.day(day)}


@template(
    3,
    CALENDAR,
    "Cancel all upcoming meetings with {name}",
    "{name} is leaving the company. Delete every meeting with them from today on.",
    "Take all future meetings with {name} out of my calendar, today's included",
)
def _cancel_all_with(draft: CompanyDraft) -> dict[str, str]:
    name = draft.colleagues(1)[0].first
    for event in draft.coming(draft.address(name)):
        draft.cancel(event)
    draft.need(len(draft.writes) > 1)
    return {"name": name}


@template(
    3,
    CALENDAR,
    "Move my {which} meeting on {day} to {time} on the same day",
    "The {which} meeting of {day} should begin at {time} instead",
    "Can you reschedule the {which} event I have on {day}, so that it starts at {time} that day?",
)
def _move_meeting(draft: CompanyDraft) -> dict[str, str]:
    day, which = draft.work_day(), draft.choice(("first", "last"))
    events, start = draft.events(since=day, until=day), draft.start(day)
    draft.need(len(events) > 1)
    event = events[0 if which == "first" else -1]
    draft.change_event(event, "event_start", f"{start:%Y-%m-%d %H:%M:%S}")
    return {"day": draft.day(day), "which": which, "time": draft.clock(start)}


@template(
    3,
    CALENDAR,
    "Push my first meeting with {name} on {day} back by {minutes} minutes",
    "The first meeting I have with {name} on {day} has to start {minutes} minutes later",
    "Please move the first event with {name} on {day}: it begins {minutes} minutes later now",
)
def _push_back(draft: CompanyDraft) -> dict[str, str]:
    drawn, minutes = draft.row("calendar_events"), draft.choice((30, 60, 90, 120))
    day = datetime.fromisoformat(drawn["event_start"]).date()
    draft.need(day > draft.today)
    name = next(p.first for p in draft.company.people if p.email == drawn["participant_email"])
    event = draft.events(draft.address(name), since=day, until=day)[0]
    start = datetime.fromisoformat(event["event_start"]) + timedelta(minutes=minutes)
    draft.need((ending(event) + timedelta(minutes=minutes)).hour < 18)
    draft.change_event(event, "event_start", f"{start:%Y-%m-%d %H:%M:%S}")
    return {"name": name, "day": draft.day(day), "minutes": str(minutes)}


@template(
    3,
    CALENDAR,
    "{other} takes over for {name}: change the participant of my upcoming meetings with {name} to"
    " {other}",
    "Replace {name} by {other} in all meetings with {name} from today on",
    "From today on I meet {other} instead of {name}. Update the participant of each such event.",
)
def _swap_participant(draft: CompanyDraft) -> dict[str, str]:
    name, colleague = (person.first for person in draft.colleagues(2))
    events, address = draft.coming(draft.address(name)), draft.address(colleague)
    draft.need(len(events) > 1)
    for event in events:
        draft.change_event(event, "participant_email", address)
    return {"name": name, "other": colleague}


@template(
    4,
    CALENDAR,
    "Book a {length} meeting called '{title}' with {name} at the first time I am free on {day}",
    "Find the earliest free slot in my calendar on {day} and schedule the {length} meeting"
    " '{title}' with {name} there",
    "I need {name} for a {length} talk on {day}, as early as my calendar allows. Call the event"
    " '{title}'.",
)
def _book_first_free(draft: CompanyDraft) -> dict[str, str]:
    name, title = draft.colleagues(1)[0].first, draft.choice(words.NEW_MEETINGS)
    day, minutes = draft.work_day(), draft.choice((30, 60, 90))
    draft.book(title, draft.address(name), draft.free(day, minutes), minutes)
    return {
        "name": name,
        "title": title,
        "day": draft.day(day),
        "length": draft.length(minutes),
    }


@template(
    4,
    CALENDAR,
    "If I have met {name} in the last {days} days, cancel our next meeting; if I have not, rename"
    " it to '{title}'",
    "Check if there was a meeting with {name} during the past {days} days. If there was, delete the"
    " next one with them, otherwise call the next one '{title}'.",
    "Have {name} and I met within the last {days} days? Then the next meeting can be cancelled. If"
    " not, change its name to '{title}'.",
)
def _cancel_or_rename(draft: CompanyDraft) -> dict[str, str]:
    name, days = draft.colleagues(1)[0].first, draft.randint(4, 16)
    title = draft.choice(words.NEW_MEETINGS)
    events = draft.events(draft.address(name))
    today = draft.today.isoformat()
    past = [event for event in events if event["event_start"] < today]
    coming = [event for event in events if event["event_start"] >= today]
    draft.need(coming)
    if draft.since(past, "event_start", days):
        draft.cancel(coming[0])
    else:
        draft.change_event(coming[0], "event_name", title)
    return {"name": name, "days": str(days), "title": title}


@template(
    4,
    CALENDAR,
    "Shorten the longest meeting that I have on {day} to {minutes} minutes",
    "My longest event on {day} is too long. Set its duration to {minutes} minutes.",
    "Which meeting on {day} lasts longest? Make it {minutes} minutes long instead.",
)
def _shorten_longest(draft: CompanyDraft) -> dict[str, str]:
    day, minutes = draft.work_day(), draft.choice((15, 30, 45))
    events = {event["event_id"]: event for event in draft.events(since=day, until=day)}
    draft.need(len(events) > 1)
    longest = draft.top({id: int(event["duration"]) for id, event in events.items()})
    draft.change_event(events[longest], "duration", str(minutes))
    return {"day": draft.day(day), "minutes": str(minutes)}


@template(
    4,
    CALENDAR,
    "If I have more than {limit} meetings on {day}, cancel the last one. Otherwise book a {length}"
    " meeting '{title}' with {name} that day at the first time I am free",
    "How many events do I have on {day}? With more than {limit}, delete the last one of the day; if"
    " not, schedule '{title}' with {name}, a {length} event, in my first free slot that day.",
    "Check {day}: more than {limit} meetings mean that the last of them has to go, else add the"
    " {length} event '{title}' with {name} at the earliest time I have free that day",
)
def _relieve_or_book(draft: CompanyDraft) -> dict[str, str]:
    day, minutes, limit = draft.work_day(), draft.choice((30, 60)), draft.randint(1, 3)
    name, title = draft.colleagues(1)[0].first, draft.choice(words.NEW_MEETINGS)
    events = draft.events(since=day, until=day)
    if len(events) > limit:
        draft.cancel(events[-1])
    else:
        draft.book(title, draft.address(name), draft.free(day, minutes, events), minutes)
    return {
        "day": draft.day(day),
        "limit": str(limit),
        "name": name,
        "title": title,
        "length": draft.length(minutes),
    }


@template(
    5,
    CALENDAR,
    "Book a {length} meeting called '{title}' on {day} with each of {names}, in that order, each at"
    " the first time I am free that day",
    "I want to see {names} one after another on {day}: a {length} event '{title}' with each, in"
    " this order, always in the earliest slot of the day that is still free",
    "Fill my free time on {day} from the morning on with {length} meetings called '{title}', one"
    " each with {names}, in the order in which I name them",
)
def _book_in_a_row(draft: CompanyDraft) -> dict[str, str]:
    names = [person.first for person in draft.colleagues(draft.randint(2, 4))]
    day, title, minutes = draft.work_day(), draft.choice(words.NEW_MEETINGS), draft.choice((30, 60))
    taken = draft.events(since=day, until=day)
    for name in names:
        start = draft.free(day, minutes, taken)
        draft.book(title, draft.address(name), start, minutes)
        booked = {"event_start": f"{start:%Y-%m-%d %H:%M:%S}", "duration": str(minutes)}
        taken = sorted([*taken, booked], key=lambda event: event["event_start"])
    return {
        "names": listing(names),
        "day": draft.day(day),
        "title": title,
        "length": draft.length(minutes),
    }


@template(
    5,
    CALENDAR,
    "From {first} to {last}, cancel the last meeting of each day on which I have more than {limit}",
    "Go through the days from {first} to {last}, both included. Wherever there are more than"
    " {limit} events on a day, delete the last one of that day.",
    "Which days between {first} and {last} (these two included) have more than {limit} meetings? On"
    " each of them, take out the last one.",
)
def _thin_out(draft: CompanyDraft) -> dict[str, str]:
    first, limit = draft.work_day(1, 12), draft.randint(2, 3)
    last = first + timedelta(days=draft.randint(6, 13))
    days: dict[str, list[dict[str, str]]] = {}
    for event in draft.events(since=first, until=last):
        days.setdefault(event["event_start"][:10], []).append(event)
    for events in days.values():
        if len(events) > limit:
            draft.cancel(events[-1])
    draft.need(len(draft.writes) > 1)
    return {"first": draft.day(first), "last": draft.day(last), "limit": str(limit)}


@template(
    5,
    CALENDAR,
    "I am ill on {day}. Move every meeting of that day to {other}, at the same time of day.",
    "Take all events of {day} and put each at the same time on {other}",
    "Please reschedule everything in my calendar from {day} to {other}; the times of day stay.",
)
def _move_day(draft: CompanyDraft) -> dict[str, str]:
    day, later = draft.work_day(1, 20), draft.work_day(21, 33)
    for event in draft.events(since=day, until=day):
        time = event["event_start"][11:]
        draft.change_event(event, "event_start", f"{later} {time}")
    draft.need(len(draft.writes) > 2)
    return {"day": draft.day(day), "other": draft.day(later)}
