"""What the tests with vLLM share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The model's folder, next to the installed packages; it is made the first time."""
    folder = Path(sys.prefix) / "smollm2"
    command = [sys.executable, str(ROOT / "scripts" / "save_smollm2.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder
