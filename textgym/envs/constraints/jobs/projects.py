"""Jobs about what people work on."""

from __future__ import annotations

from textgym.envs.constraints.jobs.job import CODES, DATES, PEOPLE, PRICES, Detail, Job, names

__all__ = ["PROJECT_JOBS"]

_MEETING = Job(
    kind="meeting summary",
    thing="decision",
    subjects=names(
        "Budget Catering Courtyard Furniture Handbook Heating Library Lobby Rooftop Signage",
        "Audit Overhaul Plan Proposal Refit Renewal Review Scheme Survey Upgrade",
    ),
    requests=(
        "Summarise for those who were absent what the meeting decided on {which}.",
        "Write a short meeting summary that deals with {which}.",
        "Please sum up the decision on {which} for the minutes.",
        "Could you write two or three paragraphs on {which} for the protocol?",
    ),
    notes=("My notes of the meeting:", "Decisions, as jotted down:", "From the whiteboard:"),
    openings=(
        "The meeting approved the {subject}.",
        "After a long discussion the {subject} was passed.",
        "One of the topics was the {subject}.",
        "We now have a decision on the {subject}.",
    ),
    details=(
        Detail(
            "person in charge",
            PEOPLE,
            "led by {}",
            (
                "The person in charge is {} from now on.",
                "It was agreed that {} will take the lead.",
                "All reports go to {} first.",
            ),
        ),
        Detail(
            "deadline",
            DATES,
            "due on {}",
            (
                "Everything has to be finished by {}.",
                "The deadline is {} and will not move.",
                "A final report is expected on {}.",
            ),
        ),
        Detail(
            "limit of costs",
            PRICES,
            "with a limit of {} a head",
            (
                "The costs may not exceed {} a head.",
                "The limit was set at {} for each employee.",
                "Treasury has released {} per person.",
            ),
            "with the lowest limit of costs",
        ),
        Detail(
            "file",
            CODES,
            "with the file {}",
            (
                "All papers are in file {}.",
                "See {} for the full text.",
                "The reference is {} in the archive.",
            ),
        ),
    ),
    fillers=(
        "The vote was clear, although the debate was not.",
        "Two members abstained and nobody objected.",
        "A first draft had been circulated in advance.",
        "The chair asked for patience, for fresh ideas and for fewer emails.",
        "Details will be settled in smaller groups.",
        "There was some doubt about the schedule, yet the mood was good.",
    ),
    closings=(
        "The next meeting will return to the matter.",
        "The minutes will be signed in due course.",
        "No other points were raised on this topic.",
    ),
    usual=("agreed", "discussed", "ensure", "responsible", "team", "summary", "key", "total"),
)

_STATUS = Job(
    kind="status update",
    thing="project",
    subjects=names(
        "Aurora Beacon Comet Delta Echo Fathom Granite Horizon Isotope Juno",
        "Bridge Crawler Index Ledger Migration Mirror Parser Pipeline Scheduler Tracker",
    ),
    requests=(
        "Write a status update on {which} for the management.",
        "Please write this week's status update on {which}.",
        "Could you tell the customer in a short mail how {which} is going?",
        "I need a status update about {which} for the newsletter.",
    ),
    notes=("The state of the projects:", "From the weekly sheet:", "What the teams reported:"),
    openings=(
        "The {subject} is making good progress.",
        "Here is the latest on the {subject}.",
        "The {subject} has had a busy week.",
        "There is news of the {subject}.",
    ),
    details=(
        Detail(
            "progress",
            tuple(f"{n} percent" for n in range(8, 98)),
            "that stands at {}",
            (
                "We have reached {} of the plan.",
                "Our counter now shows {} done.",
                "By our estimate {} of the work is behind us.",
            ),
            "with the lowest progress",
        ),
        Detail(
            "next release",
            DATES,
            "with a release on {}",
            (
                "The next release is due on {}.",
                "We will ship again on {}.",
                "Testers should be ready on {}.",
            ),
        ),
        Detail(
            "lead",
            PEOPLE,
            "led by {}",
            (
                "The lead is {} as before.",
                "Decisions are made by {} in the end.",
                "Praise is due to {} for steady hands.",
            ),
        ),
        Detail(
            "open ticket",
            CODES,
            "with the open ticket {}",
            (
                "The hardest open ticket is {}.",
                "Most of our time goes into {} at present.",
                "One ticket remains open and that is {}.",
            ),
        ),
    ),
    fillers=(
        "The tests are green, and the logs are quiet.",
        "A few rough edges remain, but none of them is serious.",
        "Users have noticed the difference and told us so.",
        "The new machines arrived late or the figures would be better.",
        "Nobody works at weekends, for tired people make mistakes.",
        "We dropped one feature, yet nobody seems to miss it.",
    ),
    closings=(
        "More will follow next week.",
        "As ever, honest questions are welcome.",
        "We are confident that it stays that way.",
    ),
    usual=("currently", "progress", "track", "team", "completed", "update", "milestone", "overall"),
)

PROJECT_JOBS = (_MEETING, _STATUS)
