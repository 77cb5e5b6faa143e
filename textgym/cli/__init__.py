"""The `textgym` command: it parses arguments, calls the library and prints the results.

There is one module per command; `list` and `show` share `catalog`.
"""

from textgym.cli.main import main

__all__ = ["main"]
