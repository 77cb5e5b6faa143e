"""Expressions with operators of their own, which a program evaluates."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from textgym.envs.generation import choice, randint, sample
from textgym.envs.program.drafts import Draft

__all__ = ["expressions"]


class _Meaning(NamedTuple):
    """What an operator does: in prose, as an expression of `x` and `y`, and as a function."""

    words: str
    code: str
    apply: Callable[[int, int, int], int]


_MEANINGS = {
    "plus": _Meaning("x + <k> * y", "x + <k> * y", lambda x, y, k: sum([y] * k, x)),
    "minus": _Meaning("<k> * x - y", "<k> * x - y", lambda x, y, k: sum([x] * k) - y),
    "max": _Meaning(
        "the larger of x and y + <k>", "max(x, y + <k>)", lambda x, y, k: [y + k, x][x > y + k]
    ),
    "min": _Meaning(
        "the smaller of x + <k> and y", "min(x + <k>, y)", lambda x, y, k: sorted((x + k, y))[0]
    ),
    "distance": _Meaning(
        "the absolute difference of x and y, plus <k>",
        "abs(x - y) + <k>",
        lambda x, y, k: max(x - y, y - x) + k,
    ),
    "modulus": _Meaning(
        "the remainder of x + y in a division by <k>7", "(x + y) % <k>7",
        lambda x, y, k: (x + y) - (10 * k + 7) * ((x + y) // (10 * k + 7)),
    ),
    "times": _Meaning("x * y - <k>", "x * y - <k>", lambda x, y, k: -k + y * x),
}  # fmt: skip
_SIGNS = "@#&$%^"


class _Language(NamedTuple):
    """Operators by sign, weakest first, with their meanings and numbers.

    Attributes:
        operators: The sign, the name of its meaning, and its number.
        ranks: Whether each operator binds weaker than the next; else all bind alike.
        brackets: Whether there are parentheses.
        prefix: The number that the prefix `!` subtracts its operand from; 0 for no prefix.
        from_right: Whether operators of one rank are grouped from the right.
    """

    operators: tuple[tuple[str, str, int], ...]
    ranks: bool
    brackets: bool
    prefix: int
    from_right: bool

    def value(self, text: str) -> int:
        """Return the value of an expression, by replacing its parts by their values."""
        tokens: list[Any] = [
            int(token) if token.isdigit() else token for token in re.findall(r"\d+|\S", text)
        ]
        while "(" in tokens:
            start = max(place for place, token in enumerate(tokens) if token == "(")
            end = tokens.index(")", start)
            tokens[start : end + 1] = [self._flat(tokens[start + 1 : end])]
        return self._flat(tokens)

    def _flat(self, tokens: list[Any]) -> int:
        while "!" in tokens:
            place = len(tokens) - 1 - tokens[::-1].index("!")
            tokens[place : place + 2] = [self.prefix - tokens[place + 1]]
        signs = [sign for sign, _, _ in self.operators]
        for group in reversed(signs) if self.ranks else ["".join(signs)]:
            while True:
                places = [
                    p for p, token in enumerate(tokens) if isinstance(token, str) and token in group
                ]
                if not places:
                    break
                place = places[-1 if self.from_right else 0]
                _, name, number = self.operators[signs.index(tokens[place])]
                x, y = tokens[place - 1], tokens[place + 1]
                tokens[place - 1 : place + 2] = [_MEANINGS[name].apply(x, y, number)]
        return int(tokens[0])

    def statement(self) -> str:
        """Return the rules in prose."""
        rules = "; ".join(
            f"`x {sign} y` is {_MEANINGS[name].words.replace('<k>', str(number))}"
            for sign, name, number in self.operators
        )
        signs = [f"`{sign}`" for sign, _, _ in self.operators]
        side = "right" if self.from_right else "left"
        rank = (
            f"The operators bind from the strongest to the weakest in this order: "
            f"{', '.join(reversed(signs))}. Operators of the same kind are grouped from the {side}."
            if self.ranks
            else f"All operators bind alike and are grouped from the {side}."
        )
        more = " Parentheses group as usual." if self.brackets else ""
        if self.prefix:
            more += (
                f" `!` before a number or a parenthesis binds strongest, and may be repeated: `!x` "
                f"is {self.prefix} - x."
            )
        return f"{rules}. {rank}{more}"

    def program(self) -> str:
        """Return a program that evaluates expressions by recursive descent."""
        table = ", ".join(
            f"'{sign}': lambda x, y: {_MEANINGS[name].code.replace('<k>', str(number))}"
            for sign, name, number in self.operators
        )
        signs = [sign for sign, _, _ in self.operators]
        groups = signs if self.ranks else ["".join(signs)]
        turn = ("            right = level(depth) if FROM_RIGHT else level(depth + 1)\n").replace(
            "FROM_RIGHT", str(self.from_right)
        )
        loop = "if" if self.from_right else "while"
        return (
            f"import re\n\n\ndef evaluate(text):\n    tokens = re.findall(r'\\d+|\\S', text)\n"
            f"    groups = {groups!r}\n    table = {{{table}}}\n\n"
            "    def level(depth):\n        if depth == len(groups):\n            return atom()\n"
            "        left = level(depth + 1)\n"
            f"        {loop} tokens and tokens[0] in groups[depth]:\n"
            "            sign = tokens.pop(0)\n"
            f"{turn}"
            "            left = table[sign](left, right)\n        return left\n\n"
            "    def atom():\n        token = tokens.pop(0)\n        if token == '!':\n"
            f"            return {self.prefix} - atom()\n"
            "        if token == '(':\n            inner = level(0)\n            tokens.pop(0)\n"
            "            return inner\n        return int(token)\n\n    return level(0)\n"
        )

    def draw(self, rng: random.Random, size: int, depth: int = 0) -> str:
        """Draw an expression with a number of operands."""
        parts = []
        for place in range(size):
            if place:
                parts.append(choice(rng, self.operators)[0])
            operand = str(randint(rng, 0, 20))
            if self.brackets and depth < 2 and rng.random() < 0.3:
                operand = f"({self.draw(rng, randint(rng, 2, 3), depth + 1)})"
            while self.prefix and rng.random() < 0.2:
                operand = f"!{operand}"
            parts.append(operand)
        return (" " if depth == 0 else "").join(parts)

    def rivals(self) -> list[_Language]:
        """Return languages with one rule changed."""
        rivals = [
            self._replace(
                operators=tuple(
                    (sign, name, number + (changed == place))
                    for place, (sign, name, number) in enumerate(self.operators)
                )
            )
            for changed in range(len(self.operators))
        ]
        if len(self.operators) > 1:
            rivals.append(self._replace(ranks=not self.ranks))
            if self.ranks:
                rivals.append(self._replace(operators=self.operators[::-1]))
        rivals.append(self._replace(from_right=not self.from_right))
        if self.prefix:
            rivals.append(self._replace(prefix=self.prefix + 1))
        return rivals


def expressions(rng: random.Random, level: int) -> Draft:
    """Draft the evaluation of expressions."""
    count = (1, 2, 2, 3, 3)[level - 1]
    signs = sample(rng, _SIGNS, count)
    names = sample(rng, _MEANINGS, count)
    language = _Language(
        tuple((sign, name, randint(rng, 2, 9)) for sign, name in zip(signs, names, strict=True)),
        ranks=level >= 3,
        brackets=level >= 4,
        prefix=randint(rng, 5, 40) if level >= 5 else 0,
        from_right=rng.random() < 0.5,
    )
    return Draft(
        entry="evaluate",
        statement=(
            "Return the value of the expression `text`, which has integers of 0 or more and "
            f"operators, and may have spaces between them. {language.statement()}"
        ),
        names={"text": "str"},
        program=language.program(),
        solve=language.value,
        rivals=[rival.value for rival in language.rivals()],
        draw=lambda rng: (language.draw(rng, randint(rng, 2, 4 + level // 2)),),
        content=["expressions", list(map(list, language.operators)), *language[1:]],
    )
