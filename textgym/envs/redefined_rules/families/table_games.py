"""Dice, rock-paper-scissors and card tricks with other rules.

The contents of rules are

- for dice, `("face", face, points)`, `("double", times)` and `("minus", face)`;
- for gestures, `("beats", pairs)`, in which the first of each pair beats the second,
  `("draw", points)` and `("turned", rounds)`;
- for tricks, `("top", highest, next)`, `("trump", suit)` and `("low", tricks)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

from textgym.envs.generation import choice, listing, randint, sample
from textgym.envs.redefined_rules.families.puzzle import (
    Answer,
    Content,
    Puzzle,
    Rule,
    changed,
    replace_rule,
    worded,
)

__all__ = ["dice", "gestures", "points", "score", "tricks", "winners"]


_THROWS = (0, 3, 6, 6, 7, 7)  # throws, by level
_FACE = (
    "a {face} on a die counts {points} points.",
    "every {face} is worth {points} points here.",
    "in this game {points} points are given for each {face} that is thrown.",
)
_DOUBLE = (
    "a throw of two equal dice counts {} times as much as it would otherwise.",
    "if both dice show the same, the points of the throw are multiplied by {}.",
)
_MINUS = (
    "the points of a throw in which a {face} occurs are taken away from the total.",
    "throws with a {face} in them count against the player: their points are subtracted.",
)
_DICE_BASE = (
    "Otherwise each die counts as many points as it shows, and the points of a player add up."
)
_DICE_QUESTION = "{name} throws two dice {n} times: {throws}. What is the total?"
_PLAYERS = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo")
_DICE_FORM = "the total as a number"


def dice(rng: random.Random, level: int) -> Puzzle:
    """Add up throws of dice whose faces count differently."""
    if level <= 2:
        rules = [choice(rng, (_face, _face, _face, _double, _minus))(rng)]
    else:
        rules = [_face(rng), _double(rng), _minus(rng)][: level - 1]
    if level == 5:
        face = rules[0].content[1]
        replace_rule(rng, rules, 0, f"what a {face} counts", _face(rng, face))
    throws = [(randint(rng, 1, 6), randint(rng, 1, 6)) for _ in range(_THROWS[level])]
    shown = listing([f"{one} and {other}" for one, other in throws], "and finally")
    question = _DICE_QUESTION.format(name=choice(rng, _PLAYERS), n=len(throws), throws=shown)
    return Puzzle(rules, f"{_DICE_BASE}\n\n{question}", throws, _DICE_FORM, partial(score, throws))


def score(throws: Sequence[tuple[int, int]], contents: Sequence[Content]) -> int:
    """Return the total of throws under the given rules; a later rule wins.

    Example:
        >>> score([(3, 3), (1, 6)], ())
        13
        >>> score([(3, 3), (1, 6)], [("face", 6, 20), ("double", 5), ("minus", 1)])
        9
    """
    points = list(range(7))
    times, minus = 1, 0
    for kind, *values in contents:
        if kind == "face":
            points[values[0]] = values[1]
        elif kind == "double":
            times = values[0]
        else:
            minus = values[0]
    total = 0
    for one, other in throws:
        worth = (points[one] + points[other]) * (times if one == other else 1)
        total += -worth if minus in (one, other) else worth
    return total


def _face(rng: random.Random, face: int = 0) -> Rule:
    face = face or randint(rng, 1, 6)
    points = randint(rng, 8, 40)
    return Rule(("face", face, points), worded(rng, _FACE, face=face, points=points))


def _double(rng: random.Random) -> Rule:
    times = randint(rng, 3, 9)
    return Rule(("double", times), worded(rng, _DOUBLE, times))


def _minus(rng: random.Random) -> Rule:
    face = randint(rng, 1, 6)
    return Rule(("minus", face), worded(rng, _MINUS, face=face))


Round = tuple[str, str]

_GESTURES = ("rock", "paper", "scissors")
_USUAL_WINS = (("rock", "scissors"), ("paper", "rock"), ("scissors", "paper"))
_ROUNDS = (0, 5, 8, 6, 7, 8)  # by level
_BEATS = (
    "In this version of rock, paper, scissors, {}.",
    "These two play rock, paper, scissors by rules of their own: {}.",
    "We say that {}.",
)
_DRAW = (
    "A round in which both show the same gesture is worth {} points to each of them.",
    "If both show the same, both get {} points.",
)
_TURNED: dict[str, Callable[[int], bool]] = {
    "with even numbers (the second, the fourth and so on)": lambda number: number % 2 == 0,
    "with odd numbers (the first, the third and so on)": lambda number: number % 2 == 1,
    "after the second": lambda number: number > 2,
    "after the third": lambda number: number > 3,
}
_TURNED_FRAMES = (
    "In the rounds {}, the points for the win go to the loser of the round.",
    "In the rounds {}, the loser gets the points that the winner would have got.",
)
_POINTS = "A win with rock brings {} points, a win with paper {} and a win with scissors {}."
_GESTURE_QUESTION = "{one} and {other} play {n} rounds: {rounds}. How many points does {asked} get?"
_USUAL_DRAW = "If both show the same, nobody gets points."
_GESTURE_FORM = "the number of points"


def gestures(rng: random.Random, level: int) -> Puzzle:
    """Count the points of rounds in which other gestures win."""
    one, other = sample(rng, _PLAYERS, 2)
    worth = sample(rng, range(2, 20), 3)
    if level <= 2:
        rules = [choice(rng, (_beats, _draw, _turned))(rng)]
    else:
        rules = [_beats(rng), _draw(rng), _turned(rng)][: level - 1]
    if level == 5:
        replace_rule(rng, rules, 0, "what beats what", _beats(rng))
    played = [(choice(rng, _GESTURES), choice(rng, _GESTURES)) for _ in range(_ROUNDS[level])]
    asked = choice(rng, (0, 1))
    shown = "; ".join(f"{one} {mine}, {other} {theirs}" for mine, theirs in played)
    question = _GESTURE_QUESTION.format(
        one=one, other=other, n=len(played), rounds=shown, asked=(one, other)[asked]
    )
    terms = _POINTS.format(*worth)
    if all(rule.content[0] != "draw" for rule in rules):
        terms = f"{terms} {_USUAL_DRAW}"
    solve = partial(points, played, worth, asked)
    return Puzzle(rules, f"{terms}\n\n{question}", [played, worth, asked], _GESTURE_FORM, solve)


def points(
    played: Sequence[Round], worth: Sequence[int], asked: int, contents: Sequence[Content]
) -> Answer:
    """Return the points of a player under the given rules; a later rule wins.

    For no points, the list is empty, because that is too often the answer.

    Args:
        played: The gestures of the two players in each round.
        worth: The points for a win with rock, paper and scissors.
        asked: The player, 0 or 1.
        contents: The contents of rules.

    Example:
        >>> points([("rock", "paper"), ("rock", "scissors")], [2, 3, 5], 0, ())
        2
        >>> points([("rock", "paper"), ("rock", "rock")], [2, 3, 5], 0, [("draw", 4)])
        4
    """
    rules = {content[0]: content[1] for content in contents}
    beats, draw = rules.get("beats", _USUAL_WINS), rules.get("draw", 0)
    turned = _TURNED.get(rules.get("turned", ""), _never)
    total = 0
    for number, shown in enumerate(played, 1):
        if shown[0] == shown[1]:
            total += draw
            continue
        winner = 0 if shown in beats else 1
        if turned(number) != (winner == asked):
            total += worth[_GESTURES.index(shown[winner])]
    return total or []


def _beats(rng: random.Random) -> Rule:
    pairs: tuple[Round, ...] = _USUAL_WINS
    while pairs == _USUAL_WINS:
        pairs = tuple(pair if rng.random() < 0.5 else (pair[1], pair[0]) for pair in _USUAL_WINS)
    shown = listing([f"{one} beats {other}" for one, other in sample(rng, pairs, 3)])
    return Rule(("beats", pairs), worded(rng, _BEATS, shown))


def _draw(rng: random.Random) -> Rule:
    points_each = randint(rng, 2, 19)
    return Rule(("draw", points_each), worded(rng, _DRAW, points_each))


def _turned(rng: random.Random) -> Rule:
    rounds = choice(rng, tuple(_TURNED))
    return Rule(("turned", rounds), worded(rng, _TURNED_FRAMES, rounds))


Card = tuple[str, str]

_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace")
_SUITS = ("clubs", "diamonds", "hearts", "spades")
_TRICKS = (0, 4, 6, 5, 6, 6)  # tricks, by level
_TOP = (
    "the {one} is the highest rank here and the {two} the second highest; the others follow in "
    "their usual order.",
    "no rank is higher than the {one}, and only the {one} is higher than the {two}; below these "
    "two, the usual order holds.",
)
_TRUMP = (
    "{} are trumps: where they are played, the highest of them wins the trick, whatever was led.",
    "{} are the trump suit: the highest of them takes the trick, whichever suit was led.",
)
_LOW_TRICKS: dict[str, Callable[[int], bool]] = {
    "in every trick": lambda number: True,
    "in the second, the fourth and the sixth trick": lambda number: number % 2 == 0,
    "in the first, the third and the fifth trick": lambda number: number % 2 == 1,
    "from the third trick on": lambda number: number >= 3,
    "in the first three tricks": lambda number: number <= 3,
}
_LOW = (
    "{} the lowest card of the suit that was led wins, even against trumps.",
    "{} the winner is whoever played the lowest card of the suit that was led, and trumps mean "
    "nothing.",
)
_TRICK_BASE = (
    "Apart from this, the highest card of the suit that was led wins, and the ranks go from 2 up "
    "to the ace."
)
_TRICK_QUESTION = (
    "{players} play {n} tricks, and {leader} leads each time. {tricks} Who wins each trick?"
)
_TRICK_FORM = "the names of the winners in order, separated by commas"
_FOLLOWS = 0.6  # how often a card is drawn from the suit that was led


def tricks(rng: random.Random, level: int) -> Puzzle:
    """Name the winners of tricks in which other cards are high."""
    played = _deal(rng, _TRICKS[level])
    ranks = sorted({rank for trick in played for rank, _ in trick} - {"ace"})
    top, trump, low = _top(rng, ranks), _trump(rng), _low(rng, level)
    if level <= 2:
        rules = [choice(rng, (top, top, trump, low))]
    elif level == 3:
        rules = sample(rng, (top, trump, low), 2)
    else:
        rules = [top, trump, low]
    if level == 5:
        later = changed(rng, "the highest ranks", top)
        rules = [_top(rng, ranks)._replace(needed=False), trump, low, later]
    players = sample(rng, _PLAYERS, 3)
    shown = " ".join(
        f"Trick {number}: "
        + ", ".join(
            f"{player} {rank} of {suit}"
            for player, (rank, suit) in zip(players, trick, strict=True)
        )
        + "."
        for number, trick in enumerate(played, 1)
    )
    question = _TRICK_QUESTION.format(
        players=f"{players[0]}, {players[1]} and {players[2]}",
        n=len(played),
        leader=players[0],
        tricks=shown,
    )
    solve = partial(winners, players, played)
    return Puzzle(rules, f"{_TRICK_BASE}\n\n{question}", [players, played], _TRICK_FORM, solve)


def winners(
    players: Sequence[str], played: Sequence[Sequence[Card]], contents: Sequence[Content]
) -> list[str]:
    """Return who wins each trick under the given rules; a later rule wins.

    Example:
        >>> trick = [("9", "clubs"), ("ace", "hearts"), ("7", "clubs")]
        >>> winners(["Ana", "Ben", "Cleo"], [trick], ())
        ['Ana']
        >>> winners(["Ana", "Ben", "Cleo"], [trick], [("top", "7", "2")])
        ['Cleo']
        >>> winners(["Ana", "Ben", "Cleo"], [trick], [("trump", "hearts")])
        ['Ben']
    """
    rules = {content[0]: content for content in contents}
    order = list(_RANKS)
    if "top" in rules:
        _, highest, second = rules["top"]
        order = [rank for rank in order if rank not in (highest, second)] + [second, highest]
    strength = {rank: place for place, rank in enumerate(order)}
    trump = rules["trump"][1] if "trump" in rules else ""
    is_low = _LOW_TRICKS[rules["low"][1]] if "low" in rules else _never
    return [
        players[_winner(trick, strength, trump, is_low(number))]
        for number, trick in enumerate(played, 1)
    ]


def _winner(trick: Sequence[Card], strength: dict[str, int], trump: str, is_low: bool) -> int:
    suit = trick[0][1]
    if not is_low and any(card[1] == trump for card in trick):
        suit = trump
    able = [(strength[rank], place) for place, (rank, own) in enumerate(trick) if own == suit]
    return (min(able) if is_low else max(able))[1]


def _never(number: int) -> bool:
    return False


def _deal(rng: random.Random, count: int) -> list[list[Card]]:
    """Return tricks of three different cards."""
    used: set[Card] = set()
    played = []
    for _ in range(count):
        trick: list[Card] = []
        while len(trick) < 3:
            follows = bool(trick) and rng.random() < _FOLLOWS
            card = choice(rng, _RANKS), trick[0][1] if follows else choice(rng, _SUITS)
            if card not in used:
                used.add(card)
                trick.append(card)
        played.append(trick)
    return played


def _top(rng: random.Random, ranks: Sequence[str]) -> Rule:
    one, two = sample(rng, ranks, 2)
    return Rule(("top", one, two), worded(rng, _TOP, one=one, two=two))


def _trump(rng: random.Random) -> Rule:
    suit = choice(rng, _SUITS)
    return Rule(("trump", suit), worded(rng, _TRUMP, suit))


def _low(rng: random.Random, level: int) -> Rule:
    which = choice(rng, tuple(_LOW_TRICKS)[level >= 3 :])  # from level 3 on, not in every trick
    return Rule(("low", which), worded(rng, _LOW, which))
