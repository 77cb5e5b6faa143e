"""The vocabulary of generated companies: people, companies, meetings, tasks and e-mail texts.

Invariants: within a list no entry is part of another, so a search for one never finds another;
every first name is a single word of ASCII letters, as addresses require.
"""

from __future__ import annotations

from textgym.envs.generation import MONTHS, WEEKDAYS

__all__ = [
    "ANSWERS",
    "BOARDS",
    "COMPANIES",
    "CUSTOMER_FIRMS",
    "CUSTOMER_FIRST_NAMES",
    "CUSTOMER_LAST_NAMES",
    "EVENTS",
    "FIRST_NAMES",
    "INTERESTS",
    "LAST_NAMES",
    "LISTS",
    "MONTHS",
    "NEW_MAILS",
    "NEW_MEETINGS",
    "NEW_TASKS",
    "NOTES",
    "OPENINGS",
    "PRODUCTS",
    "REPLIES",
    "SIGN_OFFS",
    "SOURCES",
    "STATUSES",
    "SUBJECTS",
    "WEEKDAYS",
    "WORK",
]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines())


FIRST_NAMES = _words(
    """
    Abena Adil Agata Bashir Beatriz Bjorn Bruno Camille Chidi Cosmo Dalia Darragh Dewi Eamon Elif
    Emeka Esther Fabio Farida Femke Gaspard Gemma Goran Greta Hamza Hedda Hugo Ilse Imani Ingrid
    Isidro Ivo Jacinta Jelena Jomo Juno Kamala Kenji Kirsten Kwame Laszlo Leonor Linh Lorcan Magnus
    Mahmoud Malia Mirela Nadir Naomi Nkechi Noor Oksana Omar Oskar Paloma Pavel Petra Priya Quentin
    Rafael Renske Rohan Rosalind Saanvi Selma Shira Silvio Tariq Tereza Thandi Tobias Ulrike Usha
    Vasco Viggo Wambui Wilhelm Xenia Yannick Yusuf Zeynep Zofia
    """
)
LAST_NAMES = _words(
    """
    Abara Aguilar Almeida Bakker Banerjee Bergstrom Boateng Castellan Chaudhry Costigan Dalgaard
    Demir Dlamini Drago Eklund Espinoza Farrow Fontaine Galvao Ghosh Grabowski Haddad Halloran
    Hendriks Horvat Ibrahim Ishikawa Jansson Kaplan Karimi Kimura Kowal Lindqvist Lombardi Mahlangu
    Marchetti Mbeki Moreno Nakamura Novak Nwosu Obrien Okafor Olsen Pereira Petrov Quispe Rasmussen
    Reyes Romano Sandoval Sethi Sorensen Tavares Thapa Tremblay Ueda Vantongeren Vasquez Visser
    Wanjiru Weiss Yilmaz Zielinski
    """
)
CUSTOMER_FIRST_NAMES = _words(
    """
    Ada Alistair Amber Barnaby Bianca Callum Celeste Clive Daphne Declan Dorothea Edmund Eloise
    Felix Flora Gideon Harriet Hollis Iris Jasper Jocelyn Kit Lachlan Lydia Marcus Maude Nigel
    Odette Orla Percy Phoebe Ralph Rowena Rufus Sabine Seth Sidney Tamsin Theo Una Victor Winifred
    """
)
CUSTOMER_LAST_NAMES = _words(
    """
    Ashdown Barlow Birch Caldwell Cartwright Copeland Darnell Ellison Fairbanks Foss Garland
    Hawthorne Holloway Ingram Jessop Kendrick Langley Lockhart Marlowe Mercer Norwood Oakley
    Pemberton Prescott Quigley Radcliffe Redfern Sinclair Stanhope Thackeray Underhill Vickers
    Wainwright Whitlock Winslow Yardley
    """
)
COMPANIES = _words(
    """
    alderpoint brightwater cedarlane driftline emberfield fernhollow gladestone harborlight
    juniperworks kestrelbay lumenridge maplecourt northbeam orchardlab pinecrest quarrystone
    rivermark saltmeadow tidewell windmere
    """
)
CUSTOMER_FIRMS = _words(
    """
    amberfreight basaltbuild cobaltcare dawnfoods elmtextile falconparts granitebank hazelhotels
    irongatelogistics jadepharma kilnceramics larchmedia mistralair nimbusinsure opalprint
    pebbletoys quillbooks roverrail silofarms tallowpaper umbraoptics velvetfashion willowclinics
    yarrowseeds zincmotors
    """
)
EVENTS = _lines(
    """
    Accessibility Review
    Architecture Forum
    Board Briefing
    Budget Checkpoint
    Bug Triage
    Career Conversation
    Churn Analysis
    Content Calendar
    Contract Negotiation
    Customer Advisory Circle
    Data Quality Clinic
    Design Critique
    Expense Policy Q&A
    Field Visit Planning
    Hiring Panel
    Incident Retrospective
    Localisation Standup
    Marketing Huddle
    Onboarding Walkthrough
    One-to-One
    Partner Roundtable
    Pipeline Inspection
    Pricing Workshop
    Quarterly Forecast
    Release Rehearsal
    Roadmap Session
    Security Drill
    Sprint Planning
    Support Handover
    Vendor Demo
    """
)
PRODUCTS = ("Anchor", "Beacon", "Compass", "Dovetail", "Ember", "Fathom", "Granary", "Heron")
BOARDS = ("Back end", "Front end", "Design")
LISTS = ("Backlog", "In Progress", "In Review", "Completed")
WORK = {  # actions and objects of the tasks on each board
    "Back end": (
        (
            "Add logging to the {}",
            "Profile the {}",
            "Refactor the {}",
            "Secure the {}",
            "Test the {}",
        ),
        _lines(
            """
            account service
            export job
            file upload
            mail queue
            nightly backup
            password reset
            payment gateway
            permission table
            rate limiter
            report builder
            search index
            session cache
            """
        ),
    ),
    "Front end": (
        ("Animate the {}", "Fix the layout of the {}", "Speed up the {}", "Translate the {}"),
        _lines(
            """
            activity feed
            billing page
            checkout form
            contact list
            image gallery
            invite dialog
            language switch
            map view
            notification panel
            order history
            settings page
            signup wizard
            """
        ),
    ),
    "Design": (
        ("Draw icons for the {}", "Prototype the {}", "Restyle the {}", "Sketch a new {}"),
        _lines(
            """
            app tour
            colour palette
            email header
            empty state
            error page
            help centre
            landing page
            logo
            mobile menu
            newsletter
            status banner
            welcome screen
            """
        ),
    ),
}
STATUSES = ("Lead", "Qualified", "Proposal", "Won", "Lost")
INTERESTS = ("Software", "Hardware", "Services", "Consulting", "Training")
SOURCES = ("direct", "referral", "search engine", "social media")
NOTES = _lines(
    """
    Had a call.
    Sent the price list.
    Asked for a reference.
    Met at the fair.
    Wants a trial first.
    Budget is decided next quarter.
    Saw the demo.
    Left a voice message.
    """
)
SUBJECTS = {
    "event": ("Agenda for the {}", "Notes from the {}", "Room for the {}", "Moving the {}?"),
    "task": ("Progress: {}", "Question on: {}", "Blocked: {}"),
    "product": (
        "{} launch date",
        "{} demo for the fair",
        "{} beta feedback",
        "{} licence renewal",
        "{} price sheet",
    ),
}
OPENINGS = {
    "event": _lines(
        """
        I put together a first agenda. Is there anything that you want to add?
        Could we keep it to half an hour this time? My week is rather full.
        The small room is taken, so I asked for the one on the second floor.
        Two people cannot make it. Shall we go ahead without them?
        I wrote down what we agreed on; please have a look before Friday.
        Last time we ran over. I would like to start with the open points.
        """
    ),
    "task": _lines(
        """
        The first half is done. I expect to hand it in for review this week.
        I am stuck: the staging data does not match what we see live.
        Who signs this off on our side? I would rather ask before I go on.
        It took longer than planned because the tests were failing for another reason.
        I have two versions and cannot decide. Can you look at them?
        There is one open question about the old customers. The rest is clear.
        """
    ),
    "product": _lines(
        """
        Three customers asked about it this week. What may I tell them?
        I think we should wait for the numbers of last month.
        The printers need our final text by the end of next week.
        Legal has read it and wants two sentences changed.
        The first reactions are in, and they are better than I feared.
        Can you send me the latest version? Mine is from the spring.
        """
    ),
}
REPLIES = _lines(
    """
    Thanks, that helps. I will come back to you tomorrow.
    Good point. Let me check with the others first.
    I had a look and it is fine by me.
    Could you explain the second point once more?
    Sorry for the late answer, I was travelling.
    Agreed. Please go ahead.
    I would rather not, but I see no other way.
    Here is what I found: the figures of May are missing.
    Let us talk about it when we meet.
    Done. Tell me if something looks odd.
    """
)
ANSWERS = _lines(
    """
    Thanks for the update - I will get back to you tomorrow.
    Got it, thank you!
    That works for me.
    Please hold this until I have talked to finance.
    Can you send me the details by Thursday?
    I have read it and have nothing to add.
    Let us take this offline.
    Yes, go ahead.
    """
)
NEW_MAILS = (
    ("Seating plan", "The new seating plan is on the wall next to the kitchen."),
    ("Parking on Friday", "The car park is closed on Friday, please come by train."),
    ("Coffee next week?", "It has been a while. Do you have time for a coffee next week?"),
    ("Travel costs", "Please hand in your travel costs before the month ends."),
    ("Your laptop", "Your new laptop is ready. You can pick it up at the front desk."),
    ("Photo for the website", "Could you send me a photo of yourself for the website?"),
    ("Holiday cover", "Who stands in for you while you are on holiday?"),
    ("Feedback form", "Please fill in the feedback form, it takes five minutes."),
    ("Fire drill", "There is a fire drill at eleven. Leave everything as it is and walk out."),
    ("Welcome lunch", "We take the newcomers out for lunch. Will you join us?"),
)
NEW_MEETINGS = _lines(
    """
    Budget questions
    Catch-up
    Handing over
    Introduction round
    Looking at the numbers
    Next steps
    Planning the fair
    Problem solving
    Sorting out priorities
    Walk and talk
    """
)
NEW_TASKS = _lines(
    """
    Answer the auditors
    Clean up old feature flags
    Collect screenshots for the handbook
    Compare two hosting offers
    Document the nightly backup
    Measure page load times
    Prepare the usability test
    Remove the unused tracking script
    Renew the certificates
    Write release notes
    """
)
SIGN_OFFS = ("Best", "Thanks", "Cheers", "Regards", "Talk soon", "All the best")
