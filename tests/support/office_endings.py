"""How conversations end: closers, denials and doubts, and what asks nothing of the user."""

from __future__ import annotations

__all__ = ["CHECKS", "CLOSERS", "DENIALS", "DOUBTS", "ENDINGS", "OTHER_QUESTIONS", "STATEMENTS"]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


CLOSERS = _lines("""
    Is there anything else?
    Anything else?
    Anything else for today?
    Is there anything else you need?
    Is there anything else I can do for you?
    Is there anything else I can help you with?
    Is there anything else you would like me to do?
    Is there anything more I can do?
    Can I help you with anything else?
    Can I do anything else for you?
    May I assist you with something else?
    Do you need anything else?
    Do you need any other help?
    Would you like anything else?
    Would you like me to do anything else?
    What else can I do for you?
    What else can I help with?
    Will that be all?
    Is that all?
    Is that everything?
    Was that everything?
    Will there be anything else?
    Anything else on your list?
    Anything else I can take off your plate?
    Any other requests?
    Are there any other tasks for me?
    Do you have any other requests?
    Do you have anything else for me?
    What's next?
    How else can I help?
    Is there something else I can do?
    Let me know if there is anything else.
    If there's anything else, just let me know.
    Just shout if you need anything else!
    Need anything else?
""")
"""What offers more help behind the work."""

DENIALS = _lines("""
    This cannot be done. I changed nothing.
    It can't be done.
    I am sorry, this cannot be done.
    I changed nothing.
    I have changed nothing.
    I haven't changed anything.
    I didn't change anything.
    I did not make any changes.
    I made no changes.
    No changes were made.
    No changes have been made.
    Nothing was changed.
    Nothing has been changed.
    Nothing was done.
    Nothing was sent.
    I did nothing.
    I haven't done anything.
    Your request could not be completed.
    I could not complete your request.
    I was unable to complete your request.
    I was not able to carry out the request.
    Unfortunately, I can't do that.
    I'm afraid that is not possible.
    Sorry, that's impossible.
    It was not possible to carry out the request.
    The request was not carried out.
    There is no such person here.
    I couldn't find it.
    No such task exists, so I left everything as it was.
    I left everything unchanged.
    I had to give up.
    I failed to do it.
    I must decline the request.
    Everything is still as it was before.
    The request failed.
    I regret to inform you that the request could not be fulfilled.
    I wasn't able to do this.
    I was unable to find the meeting, so nothing was moved.
    I could not book the meeting.
    The meeting was not booked.
    The e-mail hasn't been sent.
    Sorry, no can do.
    I'm afraid I can't help with that.
    The task you mention doesn't exist. No changes were made.
    As there is no such customer, I have left the database untouched.
    No action was taken.
    No action has been taken, as the meeting does not exist.
    I have not taken any action.
    I took no action.
    I didn't do it.
    It didn't work.
    I cannot complete this task because the colleague does not exist.
    Your request can't be fulfilled.
    That won't be possible.
    This isn't something I can do.
    I did not send anything.
    I decided not to do it.
    I refuse to do this.
    I have cancelled the operation without changing anything.
    Nothing has happened yet.
    Nope, couldn't do it.
    The operation failed, and nothing was saved.
    I haven't been able to carry this out.
    Kim does not exist, so there was nobody to send it to.
    Impossible.
    I could not carry out your request. The databases are unchanged.
    I did not carry out the request, since the mail was not found.
    I'm sorry but I couldn't go through with your request.
    Regrettably, the update did not go through.
    I have not been able to find the customer and have therefore changed nothing.
    The reassignment was not made.
    I stopped without sending anything.
    Your calendar remains unchanged.
    I can't process this.
    There's nothing I could do.
    None of the requested changes were made.
    The tools do not allow this.
    Unfortunately the meeting couldn't be moved.
    Not done.
    I won't do that.
    I did not add the lead.
    I was unable to help.
    Nothing could be found, hence nothing was updated.
    The mail could not be delivered and has not been sent.
    I chose not to make any changes.
    Request denied.
    I have not made the changes you asked for.
""")
"""What says that nothing was done."""

DOUBTS = _lines("""
    I have sent it. I could not find a phone number, though.
    Kim has it now. I could not find a phone number.
    Done. Nothing else was changed.
    It is done. I changed nothing else.
    The mail is out; no other changes were made.
    I have sent it. It cannot be taken back.
    Sent! I couldn't tell whether Kim is in today.
    I sent the mail, but I was not able to check whether it was read.
    The mail has been sent. There is no copy in the drafts.
    I sent it to Kim. There are no other people with that name.
    All done. I had no trouble finding the address.
    The message went to Kim, and nothing is left to do.
    I've sent it; nothing more needs to be done.
    The mail to Kim was sent without problems.
    Your mail is on its way. There was no earlier one.
    I sent the mail and didn't change anything else.
    I have sent the mail. No meeting was moved.
""")
"""What says that the work was done, and that something else was not."""

ENDINGS = _lines("""
    No conflicts were found, so the meeting is booked.
    Kim's number is 555-123-4567 now. The old one did not work any more.
    The task now belongs to Ines. She has no other open tasks.
    Your calendar had no conflict at that time; the meeting is in it.
    The mail went to Kim without an attachment.
    Finished. The thread had no newer mail.
    The follow-up is on May 7 now, and not on May 2 any more.
    The meeting lasts 40 minutes now, not 30.
    Ines will take care of the task from now on.
    I found two meetings with that title and moved the one with Kim.
    I've rescheduled it. The participant could not be notified automatically.
    I forwarded the newest mail, not the older ones.
    The lead did not exist yet, so I added it.
    There was no task with that name, so I created it.
    I assigned the task to Ines. Let me know if I should change anything.
    I've booked it for Friday. If that doesn't suit you, let me know.
    The answer 'yes' was sent to Kim.
    I have moved the meeting; the only thing I changed is the day.
    Both are done. Should anything be wrong, just tell me.
    The number of the customer is up to date.
    I replied to Kim that the lift is out of order until Monday.
    All right: the due date is now 2026-01-19.
    Everything you asked for is in place.
    The e-mail is on its way to Ulrike with the subject you gave me.
    Meeting length: 40 minutes. Done.
    I have updated the phone number. Please check it when you have time.
    I didn't have to look up anything. The mail is sent.
    The task has a new assignee, Mirela; its due date did not change.
    I put the Onboarding Walkthrough with Omar on June 18 at 12:00.
    Rohan has the forwarded e-mail now.
    It's done! The lead was added with the number 555-222-1234, and Kim is in charge.
    I've replied to Agata with your message.
    The meeting was extended to 40 minutes, with no change to its time.
    Changed the due date to January 12.
    The task is now with Rosalind instead of Paul.
    I checked for conflicts and found none, then booked the meeting.
    I couldn't find a second meeting with that name, so I changed the only one.
    Harriet's follow-up has been pushed to May 7; her status has not been touched.
    Since Saanvi is not in your contacts, I looked her up in the directory and sent the mail.
    There were two threads with that subject; I answered the newest mail.
    The phone number was wrong before. It is right now.
    Sent. It may not arrive at once.
    I sent the mail to Hamza. I could not attach a file because you gave none.
    Reassigned to Mirela. No due date was changed.
    I was first unable to find the meeting, but it is moved now.
    The new meeting 'Next steps' is in your calendar for Thursday.
    Both changes have been made: nothing more is open.
""")
"""What says that the work was done, with a negation or a hint."""

CHECKS = _lines("""
    I could not find it. Could you check the name?
    I couldn't find a colleague with that name. Could you please check the spelling?
    There is no such task. Can you double-check the title?
    I can't find that meeting. Is the name correct?
    No customer with this name exists. Is it spelled correctly?
    I did not find such a thread. Would you verify the subject?
    I searched, but there is no such customer. Please check the name.
    That person is not in the directory. Could you confirm the name?
    Nobody with that name works here. Did you mean someone else?
    I cannot find the task. Might it have another name?
    There is no meeting with that title. Is there a typo?
    I can't find her. Could you verify how the name is spelled?
""")
"""What asks whether a name that was not found is right."""

STATEMENTS = _lines("""
    I have the day and the time.
    The day is Friday.
    The time and the duration are as you wished.
    I set the due date to Friday.
    The subject of the mail is Lunch.
    The phone number was updated.
    The recipient got the message.
    Title: Lunch, day: Friday, time: 12:00.
    Day: Friday
    Subject: Lunch
    The meeting starts at noon and takes half an hour.
    Ines is the assignee and the task is due on Friday.
    The new number is in the database.
    The follow-up date has been moved.
    I did not need to ask for the day.
    I know the recipient, so I sent it.
    I don't need the time any more.
    No other details are needed.
    The title is clear, and the day too.
    I've noted the participant's name and the date.
    All missing details were in your message: the day, the time and the title.
    As you confirmed the day, I booked it.
    Thank you for the phone number; it is stored.
    I asked Kim what time suits him.
    I told Kim who will take over the task.
    The lead has a phone number and a colleague in charge.
    The due date, which was Monday, is Friday now.
    I checked which day was free, and booked it.
    The text says when the lift will be repaired.
    You will find the subject and the body in the outbox.
    One last detail: all is in place now.
    The last step is done: the phone number is saved.
    The final length of the meeting is 40 minutes.
    I have the day, so I needed nothing more and booked it.
    I have got the time and only had to look up the participant.
    No date was changed.
    As soon as I heard the name I sent the mail.
    Once I had the date I moved the meeting.
    I named the meeting as you wished.
    The mail was sent to the person who asked for it.
    I told the person who takes the task.
    I know the day and the time. The meeting is booked.
    The answer is on its way.
    The meeting still lasts 40 minutes.
    I could work out the date from the calendar.
    She was waiting for your answer, which she has now.
    The title and how long it takes are as you said.
""")
"""What names details without asking for them."""

OTHER_QUESTIONS = _lines("""
    How are you?
    Why?
    Do you like the new office?
    Can you believe it?
    Is it raining where you are?
    Did you sleep well?
    Shall I make you a coffee?
    Are you happy with my work?
    Do you speak French?
    Does the printer work?
    What do you think of the weather?
    How was your holiday?
    Are you there?
    Can I tell you a joke?
    May I go home?
""")
"""What asks for no detail."""
