"""The task generator: the user's requests, turn by turn.

Invariants: all randomness comes from the given generator; some calendar satisfies each request
together with all earlier ones; the user never refers to the assistant's answers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from textgym.envs.calendar import phrases
from textgym.envs.calendar.calendar_rows import wish_of
from textgym.envs.calendar.phrases import Voice, joined
from textgym.envs.calendar.schedule import arrange, keeps
from textgym.envs.generation import choice, clock, randint, sample
from textgym.verifiers.calendar import read_time

__all__ = ["LEVELS", "draw_plan"]

_STEP = 15
MAX_TRIES = 12
DURATIONS = (30, 45, 60, 75, 90)
_Request = tuple[str, dict[str, Any]]  # the text, and the changes to the row


@dataclass(frozen=True, slots=True)
class _Rules:
    """The parameters of a level.

    Attributes:
        adds: The minimum and maximum number of added events.
        changes: The kinds of the other requests, one of each.
        more: The number of further requests, of any of these kinds except cancelling.
        chats: The minimum and maximum number of turns without a request.
        windows: Possible hours at which the day starts and ends.
        wishes: The probability that a new event has a constraint.
        pairs: The probability that two requests share a turn.
        moves: The probability of looking for a constraint that makes the event move.
        in_words: Whether durations are in words, and changes are relative.
    """

    adds: tuple[int, int]
    changes: tuple[str, ...]
    more: int = 0
    chats: tuple[int, int] = (1, 2)
    windows: tuple[tuple[int, int], ...] = ((10, 16),)
    wishes: float = 0.0
    pairs: float = 0.0
    moves: float = 0.0
    in_words: bool = False


_FIRST_WINDOW = (10, 16)
_WINDOWS = ((10, 16), (9, 15), (10, 17), (8, 15), (9, 17), (11, 17))
_RULES = {
    1: _Rules((2, 2), ("limit",), chats=(0, 0)),
    2: _Rules((3, 3), ("limit", "limit"), chats=(1, 1), moves=0.3),
    3: _Rules((4, 5), ("limit", "change", "resize"), 1, moves=0.6),
    4: _Rules(
        (5, 7), ("limit", "change", "resize", "cancel"), 2, windows=_WINDOWS,
        wishes=0.3, moves=0.8, in_words=True,
    ),
    5: _Rules(
        (8, 9), ("limit", "change", "resize", "cancel", "free", "hours"), 3, (1, 3), _WINDOWS,
        wishes=0.5, pairs=0.3, moves=0.9, in_words=True,
    ),
}  # fmt: skip
LEVELS = tuple(_RULES)


def draw_plan(rng: random.Random, level: int) -> dict[str, Any]:
    """Draw a row of a level: the hours of the day and the user's turns."""
    if level == 0:
        return _one_event(rng)
    while True:
        plan = _Plan(rng, _RULES[level])
        if all(map(plan.ask, plan.kinds())):
            return plan.row()


def _one_event(rng: random.Random) -> dict[str, Any]:
    """Draw a row of level 0: one event, whose time and duration the user states.

    There are so many ids, times and durations that two tasks hardly ever share all of them.
    """
    _, name = _named(rng, *choice(rng, choice(rng, phrases.THEMES).events))
    id, duration = str(randint(rng, 0, 99)), 5 * randint(rng, 2, 18)
    opens, closes = (60 * hour for hour in _FIRST_WINDOW)
    time = clock(randint(rng, opens, closes - duration))
    return {
        "min_time": clock(opens),
        "max_time": clock(closes),
        "turns": [
            {
                "user": f'Add "{name}" (event id: {id}) at {time} for {duration} minutes.',
                "events": {
                    id: {"event_name": name, "duration": duration, "constraint": f"at {time}"}
                },
            }
        ],
    }


class _Plan:
    """A plan under construction.

    Attributes:
        new: The names and short names of the events, in the order in which they are added.
        events: The current events, by id.
        added: The number of events added so far, including cancelled ones.
        hours: The start and end of the day, in minutes after midnight.
        shifted: The constraints of shifted events, by id. Such an event is not shifted again.
        starts: A calendar that satisfies all requests so far.
        requests: The requests so far.
    """

    def __init__(self, rng: random.Random, rules: _Rules) -> None:
        self.rng, self.rules = rng, rules
        self.voice = Voice(rng, rules.in_words)
        theme = choice(rng, phrases.THEMES)
        self.new = [
            _named(rng, *names) for names in sample(rng, theme.events, randint(rng, *rules.adds))
        ]
        self.talk = sample(rng, theme.talk, len(theme.talk))
        self.questions = sample(rng, phrases.QUESTIONS, len(theme.talk))
        opens, closes = choice(rng, rules.windows)
        self.window = self.hours = (60 * opens, 60 * closes)
        self.events: dict[str, dict[str, Any]] = {}
        self.added = 0
        self.shifted: dict[str, str] = {}
        self.starts: dict[str, int] = {}
        self.requests: list[_Request] = []

    def kinds(self) -> list[str]:
        """Draw the kinds of requests in order. One or two additions come first."""
        rng, rules = self.rng, self.rules
        more = [kind for kind in rules.changes if kind != "cancel"]
        changes = [*rules.changes, *(choice(rng, more) for _ in range(rules.more))]
        adds = ["add"] * len(self.new)
        first = 1 + (len(adds) > 3)
        rest = adds[first:] + changes + ["chat"] * randint(rng, *rules.chats)
        return adds[:first] + sample(rng, rest, len(rest))

    def ask(self, kind: str) -> bool:
        """Add a request of a kind; return whether one was found that can be satisfied."""
        for _ in range(MAX_TRIES):
            text, changes = getattr(self, f"_{kind}")()
            if self._take(changes):
                self.requests.append((text, changes))
                return True
        return False

    def row(self) -> dict[str, Any]:
        """Return the plan as a row. Some pairs of requests share a turn."""
        turns: list[dict[str, Any]] = []
        paired = False
        for text, changes in self.requests:
            last = turns[-1] if turns else {}
            paired = not paired and self._comes_with(last, changes)
            if paired:
                text = f"{last['user']} {joined(choice(self.rng, phrases.JOIN), text)}"
                turns[-1] = {"user": text, "events": {**last["events"], **changes["events"]}}
            else:
                polite = self.voice.thanks if turns else self.voice.greeting
                turns.append({"user": polite(text), **changes})
        opens, closes = map(clock, self.window)
        return {"min_time": opens, "max_time": closes, "turns": turns}

    def _comes_with(self, last: dict[str, Any], changes: dict[str, Any]) -> bool:
        """Draw whether a request shares the turn of the last one, if it is about other events."""
        drawn = self.rng.random() < self.rules.pairs
        both = "events" in last and "events" in changes
        return both and drawn and not last["events"].keys() & changes["events"].keys()

    def _take(self, changes: dict[str, Any]) -> bool:
        """Apply changes if they have an effect and some calendar satisfies them."""
        opens = read_time(changes.get("min_time")) or self.hours[0]
        closes = read_time(changes.get("max_time")) or self.hours[1]
        events = {**self.events, **changes.get("events", {})}
        events = {id: event for id, event in events.items() if event is not None}
        if changes and (events, (opens, closes)) == (self.events, self.hours):
            return False
        wishes = {id: wish_of(event, opens, closes) for id, event in events.items()}
        starts = arrange(wishes, self.starts)
        if starts is None:
            return False
        self.added += len(events.keys() - self.events.keys())
        self.events, self.hours, self.starts = events, (opens, closes), starts
        return True

    def _some_event(self, constrained: bool) -> str:
        """Draw an event with a constraint, or without one; any event if no event fits."""
        known = self._known()
        fit = [id for id in known if bool(self.events[id]["constraint"]) == constrained]
        return choice(self.rng, fit or known)

    def _known(self) -> list[str]:
        """Return the events that the last request does not change, or all if it changes all."""
        last = self.requests[-1][1].get("events", {})
        return [id for id in self.events if id not in last] or list(self.events)

    def _mention(self, id: str) -> str:
        return self.voice.mention(id, self.new[int(id)][1])

    # The kinds of requests.

    def _chat(self) -> _Request:
        question, talk = choice(self.rng, self.questions), choice(self.rng, self.talk)
        text = choice(self.rng, phrases.SMALL_TALK)
        if "{talk}" in text:
            self.talk.remove(talk)
        if "{question}" in text:
            self.questions.remove(question)
        return text.format(question=question, talk=talk), {}

    def _add(self) -> _Request:
        rng, id = self.rng, str(self.added)
        used = sum(event["duration"] for event in self.events.values())
        left = (self.hours[1] - self.hours[0] - used) / (len(self.new) - self.added)
        lengths = [length for length in DURATIONS if length <= 1.3 * left] or DURATIONS[:1]
        name, duration = self.new[self.added][0], choice(rng, lengths)
        length = self.voice.length(duration)
        text = choice(rng, phrases.ADD).format(name=name, id=id, length=length)
        constraint = None
        if rng.random() < self.rules.wishes:
            constraint, wish = self._constraint(duration)
            text += choice(rng, phrases.WISH).format(wish=wish)
        event = {"event_name": name, "duration": duration, "constraint": constraint}
        return text, {"events": {id: event}}

    def _limit(self) -> _Request:
        return self._limited(self._some_event(constrained=False))

    def _change(self) -> _Request:
        id = self._some_event(constrained=True)
        now = self.events[id]["constraint"] or ""
        is_stated = now.startswith("at ") and now != self.shifted.get(id)
        if is_stated and self.rules.in_words and self.rng.random() < 0.5:
            return self._shift(id, read_time(now.removeprefix("at ")) or 0)
        return self._limited(id)

    def _limited(self, id: str) -> _Request:
        """Request a new constraint for an event."""
        event = self.events[id]
        constraint, wish = self._constraint(event["duration"], id)
        known = phrases.CHANGE if event["constraint"] else phrases.CONSTRAIN
        text = choice(self.rng, known).format(the=self._mention(id), wish=wish)
        return text, {"events": {id: {**event, "constraint": constraint}}}

    def _shift(self, id: str, time: int) -> _Request:
        shift = _STEP * randint(self.rng, 1, 4)
        way, sign = choice(self.rng, (("earlier", -1), ("later", 1)))
        length = self.voice.length(shift)
        text = choice(self.rng, phrases.SHIFT).format(the=self._mention(id), length=length, way=way)
        self.shifted[id] = f"at {clock(time + sign * shift)}"
        return text, {"events": {id: {**self.events[id], "constraint": self.shifted[id]}}}

    def _free(self) -> _Request:
        id = self._some_event(constrained=True)
        if not self.events[id]["constraint"]:
            return self._limited(id)
        text = choice(self.rng, phrases.FREE).format(the=self._mention(id))
        return text, {"events": {id: {**self.events[id], "constraint": None}}}

    def _resize(self) -> _Request:
        rng, id = self.rng, choice(self.rng, self._known())
        event = self.events[id]
        before = event["duration"]
        length = choice(rng, [length for length in DURATIONS if length != before])
        longer, difference = length > before, abs(length - before)
        texts: tuple[str, ...] = (
            *phrases.RESIZE,
            *(phrases.LENGTHEN if longer else phrases.SHORTEN),
        )
        amount = self.voice.length(length)
        if self.rules.in_words and rng.random() < 0.4:
            texts = phrases.LONGER if longer else phrases.SHORTER
            amount = self.voice.length(difference)
        text = choice(rng, texts).format(the=self._mention(id), length=amount)
        return text, {"events": {id: {**event, "duration": length}}}

    def _cancel(self) -> _Request:
        id = choice(self.rng, self._known())
        text = choice(self.rng, phrases.CANCEL).format(the=self._mention(id))
        return text, {"events": {id: None}}

    def _hours(self) -> _Request:
        opens, closes = self.hours
        cut = _STEP * randint(self.rng, 1, 4)
        if self.rng.random() < 0.5:
            text, time, field = phrases.OPENING, opens + cut, "min_time"
        else:
            text, time, field = phrases.CLOSING, closes - cut, "max_time"
        return choice(self.rng, text).format(time=self.voice.time(time)), {field: clock(time)}

    def _constraint(self, duration: int, id: str = "") -> tuple[str, str]:
        """Draw a constraint, in the format of rows and in the user's words.

        It differs from the current one, and often requires the event to move.
        """
        now = self.events[id] if id else {"duration": duration, "constraint": None}
        moves = bool(id) and self.rng.random() < self.rules.moves
        for _ in range(MAX_TRIES):
            kind, times = self._limits(duration)
            written = f"{kind} {' and '.join(map(clock, times))}"
            kept = id and keeps(
                wish_of({**now, "constraint": written}, *self.hours), self.starts[id]
            )
            if written != now["constraint"] and not (moves and kept):
                break
        return written, self.voice.wish(kind, times)

    def _limits(self, duration: int) -> tuple[str, list[int]]:
        rng, (opens, closes) = self.rng, self.hours
        kind = choice(rng, ("at", "before", "after", "between"))
        if kind == "before":
            return kind, [_on_grid(rng, opens + duration, closes - _STEP)]
        if kind != "between":
            return kind, [_on_grid(rng, opens + _STEP * (kind == "after"), closes - duration)]
        start = _on_grid(rng, opens, closes - duration)
        return kind, [start, _on_grid(rng, start + duration, min(closes, start + duration + 90))]


def _named(rng: random.Random, name: str, short: str) -> tuple[str, str]:
    first = choice(rng, phrases.FIRST_NAMES)
    filled = {
        "person": f"{first} {choice(rng, phrases.LAST_NAMES)}",
        "first": first,
        "project": choice(rng, phrases.PROJECTS),
        "company": choice(rng, phrases.COMPANIES),
    }
    return name.format(**filled), short.format(**filled)


def _on_grid(rng: random.Random, low: int, high: int) -> int:
    return _STEP * randint(rng, low // _STEP, high // _STEP)
