"""New packages with an environment, for `textgym init`.

`package` writes them; `templates` are the files.
"""

from textgym.scaffold.package import KINDS, create_package

__all__ = ["KINDS", "create_package"]
