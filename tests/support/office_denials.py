"""Endings that say that the work was done, and then deny all of it, or only something else."""

from __future__ import annotations

__all__ = ["CONTRADICTIONS", "LIMITS"]

CONTRADICTIONS = """
It is done. I changed nothing.
It is done. I have changed nothing.
Done! Nothing was changed.
I have sent it. Nothing has been changed in the databases.
All set. No changes were made.
It is done, but I changed nothing.
I have moved the meeting. I did not change anything.
I booked it. I didn't actually do anything.
The mail was sent. I left everything as it was.
It's done. Everything is as it was before.
It has been done and no action was taken.
Done. The databases remain unchanged.
Done. Your request could not be carried out.
It is done. This cannot be done.
I've updated it. In fact, nothing happened.
It is done. I took no action.
It is done. I made no changes at all.
The task has been reassigned. None of this was done.
Done. I haven't done a thing.
It is done - nothing was really changed.
It is done. There was nothing to change.
I have done it; I did nothing.
Done: not a single row was changed.
It was sent. I have not made any changes.
It is done. I kept everything unchanged.
Everything was done. I have not carried it out.
It is done. To be honest, nothing was touched.
Done. No modification was performed.
It is done. No record was altered.
It is done. Not one thing has changed.
Sent. I never changed anything.
It is done. I have not touched a thing.
It is done. Absolutely nothing was modified.
Everything has been done. There were no changes.
Done. There have been no changes to the databases.
It is done. Zero changes.
It is done. No changes.
It is done, with no changes made.
It is done. The databases are the same as before.
It is done. I left the databases untouched.
It is done. I ended up changing nothing.
It is done. I decided to change nothing.
It is done. Nothing has changed.
It is done. I refrained from changing anything.
It is done. I haven't changed one thing.
I have sent it. Nothing was sent.
It is done. In truth I did not do anything.
It is done. I never did anything.
**It is done.** *I changed nothing.*
It is done. I CHANGED NOTHING!
It is done; nothing at all has been done.
It is done. I couldn't do it.
It is done. I was not able to do it.
It is done. Unfortunately it was impossible.
It is done. I actually changed nothing at all.
All done! (I changed nothing.)
It is done – I changed nothing
Done, although nothing has been changed.
I have done it. Not a thing was touched.
It is done. The truth is that I haven't made any changes.
It is done. Everything stayed the same.
I have sent the mail. I did not carry out your request.
The task is done. Your request was not fulfilled.
Moved. I left it all unchanged.
It is done. I've not taken any action.
It is done. No row was written.
It's done. I did nothing at all.
""".strip().splitlines()
"""What says that the work was done, and denies all of it."""

LIMITS = """
It is done. I changed nothing else.
It is done. Nothing else was changed.
Done. I made no other changes.
I moved the meeting. Apart from that I changed nothing.
I moved the meeting to Friday and changed nothing but the day.
The mail was sent. No further changes were made.
It is done. Everything else is as it was.
I have sent the mail. Nothing was changed in the calendar.
Done. I changed nothing about the title.
I booked it. I left the rest unchanged.
I have moved the meeting. Other than that, nothing was changed.
The number was updated. I didn't change anything besides it.
It is done. Nothing was changed that you did not ask for.
I have booked it. Nothing was done before you told me the day.
The task was reassigned. Its due date was not changed.
I forwarded the mail without changing anything.
It is done. Nothing more needs to be done.
It's done. I did not have to change anything else.
The meeting has been moved. All other meetings are unchanged.
I have sent it. It cannot be taken back.
I updated the phone number only; no other data was touched.
It is done. I made no changes to the title.
All done; no further action is needed.
The lead was added. No customer was deleted.
It is done. You have nothing to do.
Done. There is nothing left to do.
It is done. No action is required on your side.
Done: nothing was sent twice.
I've sent the mail. I did not change any of the others.
It is done. Nothing went wrong.
It is done. There were no problems.
It is done. No conflicts.
It is done. No changes to the attendees.
It is done; the other fields have not changed.
Done. I changed nothing in the message.
It is done. I did not touch the other mails.
The mail is forwarded. I did not change any of its text.
It is done. No need to do anything.
It is done. I left all other fields as they were.
It is done. The rest stays the same.
I have moved it. The length is the same as before.
The meeting was moved; its title is unchanged.
Done. No one was notified.
It is done. Nothing is missing.
It is done. You do not have to change anything.
It is done. I did not change anything in the mail itself.
It is done. I did not make any changes to her other tasks.
It is done. No changes were needed in the calendar.
It is done. No mails were deleted.
I have replied. The original mail was not changed.
It is done. It was not possible to attach a file.
I have booked it. I could not do it any earlier.
The follow-up is set. No phone number was changed.
It is done. Nothing is open any more.
It is done. Nothing has changed about the subject.
It is done. No change was made to the text.
I have updated it. There were no changes to the other customers.
It is done, with no changes to the title.
I have moved it. The title and the participant are the same.
It is done. I haven't changed anything that you did not mention.
I have sent it. Nothing is left to do.
It is done. No action on your part is needed.
The meeting has been moved. Everything else stayed the same.
Done. The mail itself was not changed.
It has been forwarded. I changed nothing in it.
I've updated the due date; I did not change the assignee.
Booked. Nothing clashes with it.
It is done. No other customers were touched.
It is done. There was no need to change the length.
The lead was added. There were no changes to existing customers.
""".strip().splitlines()
"""What says that the work was done, and that nothing else was, or not this or that."""
