"""Templates about customers."""

from __future__ import annotations

from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft
from textgym.envs.office.workplace.templates.template import CUSTOMERS, template


@template(
    1,
    CUSTOMERS,
    "Add {customer} to the CRM as a new lead, assigned to {address}",
    "We have a new lead, {customer}. Please enter them in the CRM for {address}.",
    "{customer} is a lead of {address} now, can you add them to the CRM?",
)
def _add_lead_for_address(draft: CompanyDraft) -> dict[str, str]:
    customer, address = draft.new_customer(), draft.sales(1)[0].email
    draft.add_lead(customer, address)
    return {"customer": customer, "address": address}


@template(
    1,
    CUSTOMERS,
    "Delete the customer with the id {id} from the CRM",
    "Customer {id} asked us to erase their data, please remove the record",
    "Can you take customer {id} out of the CRM?",
)
def _delete_customer_by_id(draft: CompanyDraft) -> dict[str, str]:
    customer = draft.row("customers")
    draft.delete_customer(customer)
    return {"id": customer["customer_id"]}


@template(
    1,
    CUSTOMERS,
    "Set the status of customer {id} to '{status}'",
    "The status of customer {id} is '{status}' now, please update the CRM",
    "In the CRM, change the status of the customer with the id {id} to '{status}'",
)
def _status_by_id(draft: CompanyDraft) -> dict[str, str]:
    customer, status = draft.row("customers"), draft.choice(words.STATUSES)
    draft.change_customer(customer, "status", status)
    return {"id": customer["customer_id"], "status": status}


@template(
    2,
    CUSTOMERS,
    "Update the status of {customer} to '{status}' in the CRM",
    "{customer}'s status is '{status}' now. Can you change that in the CRM?",
    "Please set {customer}'s status to '{status}'",
)
def _status_by_name(draft: CompanyDraft) -> dict[str, str]:
    customer, status = draft.row("customers")["customer_name"], draft.choice(words.STATUSES)
    draft.change_customer(draft.one(draft.customers(customer_name=customer)), "status", status)
    return {"customer": customer, "status": status}


@template(
    2,
    CUSTOMERS,
    "{name} looks after {customer} from now on, please reassign them in the CRM",
    "Move the customer {customer} to {name}",
    "Can you assign {customer} to {name} in the CRM?",
)
def _reassign_customer(draft: CompanyDraft) -> dict[str, str]:
    customer, name = draft.row("customers")["customer_name"], draft.sales(1)[0].first
    row = draft.one(draft.customers(customer_name=customer))
    draft.change_customer(row, "assigned_to_email", draft.address(name))
    return {"customer": customer, "name": name}


@template(
    2,
    CUSTOMERS,
    "{customer} is no customer of ours any more. Delete them from the CRM.",
    "Please remove {customer} from the CRM",
    "Can you delete the CRM record of {customer}?",
)
def _delete_customer_by_name(draft: CompanyDraft) -> dict[str, str]:
    customer = draft.row("customers")["customer_name"]
    draft.delete_customer(draft.one(draft.customers(customer_name=customer)))
    return {"customer": customer}


@template(
    2,
    CUSTOMERS,
    "We should follow up with {customer} by {day}, please put that date into the CRM",
    "Set the follow-up date of {customer} to {day}",
    "Can you change when to follow up with {customer}? It is {day} now.",
)
def _follow_up_by_name(draft: CompanyDraft) -> dict[str, str]:
    customer, day = draft.row("customers")["customer_name"], draft.work_day()
    row = draft.one(draft.customers(customer_name=customer))
    draft.change_customer(row, "follow_up_by", day.isoformat())
    return {"customer": customer, "day": draft.day(day)}


@template(
    3,
    CUSTOMERS,
    "{other} takes over all of {name}'s {status} customers that are interested in {product}",
    "Reassign {name}'s customers with the status {status} and an interest in {product} to {other}",
    "Please give {other} every customer of {name} who is in the {status} stage and interested in"
    " {product}",
)
def _reassign_some(draft: CompanyDraft) -> dict[str, str]:
    name, colleague = (person.first for person in draft.sales(2))
    customer = draft.row("customers")
    status, product = customer["status"], customer["product_interest"]
    rows = draft.customers(
        assigned_to_email=draft.address(name), status=status, product_interest=product
    )
    draft.need(rows)
    address = draft.address(colleague)
    for row in rows:
        draft.change_customer(row, "assigned_to_email", address)
    return {"name": name, "other": colleague, "status": status, "product": product}


@template(
    3,
    CUSTOMERS,
    "Delete all of {name}'s lost customers from the CRM",
    "The customers that {name} lost (status Lost) can be removed from the CRM",
    "Clean up after {name}: every customer of theirs with the status Lost should be deleted",
)
def _delete_lost_of(draft: CompanyDraft) -> dict[str, str]:
    name = draft.sales(1)[0].first
    for row in draft.customers(assigned_to_email=draft.address(name), status="Lost"):
        draft.delete_customer(row)
    return {"name": name}


@template(
    3,
    CUSTOMERS,
    "Move every customer with the status Proposal and an interest in {product} whom we have not"
    " contacted in the last {weeks} weeks to Lost",
    "Customers in Proposal for {product} whose last contact is more than {weeks} weeks ago are"
    " lost. Update their status in the CRM.",
    "Set the status of all {product} customers in the Proposal stage to Lost if the last contact"
    " with them is more than {weeks} weeks back",
)
def _give_up_stale(draft: CompanyDraft) -> dict[str, str]:
    product, weeks = draft.choice(words.INTERESTS), draft.randint(2, 6)
    rows = draft.customers(product_interest=product, status="Proposal")
    for row in draft.before(rows, "last_contact_date", 7 * weeks):
        draft.change_customer(row, "status", "Lost")
    return {"product": product, "weeks": str(weeks)}


@template(
    4,
    CUSTOMERS,
    "Add {customer} as a new lead for whichever of {one}, {two} and {three} has the fewest"
    " customers with the status {status}",
    "Who of {one}, {two} and {three} has the smallest number of customers in the {status} stage?"
    " They get a new lead in the CRM: {customer}.",
    "Enter {customer} as a lead in the CRM and assign them to {one}, {two} or {three}, to the one"
    " with the fewest {status} customers",
)
def _lead_for_least_busy(draft: CompanyDraft) -> dict[str, str]:
    names = [person.first for person in draft.sales(3)]
    customer, status = draft.new_customer(), draft.choice(words.STATUSES)
    counts = {
        address: len(draft.customers(assigned_to_email=address, status=status))
        for address in map(draft.address, names)
    }
    draft.add_lead(customer, draft.top(counts, lowest=True))
    people = dict(zip(("one", "two", "three"), names, strict=True))
    return {"customer": customer, "status": status, **people}


@template(
    4,
    CUSTOMERS,
    "If our last contact with {customer} is more than {weeks} weeks ago, set their follow-up date"
    " to {day}; otherwise change their status to '{status}'",
    "Check when we last contacted {customer}. More than {weeks} weeks ago means that we follow up"
    " by {day}, anything newer that their status becomes '{status}'.",
    "Have we been in contact with {customer} during the last {weeks} weeks? If yes, their status is"
    " '{status}' now. If no, we should follow up by {day}. Please update the CRM.",
)
def _follow_up_or_status(draft: CompanyDraft) -> dict[str, str]:
    customer, weeks = draft.row("customers")["customer_name"], draft.randint(2, 6)
    status, day = draft.choice(words.STATUSES), draft.work_day()
    rows = [draft.one(draft.customers(customer_name=customer))]
    if draft.before(rows, "last_contact_date", 7 * weeks):
        draft.change_customer(rows[0], "follow_up_by", day.isoformat())
    else:
        draft.change_customer(rows[0], "status", status)
    return {
        "customer": customer,
        "weeks": str(weeks),
        "status": status,
        "day": draft.day(day),
    }


@template(
    4,
    CUSTOMERS,
    "Does {name} have more customers in Proposal than {other}? Then {name}'s leads for {product} go"
    " to {other}. If not, {other}'s leads for {product} go to {name}.",
    "Compare how many customers with the status Proposal {name} and {other} have. If {name} has"
    " more, reassign {name}'s leads that are interested in {product} to {other}, otherwise the"
    " other way round.",
    "If {name} has more customers in the Proposal stage than {other}, {other} takes the leads of"
    " {name} with an interest in {product}; in any other case {name} takes such leads of {other}",
)
def _balance_leads(draft: CompanyDraft) -> dict[str, str]:
    names = [person.first for person in draft.sales(2)]
    product = draft.choice(words.INTERESTS)
    addresses = list(map(draft.address, names))
    counts = [
        len(draft.customers(assigned_to_email=address, status="Proposal")) for address in addresses
    ]
    giver, taker = addresses if counts[0] > counts[1] else addresses[::-1]
    leads = draft.customers(assigned_to_email=giver, status="Lead", product_interest=product)
    draft.need(leads)
    for row in leads:
        draft.change_customer(row, "assigned_to_email", taker)
    return {"name": names[0], "other": names[1], "product": product}


@template(
    4,
    CUSTOMERS,
    "Does {name} have {status} customers whom we have not contacted for more than {weeks} weeks?"
    " If so, give them the follow-up date {day}.",
    "Please look for customers of {name} in the {status} stage whose last contact is more than"
    " {weeks} weeks ago, and set the follow-up date of any that you find to {day}",
    "If any {status} customer of {name} had the last contact more than {weeks} weeks ago, we follow"
    " up by {day}. Put that into the CRM for each of them, and change nothing else.",
    may_do_nothing=True,
)
def _follow_up_if_stale(draft: CompanyDraft) -> dict[str, str]:
    name, status = draft.sales(1)[0].first, draft.choice(words.STATUSES[:3])
    weeks, day = draft.randint(6, 8), draft.work_day()
    rows = draft.customers(assigned_to_email=draft.address(name), status=status)
    for row in draft.before(rows, "last_contact_date", 7 * weeks):
        draft.change_customer(row, "follow_up_by", day.isoformat())
    return {"name": name, "status": status, "weeks": str(weeks), "day": draft.day(day)}


@template(
    5,
    CUSTOMERS,
    "{name} goes on leave. Order their {status} customers by last contact, the longest ago first,"
    " and give them to {one} and {other} in turn, beginning with {one}",
    "Share {name}'s customers in the {status} stage between {one} and {other}: sorted by the date"
    " of the last contact, oldest first, they go to {one}, {other}, {one} and so on",
    "Take the {status} customers of {name} in the order of their last contact, beginning with the"
    " oldest. Reassign the first to {one}, the second to {other}, the third to {one} again, and so"
    " on.",
)
def _share_in_turns(draft: CompanyDraft) -> dict[str, str]:
    name, first, second = (person.first for person in draft.sales(3))
    status = draft.choice(words.STATUSES)
    rows = draft.customers(assigned_to_email=draft.address(name), status=status)
    draft.need(len({row["last_contact_date"] for row in rows}) == len(rows) > 2)
    takers = [draft.address(first), draft.address(second)]
    ordered = sorted(rows, key=lambda row: row["last_contact_date"])
    for place, row in enumerate(ordered):
        draft.change_customer(row, "assigned_to_email", takers[place % 2])
    return {"name": name, "status": status, "one": first, "other": second}


@template(
    5,
    CUSTOMERS,
    "Every customer of {name} whose follow-up date is over: set it to {day} if they are in Lead,"
    " Qualified or Proposal, and delete them if they are Lost. Leave those that are Won.",
    "Clean up {name}'s missed follow-ups (the follow-up date lies before today). Lost customers are"
    " deleted, won ones stay as they are, all others get {day} as their new date.",
    "Look at the customers of {name} with a follow-up date in the past. Remove the lost ones, do"
    " not touch the won ones, and move the follow-up of the rest to {day}.",
)
def _missed_follow_ups(draft: CompanyDraft) -> dict[str, str]:
    name, day = draft.sales(1)[0].first, draft.work_day()
    today = draft.today.isoformat()
    for row in draft.customers(assigned_to_email=draft.address(name)):
        if row["follow_up_by"][:10] >= today or row["status"] == "Won":
            continue
        if row["status"] == "Lost":
            draft.delete_customer(row)
        else:
            draft.change_customer(row, "follow_up_by", day.isoformat())
    draft.need(len(draft.writes) > 2)
    return {"name": name, "day": draft.day(day)}
