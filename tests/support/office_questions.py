"""Questions about the details of office requests, and last messages, as people word them.

Nothing was tuned on the questions about new leads and follow-ups. Those about answers to mails and
about new values ("What should I change it to?") were used to mend what was not understood.
"""

from __future__ import annotations

__all__ = ["CLOSINGS", "QUESTIONS", "REFUSALS"]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


QUESTIONS = [
    (
        "add_lead",
        "owner",
        _lines("""
            Who's going to own this lead?
            Who should I put down as the account owner?
            Which colleague will be handling this one?
            And who is responsible for it on our side?
            Who do you want me to assign it to?
            Whose lead is this?
            Which of your colleagues should be in charge?
            Who will look after this customer?
            Could you tell me who the contact person will be?
            Who is taking care of them?
            I need to know who will be responsible for the lead.
            Who's in charge of it?
            Before I enter it: who gets this lead?
            Who is the assigned sales rep?
            Please name the colleague in charge.
            Who should be listed as the owner?
            Which team member is managing the account?
            Who from the team should follow it?
            To whom shall I assign the lead?
            Who will be the account manager?
            Can you let me know the person responsible?
            Who'll deal with this customer?
            Is there someone who should be in charge of it?
            Who am I assigning this to?
            May I ask who will be handling the lead?
            I'm missing the person in charge. Who is it?
            Under whose name should the lead be filed?
            Who has this lead?
            Which colleague should I assign?
            One thing is missing: the colleague in charge.
        """),
    ),
    (
        "add_lead",
        "phone",
        _lines("""
            What's the phone number?
            What number can they be reached at?
            Could I have a phone number for them?
            How can we reach the customer?
            What is their telephone number?
            And the phone?
            Which phone number should I enter?
            May I have the contact number, please?
            I still need a phone number.
            What's the number to call?
            On what number can we call them?
            Please give me the phone number of the lead.
            Do you have a phone number?
            Do you have a number for this customer?
            What are the digits of the phone number?
            Which number should be saved?
            What's their phone?
            The phone number is missing. What is it?
            Could you provide the customer's telephone number?
            Under which number do we reach them?
            Could you share the phone details?
            What mobile number should I store?
            I would need the phone number to add the lead.
            What should I enter as the phone number?
            Can you send me the phone no.?
            What's the best number for them?
            How do I call this customer?
            What phone number do you want on file?
            Is there a phone number for this lead?
            Tell me the phone number, please.
        """),
    ),
    (
        "change_phone",
        "phone",
        _lines("""
            What is the new number?
            What should the number be?
            To what should I change it?
            What's the correct phone number?
            Which number is right?
            What is it now?
            Could you tell me the new phone number?
            What's the updated number?
            What should I change it to?
            Please tell me the correct number.
            What number should I put in instead?
            And what's the new one?
        """),
    ),
    (
        "move_follow_up",
        "follow_up",
        _lines("""
            To which date should I move it?
            What's the new date?
            When would you like to follow up instead?
            What day should I move the follow-up to?
            When should the follow-up be?
            By when should we follow up?
            Which day works for the follow-up?
            What should the new follow-up date be?
            For when shall I set it?
            What date do you have in mind?
            On which day do you want to follow up?
            When do you want to contact them?
            To when should it be moved?
            Could you give me the new date?
            Please tell me the new follow-up date.
            I need the new date for the follow-up.
            When is the new follow-up?
            What date should I enter?
            Which date shall I put?
            When shall I schedule the follow-up?
            What's the follow-up day?
            Until when should we have followed up?
            And the new date would be?
            How far should I push it?
            Which date should the follow-up be moved to?
            What is the new day?
            Should it be this week or next week?
            When?
            When would suit you?
            What new date should I use?
        """),
    ),
    (
        "resize_meeting",
        "duration",
        _lines("""
            How long should it be?
            What should the new length be?
            How many minutes should it take?
            To what length should I change it?
            What's the right length?
            How much time do you need?
            What is the new duration?
            What should I change it to?
            How long do you need for it?
            What's the correct duration?
            Should it be longer or shorter, and by how much?
            How many minutes is it meant to last?
        """),
    ),
    (
        "forward_mail",
        "recipient",
        _lines("""
            To whom should I forward it?
            Who should get it?
            Who do you want me to send it to?
            Whom should I forward the mail to?
            Who should see it?
            Which colleague should receive it?
            Where should I forward it?
            What's the recipient's address?
            Who is it for?
            Forward it to whom?
            Who would you like to pass it on to?
            Who's the recipient?
        """),
    ),
    (
        "answer_mail",
        "body",
        _lines("""
            What should I write?
            What would you like to reply?
            What should the answer say?
            What's your answer?
            How should I respond?
            What do you want me to say?
            What text should I send?
            What shall I tell them?
            What would you like the reply to say?
            Please tell me what to answer.
            What should be in the reply?
            What message should I send back?
        """),
    ),
    (
        "reassign_task",
        "assignee",
        _lines("""
            Who should take over?
            To whom should I give it?
            Who will do it instead?
            Who should I assign it to?
            Which person should get the task?
            Who is the new assignee?
            Whom should I hand it to?
            Who's taking it?
            Who should work on it from now on?
            Which colleague shall I reassign it to?
            Who do you want on it?
            Who is going to do it?
        """),
    ),
    (
        "reschedule_task",
        "due_date",
        _lines("""
            What should the new due date be?
            When is it due now?
            Until when should it be finished?
            By what date should it be done?
            What's the new deadline?
            When does it need to be done?
            To which date should I set it?
            What date would you like?
            By when?
            What is the correct date?
            When should it be due?
            To what should I change it?
        """),
    ),
]
"""For a kind of request and a slot, questions about the slot."""

CLOSINGS = _lines("""
    I've sent the mail to Kim with the subject 'Lunch'.
    Done.
    I have moved the meeting 'Catch-up' with Raj to March 4 at 10:00. Let me know if you need more!
    The phone number of Maria Silva is now 555-123-4567.
    All set: the task is in the backlog, assigned to Ines and due on 2025-03-10.
    The meeting has been booked for Thursday at 10:00 for 45 minutes.
    Your reply has been sent. Have a nice day!
    I forwarded the latest mail about 'Parking' to Lena. Is there anything else you need?
    OK, the follow-up is now on March 12.
    Both requests are done: the lead was added and the meeting moved.
    I updated the due date to March 3. Anything else I can help with?
    I've scheduled "Next steps" with Kim for 2025-03-05 at 14:30 (40 minutes).
    Sorted. The new lead is in the customer list, with Kim in charge.
    The event can no longer be missed: it is in your calendar.
    I set the length of the meeting to 25 minutes; nothing else was changed.
    Everything has been taken care of. Please let me know if something is missing.
    The e-mail went out to Paul.
    Meeting moved to Friday.
    The customer record shows the new number.
""")
"""What says that a request was carried out."""

REFUSALS = _lines("""
    I couldn't find a customer named Anna Reed, so I did not change anything.
    I'm sorry, but there is no task called 'Fix the build of Heron'.
    This cannot be done: no meeting 'Standup' with Raj exists.
    There's nobody named Zoe in the company directory.
    I can't forward the mail because no mail with the subject 'Parking' exists. Nothing was changed.
    Unfortunately, no colleague named Zoe exists, so the mail has not been sent.
    Sorry, I wasn't able to find that customer; nothing has been updated.
    The task does not exist. I made no changes.
    I looked through the calendar, but found no such meeting. It was not moved.
    I searched for the customer but got no results. The phone number was not changed.
    It isn't possible to book the meeting: Zoe isn't in the company directory.
    I checked the mails: none has the subject 'Parking', so I could not reply.
    I could not do this, since Zoe is unknown to the directory.
    Zoe isn't in the directory. Nothing was sent.
    I have to decline: there is no thread with that subject.
    That is not possible, as no one called Zoe works here. No lead was added.
    Customer not found. No update was made.
""")
"""What says that a request cannot be carried out."""
