"""The meaning of the workplace's templates about customers and across domains."""

from __future__ import annotations

from workplace_facts import Facts, Row, meaning, most
from workplace_meanings import in_a_row, row_of

# Customers.


def customer(f: Facts) -> Row:
    return row_of(f.customers, "customer_name", f["customer"])


def stale(f: Facts, rows: list[Row]) -> list[Row]:
    """Customers whose last contact was longer ago than the number of weeks in the request."""
    limit = f.back(7 * int(f["weeks"]))
    assert all(row["last_contact_date"] != limit for row in rows)
    return [row for row in rows if row["last_contact_date"] < limit]


@meaning
def add_lead_for_address(f: Facts) -> None:
    f.new_lead(f["address"])


@meaning
def delete_customer_by_id(f: Facts) -> None:
    f.delete(row_of(f.customers, "customer_id", f["id"]))


@meaning
def status_by_id(f: Facts) -> None:
    f.change(row_of(f.customers, "customer_id", f["id"]), "status", f["status"])


@meaning
def status_by_name(f: Facts) -> None:
    f.change(customer(f), "status", f["status"])


@meaning
def reassign_customer(f: Facts) -> None:
    f.change(customer(f), "assigned_to_email", f.email("name"))


@meaning
def delete_customer_by_name(f: Facts) -> None:
    f.delete(customer(f))


@meaning
def follow_up_by_name(f: Facts) -> None:
    f.change(customer(f), "follow_up_by", f.day("day"))


@meaning
def reassign_some(f: Facts) -> None:
    for row in f.clients(f.email("name"), status=f["status"], product_interest=f["product"]):
        f.change(row, "assigned_to_email", f.email("other"))


@meaning
def delete_lost_of(f: Facts) -> None:
    for row in f.clients(f.email("name"), status="Lost"):
        f.delete(row)


@meaning
def give_up_stale(f: Facts) -> None:
    for row in stale(f, f.clients(status="Proposal", product_interest=f["product"])):
        f.change(row, "status", "Lost")


@meaning
def lead_for_least_busy(f: Facts) -> None:
    people = map(f.email, ("one", "two", "three"))
    f.new_lead(most({who: len(f.clients(who, status=f["status"])) for who in people}, -1))


@meaning
def follow_up_or_status(f: Facts) -> None:
    if stale(f, [customer(f)]):
        f.change(customer(f), "follow_up_by", f.day("day"))
    else:
        f.change(customer(f), "status", f["status"])


@meaning
def balance_leads(f: Facts) -> None:
    name, other = f.email("name"), f.email("other")
    more = len(f.clients(name, status="Proposal")) > len(f.clients(other, status="Proposal"))
    giver, taker = (name, other) if more else (other, name)
    for row in f.clients(giver, status="Lead", product_interest=f["product"]):
        f.change(row, "assigned_to_email", taker)


@meaning
def follow_up_if_stale(f: Facts) -> None:
    for row in stale(f, f.clients(f.email("name"), status=f["status"])):
        f.change(row, "follow_up_by", f.day("day"))


@meaning
def share_in_turns(f: Facts) -> None:
    rows = f.clients(f.email("name"), status=f["status"])
    assert len({row["last_contact_date"] for row in rows}) == len(rows)
    for place, row in enumerate(sorted(rows, key=lambda row: row["last_contact_date"])):
        f.change(row, "assigned_to_email", f.email("other" if place % 2 else "one"))


@meaning
def missed_follow_ups(f: Facts) -> None:
    for row in f.clients(f.email("name")):
        assert row["follow_up_by"] != f.today
        if row["follow_up_by"] < f.today and row["status"] == "Lost":
            f.delete(row)
        elif row["follow_up_by"] < f.today and row["status"] in ("Lead", "Qualified", "Proposal"):
            f.change(row, "follow_up_by", f.day("day"))


# Across domains.


def tomorrow(f: Facts) -> str:
    return f.back(-1)


def slot_of_tomorrow(f: Facts) -> str:
    return f.first_free(tomorrow(f), 30, f.meetings("", tomorrow(f), tomorrow(f)))


@meaning
def mail_to_first_of_day(f: Facts) -> None:
    first = f.on()[0]
    f.send(first["participant_email"], first["event_name"], f["body"])


@meaning
def mail_to_assignee(f: Facts) -> None:
    task = row_of(f.tasks, "task_name", f["task"])
    f.send(task["assigned_to_email"], f["subject"], f["body"])


@meaning
def meet_about_customer(f: Facts) -> None:
    start = f"{f.day('day')} {f.time()}"
    f.book(f"About {f['customer']}", customer(f)["assigned_to_email"], start, f.minutes())


@meaning
def meet_sender(f: Facts) -> None:
    mail = f.mail()
    assert mail["inbox/outbox"] == "inbox"
    f.book(f["title"], mail["sender/recipient"], f"{f.day('day')} {f.time()}", f.minutes())


@meaning
def revive_or_thank(f: Facts) -> None:
    who = customer(f)["assigned_to_email"]
    if stale(f, [customer(f)]):
        f.book(f"Reviving {f['customer']}", who, slot_of_tomorrow(f), 30)
    else:
        f.send(who, f["customer"], "Thanks for staying in touch.")


@meaning
def nudge_or_praise(f: Facts) -> None:
    who = f.email("name")
    if f.late(f.work(who, board=f["board"])):
        f.send(who, "Overdue tasks", f["nudge"])
    else:
        f.send(who, "Well done", f["praise"])


@meaning
def meet_if_silent(f: Facts) -> None:
    who, limit = f.email("name"), f.back(int(f["days"]))
    if not any(mail["sent_datetime"] > limit for mail in f.inbox(who)):
        f.book(f["title"], who, f"{f.day('day')} {f.time()}", 30)


@meaning
def mail_if_not_met(f: Facts) -> None:
    who, limit = f.email("name"), f.back(int(f["days"]))
    if not any(limit < event["event_start"] < str(f.now) for event in f.meetings(who)):
        f.send(who, f["subject"], f["body"])


@meaning
def task_if_few_visits(f: Facts) -> None:
    if len(f.seen(f.day("since"), f.day("until"))) < int(f["limit"]):
        f.new_task(f.email("name"), "Front end")
    else:
        f.send(f.email("name"), "Visits", f["body"])


@meaning
def meet_most_overdue(f: Facts) -> None:
    counts = {who: len(f.late(f.work(who))) for who in map(f.email, ("one", "two", "three"))}
    f.book(f["title"], most(counts), f"{f.day('day')} {f.time()}", f.minutes())


@meaning
def meet_and_mail_if_overdue(f: Facts) -> None:
    who = f.email("name")
    if len(f.late(f.work(who))) > int(f["limit"]):
        f.book("Overdue tasks", who, slot_of_tomorrow(f), 30)
        f.send(who, "Overdue tasks", "Let us look at your overdue tasks tomorrow.")
    else:
        f.send(who, "Well done", "Thank you for keeping your tasks on time.")


@meaning
def stand_in(f: Facts) -> None:
    for event in f.meetings(f.email("name"), f.today, f.day("day")):
        f.delete(event)
    for task in f.work(f.email("name"), list_name="In Progress"):
        f.change(task, "assigned_to_email", f.email("other"))
    f.send(f.email("other"), f"Standing in for {f['name']}", f["body"])


@meaning
def take_over(f: Facts) -> None:
    for row in f.clients(f.email("name"), status=f["status"]):
        f.change(row, "assigned_to_email", f.email("other"))
    for event in f.meetings(f.email("name"), f.today):
        f.change(event, "participant_email", f.email("other"))
    f.send(f.email("other"), f"Taking over from {f['name']}", f["body"])


@meaning
def mail_to_all_late(f: Facts) -> None:
    late = f.late(f.work(list_name=f["list"], board=f["board"]))
    for who in {task["assigned_to_email"] for task in late}:
        f.send(who, f["subject"], f["body"])


@meaning
def cancel_and_tell(f: Facts) -> None:
    for event in f.on():
        f.delete(event)
    for who in {event["participant_email"] for event in f.on()}:
        f.send(who, "Not in on this day", f["body"])


@meaning
def lost_proposals(f: Facts) -> None:
    rows = stale(f, f.clients(status="Proposal", product_interest=f["product"]))
    for row in rows:
        f.change(row, "status", "Lost")
    for who in {row["assigned_to_email"] for row in rows}:
        f.send(who, "Lost proposals", f["body"])


@meaning
def leads_by_figures(f: Facts) -> None:
    first, last = f.day("since"), f.day("until")
    more = f.count("engaged users", last) > f.count("engaged users", first)
    for row in f.clients(f.email("name"), status="Lead", product_interest=f["product"]):
        if more:
            f.change(row, "status", "Qualified")
        else:
            f.delete(row)
    f.send(f.email("name"), "Leads", f["good" if more else "bad"])


@meaning
def review_round(f: Facts) -> None:
    tasks = f.work(board=f["board"], list_name="In Review")
    in_a_row(f, sorted({task["assigned_to_email"] for task in tasks}), 30)
