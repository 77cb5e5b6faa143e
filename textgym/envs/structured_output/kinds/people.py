"""Records about people: bookings, employees and courses."""

from __future__ import annotations

from textgym.envs.structured_output.forms import (
    code,
    compound,
    count,
    date,
    duration,
    flag,
    listing,
    money,
    person,
    share,
    time,
    word,
)
from textgym.envs.structured_output.kinds.parts import (
    CITIES,
    CONTACT,
    PAYMENT,
    Field,
    Kind,
    Lines,
    enum_field,
)

__all__ = ["BOOKING", "COURSE", "EMPLOYEE"]

_TOPICS = (
    "bookkeeping", "conflict talks", "data tables", "drawing", "first aid", "grammar", "joinery",
    "lighting", "maps", "pronunciation", "statistics", "stage work", "typing", "welding",
)  # fmt: skip

BOOKING = Kind(
    "booking",
    Field("guest", "The name of the guest.", person(), ()),
    ("The front desk has noted a booking of {v}.", "A booking came in by phone, for {v}."),
    "the guest",
    (
        Field(
            "nights",
            "The number of nights.",
            count(2, 28),
            ("{who} stays for {v} nights.", "{who} has booked {v} nights."),
            ("The room had been empty for {v} nights.", "The stay before that took {v} nights."),
        ),
        Field(
            "adults",
            "The number of adults.",
            count(2, 14),
            ("{who} comes with a party of {v} adults in all.",),
            ("The dining room seats {v} adults.",),
        ),
        Field(
            "rate",
            "The price of one night in euros.",
            money(45, 390),
            ("{who} pays {v} a night.", "One night costs {who} {v}."),
            ("Last year the same room was {v} a night.", "The suite would have been {v} a night."),
        ),
        Field(
            "room_code",
            "The code of the room.",
            code(("EG", "OG", "DG"), 3),
            ("{who} gets room {v}.", "Room {v} is reserved for {who}."),
            ("Room {v} is being painted.",),
        ),
        Field(
            "home_city",
            "The city where the guest lives.",
            word(CITIES),
            ("{who} lives in {v}.", "{who} travels from {v}."),
            ("The manager is away in {v}.",),
        ),
        Field(
            "breakfast",
            "Whether breakfast is included.",
            flag(),
            {
                True: ("For {who}, breakfast is part of the price.",),
                False: ("{who} takes the room without breakfast.",),
            },
        ),
    ),
    enum_field(
        "view",
        "What the room looks out on.",
        {
            "sea": ("From the window {who} will see the waves.",),
            "garden": ("From the window {who} will see roses and lawns.",),
            "street": ("From the window {who} will see trams and shops.",),
        },
    ),
    Field(
        "club_code",
        "The code of the club card, or null.",
        code(("CL", "GO", "PL"), 5),
        ("{who} has the club card {v}.",),
        ("Club card {v} was left at the bar.",),
        ("{who} has no club card.",),
    ),
    (
        Field(
            "arrives_on",
            "The day of arrival, as YYYY-MM-DD.",
            date(),
            ("{who} arrives on {v}.", "The arrival of {who} is on {v}."),
            ("The pool is closed until {v}.",),
        ),
        Field(
            "dinner_at",
            "The time of dinner, as HH:MM of 24 hours.",
            time(),
            ("Dinner for {who} is at {v}.",),
            ("The kitchen staff meets at {v}.",),
        ),
    ),
    Field(
        "extras",
        "What was ordered on top, in the order of the text.",
        listing(("bicycle hire", "flowers", "late checkout", "newspapers", "parking", "sauna")),
        ("{who} has ordered {v}.", "On top, {who} asked for {v}."),
        ("The hotel across the street offers {v}.",),
    ),
    (("booked_by", "the person who booked for"), ("emergency", "the emergency contact of")),
    PAYMENT,
    Lines(
        "services",
        "The services, in the order of the text.",
        "The services for {who} are these:",
        "Cancelled again:",
        Field(
            "service",
            "The service.",
            word(("airport transfer", "boat trip", "city tour", "cooking class", "laundry",
                  "massage", "minibar", "ski pass", "tennis court", "wine tasting")),
            ("{v}",),
        ),
        (
            Field("times", "How many times.", count(2, 20), ("{v} times",)),
            Field("price", "The price of one in euros.", money(4, 90), ("{v} each time",)),
        ),
    ),
)  # fmt: skip

EMPLOYEE = Kind(
    "employee",
    Field("full_name", "The full name.", person(), ()),
    ("The personnel office has a file on {v}.", "A note about a colleague, {v}:"),
    "the colleague",
    (
        Field(
            "team_size",
            "The number of people in the team.",
            count(3, 48),
            ("{who} works in a team of {v} people.",),
            ("The canteen seats {v} people at once.", "In the old office there were {v} people."),
        ),
        Field(
            "site",
            "The city of the workplace.",
            word(CITIES),
            ("{who} works in {v}.", "The workplace of {who} is {v}."),
            ("The yearly party was in {v}.", "The company was founded in {v}."),
        ),
        Field(
            "allowance",
            "The monthly allowance in euros.",
            money(20, 480),
            ("{who} gets an allowance of {v} a month.",),
            ("The bus pass alone costs {v} a month.",),
        ),
        Field(
            "workload",
            "The share of full time, as a fraction of 1.",
            share(30, 95),
            ("{who} works {v} of full time.", "The workload of {who} is {v}."),
            ("The pay rise was {v} last year.",),
        ),
        Field(
            "badge_code",
            "The code of the badge.",
            code(("BA", "HR", "ST"), 4),
            ("{who} wears the badge {v}.",),
            ("Badge {v} was reported lost.",),
        ),
        Field(
            "remote",
            "Whether work from home is allowed.",
            flag(),
            {
                True: ("{who} may work from home.",),
                False: ("{who} has to be on the premises every day.",),
            },
        ),
    ),
    enum_field(
        "contract",
        "The kind of contract.",
        {
            "permanent": ("The contract of {who} has no end.",),
            "fixed_term": ("The contract of {who} ends with the project.",),
            "apprentice": ("{who} is still being trained on the job.",),
        },
    ),
    Field(
        "parking_code",
        "The code of the parking space, or null.",
        code(("PA", "PB", "PC"), 3),
        ("{who} parks on {v}.",),
        ("Space {v} is for visitors.",),
        ("{who} has no parking space.",),
    ),
    (
        Field(
            "started_on",
            "The first day at work, as YYYY-MM-DD.",
            date(),
            ("{who} began on {v}.", "The first day of {who} was {v}."),
            ("The building was opened on {v}.",),
        ),
        Field(
            "shift_at",
            "The beginning of the shift, as HH:MM of 24 hours.",
            time(),
            ("The shift of {who} begins at {v}.",),
            ("The canteen opens at {v}.",),
        ),
    ),
    Field(
        "languages",
        "The languages, in the order of the text.",
        listing(("Arabic", "Czech", "Dutch", "French", "Hindi", "Korean", "Polish", "Turkish")),
        ("{who} speaks {v}.", "The languages of {who} are {v}."),
        ("The handbook exists in {v}.",),
    ),
    (("manager", "the manager of"), ("mentor", "the mentor of")),
    CONTACT,
    Lines(
        "trainings",
        "The trainings, in the order of the text.",
        "The trainings of {who} are these:",
        "Planned once and dropped:",
        Field("topic", "The topic.", word(_TOPICS), ("{v}",)),
        (
            Field("lessons", "The number of lessons.", count(2, 40), ("{v} lessons",)),
            Field("fee", "The fee in euros.", money(10, 300), ("a fee of {v}",)),
        ),
    ),
)

COURSE = Kind(
    "course",
    Field(
        "course_title",
        "The title of the course.",
        compound(
            ("Advanced", "Applied", "Basic", "Evening", "Hands-on", "Short", "Summer", "Weekend"),
            ("Accounting", "Botany", "Carpentry", "Drawing", "Editing", "Geology", "Spanish"),
        ),
        (),
    ),
    ("The new programme has a course called {v}.", "The evening school announces {v}."),
    "the course",
    (
        Field(
            "places",
            "The number of places.",
            count(4, 60),
            ("{who} has {v} places.", "There is room for {v} people in {who}."),
            ("Last term {v} people came.", "There are {v} people on the waiting list."),
        ),
        Field(
            "fee",
            "The fee in euros.",
            money(15, 420),
            ("{who} costs {v}.", "The fee of {who} is {v}."),
            ("The textbook for another class costs {v}.",),
        ),
        Field(
            "lesson_minutes",
            "The length of a lesson in minutes.",
            duration(45, 240),
            ("A lesson of {who} takes {v}.",),
            ("The break at noon takes {v}.",),
        ),
        Field(
            "city",
            "The city.",
            word(CITIES),
            ("{who} is held in {v}.",),
            ("A school in {v} has something like it.",),
        ),
        Field(
            "pass_rate",
            "The share of those who pass, as a fraction of 1.",
            share(35, 98),
            ("Of those who take {who}, {v} pass.",),
            ("In the whole school the figure is {v}.",),
        ),
        Field(
            "certificate",
            "Whether there is a certificate.",
            flag(),
            {
                True: ("{who} ends with a certificate.",),
                False: ("{who} ends without a certificate.",),
            },
        ),
    ),
    enum_field(
        "entry_level",
        "What one must know before.",
        {
            "beginner": ("Nobody needs to know anything before {who}.",),
            "intermediate": ("For {who}, one should know the basics.",),
            "expert": ("{who} is only for people who do this for a living.",),
        },
    ),
    Field(
        "room_code",
        "The code of the room, or null.",
        code(("AU", "SE", "WK"), 3),
        ("{who} meets in room {v}.",),
        ("Room {v} is locked at night.",),
        ("No room has been found for {who}.",),
    ),
    (
        Field(
            "begins_on",
            "The first day, as YYYY-MM-DD.",
            date(),
            ("{who} begins on {v}.", "The first day of {who} is {v}."),
            ("The school is closed from {v}.",),
        ),
        Field(
            "meets_at",
            "The time of the lessons, as HH:MM of 24 hours.",
            time(),
            ("The lessons of {who} begin at {v}.",),
            ("The office opens at {v}.",),
        ),
    ),
    Field(
        "equipment",
        "What to bring, in the order of the text.",
        listing(("boots", "brushes", "gloves", "pencils", "rulers", "scissors", "string")),
        ("For {who}, one should bring {v}.",),
        ("The school lends {v}.",),
    ),
    (("teacher", "the teacher of"), ("organiser", "the organiser of")),
    PAYMENT,
    Lines(
        "modules",
        "The modules, in the order of the text.",
        "The modules of {who} are these:",
        "Left out this year:",
        Field("topic", "The topic.", word(_TOPICS), ("{v}",)),
        (
            Field("lessons", "The number of lessons.", count(2, 30), ("{v} lessons",)),
            Field("material_cost", "The material in euros.", money(2, 80), ("material for {v}",)),
        ),
    ),
)
