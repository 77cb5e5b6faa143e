"""A terminal of its own, in which a test runs the `textgym` command."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

CTRL_C = "\x03"

# A session's leader that opens a terminal is controlled by it, so that Ctrl-C reaches it there.
_CODE = """
import os, signal, sys
terminal = os.open(sys.argv.pop(1), os.O_RDWR)
for stream in range(3):
    os.dup2(terminal, stream)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs the tests may ignore it
from textgym.cli import main
main()
"""


class Terminal:
    """Runs the command in a folder.

    Args:
        folder: Where.
        *arguments: The command's arguments.
        **environment: Variables that differ.

    Attributes:
        seen: All that it has written.
    """

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self._fd, theirs = pty.openpty()
        variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CODE, os.ttyname(theirs), *arguments],
            cwd=folder,
            env={**variables, "TERM": "xterm", **environment},
            start_new_session=True,
        )
        self._theirs = theirs  # kept open, for else reading fails until the command has opened it
        self.seen = ""

    def wait_for(self, text: str, again: str = "") -> str:
        """Read until a text appears (again), and return what came.

        Args:
            text: What is to appear.
            again: What is typed anew where nothing comes for a while.
        """
        start, begun = len(self.seen), time.monotonic()
        typed = begun
        while text not in self.seen[start:]:
            now = time.monotonic()
            if now > begun + 60:
                self.process.kill()
                self.exit_code()
                raise AssertionError(self.seen)
            if again and now > typed + 3:
                os.write(self._fd, again.encode())
                typed = now
            self._read(0.2)
        return self.seen[start:]

    def type(self, text: str, answer: str) -> str:
        """Type something and wait for what is to follow.

        A Ctrl-C that comes between a prompt and Python's waiting for a key is noticed only with the
        next key, so that it is typed anew.
        """
        os.write(self._fd, text.encode())
        return self.wait_for(answer, again=text if text == CTRL_C else "")

    def exit_code(self) -> int:
        """Read to the end, and return how the command exits."""
        while self.process.poll() is None:
            self._read(0.05)
        while self._read(0):
            pass
        os.close(self._theirs)
        os.close(self._fd)
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        """Read what comes within some seconds, without line editing's own marks."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        came = os.read(self._fd, 65536).decode(errors="replace")
        self.seen += re.sub(r"\x1b\[\?2004[hl]|\r", "", came)
        return True
