"""Text environments for training and evaluating language models, each a `gymnasium.Env`.

    >>> import gymnasium, textgym
    >>> env = gymnasium.make("textgym/MCQA-v0")
    >>> observation, info = env.reset(seed=1)
    >>> observation[0]["role"]
    'user'

Importing this package registers the environments and imports nothing heavy. All that users and
authors of environments need can be imported from here; a name is imported on first use.
"""

from __future__ import annotations

import os

import lazy_loader

if os.name != "posix":
    raise ImportError("textgym needs a POSIX system, such as Linux, macOS or WSL on Windows")

import textgym.envs
import textgym.integrations  # noqa: F401  registers guests
from textgym._version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
