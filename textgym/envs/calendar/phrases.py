"""The user's wording: several phrasings of every kind of request, and themes of a user's day.

`themes.json` has the themes: professions with typical events and small talk. An event has a full
name and a short name, which later turns use. `{person}` and `{first}` are the same person.

Invariants: `{the}` mentions an event by id and name, and never begins a sentence; `{wish}` is a
verb phrase such as "start at 2pm".
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from textgym.envs.generation import choice
from textgym.whole_file import packaged_data

__all__ = [
    "ADD", "CANCEL", "CHANGE", "CLOSING", "COMPANIES", "CONSTRAIN", "FIRST_NAMES", "FREE", "JOIN",
    "LAST_NAMES", "LENGTHEN", "LONGER", "OPENING", "PROJECTS", "QUESTIONS", "RESIZE", "SHIFT",
    "SHORTEN", "SHORTER", "SMALL_TALK", "THEMES", "WISH", "Theme", "Voice", "joined",
]  # fmt: skip

ADD = (
    'Could you add "{name}" (event id: {id})? It takes {length}.',
    'Please put "{name}" (event id: {id}) on my calendar; {length} will do.',
    'I need {length} for "{name}" (event id: {id}).',
    'Can you schedule "{name}" for me? It needs {length} (event id: {id}).',
    'There is a new event: "{name}", {length} (event id: {id}).',
    'Can you find {length} for "{name}" today (event id: {id})?',
)
WISH = (
    " It has to {wish}.",
    " It should {wish}.",
    " It needs to {wish}, please.",
    " I want it to {wish}.",
)
CONSTRAIN = (
    "Please arrange for {the} to {wish}.",
    "Could you get {the} to {wish}?",
    "It turns out that {the} has to {wish}.",
    "I need {the} to {wish}.",
    "Can {the} {wish}?",
    "I would like {the} to {wish}, please.",
)
CHANGE = (
    "Change of plan: {the} has to {wish} instead.",
    "Forget the time I gave for {the}: it has to {wish} now.",
    "I was wrong about {the}. It needs to {wish}.",
    "There is a new time for {the}: it should {wish}.",
    "Could {the} {wish} instead?",
)
FREE = (
    "It no longer matters when {the} takes place; any time of my day will do.",
    "You can forget the time I gave for {the}. Put it wherever it fits.",
    "There is no fixed time for {the} any more, so use whatever is free.",
)
SHIFT = (
    "Let {the} start {length} {way} than I said.",
    "Could {the} start {length} {way} than I told you?",
    "I need {the} to start {length} {way} than I said.",
)
RESIZE = (
    "It turns out that {the} takes {length}.",
    "Could you make {the} {length} long?",
    "Please change the length of {the} to {length}.",
)
LENGTHEN = (
    "Can you extend {the} to {length}?",
    "I want more time for {the}: {length}, please.",
)
SHORTEN = (
    "Can you cut {the} down to {length}?",
    "For {the}, {length} will be enough.",
)
LONGER = (
    "Please make {the} {length} longer.",
    "Could you add {length} to the length of {the}?",
)
SHORTER = (
    "Please make {the} {length} shorter.",
    "Could you take {length} off the length of {the}?",
)
CANCEL = (
    "Please cancel {the}.",
    "I no longer need {the}, so please delete it.",
    "We can drop {the} from the calendar.",
    "Could you remove {the}? It is not going to happen.",
    "It looks as if {the} is off, so take it out, please.",
)
CLOSING = (
    "I have to leave at {time} today, so everything must be over by then.",
    "My day ends at {time} after all. Nothing may run past that.",
)
OPENING = (
    "I am held up and cannot be there before {time}, so nothing may start earlier than that.",
    "My day begins at {time} after all. Nothing may start before that.",
)
JOIN = ("Also: ", "One more thing: ", "And while you are at it: ")
SMALL_TALK = (
    "By the way, {question}",
    "Something else: {question}",
    "Before we go on, {question}",
    "{talk} By the way, {question}",
    "{talk}",
    "{talk} What do you make of it?",
)
_GREETINGS = ("Hi! ", "Good morning. ", "Hello, ", "Hey, ", "")
_THANKS = ("Thanks. ", "Thank you. ", "All right. ", "OK. ", "", "", "", "")
_MENTIONS = (
    "the {short} (event id: {id})",
    "the {short} (event {id})",
    "event {id} (the {short})",
)
_WISHES = {
    "at": ("start at {0}", "begin at {0}", "start at {0} sharp", "kick off at {0}"),
    "before": ("be over by {0}", "end by {0}", "be done no later than {0}", "finish by {0}"),
    "after": ("start at {0} or later", "start no earlier than {0}", "take place after {0}"),
    "between": (
        "fit between {0} and {1}",
        "take place between {0} and {1}",
        "be somewhere between {0} and {1}",
    ),
}
_LENGTHS = {
    15: "a quarter of an hour",
    30: "half an hour",
    45: "three quarters of an hour",
    60: "an hour",
    75: "an hour and a quarter",
    90: "an hour and a half",
    120: "two hours",
}


@dataclass(frozen=True, slots=True)
class Theme:
    """A profession.

    Attributes:
        events: Full and short names of events.
        talk: Small talk.
    """

    events: tuple[tuple[str, str], ...]
    talk: tuple[str, ...]


_DATA = packaged_data("textgym.envs.calendar", "themes.json")

FIRST_NAMES: tuple[str, ...] = _DATA["first_names"]
LAST_NAMES: tuple[str, ...] = _DATA["last_names"]
PROJECTS: tuple[str, ...] = _DATA["projects"]
COMPANIES: tuple[str, ...] = _DATA["companies"]
QUESTIONS: tuple[str, ...] = _DATA["questions"]
THEMES: tuple[Theme, ...] = tuple(Theme(**theme) for theme in _DATA["themes"])


class Voice:
    """The wording of times, durations and events by one user.

    Args:
        rng: The random generator for the time format and for phrases.
        in_words: Whether durations, and noon, may be in words.
    """

    def __init__(self, rng: random.Random, in_words: bool) -> None:
        self.rng = rng
        self.in_words = in_words
        self.time_format = choice(rng, ("am", " am", "24"))

    def time(self, minutes: int) -> str:
        """Format a time of day: `1:30pm`, `1:30 pm` or `13:30`."""
        hour, minute = divmod(minutes, 60)
        if self.in_words and minutes == 720 and self.rng.random() < 0.5:
            return "noon"
        if self.time_format == "24":
            return f"{hour}:{minute:02d}"
        half = ("pm" if hour >= 12 else "am").rjust(len(self.time_format))
        return f"{hour % 12 or 12}{f':{minute:02d}' if minute else ''}{half}"

    def length(self, minutes: int) -> str:
        """Format a duration."""
        if self.in_words and minutes in _LENGTHS and self.rng.random() < 0.5:
            return _LENGTHS[minutes]
        return f"{minutes} minutes"

    def mention(self, id: str, short: str) -> str:
        """Mention an existing event."""
        return choice(self.rng, _MENTIONS).format(id=id, short=short)

    def wish(self, kind: str, times: list[int]) -> str:
        """Format a constraint as a verb phrase."""
        return choice(self.rng, _WISHES[kind]).format(*map(self.time, times))

    def greeting(self, text: str) -> str:
        """Add a greeting to the first message."""
        return joined(choice(self.rng, _GREETINGS), text)

    def thanks(self, text: str) -> str:
        """Add thanks to a later message."""
        return choice(self.rng, _THANKS) + text


def joined(lead: str, text: str) -> str:
    """Put words before a sentence, and adjust the case of its first letter.

    Example:
        >>> joined("Hey, ", "Could you help?"), joined("Hey, ", "I could."), joined("Hi! ", "So?")
        ('Hey, could you help?', 'Hey, I could.', 'Hi! So?')
    """
    if lead.rstrip().endswith((",", ":")) and not text.startswith("I "):
        text = text[:1].lower() + text[1:]
    return lead + text
