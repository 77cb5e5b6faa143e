"""Jobs for visitors and users."""

from __future__ import annotations

from textgym.envs.constraints.jobs.job import (
    CODES,
    DURATIONS,
    PEOPLE,
    PHONES,
    PLACES,
    PRICES,
    TIMES,
    Detail,
    Job,
    names,
)

__all__ = ["VISITOR_JOBS"]

_DIRECTIONS = Job(
    kind="directions",
    thing="venue",
    subjects=PLACES,
    requests=(
        "Write directions to {which} for visitors who come by bus.",
        "Our guests keep getting lost: please write short directions to {which}.",
        "Could you describe the way to {which} for our web page?",
        "I need a few lines that tell visitors how to get to {which}.",
    ),
    notes=("What we know of the venues:", "Ways and lines:", "From the visitors' handbook:"),
    openings=(
        "Getting to {subject} is easier than it looks.",
        "This is how you get to {subject}.",
        "The way to {subject} is quickly explained.",
        "You are on your way to {subject}.",
    ),
    details=(
        Detail(
            "bus",
            tuple(f"Line {n}" for n in range(3, 99)),
            "that is reached by {}",
            (
                "Take {} from the central station.",
                "The right bus is {} towards the hills.",
                "Get on {} and stay on it until your stop.",
            ),
        ),
        Detail(
            "stop",
            names(
                "Abbey Bakers Brook Castle Ferry Granite Market Mill Priory Stone",
                "Bridge Corner Cross Gate Green Lane Row Square Street Yard",
            ),
            "near the stop {}",
            (
                "Your stop is called {}.",
                "Get off at {} and look for the green sign.",
                "When you hear {} announced it is time to get off.",
            ),
        ),
        Detail(
            "walk from the stop",
            DURATIONS,
            "to which it is a walk of {}",
            (
                "The walk from there takes {} at an easy pace.",
                "Allow {} for the walk along the wall.",
                "It is a pleasant walk of {} from the stop.",
            ),
            "with the shortest walk",
        ),
        Detail(
            "phone at the gate",
            PHONES,
            "whose gate answers under {}",
            (
                "If the gate is closed call {} and wait.",
                "The porter answers under {} at all hours.",
                "Should you lose your way then {} will help.",
            ),
        ),
    ),
    fillers=(
        "Comfortable shoes are a good idea.",
        "The path is lit at night, but it can be slippery after rain.",
        "Turn left at the fountain and follow the old wall.",
        "Wheelchairs and prams can use the ramp behind the chapel.",
        "The driver knows the place and will gladly give a sign.",
        "There is a kiosk on the way, so nobody has to stay hungry.",
    ),
    closings=(
        "Have a good journey and see you soon.",
        "Enjoy the walk and mind the last step.",
        "We will keep a light on for you.",
    ),
    usual=("arrive", "head", "continue", "directions", "exit", "located", "simply", "destination"),
    article="",
)

_FAQ = Job(
    kind="FAQ entry",
    thing="service",
    subjects=names(
        "Bicycle Boat Camera Drone Garden Instrument Kayak Projector Tool Trailer",
        "Clinic Exchange Insurance Locker Pool Rental Repair Storage Training Workshop",
    ),
    requests=(
        "Write the entry on {which} for the page of frequently asked questions.",
        "People keep asking about {which}. Please write an FAQ entry on it.",
        "Could you answer the usual questions about {which} in a short FAQ entry?",
        "Our help page lacks an entry on {which}; please write one.",
    ),
    notes=("Facts on the services:", "From the service handbook:", "What the desk has on file:"),
    openings=(
        "How does the {subject} work?",
        "Many people ask us about the {subject}.",
        "Here is what you should know about the {subject}.",
        "The {subject} is open to everybody.",
    ),
    details=(
        Detail(
            "fee",
            PRICES,
            "that costs {}",
            (
                "The fee is {} for each use.",
                "You pay {} in advance.",
                "We charge {} and nothing on top.",
            ),
            "with the lowest fee",
        ),
        Detail(
            "opening hour",
            TIMES,
            "that opens at {}",
            (
                "The counter opens at {} every day.",
                "You can come from {} onwards.",
                "Nobody is there before {} in the week.",
            ),
        ),
        Detail(
            "form",
            CODES,
            "that needs form {}",
            (
                "Please fill in form {} beforehand.",
                "All we need from you is form {} with a signature.",
                "Form {} is at the counter and on our web page.",
            ),
        ),
        Detail(
            "contact",
            PEOPLE,
            "run by {}",
            (
                "Your contact is {} at the front desk.",
                "In case of doubt ask for {} by name.",
                "Complaints and praise go to {} in person.",
            ),
        ),
    ),
    fillers=(
        "Members and guests are treated alike.",
        "A valid card or a passport is enough to sign up.",
        "Cancel in time, or the deposit will stay with us.",
        "Damage should be reported at once, however small it is.",
        "The rules are short, yet they are taken seriously.",
        "Regular users get a reminder before their time runs out.",
    ),
    closings=(
        "We hope this answers your question.",
        "Anything else is best discussed at the counter.",
        "Give it a try and tell us how it went.",
    ),
    usual=(
        "service",
        "available",
        "contact",
        "required",
        "ensure",
        "provide",
        "question",
        "assist",
    ),
)

_COURSE = Job(
    kind="course description",
    thing="course",
    subjects=names(
        "Applied Basic Creative Digital Evening Intensive Practical Rapid Summer Weekend",
        "Astronomy Baking Carpentry Drawing Fencing Knitting Pottery Rhetoric Singing Weaving",
    ),
    requests=(
        "Write a course description of {which} for the programme.",
        "Please write a text for the brochure that makes people curious about {which}.",
        "Could you describe {which} in a few lines for our web page?",
        "The programme still lacks a text on {which}; please write it.",
    ),
    notes=("Courses of the term:", "From the timetable:", "What the teachers sent in:"),
    openings=(
        "In {subject} you learn by doing.",
        "With {subject} we offer something for curious minds.",
        "Sign up for {subject} and surprise yourself.",
        "Few courses are as popular as {subject} these days.",
    ),
    details=(
        Detail(
            "teacher",
            PEOPLE,
            "taught by {}",
            (
                "Your teacher is {} who has years of practice.",
                "The course is taught by {} with much humour.",
                "All sessions are led by {} in person.",
            ),
        ),
        Detail(
            "fee",
            PRICES,
            "that costs {}",
            (
                "The fee is {} including all materials.",
                "You pay {} for the whole term.",
                "It costs {} and not a penny more.",
            ),
            "with the lowest fee",
        ),
        Detail(
            "length of a session",
            DURATIONS,
            "with sessions of {}",
            (
                "Each session lasts {} with a short break.",
                "We meet for {} at a time.",
                "Count on {} per session.",
            ),
            "with the shortest sessions",
        ),
        Detail(
            "room",
            PLACES,
            "held in {}",
            (
                "The sessions are held in {}.",
                "We meet in {} on the ground floor.",
                "Our room is {} near the stairs.",
            ),
        ),
    ),
    fillers=(
        "No previous knowledge is needed, only some patience.",
        "Groups are small, so everybody gets a turn.",
        "Bring old clothes, a pencil and an open mind.",
        "Some finish a piece of their own or begin a long hobby.",
        "It is demanding work, but the results speak for themselves.",
        "A certificate is given out at the end of term.",
    ),
    closings=(
        "Places are limited and fill up fast.",
        "We would be glad to have you with us.",
        "Sign up while there is still room.",
    ),
    usual=("learn", "skills", "explore", "perfect", "beginners", "hands", "discover", "techniques"),
    article="",
)

VISITOR_JOBS = (_DIRECTIONS, _FAQ, _COURSE)
