"""Judges: whether a generated answer means the same as the expected one.

`judges` makes judges and keeps their verdicts, `client` sends requests to a policy or a callable,
`prompt` writes the requests, and `labels` reads the verdicts from the replies.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
