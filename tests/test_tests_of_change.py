"""A change names the tests of what it touches, and no others."""

from __future__ import annotations

import sys

import pytest
from repository import ROOT

sys.path.append(str(ROOT / "scripts"))

from tests_of_change import affected_tests


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("textgym/metrics/statistics.py", "tests/metrics/test_statistics.py"),  # imported
        ("textgym/display/transcript.py", "tests/display/test_transcript.py"),  # of its folder
        ("textgym/envs/guess_number.py", "tests/test_registry.py"),  # by its id
        ("textgym/mixtures.py", "tests/rollouts/test_mixture_rollouts.py"),  # through a public name
        ("textgym/trajectories/episode_record.py", "tests/rollouts/test_rollouts.py"),  # of a user
        ("textgym/users/phrases.json", "tests/users/test_scripted_user.py"),  # of its module
        ("tests/support/repository.py", "tests/test_docs.py"),  # a helper of tests
        ("tests/metrics/test_statistics.py", "tests/metrics/test_statistics.py"),  # itself
    ],
)
def test_a_change_names_the_tests_of_what_it_touches(file: str, test: str) -> None:
    assert (ROOT / file).exists()
    assert test in affected_tests([file])


def test_a_small_change_names_few_tests() -> None:
    named = affected_tests(["textgym/rescoring/agreement.py"])
    assert {test.split("/")[1] for test in named} == {"rescoring", "tasks", "test_names.py"}


def test_a_page_names_only_the_layout() -> None:
    assert affected_tests(["docs/metrics.md"]) == ["tests/test_names.py"]
