"""Questions about each slot, as different people ask them.

They were written before the code that understands them. They measure it: nothing is tuned on them,
and `slot_questions` has those that the code was written with.
"""

from __future__ import annotations

__all__ = ["HELD_OUT"]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


HELD_OUT = {
    "day": _lines("""
        Which day should the meeting be on?
        On what day do you want it?
        For which day, please?
        What date did you have in mind?
        Could you tell me the date?
        I still need the day before I can put it in the calendar.
        Which day of the week suits you?
        Before I book it: which date?
        Happy to set that up. What day works?
        The request doesn't say which day it should take place. Can you tell me?
        Day?
        And the date?
        Could you let me know the day on which you'd like to hold it?
        When should it take place - which day exactly?
        Please specify the date of the event.
        Sure! Just one thing: what day are you thinking of?
        I'd need to know the day.
        Is there a particular day you prefer?
        Do you want it on Monday or on Tuesday?
        Would Thursday be the right day?
        What's the day for this?
        Which weekday should I choose?
        I can do that, but I'm missing the date.
        May I ask which day this is for?
        Please confirm the day you would like.
        You haven't mentioned a date. Which one should I use?
        On which date shall I schedule the call?
        Let me know what day to put it on.
        What calendar day should I pick for the event?
        Should this be tomorrow or later in the week?
    """),
    "time": _lines("""
        What time should it start?
        At what time?
        I'd need to know when it should start.
        What's the start time?
        At which hour should the meeting begin?
        Which time of day do you prefer?
        Could you give me a start time, please?
        When does it begin?
        And from what time?
        Morning or afternoon - what time exactly?
        What o'clock should I put down?
        Should I book it for 10:00 or 11:00?
        Is 9:30 all right as a start?
        Please tell me the time at which it is supposed to start.
        The start time is missing from your request; what should it be?
        I have the day but not the time. Could you add it?
        How early should we begin?
        What time works best for you?
        Time?
        What hour do you want?
        Can you specify a time for that meeting?
        Please let me know the time.
        Just to check, what time would you like me to schedule it?
        To create the event I need a start time.
        I see you'd like a meeting, but no time was given. What time shall I use?
        When on that day should it start?
        What time slot do you need?
        Could you confirm the hour?
        When exactly should they meet - at what time?
        Starting when?
    """),
    "duration": _lines("""
        How long should it be?
        How long will the meeting last?
        What is the duration?
        How much time should I block?
        For how many minutes?
        How many hours do you need?
        What length should the event have?
        Is half an hour enough?
        Should I make it 30 or 60 minutes?
        When should it end?
        Could you tell me how long you expect it to take?
        Please give me the duration of the meeting.
        Duration?
        And for how long?
        How long do you want the call to go on?
        I need to know how long to reserve.
        How much of the calendar should it take up?
        Until when should I book it?
        What's the planned length of it?
        You didn't say how long it should run.
        One question: how long?
        May I ask about the expected duration?
        The duration is missing. What shall I enter?
        Would an hour do?
        How many minutes shall I set aside?
        What end time do you want?
        Can you specify the length of the meeting, please?
        How long is it going to be?
        Before I book it, let me know the length.
        Do you need a full hour for this?
    """),
    "participant": _lines("""
        Who should attend?
        Who is the meeting with?
        With whom should I schedule it?
        Whom shall I invite?
        Who else will be there?
        Which colleague should I add?
        Who are the participants?
        Could you tell me who will take part?
        Who do you want to meet?
        I need the name of the participant.
        Which person is it with?
        Who needs to be invited?
        Please let me know who should be in the meeting.
        Who's joining?
        Whose name do I put on the invitation?
        Who's the attendee?
        Participant?
        And with who?
        To whom should the invitation go?
        Could I have the attendee's e-mail address?
        You haven't told me who the other person is.
        Who will you be talking to?
        Please specify the attendee.
        The guest is missing: who is it?
        What's the name of the person you want to meet with?
        Who should I send the invite to?
        Is there somebody in particular you'd like to meet?
        Do you have a specific colleague in mind?
        I can't book it without knowing who is coming.
        What's the participant's email?
    """),
    "recipient": _lines("""
        Who should I send it to?
        To whom should the e-mail go?
        Who is the recipient?
        Which address should I use?
        What's the recipient's email address?
        Who's it for?
        Who is it for?
        Whom should I write to?
        Who gets this message?
        Who should receive the mail?
        Could you tell me who the mail is addressed to?
        Please give me the recipient.
        Recipient?
        I need to know who to send this to.
        Where should I send it?
        Which person do you want me to e-mail?
        And who should I forward it to?
        Who would you like me to contact?
        To which colleague?
        I don't see an addressee. Who is it?
        Who shall I address it to?
        Can you specify to whom it should be sent?
        Who are we writing to?
        May I know the name of the person who should get it?
        The recipient is missing in your message - who do you mean?
        Whose inbox should it land in?
        Send it to whom?
        Please let me know the address it should go to.
        For whom is the message?
        Before I send it, who's on the receiving end?
    """),
    "subject": _lines("""
        What should the subject be?
        What's the subject line?
        Which subject should I use?
        What subject would you like for the e-mail?
        Subject?
        And the subject line?
        Could you give me a subject for the mail?
        I need a subject before I can send it.
        What should I put in the subject field?
        Please let me know the subject.
        Under what subject should it go out?
        What shall I write as the subject?
        What heading should the email have?
        You didn't mention a subject. What should I use?
        How should the subject line read?
        Can you specify the subject of the message?
        What would you like the subject to say?
        The subject is missing.
        Which title should the mail carry?
        What do I enter as its subject?
        May I have the subject line, please?
        Do you have a subject in mind?
        What's the email's subject going to be?
        Please tell me what the subject line should say.
        Is there a subject you'd like?
        Everything is ready except the subject. What is it?
        What would be a suitable subject for you?
        Kindly provide the subject.
        I'd like to know the subject of the mail.
        What subject do you want it to have?
    """),
    "body": _lines("""
        What should the e-mail say?
        What should I write?
        What is the message?
        What text should go in the mail?
        What's the content of the email?
        Body?
        And the body?
        What do you want to tell her?
        Could you give me the text of the message?
        What would you like me to say?
        I need the body of the e-mail.
        Please provide the content.
        What should it say?
        Which text shall I send?
        What message should I pass on?
        What exactly do you want me to write in it?
        How should the mail be worded?
        What do you want to let him know?
        The body of the mail is missing. What should go in it?
        Can you dictate the message for me?
        What's the wording?
        What should the body contain?
        Please tell me what the message should be.
        I don't know what to write yet. What should the mail say?
        What would you like to communicate?
        What should I put in the body?
        May I have the text, please?
        What's it going to say?
        What do you want the email to say?
        You did not give me any content for the message.
    """),
    "title": _lines("""
        What should the event be called?
        What's the title?
        What name should I give it?
        How should I name the task?
        What is the meeting about?
        What should I call it?
        Title?
        And the name of the event?
        Could you give me a title for the meeting?
        Under what name should I enter it?
        Which name shall I use for the task?
        I need a title for it.
        What's the task called?
        Please let me know the name of the task.
        What should the title be?
        How do you want it to be titled?
        What would you like to call the meeting?
        What do I write as the title?
        What is the purpose of the meeting?
        The name is missing. What should it be?
        Can you specify the title, please?
        What should appear as its name in the calendar?
        What's the topic of the meeting?
        How shall I label it?
        May I ask what the event is called?
        Please provide a name for the new task.
        What title do you want in the calendar?
        You haven't given the meeting a name.
        What's the task - what should it say?
        Do you have a name for it in mind?
    """),
    "board": _lines("""
        Which board should it go on?
        On what board?
        What board do you want it on?
        Board?
        And the board?
        To which board does the task belong?
        I need to know the board.
        Could you tell me which board to use?
        Is it for the Design board or the Back end board?
        Which project board is it?
        Where should the task be filed, which board?
        Please specify the board.
        Should it be on Front end or Back end?
        What board should I put it on?
        Please let me know the board for this task.
        The board is missing. Which one?
        On which of the boards shall I create it?
        Which team's board do I add it to?
        What's the name of the board?
        Can you tell me the board it goes to?
        Does it belong to front end, back end or design?
        You didn't name a board. Which should I choose?
        I'm not sure which board you mean.
        Is there a board you want?
        Which board are we talking about?
        Under which board should I list it?
        To create the task I still need a board.
        May I ask on which board it should appear?
        Let me know which board is the right one.
        Which one of our boards?
    """),
    "status": _lines("""
        Which list should it be in?
        What status should I set?
        What's its status?
        Status?
        And the status?
        Which status should it have?
        Should it go in the backlog or in progress?
        Into which list shall I put it?
        In what column does it belong?
        What state is it in?
        What should the status be?
        Which stage is it at?
        Please tell me the list.
        I need the list the task should be added to.
        Could you specify the status, please?
        What list do you want it in?
        To which list should I move it?
        Is it already in progress?
        Which column should I use?
        The list is missing from your request. Which one?
        What should I set the status to?
        Shall I put it in Backlog?
        Let me know the status you'd like.
        You haven't said which list it goes in.
        How far along is it - which list?
        What status do you want me to enter?
        Please confirm the list.
        Which of the lists should I choose?
        Where on the board should it go, which list?
        May I know the current status?
    """),
    "due_date": _lines("""
        When is it due?
        What's the due date?
        What is the deadline?
        By when should it be done?
        Due date?
        And the deadline?
        By what date does it need to be finished?
        Which date should I set as the deadline?
        When does it have to be ready?
        Until when do they have time?
        Could you give me a due date?
        I need to know the deadline for this task.
        Please specify when it is due.
        What day should it be completed by?
        When do you need it by?
        The due date is missing. What should it be?
        How soon must it be done?
        What due date would you like me to enter?
        When should the task be finished?
        Is there a deadline?
        Please let me know the due date.
        What's the latest it can be done?
        Which day is it due?
        When must the work be complete?
        Should it be due this Friday or next week?
        What deadline shall I put down?
        You didn't tell me when this has to be finished.
        Can you tell me by when you want this?
        How much time does she have for it?
        May I ask for the due date?
    """),
    "assignee": _lines("""
        Who should do it?
        Who is going to be responsible?
        To whom should I assign it?
        Who should I assign it to?
        Assignee?
        And who's in charge?
        Whose task is it?
        Who will take care of it?
        Which colleague should get the task?
        Who's the assignee?
        Could you tell me who is responsible for this?
        I need to know who it should be assigned to.
        Whom shall I give it to?
        Who will be working on it?
        Please specify the assignee.
        Who owns this?
        The task has no owner yet. Who should it be?
        Who gets the task?
        Which person should I put down for it?
        What's the email of the person responsible?
        Who should handle this?
        Under whose name should I create it?
        Please let me know the person to assign.
        You haven't said who should work on it.
        Who do you want to put on this?
        May I ask who's supposed to do that?
        Can you give me the assignee's name?
        Who takes it over?
        Who should it be handed to?
        Is there somebody you want to assign it to?
    """),
    "customer": _lines("""
        Which customer is it?
        Which customer do you mean?
        What's the customer's name?
        Who is the customer?
        Customer?
        And for which client?
        Which client are you talking about?
        Could you tell me the name of the customer?
        I need to know which customer this concerns.
        For which account should I change that?
        Please specify the customer.
        Whose record should I update?
        Which company is this about?
        What is the client called?
        Please let me know the customer's name.
        You didn't mention a customer. Who is it?
        Which of our customers?
        Whose entry do you want me to change?
        Who's the client?
        Can you give me the customer name?
        The customer is missing from the request.
        What customer should I look up?
        About which customer are we talking?
        May I ask which client you have in mind?
        Which entry in the CRM do you mean?
        What's the name of the client, please?
        To find the record I need the customer's name.
        Who exactly is the customer in question?
        Let me know which customer to edit.
        For whom in the customer database?
    """),
    "metric": _lines("""
        Which metric should I plot?
        What figure do you want to see?
        Which metric?
        What should the plot show?
        What do you want me to plot?
        Metric?
        And which number?
        Total visits or engaged users?
        Which statistic are you interested in?
        What data should the chart display?
        Could you tell me which metric you need?
        I need to know the metric for the plot.
        Which value should be plotted?
        Please specify the metric.
        What measure shall I use?
        Which of the figures do you want in the chart?
        What should I chart?
        What quantity should it be?
        You haven't said what the plot should show.
        The metric is missing; which one do you want?
        Which data would you like plotted?
        Please let me know which figure you want.
        Should it be the average session duration or the number of visits?
        What would you like to have on the chart?
        What's the metric?
        Can you tell me what to measure?
        Which analytics metric do you mean?
        What numbers do you need?
        What kind of data is it about?
        May I ask which metric you want?
    """),
    "product": _lines("""
        Which product are they interested in?
        What product is it about?
        Product?
        And the product interest?
        What are they interested in?
        Which of our products does the customer want?
        What product interest should I enter?
        Is it software or hardware?
        Could you tell me the product?
        I need to know what they want to buy.
        Please specify the product interest.
        What is he interested in?
        Which product should I note down?
        What do they want to purchase?
        Which product line is it?
        What's the product they're asking for?
        The product interest is missing. What should it be?
        What's the customer's interest?
        Let me know which product it is.
        Which product should be on the record?
        What would the client like to buy?
        You didn't say which product.
        What sort of product is it?
        Do they want consulting or training?
        What should I put down as their interest?
        Which of the products do you mean?
        Please tell me the product they care about.
        May I ask which product interests them?
        In which product is the customer interested?
        What product shall I record?
    """),
    "new_value": _lines("""
        What should I change it to?
        To what should I change it?
        What's the new value?
        What should it be instead?
        New value?
        And what should it be now?
        What do you want it changed to?
        Which value should it have?
        What shall I set it to?
        Could you tell me the new value?
        I need to know what to change it to.
        Please specify what it should be changed to.
        What is it supposed to be?
        What should the new one be?
        What should I replace it with?
        What would you like me to enter instead?
        What value do I put in?
        To which value should I update it?
        What's the correct value?
        What should the field say afterwards?
        You didn't say what to change it to.
        Let me know the new value, please.
        And what would you like it to be?
        Change it to what?
        What's the update?
        What should I update it to?
        The new value is missing from your message.
        How should it read in future?
        What do I set?
        May I ask what the new value is?
    """),
}
"""At least 30 questions a slot, each about this slot and no other."""
