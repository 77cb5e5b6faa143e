"""Themes of a user's day: professions with typical events and small talk.

An event has a full name and a short name, which later turns use. `{person}` and `{first}` are the
same person.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPANIES", "FIRST_NAMES", "LAST_NAMES", "PROJECTS", "QUESTIONS", "THEMES", "Theme"]


@dataclass(frozen=True, slots=True)
class Theme:
    """A profession.

    Attributes:
        events: Full and short names of events.
        talk: Small talk.
    """

    events: tuple[tuple[str, str], ...]
    talk: tuple[str, ...]


FIRST_NAMES = (
    "Amara", "Anders", "Aoife", "Beatriz", "Bogdan", "Carmen", "Chidi", "Dalia", "Deepika",
    "Dmitri", "Elif", "Emeka", "Esther", "Farid", "Femke", "Gabriel", "Greta", "Hana", "Hugo",
    "Ines", "Ivan", "Jasmine", "Jonas", "Kaito", "Katarzyna", "Kofi", "Lars", "Leila", "Lucía",
    "Magnus", "Marek", "Mei", "Miriam", "Nadia", "Naveen", "Nils", "Olena", "Omar", "Paolo",
    "Petra", "Priya", "Rafael", "Rosa", "Ruben", "Sanna", "Sefa", "Sofia", "Tariq", "Tomás",
    "Ulrike", "Vera", "Wanjiru", "Wei", "Yara", "Yusuf", "Zoë",
)  # fmt: skip
LAST_NAMES = (
    "Abbasi", "Adeyemi", "Almeida", "Andersson", "Bakker", "Banerjee", "Brennan", "Castillo",
    "Chen", "Cohen", "Dubois", "Eriksen", "Fischer", "Fofana", "García", "Haddad", "Hansen",
    "Hoang", "Ito", "Ivanova", "Jansen", "Kaya", "Keller", "Kim", "Kovács", "Kowalski", "Laine",
    "Lindqvist", "Mahlangu", "Marino", "Mensah", "Moreau", "Murphy", "Nakamura", "Novak", "Nyong",
    "O'Connor", "Okafor", "Osei", "Papadakis", "Patel", "Pereira", "Popescu", "Quiroga",
    "Rahman", "Reyes", "Rossi", "Sato", "Schmidt", "Silva", "Singh", "Tanaka", "Torres",
    "Varga", "Virtanen", "Weber", "Wójcik", "Yilmaz", "Zhang", "Zulu",
)  # fmt: skip
PROJECTS = (
    "Atlas", "Aurora", "Basalt", "Beacon", "Bluebird", "Canopy", "Cascade", "Cobalt", "Compass",
    "Delta", "Ember", "Falcon", "Fjord", "Granite", "Harbour", "Heron", "Horizon", "Juniper",
    "Kestrel", "Lantern", "Lighthouse", "Magpie", "Meridian", "Mosaic", "Nimbus", "Northstar",
    "Orchard", "Osprey", "Pelican", "Quartz", "Redwood", "Riverbend", "Sable", "Sequoia",
    "Sundial", "Tamarind", "Tern", "Vega", "Willow", "Zephyr",
)  # fmt: skip
COMPANIES = (
    "Alder & Finch", "Arcturus Systems", "Baltic Freight", "Brightwater", "Calloway Foods",
    "Cedar Grove", "Corvus Labs", "Dunmore Textiles", "Eastgate Bank", "Fernhill", "Greywick",
    "Halden Energy", "Ironbridge", "Kingfisher Media", "Larkspur", "Meadow Lane", "Nordvik",
    "Oakhurst", "Pinecrest", "Quillon", "Rosebank", "Silverlake", "Stonefield", "Tidewater",
    "Umber Studio", "Vantage Rail", "Westmoor", "Yarrow Health",
)  # fmt: skip
QUESTIONS = (
    "what is a good way to remember the names of people I meet only once?",
    "do you know an easy lunch that keeps well in a bag?",
    "how do you keep a meeting from running over?",
    "is there a trick to typing faster?",
    "what would you write on a card for someone who is leaving?",
    "how many cups of coffee a day are too many?",
    "can you recommend a stretch for a stiff neck?",
    "what is the difference between a typhoon and a hurricane?",
    "how should I politely turn down an invitation?",
    "why do my houseplants keep dying in winter?",
    "what makes a good opening question for a workshop?",
    "which language would you learn first, Spanish or Portuguese?",
    "do you have a tip for falling asleep earlier?",
    "how do I say thank you in Finnish?",
)
THEMES = (
    Theme(
        (
            ("Sprint planning for {project}", "sprint planning"),
            ("Code review: the {project} importer", "code review"),
            ("One-on-one with {person}", "one-on-one with {first}"),
            ("Incident review, {project} outage", "incident review"),
            ("Interview with {person} (backend role)", "interview with {first}"),
            ("{project} demo for {company}", "demo for {company}"),
            ("Architecture discussion [splitting up {project}]", "architecture discussion"),
            ("Release check of {project} 2.0", "release check"),
            ("Pairing with {person} on the flaky tests", "pairing session with {first}"),
            ("Security briefing by {company}", "security briefing"),
        ),
        (
            "The build has been red since yesterday and everybody blames the cache.",
            "We finally deleted the old billing code, and I slept better than in weeks.",
            "Our new colleague found a bug on her first day that had been there for four years.",
            "I am trying to get the team to write shorter commit messages.",
        ),
    ),
    Theme(
        (
            ("Safety briefing with the crew of {person}", "safety briefing"),
            ("Concrete pour review, slab {project}", "concrete pour review"),
            ("Crane inspection by {company}", "crane inspection"),
            ("Site walk with {person}, structural engineer", "site walk with {first}"),
            ("Delivery planning with {company}", "delivery planning"),
            ("Permit call with {person} from the city", "permit call with {first}"),
            ("Budget check for the {project} building", "budget check"),
            ("Scaffolding handover [north side]", "scaffolding handover"),
            ("First-aid refresher with {person}", "first-aid refresher"),
            ("Snag list for the {project} stairwell", "snag list review"),
        ),
        (
            "It has rained for three days and the whole site is one puddle.",
            "The new framer picks things up faster than anyone I have trained.",
            "Somebody parked a van in front of the gate again.",
            "I keep telling them that a tidy site is a safe site.",
        ),
    ),
    Theme(
        (
            ("Ward round handover with {person}", "ward round handover"),
            ("Case conference: patient from the {project} trial", "case conference"),
            ("Rota planning for the night shift", "rota planning"),
            ("Training on the infusion pumps by {company}", "infusion pump training"),
            ("Appraisal of {person}", "appraisal of {first}"),
            ("Journal club [sepsis guideline]", "journal club"),
            ("Call with {person} at the pharmacy", "pharmacy call with {first}"),
            ("Audit of hand hygiene with {person}", "hygiene audit"),
            ("Discharge meeting with the family of {person}", "discharge meeting"),
            ("Stock count with {company}", "stock count"),
        ),
        (
            "The lifts are out of order, so I have walked up to the sixth floor twice.",
            "One of our patients brought the whole ward a cake this morning.",
            "The coffee machine on our floor has given up for good.",
            "We are two nurses short today, and still everyone is in a good mood.",
        ),
    ),
    Theme(
        (
            ("Editorial meeting for the {project} series", "editorial meeting"),
            ("Cover meeting with {person}", "cover meeting"),
            ("Contract talk with the agent {person}", "contract talk with {first}"),
            ("Proof check: {project}, chapters 4 to 9", "proof check"),
            ("Launch planning with {company}", "launch planning"),
            ("Call with {person}, translator", "call with {first}"),
            ("Print quote from {company}", "print quote"),
            ("Rights meeting [audio and film]", "rights meeting"),
            ("Reading group on the manuscript of {person}", "reading group"),
            ("Photo shoot with {person}", "photo shoot with {first}"),
        ),
        (
            "I found a misprint on the spine of a book that we shipped last week.",
            "Our slush pile has its own room by now.",
            "An author sent us a novel written without the letter e.",
            "Paper prices are up again, and nobody can tell me why.",
        ),
    ),
    Theme(
        (
            ("Staff meeting on the {project} timetable", "staff meeting"),
            ("Parents' talk with the family of {person}", "parents' talk"),
            ("Lesson visit in the class of {person}", "lesson visit"),
            ("Exam marking, year 9 [second half]", "exam marking"),
            ("Science fair planning with {person}", "science fair planning"),
            ("School trip meeting with {company}", "school trip meeting"),
            ("Library committee: the {project} collection", "library committee"),
            ("Choir rehearsal led by {person}", "choir rehearsal"),
            ("Mentoring of {person}, trainee teacher", "mentoring of {first}"),
            ("Fire drill debrief", "fire drill debrief"),
        ),
        (
            "The year 7s asked me today whether zero is a happy number.",
            "Somebody has let a frog loose in the chemistry room.",
            "I still have thirty essays on my desk, all about the same poem.",
            "The heating is stuck on full, so we are all in T-shirts.",
        ),
    ),
    Theme(
        (
            ("Menu tasting: the {project} spring menu", "menu tasting"),
            ("Supplier meeting with {company}", "supplier meeting"),
            ("Trial shift talk with {person}", "trial shift talk with {first}"),
            ("Wine pairing with {person}", "wine pairing"),
            ("Health inspection follow-up", "inspection follow-up"),
            ("Shift planning with {person}", "shift planning"),
            ("Call with {company} about the wedding", "wedding call"),
            ("Kitchen deep clean [cold store]", "deep clean"),
            ("Photo session for the {project} website", "photo session"),
            ("Accounts with {person}", "accounts with {first}"),
        ),
        (
            "Somebody ordered forty portions of dessert and nothing else.",
            "The tomatoes are finally good this year.",
            "Our dishwasher broke in the middle of the Friday rush.",
            "A guest left a poem instead of a tip, and it was a fine one.",
        ),
    ),
    Theme(
        (
            ("Quarterly review with {company}", "quarterly review"),
            ("Pipeline call with {person}", "pipeline call with {first}"),
            ("Pricing workshop for {project}", "pricing workshop"),
            ("Contract renewal: {company}", "contract renewal"),
            ("Forecast session with {person}", "forecast session"),
            ("Onboarding of {person}", "onboarding of {first}"),
            ("Pitch rehearsal [{project}]", "pitch rehearsal"),
            ("Expense report with {person}", "expense report"),
            ("Trade fair debrief", "trade fair debrief"),
            ("Customer interview: {person}, {company}", "customer interview"),
        ),
        (
            "We closed the deal that everyone had written off in spring.",
            "My inbox went from four hundred to twelve this morning.",
            "The printer on our floor only prints in purple now.",
            "I have learned the names of all the dogs in the office.",
        ),
    ),
    Theme(
        (
            ("Group meeting on the {project} survey", "group meeting"),
            ("Supervision of {person}", "supervision of {first}"),
            ("Grant draft with {person}", "grant draft"),
            ("Microscope booking [room 2.14]", "microscope booking"),
            ("Ethics board call with {person}", "ethics board call"),
            ("Seminar by {person}: sediments of Lake {project}", "seminar"),
            ("Data check for the {project} paper", "data check"),
            ("Thesis committee of {person}", "thesis committee"),
            ("Instrument repair by {company}", "instrument repair"),
            ("Poster feedback for {person}", "poster feedback"),
        ),
        (
            "Reviewer two wants us to cite eleven papers, ten of them by one author.",
            "The freezer alarm went off at four in the morning.",
            "Our best sample turned out to be tap water.",
            "A school class is visiting, and their questions are better than ours.",
        ),
    ),
    Theme(
        (
            ("Volunteer meeting for the {project} food bank", "volunteer meeting"),
            ("Donor lunch with {person}", "donor lunch with {first}"),
            ("Grant interview at {company}", "grant interview"),
            ("Press call with {person}", "press call with {first}"),
            ("Board preparation", "board preparation"),
            ("Shelter visit with {person}", "shelter visit"),
            ("Newsletter review [autumn issue]", "newsletter review"),
            ("Planning of the {project} charity run", "charity run planning"),
            ("Van handover from {company}", "van handover"),
            ("Introduction of {person}, new volunteer", "introduction of {first}"),
        ),
        (
            "A retired bus driver has offered to do all our morning tours.",
            "Somebody donated two hundred left gloves.",
            "The children at the shelter painted us a banner.",
            "We have more pumpkins than we know what to do with.",
        ),
    ),
    Theme(
        (
            ("Storyboard review for {project}", "storyboard review"),
            ("Casting call with {person}", "casting call with {first}"),
            ("Sound mix, episode 3 of {project}", "sound mix"),
            ("Location visit: {company} warehouse", "location visit"),
            ("Costume fitting with {person}", "costume fitting"),
            ("Colour grading with {person}", "colour grading"),
            ("Budget talk with {company}", "budget talk"),
            ("Script reading [second draft]", "script reading"),
            ("Stunt rehearsal led by {person}", "stunt rehearsal"),
            ("Trailer cut of {project}", "trailer cut"),
        ),
        (
            "The smoke machine set off every alarm in the street.",
            "Our lead actor is allergic to the horse.",
            "I have watched the same eleven seconds sixty times.",
            "Nobody can find the left wing of the angel costume.",
        ),
    ),
)
