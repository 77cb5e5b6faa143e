"""The default model is read from its file once, and then from the folder where it was saved."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from textgym.errors import ExtraMissingError
from textgym.policies.default_model import saved_folder

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from textgym.policies import models  # noqa: E402

try:
    models.find_model("")
except ExtraMissingError as error:
    pytest.skip(str(error), allow_module_level=True)

LOADER = "AutoTokenizer"


class Read:
    """What a loader read from the file."""

    def save_pretrained(self, folder: Path) -> None:
        (folder / "saved").touch()


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that read the file, with an empty folder for what is saved."""
    made: list[Any] = []

    def from_pretrained(*call: Any, **options: Any) -> Read:
        made.append((call, options))
        return Read()

    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", from_pretrained)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return made


def left(folder: Path) -> list[str]:
    """The names of all that is in the folder of the model."""
    return sorted(path.name for path in folder.glob("textgym/*/*"))


def test_the_file_is_read_once(tmp_path: Path, reads: list[Any]) -> None:
    folder = saved_folder(LOADER, "place", {"gguf_file": "a.gguf"})
    assert folder is not None
    assert [path.name for path in folder.iterdir()] == ["saved"]
    assert saved_folder(LOADER, "place", {"gguf_file": "a.gguf"}) == folder
    assert reads == [(("place",), {"gguf_file": "a.gguf"})]
    assert left(tmp_path) == [LOADER]


def test_another_version_of_transformers_reads_it_again(
    reads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = saved_folder(LOADER, "place", {})
    monkeypatch.setattr("transformers.__version__", "0.0.0")
    assert saved_folder(LOADER, "place", {}) != first
    assert len(reads) == 2


def test_without_a_folder_to_write_to_nothing_is_saved(
    tmp_path: Path, reads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert saved_folder(LOADER, "place", {}) is None
    assert reads == []


def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, reads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def save_pretrained(self: Read, folder: Path) -> None:
        (folder / "half").touch()
        raise ValueError("no space left")  # safetensors and tokenizers have errors of their own

    monkeypatch.setattr(Read, "save_pretrained", save_pretrained)
    assert saved_folder(LOADER, "place", {}) is None
    assert left(tmp_path) == []


def test_the_folder_of_a_faster_process_is_used(
    tmp_path: Path, reads: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def save_pretrained(self: Read, folder: Path) -> None:
        (folder / "ours").touch()
        (folder.parent / LOADER).mkdir()
        (folder.parent / LOADER / "theirs").touch()

    monkeypatch.setattr(Read, "save_pretrained", save_pretrained)
    folder = saved_folder(LOADER, "place", {})
    assert folder is not None
    assert [path.name for path in folder.iterdir()] == ["theirs"]
    assert left(tmp_path) == [LOADER]


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of reading the file
def test_the_saved_model_and_tokenizer_are_those_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import gguf as reading
    import torch

    monkeypatch.setattr(reading, "GGUFReader", cache(reading.GGUFReader))  # it takes seconds
    location, gguf = models.find_model("")
    of_file = {"gguf_file": gguf}
    tokenizer, saved = (
        transformers.AutoTokenizer.from_pretrained(location, **of_file),
        models.load_tokenizer(""),
    )
    assert saved.get_vocab() == tokenizer.get_vocab()
    assert saved.chat_template == tokenizer.chat_template
    text = "<|im_start|>user\n  Hello 12345,\té \N{GRINNING FACE}<|im_end|>\n"
    assert saved.encode(text) == tokenizer.encode(text)

    model = transformers.AutoModelForCausalLM.from_pretrained(
        location, quantization_config=transformers.GgufConfig(dequantize=True), **of_file
    )
    loaded = models.load_model("", models.Placement(None, None, None))
    weights = loaded.state_dict()
    assert weights.keys() == model.state_dict().keys()
    for name, weight in model.state_dict().items():
        assert torch.equal(weights[name], weight), name
    assert loaded.generation_config.to_dict() == model.generation_config.to_dict()
