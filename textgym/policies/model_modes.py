"""Using a model of transformers that somebody else holds, and leaving it as it was.

One thread at a time generates with a model: another one that asks for it waits.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any

__all__ = ["evaluation_mode", "generation_mode"]

_locks: weakref.WeakKeyDictionary[Any, threading.Lock] = weakref.WeakKeyDictionary()
_locks_lock = threading.Lock()


@contextlib.contextmanager
def evaluation_mode(model: Any) -> Iterator[None]:
    """Put a torch module and the modules in it into evaluation mode for a while."""
    modules = [module for module in model.modules() if module.training]
    for module in modules:
        module.training = False
    try:
        yield
    finally:
        for module in modules:
            module.training = True


@contextlib.contextmanager
def generation_mode(model: Any, config: Any) -> Iterator[None]:
    """Put a model into evaluation mode and give it a generation config for a while.

    Args:
        model: A model of transformers, or a peft model around one.
        config: A `GenerationConfig`.
    """
    # A peft model generates with the config of the model inside.
    holder = model.get_base_model() if hasattr(model, "get_base_model") else model
    with _lock_of(holder), evaluation_mode(model):
        kept, holder.generation_config = holder.generation_config, config
        try:
            yield
        finally:
            if holder.generation_config is config:
                holder.generation_config = kept


def _lock_of(model: Any) -> threading.Lock:
    with _locks_lock:
        return _locks.setdefault(model, threading.Lock())
