"""Jobs for members, guests and friends."""

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

__all__ = ["GUEST_JOBS"]

_INVITATION = Job(
    kind="invitation",
    thing="event",
    subjects=names(
        "Autumn Cider Harvest Lantern Midsummer Moonlight Riverside Spring Sunset Winter",
        "Banquet Concert Fair Market Parade Picnic Quiz Reading Supper Walk",
    ),
    requests=(
        "Write an invitation to {which} for the members of our club.",
        "Could you write a short invitation to {which}? It goes out to all our members.",
        "I need an invitation to {which} that we can mail to the neighbourhood.",
        "Please draft the text of an invitation card for {which}.",
    ),
    notes=("What is planned:", "Our notes on the events:", "From the planning sheet:"),
    openings=(
        "We would love to see you at the {subject}.",
        "You are warmly invited to the {subject}.",
        "Come and join us for the {subject}.",
        "The {subject} is coming up and you should be there.",
    ),
    details=(
        Detail(
            "date",
            DATES,
            "on {}",
            (
                "It takes place on {}.",
                "Keep {} free in your calendar.",
                "The day to remember is {}.",
            ),
        ),
        Detail(
            "starting time",
            TIMES,
            "that starts at {}",
            (
                "We start at {} sharp.",
                "Doors open a little earlier but we begin at {}.",
                "Everything begins at {} with a few words of welcome.",
            ),
        ),
        Detail(
            "place",
            PLACES,
            "at {}",
            (
                "This time we meet at {}.",
                "You will find us at {}.",
                "Our host is again {} by the park.",
            ),
        ),
        Detail(
            "entrance fee",
            PRICES,
            "for which guests pay {}",
            (
                "The entrance fee is {} a head.",
                "Tickets cost {} at the door.",
                "We ask every guest for {} towards the costs.",
            ),
            "with the lowest entrance fee",
        ),
    ),
    fillers=(
        "There will be music and plenty of good food.",
        "Children are welcome, and so are dogs that like company.",
        "Last year the benches were full long before sunset.",
        "Bring a cushion, a warm jacket or simply a good friend.",
        "A small orchestra of amateurs has been rehearsing for weeks.",
        "The garden will be open, yet the kitchen will stay busy too.",
    ),
    closings=(
        "We look forward to an evening in good company.",
        "We hope to see many of you there.",
        "Until then, take good care of yourselves.",
    ),
    usual=(
        "join",
        "welcome",
        "invite",
        "community",
        "forward",
        "excited",
        "celebrate",
        "delighted",
    ),
)

_THANKS = Job(
    kind="thank-you note",
    thing="donation",
    subjects=names(
        "Blue Carved Folding Little Old Painted Silver Striped Wooden Woven",
        "Bench Clock Globe Harp Ladder Lamp Piano Puppet Telescope Tent",
    ),
    requests=(
        "Write a thank-you note for {which}.",
        "Please write a few warm lines of thanks for {which}.",
        "I want to thank the giver of {which}; could you write the note?",
        "We owe somebody a thank-you note for {which}. Please write it.",
    ),
    notes=("The list of donations:", "What people gave us:", "From the donations book:"),
    openings=(
        "Thank you so much for the {subject}.",
        "What a lovely surprise the {subject} was.",
        "We are truly grateful for the {subject}.",
        "The {subject} has made all of us very happy.",
    ),
    details=(
        Detail(
            "giver",
            PEOPLE,
            "from {}",
            (
                "Dear {} please take this note as a big hug.",
                "A gift like this is so typical of {} after all.",
                "Our warmest greetings go to {} today.",
            ),
        ),
        Detail(
            "day of arrival",
            DATES,
            "that arrived on {}",
            (
                "It reached us safely on {}.",
                "We unpacked it on {} with great excitement.",
                "Since {} it has not stood still.",
            ),
        ),
        Detail(
            "present home",
            PLACES,
            "that is now in {}",
            (
                "It now has a place of honour in {}.",
                "You can visit it in {} whenever you like.",
                "For the time being it lives in {}.",
            ),
        ),
        Detail(
            "number of the receipt",
            CODES,
            "with receipt {}",
            (
                "The receipt bears the number {}.",
                "For your records the receipt is {}.",
                "We have filed it under receipt {}.",
            ),
        ),
    ),
    fillers=(
        "The children could hardly believe their eyes.",
        "It fits our rooms as if it had been made for them.",
        "Such generosity is rare, and it deserves more than a note.",
        "Somebody has already dusted it, polished it and given it a nickname.",
        "We had wished for something of this kind for years, but never found it.",
        "Visitors ask about its history every single week.",
    ),
    closings=(
        "With heartfelt thanks from all of us.",
        "You have a friend in every one of us.",
        "Do come by soon and let us thank you in person.",
    ),
    usual=(
        "appreciate",
        "generous",
        "kindness",
        "wonderful",
        "support",
        "sincerely",
        "heart",
        "gift",
    ),
)

_LOST = Job(
    kind="lost-and-found notice",
    thing="item",
    subjects=names(
        "Amber Black Checked Cream Crimson Green Grey Leather Purple Velvet",
        "Backpack Bracelet Cap Coat Glove Notebook Purse Scarf Suitcase Umbrella",
    ),
    requests=(
        "Write a lost-and-found notice about {which}.",
        "Please write a notice for the board, so that the owner of {which} turns up.",
        "Could you put together a short notice on {which}? We want to find the owner.",
        "Somebody must be missing {which}; write a notice for our web page.",
    ),
    notes=("The book of finds:", "What lies in the cupboard:", "Finds of the season:"),
    openings=(
        "The {subject} is waiting for its owner.",
        "Who is missing the {subject}?",
        "Found and kept safe for you is the {subject}.",
        "Have you been looking for the {subject}?",
    ),
    details=(
        Detail(
            "day of the find",
            DATES,
            "found on {}",
            (
                "It was handed in on {}.",
                "Somebody noticed it on {} after closing time.",
                "It has been with us since {}.",
            ),
        ),
        Detail(
            "place of the find",
            PLACES,
            "found at {}",
            (
                "It was lying in a corner of {}.",
                "It turned up at {} under a chair.",
                "We found it at {} of all places.",
            ),
        ),
        Detail(
            "finder",
            PEOPLE,
            "found by {}",
            (
                "The honest finder is {} by the way.",
                "You owe a kind word to {} who brought it in.",
                "Thanks go to {} for the sharp eyes.",
            ),
        ),
        Detail(
            "phone",
            PHONES,
            "for which the owner should call {}",
            (
                "Call {} to get it back.",
                "The number to ring is {} on weekdays.",
                "Simply dial {} and describe it to us.",
            ),
        ),
    ),
    fillers=(
        "It is in good condition, apart from a little dust.",
        "Describe what is inside, and it will be yours again.",
        "We keep such things for a season and then give them to charity.",
        "The cupboard is locked, so nothing can get lost twice.",
        "Please pass this on, for the owner may not read our board.",
        "An old photograph in it may be of great value to somebody.",
    ),
    closings=(
        "We would be glad to hand it back soon.",
        "The owner is surely missing it.",
        "Keep your eyes open and your pockets closed.",
    ),
    usual=("item", "belongs", "claim", "contact", "owner", "return", "identify", "hello"),
)

GUEST_JOBS = (_INVITATION, _THANKS, _LOST)
