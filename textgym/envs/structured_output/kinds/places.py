"""Records of places and things: laboratory samples, repairs and flats."""

from __future__ import annotations

from textgym.envs.structured_output.forms import (
    area,
    code,
    compound,
    count,
    date,
    duration,
    flag,
    length,
    listing,
    mass,
    money,
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

__all__ = ["FLAT", "REPAIR", "SAMPLE"]

_ANALYTES = (
    "arsenic", "barium", "cadmium", "chloride", "copper", "fluoride", "lead", "nickel", "nitrate",
    "phosphate", "sulphate", "zinc",
)  # fmt: skip
_PARTS = (
    "bearing", "belt", "brake pad", "cable", "fuse", "gasket", "hinge", "hose", "nozzle", "pump",
    "relay", "sensor", "switch", "valve",
)  # fmt: skip

SAMPLE = Kind(
    "sample",
    Field("sample_code", "The code of the sample.", code(("SA", "WT", "BD", "LX"), 5), ()),
    ("The laboratory has received sample {v}.", "From the notebook, on sample {v}:"),
    "the sample",
    (
        Field(
            "mass_grams",
            "The mass in grams.",
            mass(50, 4_000),
            ("{who} weighs {v}.", "The mass of {who} is {v}."),
            ("The empty jar weighs {v}.",),
        ),
        Field(
            "depth_cm",
            "The depth at which it was taken, in centimetres.",
            length(15, 420),
            ("{who} was taken at a depth of {v}.",),
            ("The well goes down to {v}.", "At {v} there was only rock."),
        ),
        Field(
            "moisture",
            "The moisture as a fraction of 1.",
            share(2, 96),
            ("The moisture of {who} is {v}.", "{who} consists of water to {v}."),
            ("The humidity in the laboratory is {v}.",),
        ),
        Field(
            "origin",
            "The city where it was taken.",
            word(CITIES),
            ("{who} was taken in {v}.", "{who} comes from {v}."),
            ("The laboratory has a branch in {v}.",),
        ),
        Field(
            "tests",
            "The number of tests.",
            count(2, 40),
            ("{v} tests are planned for {who}.", "{who} will undergo {v} tests."),
            ("On Monday the machine did {v} tests.",),
        ),
        Field(
            "contaminated",
            "Whether it is contaminated.",
            flag(),
            {
                True: ("{who} turned out to be contaminated.",),
                False: ("No contamination was found in {who}.",),
            },
        ),
    ),
    enum_field(
        "storage",
        "How it is stored.",
        {
            "shelf": ("{who} is kept at room temperature.",),
            "fridge": ("{who} is kept a little above freezing.",),
            "freezer": ("{who} is kept as ice.",),
        },
    ),
    Field(
        "permit_code",
        "The code of the permit, or null.",
        code(("PM", "QA", "RX"), 4),
        ("The permit for {who} is {v}.",),
        ("Permit {v} has run out.",),
        ("{who} needed no permit.",),
    ),
    (
        Field(
            "taken_on",
            "The day on which it was taken, as YYYY-MM-DD.",
            date(),
            ("{who} was taken on {v}.", "The date of {who} is {v}."),
            ("The scales were last checked on {v}.",),
        ),
        Field(
            "received_at",
            "The time of its arrival, as HH:MM of 24 hours.",
            time(),
            ("{who} arrived at {v}.",),
            ("The courier left the harbour at {v}.",),
        ),
    ),
    Field(
        "hazards",
        "The hazards, in the order of the text.",
        listing(("corrosion", "dust", "fire", "fumes", "germs", "glare", "radiation")),
        ("The label of {who} warns of {v}.",),
        ("The door of the building warns of {v}.",),
    ),
    (("collector", "the collector of"), ("analyst", "the analyst of")),
    CONTACT,
    Lines(
        "readings",
        "The readings, in the order of the text.",
        "The readings of {who} are these:",
        "Not counted, because the probe was dirty:",
        Field("analyte", "What was measured.", word(_ANALYTES), ("{v}",)),
        (
            Field("runs", "The number of runs.", count(2, 25), ("{v} runs",)),
            Field("level", "The level as a fraction of 1.", share(1, 90), ("a level of {v}",)),
        ),
    ),
)

REPAIR = Kind(
    "repair",
    Field("job_code", "The code of the job.", code(("JB", "RP", "WS"), 4), ()),
    ("The workshop has written up job {v}.", "On the board of the workshop stands job {v}."),
    "the job",
    (
        Field(
            "device",
            "What is repaired.",
            compound(
                ("chrome", "garden", "hand", "kitchen", "portable", "table", "two-speed"),
                ("drill", "fan", "grinder", "lathe", "mixer", "mower", "saw", "sander"),
            ),
            ("In {who}, a {v} is repaired.", "{who} is about a {v}."),
            ("Somebody also asked about a {v}.",),
        ),
        Field(
            "cost",
            "The cost in euros.",
            money(15, 640),
            ("{who} costs {v}.", "The bill for {who} is {v}."),
            ("The first estimate was {v}.", "A new machine would cost {v}."),
        ),
        Field(
            "work_minutes",
            "The time of work in minutes.",
            duration(30, 420),
            ("The work on {who} took {v}.",),
            ("The way to the customer takes {v}.",),
        ),
        Field(
            "shelf",
            "The number of the shelf.",
            count(2, 75),
            ("{who} waits on shelf {v}.", "Shelf {v} holds {who}."),
            ("Shelf {v} collapsed in spring.",),
        ),
        Field(
            "discount",
            "The discount as a fraction of 1.",
            share(2, 45),
            ("For {who} there is a discount of {v}.",),
            ("Members would get {v} off.",),
        ),
        Field(
            "guarantee",
            "Whether the guarantee covers it.",
            flag(),
            {
                True: ("{who} is covered by the guarantee.",),
                False: ("The guarantee does not cover {who}.",),
            },
        ),
    ),
    enum_field(
        "stage",
        "How far it is.",
        {
            "waiting": ("Nobody has touched {who} yet.",),
            "running": ("{who} lies open on the bench.",),
            "finished": ("{who} can be collected.",),
        },
    ),
    Field(
        "serial_code",
        "The serial code, or null.",
        code(("SN", "TX", "ZK"), 6),
        ("The plate for {who} says {v}.",),
        ("A spare with the plate {v} is in the cellar.",),
        ("For {who} there is no plate with a serial code.",),
    ),
    (
        Field(
            "brought_on",
            "The day on which it was brought in, as YYYY-MM-DD.",
            date(),
            ("{who} came in on {v}.",),
            ("The machine was bought on {v}.",),
        ),
        Field(
            "ready_on",
            "The day on which it is ready, as YYYY-MM-DD.",
            date(),
            ("{who} is ready on {v}.", "{who} has been promised for {v}."),
            ("The workshop is on holiday from {v}.",),
        ),
    ),
    Field(
        "faults",
        "The faults, in the order of the text.",
        listing(("cracks", "leaks", "noise", "overheating", "rust", "short circuits", "wobbling")),
        ("The faults in {who} are {v}.",),
        ("Typical of the model are {v}.",),
    ),
    (("owner", "the customer behind"), ("mechanic", "the mechanic for")),
    PAYMENT,
    Lines(
        "parts",
        "The parts, in the order of the text.",
        "The parts for {who} are these:",
        "Sent back:",
        Field("part", "The part.", word(_PARTS), ("{v}",)),
        (
            Field("quantity", "The quantity.", count(2, 30), ("{v} of them",)),
            Field("unit_price", "The price of one in euros.", money(1, 90), ("{v} each",)),
        ),
    ),
)

FLAT = Kind(
    "flat",
    Field(
        "address",
        "The street and its number.",
        compound(
            ("Acacia", "Brook", "Canal", "Dyke", "Elm", "Ferry", "Granary", "Harbour", "Kiln"),
            ("Lane 2", "Lane 7", "Road 11", "Road 36", "Square 4", "Street 9", "Street 25"),
        ),
        (),
    ),
    ("The agency lets a flat at {v}.", "A flat at {v} has come on the market."),
    "the flat",
    (
        Field(
            "rent",
            "The monthly rent in euros.",
            money(300, 2_400),
            ("The rent of {who} is {v} a month.", "{who} is let for {v} a month."),
            ("The last tenant paid {v} a month.",),
        ),
        Field(
            "area_m2",
            "The area in square metres.",
            area(18, 96),
            ("{who} has {v}.", "The area of {who} is {v}."),
            ("The yard has {v}.", "The cellar has another {v}."),
        ),
        Field(
            "floor",
            "The number of the floor.",
            count(2, 26),
            ("{who} is on floor {v}.",),
            ("The roof terrace is on floor {v}.",),
        ),
        Field(
            "city",
            "The city.",
            word(CITIES),
            ("{who} is in {v}.",),
            ("The agency sits in {v}.",),
        ),
        Field(
            "ceiling_cm",
            "The height of the ceiling in centimetres.",
            length(210, 390),
            ("The ceilings of {who} are {v} high.",),
            ("The gate of the house is {v} high.",),
        ),
        Field(
            "lift",
            "Whether there is a lift.",
            flag(),
            {
                True: ("A lift goes up to {who}.",),
                False: ("To {who} there are only stairs.",),
            },
        ),
    ),
    enum_field(
        "heating",
        "How it is heated.",
        {
            "gas": ("{who} is heated with gas.",),
            "district": ("The heat for {who} comes from the power plant of the city.",),
            "heat_pump": ("The heat for {who} is drawn from the ground.",),
        },
    ),
    Field(
        "garage_code",
        "The code of the garage, or null.",
        code(("GA", "GB", "GC"), 3),
        ("Garage {v} belongs to {who}.",),
        ("Garage {v} has been sold.",),
        ("No garage belongs to {who}.",),
    ),
    (
        Field(
            "free_from",
            "The day from which it is free, as YYYY-MM-DD.",
            date(),
            ("{who} is free from {v}.",),
            ("The front of the house is painted on {v}.",),
        ),
        Field(
            "viewing_at",
            "The time of the viewing, as HH:MM of 24 hours.",
            time(),
            ("{who} can be viewed at {v}.",),
            ("The agency closes at {v}.",),
        ),
    ),
    Field(
        "furniture",
        "The furniture, in the order of the text.",
        listing(("beds", "chairs", "curtains", "desks", "lamps", "shelves", "sofas")),
        ("{who} comes with {v}.",),
        ("The last tenant left nothing but {v}, which are gone.",),
    ),
    (("landlord", "the landlord of"), ("caretaker", "the caretaker of")),
    CONTACT,
    Lines(
        "rooms",
        "The rooms, in the order of the text.",
        "The rooms of {who} are these:",
        "Not part of it:",
        Field(
            "room",
            "The room.",
            word(("bathroom", "bedroom", "hall", "kitchen", "living room", "loft", "pantry",
                  "study")),
            ("{v}",),
        ),
        (
            Field("sockets", "The number of sockets.", count(2, 18), ("{v} sockets",)),
            Field("size_m2", "The size in square metres.", area(4, 40), ("{v}",)),
        ),
    ),
)  # fmt: skip
