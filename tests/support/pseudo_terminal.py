"""A pseudo-terminal for tests that run the `textgym` command."""

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

# A session leader that opens a terminal gets it as its controlling terminal, and so gets Ctrl-C.
_CODE = """
import os, signal, sys
terminal = os.open(sys.argv.pop(1), os.O_RDWR)
for stream in range(3):
    os.dup2(terminal, stream)
signal.signal(signal.SIGINT, signal.default_int_handler)  # the test runner may ignore it
from textgym.cli import main
main()
"""


class Terminal:
    """Runs the command in a folder.

    Args:
        folder: The working directory.
        *arguments: The arguments of the command.
        **environment: Additional environment variables.

    Attributes:
        seen: All output so far.
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
        self._theirs = theirs  # reading fails unless someone has it open
        self.seen = ""

    def wait_for(self, text: str, again: str = "") -> str:
        """Read until a text appears in new output, and return this output.

        Args:
            text: The text to wait for.
            again: A text to type again if nothing appears for a while.
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
        """Type a text and wait for another one to appear.

        A Ctrl-C that arrives after a prompt but before Python waits for a key is only noticed with
        the next key, so it is typed again.
        """
        os.write(self._fd, text.encode())
        return self.wait_for(answer, again=text if text == CTRL_C else "")

    def exit_code(self) -> int:
        """Read to the end of the output and return the exit code."""
        while self.process.poll() is None:
            self._read(0.05)
        while self._read(0):
            pass
        os.close(self._theirs)
        os.close(self._fd)
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        """Read output for some seconds; control sequences of line editing are removed."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        came = os.read(self._fd, 65536).decode(errors="replace")
        self.seen += re.sub(r"\x1b\[\?2004[hl]|\r", "", came)
        return True
