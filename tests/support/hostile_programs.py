"""Answers to programming tasks that try to break something."""

from __future__ import annotations

from typing import Any

from program_cases import COUNTER, RIGHT, SQUARES, SUMS

HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "endless loop": (
        SQUARES,
        """
def square(n):
    while True:
        pass
""",
    ),
    "endless loop while it is loaded": (
        SQUARES,
        """
def square(n): pass
while True: pass
""",
    ),
    "sleep": (
        SQUARES,
        """
import time
def square(n):
    time.sleep(10_000)
""",
    ),
    "endless recursion": (
        SQUARES,
        """
def square(n):
    return square(n)
""",
    ),
    "deep recursion in C": (
        SQUARES,
        """
import sys
sys.setrecursionlimit(10**9)
def square(n):
    return square(n) + 1
""",
    ),
    "memory": (
        SQUARES,
        """
def square(n):
    x = []
    while True:
        x.append(bytearray(10**8))
""",
    ),
    "one large block of memory": (
        SQUARES,
        """
def square(n):
    return len(bytearray(10**12))
""",
    ),
    "a large power": (
        SQUARES,
        """
def square(n):
    return 9 ** 9 ** 9
""",
    ),
    "a large integer": (
        SQUARES,
        """
def square(n):
    return 1 << 10**7
""",
    ),
    "a large text": (
        SQUARES,
        """
def square(n):
    return 'x' * 10**8
""",
    ),
    "a large list": (
        SQUARES,
        """
def square(n):
    return [0] * 10**7
""",
    ),
    "a set that collides": (
        SQUARES,
        """
def square(n):
    return {k * (2**61 - 1) for k in range(20_000)}
""",
    ),
    "a deep list": (
        SQUARES,
        """
def square(n):
    x = []
    for _ in range(10**5):
        x = [x]
    return x
""",
    ),
    "a list in itself": (
        SQUARES,
        """
def square(n):
    x = []
    x.append(x)
    return x
""",
    ),
    "a function": (
        SQUARES,
        """
def square(n):
    return square
""",
    ),
    "a generator that never ends": (
        SQUARES,
        """
def square(n):
    while True:
        yield n
""",
    ),
    "lone surrogates": (
        SQUARES,
        r"""
def square(n):
    return '\ud800'
""",
    ),
    "an error with an odd name": (
        SQUARES,
        r"""
class É(Exception): pass
def square(n):
    raise É('\ud800')
""",
    ),
    "an error that cannot be shown": (
        SQUARES,
        """
class E(Exception):
    def __str__(self):
        raise E
    __repr__ = __str__
def square(n):
    raise E
""",
    ),
    "KeyboardInterrupt": (
        SQUARES,
        """
def square(n):
    raise KeyboardInterrupt
""",
    ),
    "fork bomb": (
        SQUARES,
        """
import os
def square(n):
    while True:
        os.fork()
""",
    ),
    "threads": (
        SQUARES,
        """
import threading, time
def square(n):
    while True:
        threading.Thread(target=time.sleep, args=(9999,)).start()
""",
    ),
    "a process that stays": (
        SQUARES,
        """
import os, time
def square(n):
    if not os.fork():
        os.setsid()
        time.sleep(9999)
    return 4
""",
    ),
    "a signal to all": (
        SQUARES,
        """
import os
def square(n):
    os.kill(-1, 9)
    return 4
""",
    ),
    "segmentation fault": (
        SQUARES,
        """
import ctypes
def square(n):
    ctypes.string_at(0)
""",
    ),
    "abort": (
        SQUARES,
        """
import os
def square(n):
    os.abort()
""",
    ),
    "signals ignored": (
        SQUARES,
        """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def square(n):
    while True:
        pass
""",
    ),
    "descriptors closed": (
        SQUARES,
        """
import os
os.closerange(0, 999)
def square(n):
    return n * n
""",
    ),
    "files": (
        SQUARES,
        """
def square(n):
    for k in range(10**6):
        open(f'/tmp/{k}', 'w').write('x' * 10**6)
""",
    ),
    "a file that grows": (
        SQUARES,
        """
def square(n):
    f = open('/tmp/x', 'w')
    while True:
        f.write('x' * 10**6)
""",
    ),
    "the network": (
        SQUARES,
        """
import socket
def square(n):
    socket.create_connection(('1.1.1.1', 53), timeout=2)
    return n * n
""",
    ),
    "deep brackets": (
        SQUARES,
        f"def square(n):\n    return {'(' * 5000}n{')' * 5000}",
    ),
    "many minuses": (
        SQUARES,
        f"def square(n):\n    return {'-' * 90_000}n",
    ),
    "null characters": (
        SQUARES,
        f"{RIGHT}\0",
    ),
    "a name that is not there": (
        SQUARES,
        """
import textgym
def square(n):
    return n * n
""",
    ),
    "output without end": (
        SUMS,
        """
while True:
    print('x' * 10**5)
""",
    ),
    "a large line": (
        SUMS,
        """
print('x' * 10**9)
""",
    ),
    "output that is not text": (
        SUMS,
        """
import sys
sys.stdout.buffer.write(bytes(range(256)))
""",
    ),
    "waiting for more input": (
        SUMS,
        """
while True:
    try:
        print(input())
    except EOFError:
        pass
""",
    ),
    "a thread that does not end": (
        SUMS,
        """
import threading, time
threading.Thread(target=time.sleep, args=(9999,)).start()
print(1)
""",
    ),
    "a class that cannot be made": (
        COUNTER,
        """
class Counter:
    def __init__(self):
        raise ValueError
""",
    ),
    "a class without methods": (
        COUNTER,
        """
class Counter:
    pass
""",
    ),
}
"""Wrong answers that try to break something, by name."""
