"""The vocabulary of `textgym.verifiers`: every name loads, and importing the package is light."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from textgym import verifiers


@pytest.mark.parametrize("name", verifiers.__all__)
def test_name_is_a_documented_function_with_an_example(name: str) -> None:
    function = getattr(verifiers, name)
    assert inspect.isfunction(function)
    assert ">>> " in (inspect.getdoc(function) or "")
    assert name in dir(verifiers)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        verifiers.nothing  # noqa: B018


def test_importing_the_vocabulary_loads_no_verifier() -> None:
    code = "import sys, textgym.verifiers; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.split() if name.startswith("textgym.verifiers")]
    assert loaded == ["textgym.verifiers"]
