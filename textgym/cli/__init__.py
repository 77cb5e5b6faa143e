"""The `textgym` command: it parses arguments, calls the library and prints the results.

There is one module per command, which is imported when the command is run; `check` is in `audit`.
"""

from textgym.cli.main import main

__all__ = ["main"]
