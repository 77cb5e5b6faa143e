"""Programs for the tests of `textgym/Program-v0`: honest and odd, hostile, and forged."""

from __future__ import annotations

from textwrap import indent
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
        {"init": [], "calls": [["add", [2]], ["add", [5]], ["total", []]], "expected": [None, None, 7]},
        {"init": [], "calls": [["total", []], ["add", [4]], ["total", []]], "expected": [0, None, 4]},
        {"init": [], "calls": [["add", [-1]], ["total", []]], "expected": [None, -1]},
    ],
}  # fmt: skip
"""A task whose answer is a class."""


def fenced(code: str, mark: str = "python") -> str:
    """Return code as a block."""
    return f"```{mark}\n{code}\n```"


_SQUARE = "def square(n):\n    return n * n"
_FOUR = "def square(n):\n    return 4"
_READ_ALL = "import sys\nwords = sys.stdin.read().split()[1:]\nprint(*words, sep='\\n')\nprint(sum(map(int, words)))"

HONEST: dict[str, tuple[dict[str, Any], str]] = {
    "a block among prose": (SQUARES, f"Multiply n by itself.\n\n{fenced(_SQUARE)}\n\nIt is O(1)."),
    "no block": (SQUARES, _SQUARE),
    "a block without a mark": (SQUARES, fenced(_SQUARE, "")),
    "a block that is not closed": (SQUARES, f"```python\n{_SQUARE}"),
    "Windows line ends": (SQUARES, fenced(_SQUARE).replace("\n", "\r\n")),
    "several programs, the last is right": (
        SQUARES, f"{fenced(_FOUR)}\nNo, wrong. Rather:\n{fenced(_SQUARE)}",
    ),
    "an example of its use after it": (
        SQUARES, f"{fenced(_SQUARE)}\nSo:\n{fenced('print(square(3))')}\nprints\n{fenced('9', '')}",
    ),
    "a recursion": (
        SQUARES,
        "def square(n):\n    n = abs(n)\n    if n < 2:\n        return n\n"
        "    half = n // 2\n    return 4 * square(half) + (4 * half + 1 if n % 2 else 0)",
    ),
    "a generator": (
        SQUARES,
        "def parts(n):\n    for _ in range(2):\n        yield n\n\n"
        "def square(n):\n    a, b = parts(n)\n    return a * b",
    ),
    "a lambda": (SQUARES, "square = lambda n: n ** 2"),
    "a name defined last": (
        SQUARES, "def product(a, b):\n    return a * b\n\ndef twice(n):\n    return product(n, n)\n\nsquare = twice",
    ),
    "nested functions": (
        SQUARES, "def square(n):\n    def times(m):\n        return n * m\n    return times(n)",
    ),
    "printing while computing": (
        SQUARES, "def square(n):\n    print('n is', n)\n    print('{\"status\": \"ok\"}')\n    return n * n",
    ),
    "type hints": (
        SQUARES,
        "from __future__ import annotations\nfrom typing import Optional\n\n"
        "def square(n: int, more: Optional[list[int]] = None) -> int:\n    return n * n",
    ),
    "a main guard": (
        SQUARES, f"{_SQUARE}\n\nif __name__ == '__main__':\n    print(square(int(input())))",
    ),
    "numpy if there is numpy": (
        SQUARES, f"try:\n    import numpy as np\nexcept ImportError:\n    np = None\n\n{_SQUARE}",
    ),
    "a subclass of int": (
        SQUARES, "class Number(int):\n    pass\n\ndef square(n):\n    return Number(n * n)",
    ),
    "a dataclass": (
        SQUARES,
        "from dataclasses import dataclass\n\n@dataclass\nclass Box:\n    n: int\n\n"
        "def square(n):\n    return Box(n).n * Box(n).n",
    ),
    "a cache": (
        SQUARES, "import functools\n\n@functools.cache\ndef square(n):\n    return n * n",
    ),
    "deep copies": (
        SQUARES, "import copy\n\ndef square(n):\n    a, b = copy.deepcopy([n, n])\n    return a * b",
    ),
    "one read": (SUMS, _READ_ALL),
    "input": (
        SUMS, "n = int(input())\nxs = [int(input()) for _ in range(n)]\nfor x in xs:\n    print(x)\nprint(sum(xs))",
    ),
    "lines of sys.stdin, and trailing spaces": (
        SUMS,
        "import sys\nnext(sys.stdin)\ntotal = 0\nfor line in sys.stdin:\n    total += int(line)\n"
        "    print(int(line), end='  \\n')\nprint(total, '\\n')",
    ),
    "readline in a main function, and exit": (
        SUMS,
        "import sys\ninput = sys.stdin.readline\n\ndef main():\n    xs = [int(input()) for _ in range(int(input()))]\n"
        "    sys.stdout.write('\\n'.join(map(str, xs + [sum(xs)])))\n\n"
        "if __name__ == '__main__':\n    main()\n    exit()",
    ),
    "open(0), and os._exit": (
        SUMS,
        "import os\nxs = [*map(int, open(0))][1:]\nprint(*xs, sum(xs), sep='\\n', flush=True)\nos._exit(0)",
    ),
    "iter of input": (
        SUMS,
        "input()\nxs = []\ntry:\n    for line in iter(input, 'end'):\n        xs.append(int(line))\n"
        "except EOFError:\n    pass\nprint(*xs, sum(xs), sep='\\n')",
    ),
    "a thread with a large stack": (
        SUMS,
        "import sys, threading\nsys.setrecursionlimit(10**6)\nthreading.stack_size(2**25)\n\n"
        f"def main():\n{indent(_READ_ALL, '    ')}\n\nthreading.Thread(target=main).start()",
    ),
    "printed at exit": (
        SUMS,
        "import atexit, sys\nxs = [*map(int, sys.stdin)][1:]\natexit.register(lambda: print(sum(xs)))\nprint(*xs, sep='\\n')",
    ),
    "bytes": (
        SUMS,
        "import sys\nxs = sys.stdin.buffer.read().split()[1:]\n"
        "sys.stdout.buffer.write(b'\\n'.join([*xs, str(sum(map(int, xs))).encode()]))",
    ),
    "a class": (
        COUNTER,
        "class Base:\n    def __init__(self):\n        self.n = 0\n\nclass Counter(Base):\n"
        "    def add(self, n):\n        self.n += n\n    def total(self):\n        return self.n",
    ),
    "a function that makes the object": (
        COUNTER,
        "class Inner:\n    n = 0\n    def add(self, n):\n        self.n += n\n    def total(self):\n"
        "        return self.n\n\ndef Counter():\n    return Inner()",
    ),
}  # fmt: skip
"""Right answers, by name: the task and the text."""

FORGED: dict[str, tuple[dict[str, Any], str]] = {
    "PASSED and os._exit": (
        SQUARES, "import os\ndef square(n):\n    print('PASSED', flush=True)\n    os._exit(0)",
    ),
    "os._exit while it is loaded": (SQUARES, "import os\ndef square(n): pass\nos._exit(0)"),
    "sys.exit while it is loaded": (SQUARES, "import sys\ndef square(n): pass\nsys.exit(0)"),
    "equal to everything": (
        SQUARES, "class E:\n    def __eq__(self, other):\n        return True\ndef square(n):\n    return E()",
    ),
    "an integer that is equal to everything": (
        SQUARES,
        "class E(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n"
        "    def __int__(self):\n        return 9\ndef square(n):\n    return E(1)",
    ),
    "not a number": (SQUARES, "def square(n):\n    return float('nan')"),
    "everything at once": (SQUARES, "def square(n):\n    return [m * m for m in range(99)]"),
    "atexit": (
        SQUARES, "import atexit, os\natexit.register(lambda: os._exit(0))\ndef square(n):\n    return 4",
    ),
    "excepthook": (
        SQUARES,
        "import sys, os\nsys.excepthook = lambda *a: os._exit(0)\ndef square(n):\n    raise ValueError",
    ),
    "ctypes": (
        SQUARES, "import ctypes\ndef square(n):\n    ctypes.CDLL(None)._exit(0)",
    ),
    "answers written to all descriptors": (
        SQUARES,
        "import os\nfor fd in range(3, 64):\n    try:\n"
        "        os.write(fd, b'{\"status\": \"ok\", \"value\": \"4\"}\\n' * 20)\n"
        "    except OSError:\n        pass\ndef square(n):\n    return 4",
    ),
    "verdicts written to all descriptors": (
        SQUARES,
        "import os\ndef square(n):\n    for fd in range(1, 64):\n        try:\n"
        "            os.write(fd, b'{\"held\": true, \"status\": \"right\"}\\n')\n"
        "        except OSError:\n            pass\n    return 4",
    ),
    "expected values in frames": (
        SQUARES,
        "import sys\ndef square(n):\n    frame = sys._getframe()\n    while frame:\n"
        "        for name, value in frame.f_locals.items():\n            if 'expected' in str(name):\n"
        "                return value\n            if isinstance(value, dict) and 'expected' in value:\n"
        "                return value['expected']\n        frame = frame.f_back\n    return 4",
    ),
    "expected values in the garbage collector": (
        SQUARES,
        "import gc\ndef square(n):\n    for value in gc.get_objects():\n"
        "        if type(value) is dict and 'expected' in value:\n            return value['expected']\n    return 4",
    ),
    "expected values in files and processes": (
        SQUARES,
        "import glob\ndef square(n):\n    for path in glob.glob('/tmp/**', recursive=True) + glob.glob('/proc/[0-9]*/environ'):\n"
        "        try:\n            text = open(path).read()\n        except (OSError, ValueError):\n            continue\n"
        "        if 'expected' in text:\n            return int(text.split('expected')[1].split()[0])\n    return 4",
    ),
    "json is patched": (
        SQUARES, "import json\njson.dumps = lambda *a, **k: 'true'\ndef square(n):\n    return n",
    ),
    "the harness is patched": (
        SQUARES,
        "import sys\nmain = sys.modules['__main__']\nmain.encode = lambda *a: {'$any': 1}\n"
        "main.decode = lambda value: value\ndef square(n):\n    return n",
    ),
    "the harness is killed": (
        SQUARES, "import os, signal\ndef square(n):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return 4",
    ),
    "the examples are known": (SQUARES, "def square(n):\n    return {2: 4}.get(n, 4)"),
    "an unknown tag": (SQUARES, "def square(n):\n    return {'$tuple': [n]}"),
    "a program in the reasoning alone": (SQUARES, f"<think>{fenced(_SQUARE)}</think>I do not know."),
    "a right program before a wrong one": (
        SQUARES, f"{fenced(_SQUARE)}\nOr:\n{fenced(_FOUR)}",
    ),
    "all sums": (SUMS, "print(*range(9999))"),
    "sums in several orders": (SUMS, "print('5\\n5\\n\\n1\\n1\\n1\\n3')"),
    "the class of the tests is patched": (
        COUNTER,
        "class Any(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n"
        "class Counter:\n    def __getattr__(self, name):\n        return lambda *a: Any(7)",
    ),
}  # fmt: skip
"""Answers that try to pass without being right, by name."""

HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "endless loop": (SQUARES, "def square(n):\n    while True:\n        pass"),
    "endless loop while it is loaded": (SQUARES, "def square(n): pass\nwhile True: pass"),
    "sleep": (SQUARES, "import time\ndef square(n):\n    time.sleep(10_000)"),
    "endless recursion": (SQUARES, "def square(n):\n    return square(n)"),
    "deep recursion in C": (
        SQUARES, "import sys\nsys.setrecursionlimit(10**9)\ndef square(n):\n    return square(n) + 1",
    ),
    "memory": (SQUARES, "def square(n):\n    x = []\n    while True:\n        x.append(' ' * 10**8)"),
    "one large block of memory": (SQUARES, "def square(n):\n    return len(bytearray(10**12))"),
    "a large power": (SQUARES, "def square(n):\n    return 9 ** 9 ** 9"),
    "a large integer": (SQUARES, "def square(n):\n    return 1 << 10**7"),
    "a large text": (SQUARES, "def square(n):\n    return 'x' * 10**8"),
    "a large list": (SQUARES, "def square(n):\n    return [0] * 10**7"),
    "a set that collides": (
        SQUARES, "def square(n):\n    return {k * (2**61 - 1) for k in range(20_000)}",
    ),
    "a deep list": (
        SQUARES, "def square(n):\n    x = []\n    for _ in range(10**5):\n        x = [x]\n    return x",
    ),
    "a list in itself": (SQUARES, "def square(n):\n    x = []\n    x.append(x)\n    return x"),
    "a function": (SQUARES, "def square(n):\n    return square"),
    "a generator that never ends": (
        SQUARES, "def square(n):\n    while True:\n        yield n",
    ),
    "lone surrogates": (SQUARES, "def square(n):\n    return '\\ud800'"),
    "an error with an odd name": (
        SQUARES, "class É(Exception): pass\ndef square(n):\n    raise É('\\ud800')",
    ),
    "an error that cannot be shown": (
        SQUARES,
        "class E(Exception):\n    def __str__(self):\n        raise E\n    __repr__ = __str__\n"
        "def square(n):\n    raise E",
    ),
    "KeyboardInterrupt": (SQUARES, "def square(n):\n    raise KeyboardInterrupt"),
    "fork bomb": (SQUARES, "import os\ndef square(n):\n    while True:\n        os.fork()"),
    "threads": (
        SQUARES,
        "import threading, time\ndef square(n):\n    while True:\n"
        "        threading.Thread(target=time.sleep, args=(9999,)).start()",
    ),
    "a process that stays": (
        SQUARES,
        "import os, time\ndef square(n):\n    if not os.fork():\n        os.setsid()\n        time.sleep(9999)\n    return 4",
    ),
    "a signal to all": (SQUARES, "import os\ndef square(n):\n    os.kill(-1, 9)\n    return 4"),
    "segmentation fault": (SQUARES, "import ctypes\ndef square(n):\n    ctypes.string_at(0)"),
    "abort": (SQUARES, "import os\ndef square(n):\n    os.abort()"),
    "signals ignored": (
        SQUARES,
        "import signal\nfor number in range(1, 65):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError):\n        pass\ndef square(n):\n    while True:\n        pass",
    ),
    "descriptors closed": (
        SQUARES, "import os\nos.closerange(0, 999)\ndef square(n):\n    return n * n",
    ),
    "files": (
        SQUARES,
        "def square(n):\n    for k in range(10**6):\n        open(f'/tmp/{k}', 'w').write('x' * 10**6)",
    ),
    "a file that grows": (
        SQUARES, "def square(n):\n    f = open('/tmp/x', 'w')\n    while True:\n        f.write('x' * 10**6)",
    ),
    "the network": (
        SQUARES,
        "import socket\ndef square(n):\n    socket.create_connection(('1.1.1.1', 53), timeout=2)\n    return n * n",
    ),
    "deep brackets": (SQUARES, f"def square(n):\n    return {'(' * 5000}n{')' * 5000}"),
    "many minuses": (SQUARES, f"def square(n):\n    return {'-' * 90_000}n"),
    "null characters": (SQUARES, "def square(n):\n    return n * n\0"),
    "a name that is not there": (SQUARES, "import textgym\ndef square(n):\n    return n * n"),
    "output without end": (SUMS, "while True:\n    print('x' * 10**5)"),
    "a large line": (SUMS, "print('x' * 10**9)"),
    "output that is not text": (SUMS, "import sys\nsys.stdout.buffer.write(bytes(range(256)))"),
    "waiting for more input": (SUMS, "while True:\n    try:\n        print(input())\n    except EOFError:\n        pass"),
    "a thread that does not end": (
        SUMS, "import threading, time\nthreading.Thread(target=time.sleep, args=(9999,)).start()\nprint(1)",
    ),
    "a class that cannot be made": (COUNTER, "class Counter:\n    def __init__(self):\n        raise ValueError"),
    "a class without methods": (COUNTER, "class Counter:\n    pass"),
}  # fmt: skip
"""Wrong answers that try to break something, by name."""
