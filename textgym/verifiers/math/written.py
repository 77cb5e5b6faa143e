r"""The syntax tree of a formula as it is written, with nothing evaluated.

The parser in `reading` reduces fractions, adds juxtaposed numbers, and replaces variables. This
tree keeps them, and is used to decide whether an answer is evaluated. Invariants: the grammar
covers only what an evaluated answer may contain, and other formulas have no tree; any text is
parsed in linear time without raising an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce

__all__ = ["Node", "read_written"]

_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<command>\\[a-zA-Z]+|\\[^a-zA-Z])|(?P<other>\S)"
)
_ENVIRONMENT = re.compile(
    r"\\(begin|end)\s*\{(?:(p|b|B|small|psmall|bsmall)?matrix\*?|array|cases)\}"
    r"(?:\s*\{[lcr|\s]*\}|\s*\[[lcr]\])?"
)
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_CONNECTIVE = re.compile(r"(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])")
_NAMED = re.compile(r"\\operatorname\s*\{\s*([a-zA-Z]+)\s*\}")
_SEPARATORS = frozenset([",", ";", "&", "\\\\", "\\cup", "\\wedge", "\\vee", "\\quad"])
_RELATIONS = frozenset(
    ["=", "<", ">", "\\le", "\\ge", "\\neq", "\\in", "\\approx", "\\equiv", "\\colon", ":",
     "\\mid"]
)  # fmt: skip
_CLOSING = {
    "(": (")", "]", "["), "[": (")", "]", "["), "]": ("[", "]", ")"), "\\{": ("\\}",), "{": ("}",),
    "\\matrixbegin": ("\\matrixend",),
}  # fmt: skip
"""The brackets that can close a bracket. Intervals mix them, in two notations."""
_FUNCTIONS = {
    **dict.fromkeys(
        ["sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "arccot"],
        "trigonometric",
    ),
    **dict.fromkeys(["ln", "log", "lg"], "logarithm"),
    **dict.fromkeys(["exp", "sinh", "cosh", "tanh"], "exponential"),
}
_NAMES = frozenset(
    ["alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta",
     "kappa", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "varphi", "chi", "psi",
     "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Sigma", "Phi", "Psi", "Omega", "ell",
     "hbar", "pi", "infty", "emptyset"]
)  # fmt: skip
_PREFIXES = frozenset(["frac", "sqrt", "binom", "mathbb", *_FUNCTIONS])
_SIGNS = frozenset(["+", "-", "\\pm", "\\mp"])
MAX_DEPTH = 40  # of nested brackets
MAX_SIGNS = 2  # before a term


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula.

    Attributes:
        kind: `number`, `name`, `word`, `sum`, `product`, `quotient`, `negative`, `power`, `root`,
            `function`, `list`, `matrix` or `relation`.
        parts: The child nodes.
        value: The value of a `number`; 0 for other kinds.
        text: The text of a number, name or word; the kind of a function; else "".
    """

    kind: str
    parts: tuple[Node, ...] = ()
    value: Fraction = Fraction(0)
    text: str = ""

    def walk(self) -> Iterator[Node]:
        """Yield the node and all its descendants."""
        yield self
        for part in self.parts:
            yield from part.walk()


class _NotListed(Exception):
    """The text contains something that the grammar does not cover."""


@lru_cache(4096)
def read_written(latex: str) -> Node | None:
    r"""Return the syntax tree of a formula; None if the grammar does not cover it.

    Example:
        >>> read_written(r"\frac{84}{2}").kind, read_written(r"34 \cdot 12").kind
        ('quotient', 'product')
        >>> read_written(r"x^7|_{x=8}") is None
        True
    """
    text = _ENVIRONMENT.sub(lambda match: f"\\matrix{match[1]} ", latex)
    text = _CONNECTIVE.sub(r"\\vee ", _TEXT.sub(_word, _NAMED.sub(r"\\\1 ", text)))
    parser = _Parser(list(_TOKEN.finditer(text)))
    try:
        node = parser.listing()
        if parser.peek():
            return None
    except (_NotListed, ValueError, RecursionError):
        return None
    return node


def _word(match: re.Match[str]) -> str:
    word = match[1].strip(" ,.")
    return "\\vee " if word in ("and", "or") else f"\\word{re.sub('[^a-zA-Z]', '', word)} "


class _Parser:
    """A recursive descent parser."""

    def __init__(self, tokens: list[re.Match[str]]) -> None:
        self._tokens = [token.group() for token in tokens]
        self._place = 0
        self._depth = 0

    def peek(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self._place += 1
        return token

    def _take_if(self, *tokens: str) -> bool:
        if self.peek() in tokens and self.peek():
            self._place += 1
            return True
        return False

    def listing(self, closing: tuple[str, ...] = ()) -> Node:
        """Parse items between separators, up to a closing bracket or the end."""
        items: list[Node] = []
        separated, complete = False, False
        while self.peek() and not (self.peek() in closing and (complete or not items)):
            if self.peek() in _SEPARATORS:
                self.take()
                separated, complete = True, False
            else:
                items.append(self._relation())
                complete = True
        return items[0] if len(items) == 1 and not separated else Node("list", tuple(items))

    def _relation(self) -> Node:
        sides, signs = [self._sum()], []
        while self.peek() in _RELATIONS:
            signs.append(self.take())
            sides.append(self._sum())
        if {*signs} == {":"} and any(map(_is_divided, sides[1:])):
            return reduce(lambda ratio, side: Node("quotient", (ratio, side)), sides)
        return sides[0] if len(sides) == 1 else Node("relation", tuple(sides))

    def _sum(self) -> Node:
        terms = []
        while True:
            signs = 0
            while self.peek() in _SIGNS:
                signs += self.take() != "+"
            if signs > MAX_SIGNS:
                raise _NotListed
            term = self._product()
            for _ in range(signs):
                term = Node("negative", (term,))
            terms.append(term)
            if self.peek() not in _SIGNS:
                return terms[0] if len(terms) == 1 else Node("sum", tuple(terms))

    def _product(self) -> Node:
        factors = [self._signed()]
        while True:
            if self._take_if("\\cdot", "\\times", "*"):
                factors.append(self._signed())
            elif self._take_if("/", "\\div"):
                factors = [Node("quotient", (_product(factors), self._signed()))]
            elif self._take_if("\\over"):
                factors = [Node("quotient", (_product(factors), self._product()))]
            elif self._starts_factor():
                _juxtapose(factors, self._power())
            else:
                return _product(factors)

    def _signed(self) -> Node:
        if self._take_if("-"):
            return Node("negative", (self._signed(),))
        return self._power()

    def _starts_factor(self) -> bool:
        token = self.peek()
        if token in ("(", "{", "\\{", "\\matrixbegin") or (token == "[" and self._depth == 0):
            return True
        if token.startswith("\\"):
            name = token[1:]
            return name in _NAMES or name in _PREFIXES or name.startswith("word")
        return token[:1].isdigit() or token[:1] == "." or (token.isascii() and token.isalpha())

    def _power(self) -> Node:
        node = self._base()
        while True:
            if self._take_if("^"):
                if self._take_if("\\circ"):
                    continue
                exponent = self._argument()
                if exponent.text == "\\circ":
                    continue
                node = Node("power", (node, exponent))
            elif self._take_if("\\%", "%"):
                if node.kind != "number":
                    raise _NotListed
                node = Node("number", (), node.value / 100, f"{node.text}%")
            elif self._take_if("!"):
                node = Node("function", (node,), text="factorial")
            elif self._take_if("'"):
                if node.kind != "name":
                    raise _NotListed
            elif self._take_if("_"):
                if node.kind != "name":
                    raise _NotListed
                node = Node("name", (), text=f"{node.text}_{_plain(self._argument())}")
            else:
                return node

    def _argument(self) -> Node:
        """Parse a group in braces, or one token."""
        if self.peek() == "{":
            return self._group()
        token = self.peek()
        if token[:1].isdigit() and len(token) > 1:
            self._tokens[self._place : self._place + 1] = [token[0], token[1:]]
        return self._base()

    def _base(self) -> Node:
        token = self.peek()
        if not token:
            raise _NotListed
        if token in _CLOSING:
            return self._group()
        self.take()
        if token[0].isdigit() or token[0] == ".":
            return Node("number", (), Fraction(token.rstrip(".")), token)
        if token.isascii() and token.isalpha():
            return Node("name", (), text=token)
        if token == "|":
            node = self._sum()
            if not self._take_if("|"):
                raise _NotListed
            return Node("function", (node,), text="absolute value")
        name = token[1:] if token[0] == "\\" else ""
        if name in _NAMES or name == "circ":
            return Node("name", (), text=token)
        if name.startswith("word"):
            return Node("word", (), text=name)
        if name == "frac":
            return Node("quotient", (self._argument(), self._argument()))
        if name == "binom":
            return Node("function", (self._argument(), self._argument()), text="binomial")
        if name == "mathbb":
            return Node("word", (), text=f"word{_plain(self._argument())}")
        if name == "sqrt":
            index = self._group() if self.peek() == "[" else None
            radicand = self._argument()
            return Node("root", (radicand, index) if index else (radicand,))
        if name in _FUNCTIONS:
            return self._function(_FUNCTIONS[name])
        raise _NotListed

    def _function(self, kind: str) -> Node:
        extra = []
        while self.peek() in ("^", "_"):
            self.take()
            extra.append(self._argument())
        if self.peek() in ("(", "{", "["):
            argument = self._power()
        else:
            factors = [self._signed()]
            while self._starts_factor() and self.peek()[1:] not in _FUNCTIONS:
                _juxtapose(factors, self._power())
            argument = _product(factors)
        return Node("function", (argument, *extra), text=kind)

    def _group(self) -> Node:
        opening = self.take()
        if self._depth == MAX_DEPTH:
            raise _NotListed
        self._depth += 1
        node = self.listing(_CLOSING[opening])
        self._depth -= 1
        if self.take() not in _CLOSING[opening]:
            raise _NotListed
        if opening == "\\matrixbegin":
            return Node("matrix", node.parts if node.kind == "list" else (node,))
        if opening == "\\{" and node.kind != "list":
            return Node("list", (node,))
        return node


def _plain(node: Node) -> str:
    return node.text or "".join(map(_plain, node.parts))


def _is_divided(side: Node) -> bool:
    """Return whether a side of a ratio is a fraction or a number, as in `6:2`, but not 1."""
    number = side.parts[0] if side.kind == "negative" else side
    return number.kind == "quotient" or (number.kind == "number" and number.value != 1)


def _product(factors: list[Node]) -> Node:
    return factors[0] if len(factors) == 1 else Node("product", tuple(factors))


def _juxtapose(factors: list[Node], factor: Node) -> None:
    r"""Append a factor without a sign, or make a mixed number such as `7\frac{1}{2}`."""
    last = factors[-1]
    if last.kind == factor.kind == "number":
        raise _NotListed  # two adjacent numbers are ambiguous
    is_fraction = factor.kind == "quotient" and all(
        part.kind == "number" and part.text.isdigit() for part in factor.parts
    )
    if len(factors) == 1 and last.text.isdigit() and last.kind == "number" and is_fraction:
        above, below = (part.value for part in factor.parts)
        if above < below:
            factors[0] = Node("number", (), last.value + above / below, "mixed")
            return
    factors.append(factor)
