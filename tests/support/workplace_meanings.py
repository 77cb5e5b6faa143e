"""The meaning of the workplace's templates, derived from their phrasings and computed from rows."""

from __future__ import annotations

from datetime import date, timedelta

from workplace_facts import Facts, Row, begin, meaning, most, open_ones

VALUES = {
    "total visits": "total_visits",
    "average session duration": "session_duration_seconds",
    "engaged users": "user_engaged",
    "direct visits": "visits_direct",
    "visits by referral": "visits_referral",
    "visits from search engines": "visits_search_engine",
    "visits from social media": "visits_social_media",
}
SOURCES = {"direct", "referral", "search engine", "social media"}


def row_of(rows: list[Row], key: str, value: str) -> Row:
    (found,) = [row for row in rows if row[key] == value]
    return found


def plot(f: Facts, value: str) -> None:
    kind = f.slots.get("kind", "histogram").split()[0]
    f.plot(value, kind, f.day("since"), f.day("until"))


def histogram(f: Facts, day: str) -> None:
    f.plot("total_visits", "histogram", day, day)


def span(f: Facts) -> list[str]:
    """Every day of a period."""
    first, last = date.fromisoformat(f.day("since")), date.fromisoformat(f.day("until"))
    return [str(first + timedelta(days=n)) for n in range((last - first).days + 1)]


# Mails.


@meaning
def mail_to_address(f: Facts) -> None:
    f.send(f["address"], f["subject"], f["body"])


@meaning
def reply_by_id(f: Facts) -> None:
    f.reply(row_of(f.mails, "email_id", f["id"]))


@meaning
def forward_by_id(f: Facts) -> None:
    f.forward(row_of(f.mails, "email_id", f["id"]), f["address"])


@meaning
def delete_mail(f: Facts) -> None:
    f.delete(f.mail())


@meaning
def mail_to_name(f: Facts) -> None:
    f.send(f.email("name"), f["subject"], f["body"])


@meaning
def reply_to_mail(f: Facts) -> None:
    f.reply(f.mail())


@meaning
def forward_mail(f: Facts) -> None:
    f.forward(f.mail(), f.email("name"))


@meaning
def delete_recent_from(f: Facts) -> None:
    limit = f.back(int(f["days"]))
    for mail in f.inbox(f.email("name")):
        assert not mail["sent_datetime"].startswith(limit)
        if mail["sent_datetime"] > limit:
            f.delete(mail)


@meaning
def forward_thread(f: Facts) -> None:
    for mail in f.inbox(subject=f["subject"]):
        f.forward(mail, f.email("name"))


@meaning
def reply_to_first(f: Facts) -> None:
    f.reply(f.thread()[0])


@meaning
def mail_to_several(f: Facts) -> None:
    for name in f.names("names"):
        f.send(f.email_of(name), f["subject"], f["body"])


@meaning
def answer_or_forward(f: Facts) -> None:
    mail = f.mail()
    if mail["inbox/outbox"] == "outbox":
        f.forward(mail, f.email("name"))
    else:
        f.reply(mail)


@meaning
def mail_to_busier_writer(f: Facts) -> None:
    counts = {who: len(f.inbox(who)) for who in (f.email("one"), f.email("other"))}
    f.send(most(counts), f["subject"], f["body"])


@meaning
def reply_or_ask(f: Facts) -> None:
    last = f.inbox(f.email("name"))[-1]
    if last["sent_datetime"] > f.back(int(f["days"])):
        f.reply(last)
    else:
        f.send(f.email("name"), f["subject"], f["body"])


@meaning
def reply_to_everyone(f: Facts) -> None:
    recent = [mail for mail in f.inbox() if mail["sent_datetime"] >= f.day("day")]
    for who in {mail["sender/recipient"] for mail in recent}:
        f.reply(f.inbox(who)[-1])


@meaning
def hand_over_threads(f: Facts) -> None:
    both = [mail for mail in f.mails if mail["subject"] in (f["one"], f["other"])]
    f.forward([mail for mail in both if mail["inbox/outbox"] == "outbox"][-1], f.email("name"))
    for mail in both:
        if mail["inbox/outbox"] == "inbox":
            f.delete(mail)


# Meetings.


@meaning
def book_with_address(f: Facts) -> None:
    f.book(f["title"], f["address"], f"{f.day('day')} {f.time()}", f.minutes())


@meaning
def cancel_by_id(f: Facts) -> None:
    f.delete(row_of(f.events, "event_id", f["id"]))


@meaning
def rename_by_id(f: Facts) -> None:
    f.change(row_of(f.events, "event_id", f["id"]), "event_name", f["title"])


@meaning
def cancel_next_with(f: Facts) -> None:
    f.delete(f.meetings(f.email("name"), f.today)[0])


@meaning
def rename_next(f: Facts) -> None:
    coming = [event for event in f.events if begin(event) > f.now]
    named = [event for event in coming if event["event_name"] == f["event"]]
    f.change(named[0], "event_name", f["title"])


@meaning
def book_with_name(f: Facts) -> None:
    f.book(f["title"], f.email("name"), f"{f.day('day')} {f.time()}", f.minutes())


@meaning
def cancel_first_or_last(f: Facts) -> None:
    f.delete(f.on()[{"first": 0, "last": -1}[f["which"]]])


@meaning
def clear_day(f: Facts) -> None:
    for event in f.on():
        f.delete(event)


@meaning
def cancel_all_with(f: Facts) -> None:
    for event in f.meetings(f.email("name"), f.today):
        f.delete(event)


@meaning
def move_meeting(f: Facts) -> None:
    event = f.on()[{"first": 0, "last": -1}[f["which"]]]
    f.change(event, "event_start", f"{f.day('day')} {f.time()}")


@meaning
def push_back(f: Facts) -> None:
    event = f.meetings(f.email("name"), f.day("day"), f.day("day"))[0]
    f.change(event, "event_start", str(begin(event) + timedelta(minutes=int(f["minutes"]))))


@meaning
def swap_participant(f: Facts) -> None:
    for event in f.meetings(f.email("name"), f.today):
        f.change(event, "participant_email", f.email("other"))


@meaning
def book_first_free(f: Facts) -> None:
    start = f.first_free(f.day("day"), f.minutes(), f.on())
    f.book(f["title"], f.email("name"), start, f.minutes())


@meaning
def cancel_or_rename(f: Facts) -> None:
    every = f.meetings(f.email("name"))
    coming = [event for event in every if begin(event) > f.now]
    past = [event["event_start"] for event in every if begin(event) < f.now]
    if any(start > f.back(int(f["days"])) for start in past):
        f.delete(coming[0])
    else:
        f.change(coming[0], "event_name", f["title"])


@meaning
def shorten_longest(f: Facts) -> None:
    longest = most({event["event_id"]: int(event["duration"]) for event in f.on()})
    f.change(row_of(f.events, "event_id", longest), "duration", f["minutes"])


@meaning
def relieve_or_book(f: Facts) -> None:
    if len(f.on()) > int(f["limit"]):
        f.delete(f.on()[-1])
    else:
        book_first_free(f)


def in_a_row(f: Facts, people: list[str], minutes: int) -> None:
    taken = f.on()
    for who in people:
        start = f.first_free(f.day("day"), minutes, taken)
        taken.append({"event_start": start, "duration": str(minutes)})
        f.book(f["title"], who, start, minutes)


@meaning
def book_in_a_row(f: Facts) -> None:
    in_a_row(f, [f.email_of(name) for name in f.names("names")], f.minutes())


@meaning
def thin_out(f: Facts) -> None:
    days = {event["event_start"][:10] for event in f.events}
    for day in days:
        events = f.meetings("", day, day)
        if f.day("first") <= day <= f.day("last") and len(events) > int(f["limit"]):
            f.delete(events[-1])


@meaning
def move_day(f: Facts) -> None:
    for event in f.on():
        f.change(event, "event_start", f"{f.day('other')} {event['event_start'][11:]}")


# Visits.


@meaning
def plot_period(f: Facts) -> None:
    plot(f, VALUES[f["value"]])


@meaning
def distribution_of_day(f: Facts) -> None:
    f.plot(VALUES[f["value"]], "histogram", f.day("day"), f.day("day"))


@meaning
def two_plots(f: Facts) -> None:
    plot(f, VALUES[f["one"]])
    plot(f, VALUES[f["other"]])


@meaning
def extreme_day(f: Facts) -> None:
    counts = {day: f.count("total visits", day) for day in span(f)}
    histogram(f, most(counts, 1 if f["most"] == "most" else -1))


@meaning
def extreme_source(f: Facts) -> None:
    counts = {source: len(f.seen(f.day("since"), f.day("until"), source)) for source in SOURCES}
    best = most(counts, 1 if f["most"] == "most" else -1)
    plot(f, "visits_" + best.replace(" ", "_"))


@meaning
def better_of_two_days(f: Facts) -> None:
    days = f.day("one"), f.day("other")
    histogram(f, most({day: f.count(f["value"], day) for day in days}))


@meaning
def line_if_grown(f: Facts) -> None:
    first, last = f.day("since"), f.day("until")
    grown = f.count(f["value"], last) > f.count(f["value"], first)
    f.plot(VALUES[f["value"]], "line" if grown else "bar", first, last)


@meaning
def plot_if_ever_above(f: Facts) -> None:
    if any(f.count("total visits", day) > int(f["limit"]) for day in span(f)):
        plot(f, "total_visits")


@meaning
def stronger_source(f: Facts) -> None:
    period = f.day("since"), f.day("until")
    best = most({source: len(f.seen(*period, source)) for source in (f["one"], f["other"])})
    plot(f, "visits_" + best.replace(" ", "_"))


@meaning
def strong_sources(f: Facts) -> None:
    plot(f, "user_engaged")
    for source in SOURCES:
        if len(f.seen(f.day("since"), f.day("until"), source)) > int(f["limit"]):
            plot(f, "visits_" + source.replace(" ", "_"))


@meaning
def quiet_days(f: Facts) -> None:
    for day in span(f):
        if f.count("total visits", day) < int(f["limit"]):
            histogram(f, day)


# Tasks.


@meaning
def add_for_address(f: Facts) -> None:
    f.new_task(f["address"])


@meaning
def delete_by_id(f: Facts) -> None:
    f.delete(row_of(f.tasks, "task_id", f["id"]))


@meaning
def move_by_id(f: Facts) -> None:
    f.change(row_of(f.tasks, "task_id", f["id"]), "list_name", f["list"])


@meaning
def move_by_name(f: Facts) -> None:
    f.change(row_of(f.tasks, "task_name", f["task"]), "list_name", f["list"])


@meaning
def reassign_by_name(f: Facts) -> None:
    f.change(row_of(f.tasks, "task_name", f["task"]), "assigned_to_email", f.email("name"))


@meaning
def postpone_by_name(f: Facts) -> None:
    f.change(row_of(f.tasks, "task_name", f["task"]), "due_date", f.day("day"))


@meaning
def add_for_name(f: Facts) -> None:
    f.new_task(f.email("name"))


@meaning
def move_all_of(f: Facts) -> None:
    for task in f.work(f.email("name"), list_name=f["list"]):
        f.change(task, "list_name", f["other"])


@meaning
def reassign_all_of(f: Facts) -> None:
    for task in f.work(f.email("name"), list_name=f["list"]):
        f.change(task, "assigned_to_email", f.email("other"))


@meaning
def delete_completed_of(f: Facts) -> None:
    for task in f.work(f.email("name"), list_name="Completed", board=f["board"]):
        f.delete(task)


@meaning
def postpone_overdue(f: Facts) -> None:
    for task in f.late(f.work(f.email("name"))):
        f.change(task, "due_date", f.day("day"))


@meaning
def relieve_of_most_urgent(f: Facts) -> None:
    takers = f.email("one"), f.email("other")
    counts = {who: len(f.work(who, list_name="In Progress")) for who in takers}
    tasks = sorted(open_ones(f.work(f.email("name"))), key=lambda task: task["due_date"])
    assert len(tasks) == 1 or tasks[0]["due_date"] < tasks[1]["due_date"]
    f.change(tasks[0], "assigned_to_email", most(counts, -1))


@meaning
def backlog_or_new(f: Facts) -> None:
    late = f.late(f.work(f.email("name")))
    if len(late) > int(f["limit"]):
        for task in late:
            if task["list_name"] != "Backlog":
                f.change(task, "list_name", "Backlog")
    else:
        f.new_task(f.email("name"))


@meaning
def add_for_least_busy(f: Facts) -> None:
    people = map(f.email, ("one", "two", "three"))
    f.new_task(most({who: len(open_ones(f.work(who))) for who in people}, -1))


@meaning
def move_overdue_if_any(f: Facts) -> None:
    for task in f.late(f.work(f.email("name"), board=f["board"])):
        if task["list_name"] != f["list"]:
            f.change(task, "list_name", f["list"])


@meaning
def split_in_turns(f: Facts) -> None:
    tasks = sorted(open_ones(f.work(f.email("name"))), key=lambda task: task["due_date"])
    assert len({task["due_date"] for task in tasks}) == len(tasks)
    for place, task in enumerate(tasks):
        f.change(task, "assigned_to_email", f.email("other" if place % 2 else "one"))


@meaning
def extend_overdue(f: Facts) -> None:
    for task in f.late(f.work(list_name=f["list"], board=f["board"])):
        due = date.fromisoformat(task["due_date"]) + timedelta(days=int(f["days"]))
        f.change(task, "due_date", str(due))


@meaning
def relieve_busiest(f: Facts) -> None:
    people = list(map(f.email, ("one", "two", "three")))
    busiest = most({who: len(open_ones(f.work(who))) for who in people})
    for task in f.work(busiest, list_name="In Review"):
        f.change(task, "list_name", "Completed")
    for task in f.late(f.work(busiest, list_name="Backlog")):
        f.change(task, "list_name", "In Progress")
