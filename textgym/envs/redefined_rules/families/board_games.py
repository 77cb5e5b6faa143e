"""Chess pieces that move differently, and noughts and crosses with other lines.

The contents of rules are

- for pieces, `("move", where, move)` and `("joined", edges)`, where a move is
  `("slide", way, most)` or `("leap", a, b)`;
- for noughts and crosses, `("lines", kind)`, `("result", "loses")` and `("void", place)`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import combinations

from textgym.envs.generation import choice, listing, randbelow, randint, redrawn, sample
from textgym.envs.redefined_rules.families.puzzle import (
    Content,
    Puzzle,
    Rule,
    answers,
    changed,
    replace_rule,
    worded,
)

__all__ = ["ending", "noughts", "pieces", "targets"]


Square = tuple[int, int]

_STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_WAYS = {
    "straight": (_STRAIGHT, "forward, back, left or right, but not diagonally"),
    "diagonal": (_DIAGONAL, "diagonally, but not forward, back, left or right"),
    "every way": (_STRAIGHT + _DIAGONAL, "forward, back, left, right or diagonally"),
}
_LONG = 9  # more squares than a board has in a row
_USUAL: dict[str, Content] = {
    "king": ("slide", "every way", 1),
    "queen": ("slide", "every way", _LONG),
    "rook": ("slide", "straight", _LONG),
    "bishop": ("slide", "diagonal", _LONG),
    "knight": ("leap", 2, 1),
}
_MOVES: tuple[Content, ...] = (
    *(("leap", a, b) for a in range(1, 5) for b in range(min(a, 3) + 1) if (a, b) != (1, 0)),
    *(("slide", way, most) for way in _WAYS for most in (1, 2, 3, _LONG)),
)
_FRAMES = (
    "the {piece} is another kind of piece here: it {moves}.",
    "in this game the {piece} {moves}.",
    "we play with a {piece} that {moves}.",
)
_WHERE = {
    "even row": "in a row with an even number",
    "odd row": "in a row with an odd number",
    "left files": "in one of the files a, b and c",
}
_LOCAL = (
    "but a {piece} that stands {where} instead {moves}.",
    "there is one exception: if it stands {where}, the {piece} instead {moves}.",
)
_JOINED = {
    "sides": "the left and the right edge of the board are joined, so that a step to the right from"
    " the last file leads to file a, and a step to the left from file a leads to the last file.",
    "ends": "the lower and the upper edge of the board are joined, so that a step up from the last "
    "row leads to row 1, and a step down from row 1 leads to the last row.",
}
_BOARDS = (
    "A board has {size} files, a to {last} from left to right, and {size} rows, 1 to {size} from "
    "bottom to top.",
    "The board has {size} rows, 1 to {size} from bottom to top, and {size} files, a to {last} from "
    "left to right.",
)
_PAWNS = (
    "Your own pawns stand on {}. A piece cannot stop on their squares, and only jumps can pass "
    "over them.",
)
_EMPTY = ("There is nothing else on it.", "It is otherwise empty.")
_QUESTIONS = (
    "Your {piece} stands on {square}. To which other squares can it go in one move?",
    "There is a {piece} of yours on {square}. List the other squares that it can reach in one "
    "move.",
)
_PIECE_FORM = (
    "the squares in the order of the alphabet (a2 before a3, a3 before b1), separated by commas"
)
_MOST = 8  # squares of an answer


def pieces(rng: random.Random, level: int) -> Puzzle:
    """List the squares to which a piece that moves differently can go."""
    while True:
        piece, size = choice(rng, tuple(_USUAL)), randint(rng, 5, 7)
        square = randbelow(rng, size), randbelow(rng, size)
        rules = _rules(rng, level, piece, square)
        pawns = _draw_pawns(rng, size, square, 0 if level == 1 else randint(rng, 2, 3))
        solve = partial(targets, piece, size, square, pawns)
        if 2 <= len(solve([rule.content for rule in rules])) <= _MOST:
            break
    names = sorted(map(_named, pawns))
    board = worded(rng, _BOARDS, size=size, last="abcdefg"[size - 1])
    rest = worded(rng, _PAWNS, listing(names)) if names else choice(rng, _EMPTY)
    question = worded(rng, _QUESTIONS, piece=piece, square=_named(square))
    asked = [piece, size, _named(square), names]
    return Puzzle(rules, f"{board} {rest} {question}", asked, _PIECE_FORM, solve)


def targets(
    piece: str, size: int, square: Square, pawns: Sequence[Square], contents: Sequence[Content]
) -> list[str]:
    """Return the squares that a piece can reach under the given rules, sorted.

    Example:
        >>> targets("king", 5, (0, 0), [(0, 1)], ())
        ['b1', 'b2']
        >>> targets("king", 5, (0, 0), [], [("move", "", ("leap", 3, 0))])
        ['a4', 'd1']
        >>> targets("king", 5, (0, 0), [], [("joined", "sides")])
        ['a2', 'b1', 'b2', 'e1', 'e2']
    """
    general, local, joined = _USUAL[piece], None, ""
    for content in contents:
        if content[0] == "joined":
            joined = content[1]
        elif not content[1]:
            general = content[2]
        elif _stands(content[1], square):
            local = content[2]
    kind, *move = local or general
    found = set(_ends(kind, move, size, square, pawns, joined))
    return sorted(map(_named, found - {square, *pawns}))


def _ends(
    kind: str,
    move: Sequence[int],
    size: int,
    square: Square,
    pawns: Sequence[Square],
    joined: str,
) -> Iterator[Square]:
    """Yield where a move can end; squares with pawns may be among them."""
    if kind == "leap":
        a, b = move
        steps = {(s * x, t * y) for x, y in ((a, b), (b, a)) for s in (1, -1) for t in (1, -1)}
        ends = (_step(square, step, size, joined) for step in steps)
        yield from (end for end in ends if end is not None)
        return
    way, most = move
    for step in _WAYS[str(way)][0]:
        end = square
        for _ in range(most):
            following = _step(end, step, size, joined)
            if following is None or following in pawns or following == square:
                break
            end = following
            yield end


def _step(square: Square, step: Square, size: int, joined: str) -> Square | None:
    """Return the square one step on; None if that is not on the board."""
    file, row = square[0] + step[0], square[1] + step[1]
    if joined == "sides":
        file %= size
    if joined == "ends":
        row %= size
    return (file, row) if 0 <= file < size and 0 <= row < size else None


def _stands(where: str, square: Square) -> bool:
    file, row = square  # numbered from 0
    if where == "left files":
        return file < 3
    return row % 2 == (1 if where == "even row" else 0)


def _named(square: Square) -> str:
    return f"{'abcdefg'[square[0]]}{square[1] + 1}"


def _rules(rng: random.Random, level: int, piece: str, square: Square) -> list[Rule]:
    rules = [_move(rng, piece)]
    if level >= 4:
        where = choice(rng, tuple(_WHERE))
        holds = _stands(where, square)
        rules.append(_move(rng, piece, where)._replace(needed=holds))
        rules[0] = rules[0]._replace(needed=not holds)
    if level in (3, 5):
        edges = choice(rng, tuple(_JOINED))
        text = _JOINED[edges]
        rules.append(Rule(("joined", edges), text[0].upper() + text[1:]))
    if level == 5:
        new = _move(rng, piece, where if holds else "")
        subject = f"how the {piece} moves {_WHERE[where] if holds else 'in general'}"
        place = 1 if holds else 0
        replace_rule(rng, rules, place, subject, new)
    return rules


def _move(rng: random.Random, piece: str, where: str = "") -> Rule:
    move = _USUAL[piece]
    while move == _USUAL[piece]:
        move = choice(rng, _MOVES)
    frames = _LOCAL if where else _FRAMES
    text = worded(rng, frames, piece=piece, moves=_moves(move), where=_WHERE.get(where))
    return Rule(("move", where, move), text)


def _moves(move: Content) -> str:
    kind, one, other = move
    if kind == "slide":
        way = _WAYS[one][1]
        if other == _LONG:
            return f"moves any number of squares {way}"
        return f"moves {'one square' if other == 1 else f'up to {other} squares'} {way}"
    if other == 0:
        return f"jumps exactly {one} squares forward, back, left or right"
    if one == other:
        return f"jumps exactly {one} square{'s' * (one > 1)} along a diagonal"
    return (
        f"jumps {one} squares forward, back, left or right and, in the same jump, {other} "
        f"square{'s' * (other > 1)} at a right angle to that"
    )


def _draw_pawns(rng: random.Random, size: int, square: Square, count: int) -> list[Square]:
    squares = [(file, row) for file in range(size) for row in range(size)]
    squares.remove(square)
    return sample(rng, squares, count)


_SIDE = 5
_FILES = "abcde"
_COUNTS = (0, 17, 20, 20, 20, 20)  # moves, by level
_SQUARES = tuple(f"{file}{row}" for file in _FILES for row in range(1, _SIDE + 1))
_BITS = {square: 1 << place for place, square in enumerate(_SQUARES)}
_ACROSS, _UP = ((0, 0), (1, 0), (2, 0)), ((0, 0), (0, 1), (0, 2))
_RISING, _FALLING = ((0, 0), (1, 1), (2, 2)), ((0, 2), (1, 1), (2, 0))
_BLOCK = ((0, 0), (0, 1), (1, 0), (1, 1))
_WIDE = ((0, 0), (0, 2), (2, 0), (2, 2))
_ROW = tuple((x, 0) for x in range(_SIDE))
_FILE = tuple((0, y) for y in range(_SIDE))
_SHAPES = {
    "all": (_ACROSS, _UP, _RISING, _FALLING),
    "diagonals": (_RISING, _FALLING),
    "ends": (_ROW[::2], _FILE[::2]),
    "blocks": (_BLOCK,),
    "corners": tuple(combinations(_BLOCK, 3)),
    "wide blocks": (_WIDE,),
    "wide corners": tuple(combinations(_WIDE, 3)),
    "three of a row": tuple(combinations(_ROW, 3)),
    "three of a file": tuple(combinations(_FILE, 3)),
    "four of a row": tuple(combinations(_ROW, 4)),
    "four of a file": tuple(combinations(_FILE, 4)),
}
_LINES = {
    "diagonals": "three neighbouring squares of a diagonal; rows and files do not count",
    "ends": "the two ends and the middle of a row or of a file; nothing else counts",
    "blocks": "four squares that form a block of two by two; nothing else counts",
    "corners": "three squares of any block of two by two; three in a row do not count",
    "wide blocks": "the four corners of any block of three by three; nothing else counts",
    "wide corners": "three corners of any block of three by three; three in a row do not count",
    "three of a row": "any three squares of the same row, neighbouring or not; nothing else counts",
    "three of a file": "any three squares of the same file, neighbouring or not; nothing else "
    "counts",
    "four of a row": "any four squares of the same row, neighbouring or not; nothing else counts",
    "four of a file": "any four squares of the same file, neighbouring or not; nothing else counts",
}
_LINE_FRAMES = (
    "in this game a line is {}.",
    "what counts as a line here is {}.",
    "only this is called a line: {}.",
)
_LOSES = (
    "Whoever completes a line first loses, and the other one wins.",
    "To complete a line is a defeat here: the one who does it first loses to the other.",
)
_WINS = "Whoever completes a line first wins."
_USUAL_LINE = "A line is three neighbouring squares of a row, of a file or of a diagonal."
_VOID = (
    "lines that contain a square of {} do not count.",
    "a line with any square of {} is ignored.",
)
_PLACES = (*(f"file {file}" for file in _FILES), *(f"row {row}" for row in range(1, _SIDE + 1)))
_QUESTION = (
    "X and O take turns on a board with the files a to e and the rows 1 to 5, and these are their "
    "moves: {}. They went on after the game was decided. Who won, and which line "
    "decided the game?"
)
_NOUGHTS_FORM = (
    "the winner, X or O, and the squares of that line in the order of the alphabet (a2 before a3, "
    "a3 before b1), separated by commas"
)


def noughts(rng: random.Random, level: int) -> Puzzle:
    """Say who wins a game with other lines, and which line decides it."""
    lines, loses = _lines(rng), Rule(("result", "loses"), choice(rng, _LOSES))
    return _game(rng, level, lines, loses, rng.random())


@redrawn  # with the same lines, so that all are equally frequent
def _game(rng: random.Random, level: int, lines: Rule, loses: Rule, kind: float) -> Puzzle:
    moves = sample(rng, _SQUARES, _COUNTS[level])
    if level <= 2:
        rules = [_void(rng, moves) if kind < 0.1 else lines if kind < 0.95 else loses]
    elif level == 3:
        rules = [lines, _void(rng, moves, lines.content) if kind < 0.7 else loses]
    else:
        rules = [lines, _void(rng, moves, lines.content), loses]
    if level == 5:
        later = changed(rng, "what a line is", lines)
        rules = [_lines(rng)._replace(needed=False), *rules[1:], later]
    kinds = {rule.content[0] for rule in rules}
    given = [_USUAL_LINE] if "lines" not in kinds else []
    given += [_WINS] if "result" not in kinds else []
    shown = ", ".join(f"{'XO'[number % 2]} {square}" for number, square in enumerate(moves))
    question = f"{' '.join(given)} {_QUESTION.format(shown)}".strip()
    puzzle = Puzzle(rules, question, moves, _NOUGHTS_FORM, partial(ending, moves))
    answers(puzzle)  # raises `Unfit`
    return puzzle


def ending(moves: Sequence[str], contents: Sequence[Content]) -> list[str]:
    """Return who wins and the squares of the line that decides, under the given rules.

    An empty list says that nobody does, or that a move completes two lines at once.

    Example:
        >>> ending(["a1", "d4", "a2", "c4", "a3"], ())
        ['X', 'a1', 'a2', 'a3']
        >>> ending(["a1", "d4", "a2", "c4", "a3"], [("result", "loses"), ("lines", "diagonals")])
        []
        >>> ending(["a1", "d4", "a2", "c4", "a3"], [("result", "loses")])
        ['O', 'a1', 'a2', 'a3']
        >>> ending(["a1", "d4", "a2", "c4", "a3"], [("void", "row 1")])
        []
    """
    rules = {content[0]: content[1] for content in contents}
    lines = _lines_with(rules.get("lines", "all"), rules.get("void", " ")[-1])
    taken = [0, 0]
    for number, square in enumerate(moves):
        player = number % 2
        taken[player] |= _BITS[square]
        completed = 0
        for line in lines[square]:
            if line & taken[player] == line:
                if completed:
                    return []
                completed = line
        if completed:
            winner = "OX"[player] if "result" in rules else "XO"[player]
            return [winner, *(part for part in _SQUARES if _BITS[part] & completed)]
    return []


@cache
def _lines_with(kind: str, void: str) -> dict[str, list[int]]:
    """Return the lines of a kind that contain each square, as sums of bits.

    Args:
        kind: One of the keys of the shapes.
        void: The name of a file or row whose lines do not count.
    """
    lines = {line for line in _all_lines(kind) if not any(void in square for square in line)}
    return {
        square: [sum(_BITS[part] for part in line) for line in lines if square in line]
        for square in _SQUARES
    }


def _all_lines(kind: str) -> Iterator[frozenset[str]]:
    for shape in _SHAPES[kind]:
        for x in range(_SIDE):
            for y in range(_SIDE):
                places = [(x + dx, y + dy) for dx, dy in shape]
                if all(a < _SIDE and b < _SIDE for a, b in places):
                    yield frozenset(f"{_FILES[a]}{b + 1}" for a, b in places)


def _lines(rng: random.Random) -> Rule:
    kind = choice(rng, tuple(_LINES))
    return Rule(("lines", kind), worded(rng, _LINE_FRAMES, _LINES[kind]))


def _void(rng: random.Random, moves: Sequence[str], *contents: Content) -> Rule:
    """Draw a file or row whose lines decide the game; if none does, any."""
    otherwise = ending(moves, contents)
    places = sample(rng, _PLACES, len(_PLACES))
    matters = (p for p in places if ending(moves, [*contents, ("void", p)]) != otherwise)
    place = next(matters, places[0])
    return Rule(("void", place), worded(rng, _VOID, place))
