"""Templates about mails."""

from __future__ import annotations

from textgym.envs.generation import listing
from textgym.envs.office.company import vocabulary as words
from textgym.envs.office.company.company_draft import CompanyDraft, received
from textgym.envs.office.company.mails import NEUTRAL, draw_mail
from textgym.envs.office.workplace.templates.template import EMAIL, template


@template(
    1,
    EMAIL,
    "Send an email to {address} with the subject '{subject}' that says '{body}'",
    "Please write to {address}. The subject is '{subject}' and the text is '{body}'",
    "Can you email {address} saying '{body}'? Title it '{subject}'.",
)
def _mail_to_address(draft: CompanyDraft) -> dict[str, str]:
    address, mail = draft.colleagues(1)[0].email, draft.new_mail()
    draft.send(address, **mail)
    return {"address": address, **mail}


@template(
    1,
    EMAIL,
    "Reply to the email with the id {id}: '{answer}'",
    "Answer '{answer}' to email {id}, please",
    "Email {id} needs a reply. Write '{answer}'",
)
def _reply_by_id(draft: CompanyDraft) -> dict[str, str]:
    mail, answer = draft.row("emails"), draft.choice(words.ANSWERS)
    draft.need(received(mail))
    draft.reply(mail, answer)
    return {"id": mail["email_id"], "answer": answer}


@template(
    1,
    EMAIL,
    "Forward email {id} to {address}",
    "{address} needs a copy of the email with the id {id}. Can you forward it?",
    "Please pass email {id} on to {address}",
)
def _forward_by_id(draft: CompanyDraft) -> dict[str, str]:
    mail, address = draft.row("emails"), draft.colleagues(1)[0].email
    draft.need(mail["sender/recipient"] != address)
    draft.forward(mail, address)
    return {"id": mail["email_id"], "address": address}


@template(
    2,
    EMAIL,
    "Delete {mail}",
    "I no longer need {mail}, please delete it",
    "Can you delete {mail}?",
)
def _delete_mail(draft: CompanyDraft) -> dict[str, str]:
    mention, mail = draw_mail(draft)
    draft.delete_mail(mail)
    return {"mail": mention}


@template(
    2,
    EMAIL,
    "Send {name} an email titled '{subject}' saying '{body}'",
    "Write to {name}: '{body}' The subject should be '{subject}'",
    "Can you email {name} with '{body}' and the title '{subject}'?",
)
def _mail_to_name(draft: CompanyDraft) -> dict[str, str]:
    name, mail = draft.colleagues(1)[0].first, draft.new_mail()
    draft.send(draft.address(name), **mail)
    return {"name": name, **mail}


@template(
    2,
    EMAIL,
    "Reply to {mail} with '{answer}'",
    "I owe somebody an answer to {mail}. Send '{answer}' as a reply.",
    "Please answer {mail}: '{answer}'",
)
def _reply_to_mail(draft: CompanyDraft) -> dict[str, str]:
    mention, mail = draw_mail(draft, is_received=True)
    answer = draft.choice(words.ANSWERS)
    draft.reply(mail, answer)
    return {"mail": mention, "answer": answer}


@template(
    2,
    EMAIL,
    "Forward {mail} to {name}",
    "{name} should see {mail}. Please forward it.",
    "Can you pass {mail} on to {name}?",
)
def _forward_mail(draft: CompanyDraft) -> dict[str, str]:
    (mention, mail), name = draw_mail(draft), draft.colleagues(1)[0].first
    address = draft.address(name)
    draft.need(mail["sender/recipient"] != address)
    draft.forward(mail, address)
    return {"mail": mention, "name": name}


@template(
    3,
    EMAIL,
    "Delete every email that {name} sent me in the last {days} days",
    "All emails I got from {name} during the past {days} days can be deleted",
    "Can you remove the emails {name} has sent me over the last {days} days?",
)
def _delete_recent_from(draft: CompanyDraft) -> dict[str, str]:
    name, days = draft.colleagues(1)[0].first, draft.randint(4, 20)
    for mail in draft.since(draft.mails_from(name), "sent_datetime", days):
        draft.delete_mail(mail)
    return {"name": name, "days": str(days)}


@template(
    3,
    EMAIL,
    "Forward all emails with the subject '{subject}' that I received to {name}",
    "{name} is new to '{subject}'. Please forward them every email I got under that subject.",
    "Can you forward to {name} each email in my inbox titled '{subject}'?",
)
def _forward_thread(draft: CompanyDraft) -> dict[str, str]:
    subject, name = draft.row("emails")["subject"], draft.colleagues(1)[0].first
    mails, address = draft.mails_about(subject), draft.address(name)
    draft.need(all(mail["sender/recipient"] != address for mail in mails))
    inbox = [mail for mail in mails if received(mail)]
    draft.need(len(inbox) > 1)
    for mail in inbox:
        draft.forward(mail, address)
    return {"subject": subject, "name": name}


@template(
    3,
    EMAIL,
    "Reply '{answer}' to whoever wrote the very first email titled '{subject}', on that email",
    "Find the oldest email titled '{subject}' and reply to it with '{answer}'",
    "Please answer the email that started the thread '{subject}' with '{answer}'",
)
def _reply_to_first(draft: CompanyDraft) -> dict[str, str]:
    subject, answer = draft.row("emails")["subject"], draft.choice(words.ANSWERS)
    mails = draft.mails_about(subject)
    draft.need(len(mails) > 1 and received(mails[-1]))
    draft.reply(mails[-1], answer)
    return {"subject": subject, "answer": answer}


@template(
    3,
    EMAIL,
    "Send {names} an email each, titled '{subject}', saying '{body}'",
    "Email {names} separately with the subject '{subject}' and the text '{body}'",
    "{names} should each get an email from me titled '{subject}': '{body}'",
)
def _mail_to_several(draft: CompanyDraft) -> dict[str, str]:
    names = [person.first for person in draft.colleagues(draft.randint(3, 4))]
    mail = draft.new_mail()
    for name in names:
        draft.send(draft.address(name), **mail)
    return {"names": listing(names), **mail}


@template(
    4,
    EMAIL,
    "Look at {mail}. If it is one I sent, forward it to {name}; if it is one I received, reply to"
    " it with '{answer}'",
    "Who wrote {mail}? If someone else did, answer it with '{answer}', but if it was me, forward it"
    " to {name}.",
    "If I am the one who wrote {mail}, please forward it to {name}. Otherwise reply '{answer}' to"
    " it.",
)
def _answer_or_forward(draft: CompanyDraft) -> dict[str, str]:
    (mention, mail), answer = draw_mail(draft, ways=NEUTRAL), draft.choice(words.ANSWERS)
    name = draft.colleagues(1)[0].first
    if received(mail):
        draft.reply(mail, answer)
    else:
        address = draft.address(name)
        draft.need(mail["sender/recipient"] != address)
        draft.forward(mail, address)
    return {"mail": mention, "name": name, "answer": answer}


@template(
    4,
    EMAIL,
    "Who has sent me more emails, {one} or {other}? Write to that person, titled '{subject}',"
    " saying '{body}'",
    "Count the emails I got from {one} and from {other}, and send whoever wrote more of them"
    " '{body}' with the subject '{subject}'",
    "Compare how many emails {one} and {other} have sent me. The one with more gets an email from"
    " me titled '{subject}': '{body}'",
)
def _mail_to_busier_writer(draft: CompanyDraft) -> dict[str, str]:
    first, second = (person.first for person in draft.colleagues(2))
    mails = {}
    for name in (first, second):
        rows = draft.mails_from(name)
        draft.need(rows)
        mails[rows[0]["sender/recipient"]] = len(rows)
    mail = draft.new_mail()
    draft.send(draft.top(mails), **mail)
    return {"one": first, "other": second, **mail}


@template(
    4,
    EMAIL,
    "Have I had an email from {name} in the last {days} days? If so, reply to the latest with"
    " '{answer}'. If not, send them one titled '{subject}' saying '{body}'",
    "If {name} has emailed me during the past {days} days, answer their last email with '{answer}',"
    " otherwise email them '{body}' with the title '{subject}'",
    "Check whether anything came in from {name} within the last {days} days. Reply '{answer}' to"
    " the newest if there is something; write them a new email titled '{subject}' with the text"
    " '{body}' if there is nothing.",
)
def _reply_or_ask(draft: CompanyDraft) -> dict[str, str]:
    name, days = draft.colleagues(1)[0].first, draft.randint(2, 6)
    mails, answer, mail = draft.mails_from(name), draft.choice(words.ANSWERS), draft.new_mail()
    draft.need(mails)
    if draft.since(mails, "sent_datetime", days):
        draft.reply(mails[0], answer)
    else:
        draft.send(mails[0]["sender/recipient"], **mail)
    return {"name": name, "days": str(days), "answer": answer, **mail}


@template(
    5,
    EMAIL,
    "Reply '{answer}' to the latest email of everyone who has written to me since {day} (that day"
    " included), one reply for each person",
    "Everybody who emailed me on or after {day} should get a reply to their most recent email:"
    " '{answer}'. One per person is enough.",
    "Go through what I received since {day} (that day included) and answer each sender once, on"
    " their last email, with '{answer}'",
)
def _reply_to_everyone(draft: CompanyDraft) -> dict[str, str]:
    day, answer = draft.past_day(1, 5), draft.choice(words.ANSWERS)
    last = {
        mail["sender/recipient"]: mail
        for mail in reversed(draft.mails("", since=day))
        if received(mail)
    }
    draft.need(len(last) > 2)
    for mail in last.values():
        draft.reply(mail, answer)
    return {"day": draft.day(day), "answer": answer}


@template(
    5,
    EMAIL,
    "Delete the emails titled '{one}' or '{other}' that I received, and forward the last one I"
    " sent under either of the two subjects to {name}",
    "{name} takes over '{one}' and '{other}'. Forward them my own latest email of the two threads"
    " taken together, then delete all received emails of both.",
    "Of the threads '{one}' and '{other}', pass the newest email that I wrote on to {name} (just"
    " one in all) and delete every email in my inbox that belongs to them",
)
def _hand_over_threads(draft: CompanyDraft) -> dict[str, str]:
    first, second = draft.row("emails")["subject"], draft.row("emails")["subject"]
    name = draft.colleagues(1)[0].first
    draft.need(first != second)
    mails = draft.mails_about(first) + draft.mails_about(second)
    address = draft.address(name)
    sent = [mail for mail in mails if not received(mail)]
    draft.need(sent and all(mail["sender/recipient"] != address for mail in mails))
    draft.forward(max(sent, key=lambda mail: mail["sent_datetime"]), address)
    for mail in filter(received, mails):
        draft.delete_mail(mail)
    return {"one": first, "other": second, "name": name}
