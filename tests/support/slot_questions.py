"""Questions about each slot with which the understanding was written; messages that ask nothing."""

from __future__ import annotations

__all__ = [
    "ANYTHING_ELSE",
    "CANNOT",
    "DETAILS",
    "GO_AHEAD",
    "QUESTIONS",
    "REQUESTS",
    "STATEMENTS",
    "UNCLEAR",
]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


REQUESTS = {
    "meeting": ("title", "day", "time", "duration", "participant"),
    "mail": ("recipient", "subject", "body"),
    "task": ("title", "assignee", "due_date", "board", "status"),
    "customer": ("customer", "status", "product", "assignee"),
    "change": ("customer", "new_value"),
    "plot": ("metric", "day"),
}
"""The slots that kinds of requests have. A question is understood among those of its request."""

QUESTIONS = {
    "day": _lines("""
        Which date shall I take?
        I can set it up as soon as I know the day.
        What's a good day for you?
        On Wednesday or on Friday?
        Could the meeting be on Monday?
        The date isn't in your message. Please add it.
        Can you give me the exact date for the event?
        Which of the days next week do you prefer?
        Any day in particular?
        I've checked the calendar. Which day should I take?
        Should I take tomorrow?
        Just the date, please.
        Sorry, what was the date again?
    """),
    "time": _lines("""
        When should we start?
        What is the starting time?
        At 2 pm or at 3 pm?
        Could it begin at 14:30?
        How late in the day should it be?
        What time of the day?
        The time is still open. When would you like to begin?
        At which time, please?
        Do you want it in the morning or in the afternoon?
        Tell me the time and I'll book it.
        I don't know the time yet.
        Just the start time, please.
        And it starts when?
        What hour suits you?
    """),
    "duration": _lines("""
        How long do you need?
        How long should I reserve the slot for?
        45 minutes?
        When will it be over?
        When does it end?
        What time does it finish?
        Shall I book an hour or two?
        How long a meeting do you want?
        What's the length?
        How much time do you want to have?
        How many minutes is the meeting?
        I don't know how long it lasts.
        Would 90 minutes be fine?
        Just the length, please.
        Is it a one hour meeting?
        Is it a short or a long meeting?
    """),
    "participant": _lines("""
        Who should come?
        Who shall I invite to it?
        Who do I add as a participant?
        Who is the other person?
        Who are you meeting?
        Who would you like to have there?
        Which of your colleagues is it with?
        With who, please?
        I need an attendee.
        Who is going to be at the meeting?
        Who's invited?
        Who will be present?
        Any colleague I should invite?
        Could you name the person you'd like to meet?
    """),
    "recipient": _lines("""
        Who gets it?
        Who will be reading it?
        Who do I send this to?
        To which address?
        Which colleague is the mail for?
        Who am I writing to?
        Which person should get the mail?
        Who is supposed to get it?
        Where does it go?
        To whom?
        Send to?
        The address is missing.
        Who should be informed?
        I need the address of the person.
    """),
    "subject": _lines("""
        What is the subject of the mail?
        What do I put as the subject?
        Subject line, please?
        Which heading do you want?
        What title should I give the email?
        The subject isn't clear to me.
        What should stand in the subject line?
        Any particular subject?
        Could you name the subject?
        I haven't got a subject yet.
        What is the email about?
        With which subject?
        What should the topic line say?
        What should the heading say?
    """),
    "body": _lines("""
        What shall I write to her?
        What would you like to say?
        What do you want me to tell them?
        And the message itself?
        What is the text?
        What words should I use in the mail?
        Text of the message?
        How should I phrase it?
        What do I say?
        What are the contents of the mail?
        What is it that you want to say?
        I need the message text.
        And what should it say?
        Just the text, please.
    """),
    "title": _lines("""
        What's it called?
        What do you want to call it?
        What should I name it?
        What's it about?
        Which title shall it have?
        How should I call the event?
        I need a name for the entry.
        What name do you want?
        Any title?
        And the topic?
        What will the name be?
        How is it called?
        Please name it for me.
        What's the occasion?
    """),
    "board": _lines("""
        Which board?
        Which board is right?
        What's the board?
        Front end or back end?
        On which board do you want me to create it?
        Is that for Design?
        I need the name of the board.
        Which team is it for?
        Where shall I put it: Design, Front end or Back end?
        Which board does it belong on?
        Let me know on which board it goes.
        Just the board, please.
    """),
    "status": _lines("""
        Backlog or in progress?
        In which list?
        On what list should I put it?
        What is the status now?
        In which state should it be?
        I need the list.
        Which column is it in?
        What stage?
        Shall I set it to completed?
        Has it been started, or is it in the backlog?
        Just the list, please.
        Which list do you want?
    """),
    "due_date": _lines("""
        Until when?
        When must it be finished?
        When do you want it done?
        By which day?
        What date is it due?
        When should it be ready by?
        How urgent is it?
        When is the deadline?
        Which deadline?
        By Friday?
        The deadline is missing.
        When is it supposed to be done?
        How long do they have?
        Just the due date, please.
    """),
    "assignee": _lines("""
        Who does it?
        Who's doing it?
        Who is it for?
        Whom do I assign?
        Who is taking care of that?
        Who should be responsible for it?
        Which colleague will do it?
        Assign it to whom?
        Who is in charge of it?
        The assignee is missing.
        Who should look after it?
        For whom is the task?
        To which person should it go?
        Just the assignee, please.
    """),
    "customer": _lines("""
        Which client?
        Who is it about?
        Whose data should I change?
        Which record?
        What is the customer called?
        What's the name?
        For which customer?
        Could you name the customer?
        I need the client's name.
        Which company do you mean?
        Which customer are you referring to?
        About whom?
        Just the customer, please.
        Who are we talking about?
    """),
    "metric": _lines("""
        What should I measure?
        What should be on the plot?
        Which numbers should I show?
        Visits or users?
        What do you want to see?
        Which figure?
        I need the metric.
        What shall the graph show?
        Average session duration?
        What is to be plotted?
        Which data, please?
        Just the metric, please.
    """),
    "product": _lines("""
        What do they want?
        What are they looking for?
        What does the customer want to buy?
        Which product?
        Hardware, software or services?
        What product does she want?
        I need the product.
        What's their interest?
        What is she interested in?
        The product is missing.
        Interested in what?
        Just the product, please.
    """),
    "new_value": _lines("""
        What's it going to be?
        What should it be?
        What should I put there?
        What is the new one?
        What's right, then?
        Set it to what?
        What do you want there instead?
        I need the new value.
        Which value is correct?
        What should I write in that field?
        And the new value?
        What should it say now?
        What's the new status?
        What do I change it into?
    """),
}

STATEMENTS = _lines("""
    Done.
    I've booked it for Thursday at 10:00 with Anna Bell.
    The e-mail has been sent. Is there anything else I can do for you?
    All set! Let me know if you need anything else.
    The event was created. Let me know if the time doesn't suit you.
    I have moved the task to the board Design and set its due date.
    Your request has been completed. Feel free to ask if you have any questions.
    I created the event "Who are we?" for you.
    The customer's status is now Won.
    Thank you. Have a nice day!
    OK.
    The mail with the subject "Which day?" was sent.
    I've made the change you asked for. Would you like me to help with anything else?
    The plot of total visits is ready. If you need another one, just ask.
    The meeting starts at 9:30 and lasts half an hour.
    Please find the details in the calendar.
    What else can I do for you? The meeting is booked.
    The task is due on Friday, and Ben is responsible for it.
    Please let me know if you would like to change anything.
    I set the title, the day and the time as you wished.
""")

ANYTHING_ELSE = _lines("""
    Is there anything else?
    Anything else?
""")

DETAILS = _lines("""
    Anything else I should know?
    Do you have any other details?
    What else should I know?
    Please give me all the details.
    Can you tell me more?
    Could you provide more information?
    Is there anything missing?
    Please provide the missing information.
    Do you have any preferences?
    Is there something else I need to know?
    Any further requirements?
    Tell me everything.
    What other details can you give me?
    Do you have additional information for me?
    Could you give me the remaining details, please?
    I need more details.
""")

UNCLEAR = _lines("""
    What?
    Could you clarify?
    I'm not sure what you mean. Can you explain?
    Hm, can you rephrase that?
    Pardon?
    Why?
    Which one?
    Can you help me with this?
    What do you mean by that?
    I don't understand. Could you say that again?
    How?
""")

GO_AHEAD = _lines("""
    Shall I go ahead?
    Should I proceed?
    Is that correct?
    Do you want me to do it?
    Is this OK?
    Shall I book it?
    May I send it now?
    Are you sure?
    Can you confirm?
    Would you like me to proceed with this?
""")

CANNOT = _lines("""
    I'm sorry, but I can't do that.
    I cannot find a customer with that name.
    This is not possible.
    There is no such event in the calendar.
    Unfortunately I was unable to complete the request: nobody by that name works here.
    The request cannot be carried out because the task does not exist.
    I couldn't find the e-mail, so I have changed nothing.
    There's no customer called Vane, so I left everything as it is.
    Sorry, the tools don't let me do this: it can't be done.
    It is impossible to delete an event that does not exist.
    No task with this name was found. Let me know if you need anything else.
""")
