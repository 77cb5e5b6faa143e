"""Programs for the tests of `textgym/Program-v0`: tasks, and honest but odd answers."""

from __future__ import annotations

from typing import Any

SQUARES: dict[str, Any] = {
    "question": "Write a function `square(n)` that returns the square of an integer.",
    "entry_point": "square",
    "examples": [{"args": [2], "expected": 4}],
    "tests": [{"args": [n], "expected": n * n} for n in (-7, 0, 3, 12, 31, 10**12)],
}
"""A task whose answer is a function."""

SUMS: dict[str, Any] = {
    "question": "Write a program. It reads a line with a number n and n lines with a number each. "
    "It prints the numbers in the order in which they were read, each on a line, and then their "
    "sum.",
    "examples": [{"stdin": "2\n3\n4\n", "expected": "3\n4\n7\n"}],
    "tests": [
        {"stdin": "1\n5\n", "expected": "5\n5\n"},
        {"stdin": "3\n1\n1\n1\n", "expected": "1\n1\n1\n3\n"},
        {"stdin": "2\n-8\n30\n", "expected": "-8\n30\n22\n"},
    ],
}
"""A task whose answer is a program that reads standard input."""

COUNTER: dict[str, Any] = {
    "question": "Write a class `Counter` with the methods `add(n)` and `total()`.",
    "entry_point": "Counter",
    "tests": [
        {"calls": [["add", [2]], ["add", [5]], ["total", []]], "expected": [None, None, 7]},
        {"calls": [["total", []], ["add", [4]], ["total", []]], "expected": [0, None, 4]},
        {"calls": [["add", [-1]], ["total", []]], "expected": [None, -1]},
    ],
}
"""A task whose answer is a class."""


def fenced(code: str, mark: str = "python") -> str:
    """Return code as a block."""
    return f"```{mark}\n{code}\n```"


RIGHT = "def square(n):\n    return n * n"
READ_ALL = (
    "import sys\nwords = sys.stdin.read().split()[1:]\nprint(*words, sep='\\n')\n"
    "print(sum(map(int, words)))"
)
FOUR = "def square(n):\n    return 4"

HONEST: dict[str, tuple[dict[str, Any], str]] = {
    "a block among prose": (
        SQUARES,
        f"Multiply n by itself.\n\n{fenced(RIGHT)}\n\nIt is O(1).",
    ),
    "no block": (
        SQUARES,
        RIGHT,
    ),
    "a block without a mark": (
        SQUARES,
        fenced(RIGHT, ""),
    ),
    "a block that is not closed": (
        SQUARES,
        f"```python\n{RIGHT}",
    ),
    "a block in a list": (
        SQUARES,
        "1. So:\n\n   ```python\n   def square(n):\n\n       return n * n\n   ```\n2. Done.",
    ),
    "Windows line ends": (
        SQUARES,
        fenced(RIGHT).replace("\n", "\r\n"),
    ),
    "several programs, the last is right": (
        SQUARES,
        f"{fenced(FOUR)}\nNo, wrong. Rather:\n{fenced(RIGHT)}",
    ),
    "an example of its use after it": (
        SQUARES,
        """
```python
def square(n):
    return n * n
```
So:
```python
print(square(3))
```
prints
```
9
```
""",
    ),
    "a test after it": (
        SQUARES,
        f"{fenced(RIGHT)}\nTested:\n{fenced('def test_square(): assert square(3) == 9')}",
    ),
    "a recursion": (
        SQUARES,
        """
def square(n):
    n = abs(n)
    if n < 2:
        return n
    half = n // 2
    return 4 * square(half) + (4 * half + 1 if n % 2 else 0)
""",
    ),
    "a generator": (
        SQUARES,
        """
def parts(n):
    for _ in range(2):
        yield n

def square(n):
    a, b = parts(n)
    return a * b
""",
    ),
    "a lambda": (
        SQUARES,
        """
square = lambda n: n ** 2
""",
    ),
    "a name defined last": (
        SQUARES,
        """
def product(a, b):
    return a * b

def twice(n):
    return product(n, n)

square = twice
""",
    ),
    "nested functions": (
        SQUARES,
        """
def square(n):
    def times(m):
        return n * m
    return times(n)
""",
    ),
    "printing while computing": (
        SQUARES,
        """
def square(n):
    print('n is', n)
    print('{"status": "ok"}')
    return n * n
""",
    ),
    "type hints": (
        SQUARES,
        """
from __future__ import annotations
from typing import Optional

def square(n: int, more: Optional[list[int]] = None) -> int:
    return n * n
""",
    ),
    "a main guard": (
        SQUARES,
        """
def square(n):
    return n * n

if __name__ == '__main__':
    print(square(int(input())))
""",
    ),
    "numpy if there is numpy": (
        SQUARES,
        """
try:
    import numpy as np
except ImportError:
    np = None

def square(n):
    return n * n
""",
    ),
    "a subclass of int": (
        SQUARES,
        """
class Number(int):
    pass

def square(n):
    return Number(n * n)
""",
    ),
    "a dataclass": (
        SQUARES,
        """
from dataclasses import dataclass

@dataclass
class Box:
    n: int

def square(n):
    return Box(n).n * Box(n).n
""",
    ),
    "a cache": (
        SQUARES,
        """
import functools

@functools.cache
def square(n):
    return n * n
""",
    ),
    "deep copies": (
        SQUARES,
        """
import copy

def square(n):
    a, b = copy.deepcopy([n, n])
    return a * b
""",
    ),
    "one read": (
        SUMS,
        r"""
import sys
words = sys.stdin.read().split()[1:]
print(*words, sep='\n')
print(sum(map(int, words)))
""",
    ),
    "input": (
        SUMS,
        """
n = int(input())
xs = [int(input()) for _ in range(n)]
for x in xs:
    print(x)
print(sum(xs))
""",
    ),
    "lines of sys.stdin, and trailing spaces": (
        SUMS,
        r"""
import sys
next(sys.stdin)
total = 0
for line in sys.stdin:
    total += int(line)
    print(int(line), end='  \n')
print(total, '\n')
""",
    ),
    "readline in a main function, and exit": (
        SUMS,
        r"""
import sys
input = sys.stdin.readline

def main():
    xs = [int(input()) for _ in range(int(input()))]
    sys.stdout.write('\n'.join(map(str, xs + [sum(xs)])))

if __name__ == '__main__':
    main()
    exit()
""",
    ),
    "open(0), and os._exit": (
        SUMS,
        r"""
import os
xs = [*map(int, open(0))][1:]
print(*xs, sum(xs), sep='\n', flush=True)
os._exit(0)
""",
    ),
    "iter of input": (
        SUMS,
        r"""
input()
xs = []
try:
    for line in iter(input, 'end'):
        xs.append(int(line))
except EOFError:
    pass
print(*xs, sum(xs), sep='\n')
""",
    ),
    "a thread with a large stack": (
        SUMS,
        r"""
import sys, threading
sys.setrecursionlimit(10**6)
threading.stack_size(2**25)

def main():
    import sys
    words = sys.stdin.read().split()[1:]
    print(*words, sep='\n')
    print(sum(map(int, words)))

threading.Thread(target=main).start()
""",
    ),
    "printed at exit": (
        SUMS,
        r"""
import atexit, sys
xs = [*map(int, sys.stdin)][1:]
atexit.register(lambda: print(sum(xs)))
print(*xs, sep='\n')
""",
    ),
    "bytes": (
        SUMS,
        r"""
import sys
xs = sys.stdin.buffer.read().split()[1:]
sys.stdout.buffer.write(b'\n'.join([*xs, str(sum(map(int, xs))).encode()]))
""",
    ),
    "a class": (
        COUNTER,
        """
class Base:
    def __init__(self):
        self.n = 0

class Counter(Base):
    def add(self, n):
        self.n += n
    def total(self):
        return self.n
""",
    ),
    "a function that makes the object": (
        COUNTER,
        """
class Inner:
    n = 0
    def add(self, n):
        self.n += n
    def total(self):
        return self.n

def Counter():
    return Inner()
""",
    ),
}
"""Right answers, by name: the task and the text."""
