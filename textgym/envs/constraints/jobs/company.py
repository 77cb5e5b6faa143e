"""Jobs for colleagues and customers."""

from __future__ import annotations

from textgym.envs.constraints.jobs.job import (
    CODES,
    DATES,
    PEOPLE,
    PHONES,
    PLACES,
    PRICES,
    TIMES,
    Detail,
    Job,
    names,
)

__all__ = ["COMPANY_JOBS"]

_OUTAGE = Job(
    kind="announcement",
    thing="closure",
    subjects=names(
        "Archive Badge Billing Booking Canteen Laundry Mail Parking Printing Wireless",
        "Centre Counter Desk Gateway Hub Office Platform Portal Server Station",
    ),
    requests=(
        "Write an announcement about {which} for all employees.",
        "Please announce {which} on the intranet.",
        "Could you write a brief announcement of {which}? Everybody should know in time.",
        "We need an announcement about {which} for the notice board.",
    ),
    notes=("Closures of the season:", "From the maintenance plan:", "What facilities told us:"),
    openings=(
        "The {subject} will be closed for maintenance.",
        "Please note that the {subject} will not be available.",
        "We have to close the {subject} for a while.",
        "A few hours without the {subject} lie ahead of us.",
    ),
    details=(
        Detail(
            "date",
            DATES,
            "on {}",
            (
                "The work is planned for {}.",
                "It will happen on {}.",
                "The day in question is {}.",
            ),
        ),
        Detail(
            "beginning",
            TIMES,
            "that begins at {}",
            (
                "The closure begins at {} without exception.",
                "Save your work before {} please.",
                "From {} nothing will respond any more.",
            ),
        ),
        Detail(
            "replacement",
            PLACES,
            "with a replacement in {}",
            (
                "A replacement is set up in {}.",
                "In the meantime please go to {}.",
                "Urgent matters are handled in {}.",
            ),
        ),
        Detail(
            "hotline",
            PHONES,
            "with the hotline {}",
            (
                "The hotline is {} all day.",
                "If you are stuck call {} at once.",
                "Our technicians answer under {}.",
            ),
        ),
    ),
    fillers=(
        "Nothing will be deleted, and no password will change.",
        "The old cables have served us well but they are worn out.",
        "Colleagues at other sites are not affected.",
        "Plan ahead, print what you need or simply enjoy the break.",
        "Afterwards everything should be faster and more reliable.",
        "The technicians apologise for the noise in the corridor.",
    ),
    closings=(
        "Thank you for your patience.",
        "We will report when all is well again.",
        "Sorry for the trouble and thanks for your understanding.",
    ),
    usual=(
        "inconvenience",
        "temporarily",
        "scheduled",
        "during",
        "service",
        "period",
        "access",
        "inform",
    ),
)

_PRODUCT = Job(
    kind="product blurb",
    thing="product",
    subjects=names(
        "Alder Bramble Cobalt Dune Ember Fjord Glacier Hazel Indigo Larch",
        "Blender Charger Grinder Heater Kettle Lantern Mixer Speaker Toaster Torch",
    ),
    requests=(
        "Write a product blurb for {which}.",
        "We are putting {which} into the catalogue: please write the blurb.",
        "Could you write a short text for the web shop about {which}?",
        "Please write a lively product description of {which} for the leaflet.",
    ),
    notes=("Product data:", "From the catalogue:", "The sheet of the product team:"),
    openings=(
        "Meet the {subject} and forget all others.",
        "The {subject} brings a bit of joy into every home.",
        "Small on the outside and great on the inside is our {subject}.",
        "Nothing starts a morning like the {subject}.",
    ),
    details=(
        Detail(
            "price",
            PRICES,
            "that costs {}",
            (
                "It is yours for {} only.",
                "The price is {} with everything included.",
                "We sell it for {} in all our shops.",
            ),
            "with the lowest price",
        ),
        Detail(
            "order number",
            CODES,
            "with order number {}",
            (
                "Order it under number {}.",
                "The order number is {}.",
                "Look for {} on the box.",
            ),
        ),
        Detail(
            "weight",
            tuple(f"{n} grams" for n in range(120, 990, 7)),
            "that weighs {}",
            (
                "It weighs {} and not an ounce more.",
                "At {} it fits into any bag.",
                "The scales stop at {} exactly.",
            ),
            "with the lowest weight",
        ),
        Detail(
            "designer",
            PEOPLE,
            "designed by {}",
            (
                "It was designed by {} in a tiny workshop.",
                "The idea came from {} on a long train ride.",
                "Its shape is the work of {} and bears that signature.",
            ),
        ),
    ),
    fillers=(
        "The handle stays cool, and the lid never jams.",
        "It is made of steel, cork and a good deal of care.",
        "Our testers tried to break it for weeks but failed.",
        "You can clean it in no time or put it in the dishwasher.",
        "The box contains no plastic, not even a ribbon.",
        "It looks modest on the shelf, yet people keep asking about it.",
    ),
    closings=(
        "Try it once and you will keep it for good.",
        "Your kitchen has been waiting for it.",
        "You will wonder how you ever managed without it.",
    ),
    usual=(
        "perfect",
        "introducing",
        "experience",
        "design",
        "powerful",
        "elevate",
        "sleek",
        "ideal",
    ),
)

COMPANY_JOBS = (_OUTAGE, _PRODUCT)
