"""Archives of Search: laid out without their texts, and the same as if these were made in order."""

from __future__ import annotations

import random
from collections import Counter
from hashlib import blake2b
from typing import Any

import pytest

from textgym.envs import generation as drawing
from textgym.envs.search import Search
from textgym.envs.search.draws import Draws, Replay
from textgym.envs.search.index import _words
from textgym.envs.search.world import Archive, archive
from textgym.json_values import canonical_json
from textgym.messages import assistant_calls

SIZES = [200, 531, pytest.param(5000, marks=pytest.mark.slow)]


@pytest.mark.parametrize(
    ("level", "digest"),
    [
        (1, "56b6f40f38902848"),
        (2, "934adc3677f9870c"),
        (3, "29762cee1f06c63f"),
        (4, "2d069793dea85572"),
    ],
)
def test_tasks_are_those_of_the_first_version(level: int, digest: str) -> None:
    env = Search(level=level, split="test")
    content = blake2b(digest_size=8)
    for index in range(20):
        task: Any = env.get_task(index)
        content.update(canonical_json([task.id, task.messages, task.answer, task.row]).encode())
    assert content.hexdigest() == digest


@pytest.mark.parametrize(
    ("seed", "size", "digest"),
    [(0, 200, "ea1e2cc86e5782fd"), (7, 800, "df867fd66fb7c84a"), (5, 5000, "3249ea9590597a70")],
)
def test_archives_are_those_of_the_first_version(seed: int, size: int, digest: str) -> None:
    made, content = archive(seed, size), blake2b(digest_size=8)
    things = {name: made.things[name] for name in made.things}
    documents = {id: made.documents[id] for id in made.documents}
    content.update(canonical_json([things, documents]).encode())
    for name in [*things][:40]:
        for query in (name, f"{name}, the mayor of a town in 712", f"no {name.split()[0]} the the"):
            content.update(canonical_json(made.index.search(query)).encode())
    assert content.hexdigest() == digest


def test_draws_are_those_of_the_random_generator() -> None:
    draws, rng, again = Draws(5, 1000), random.Random(5), random.Random(5)
    assert draws.take(3).tolist() == [rng.random() for _ in range(3)]
    assert draws.sample(range(40), 25) == drawing.sample(rng, range(40), 25)
    replay = Replay(draws, 3)
    again.random(), again.random(), again.random()
    assert [replay.random() for _ in range(30)] == [again.random() for _ in range(30)]
    assert replay.at == 33


@pytest.mark.parametrize("size", SIZES)
def test_a_document_begins_where_the_one_before_ends(size: int) -> None:
    redrawn = 0
    for seed in range(3):
        made = Archive(seed, size)
        starts = made._layout.starts
        ends = [made._end(number, start) for number, start in enumerate(starts)]
        assert ends[:-1] == starts[1:]
        assert ends[-1] < len(made._draws.numbers)
        redrawn += len(made._layout._redrawn)
    assert redrawn  # names that were drawn again


@pytest.mark.parametrize("size", SIZES)
def test_the_index_has_the_words_of_the_documents(size: int) -> None:
    made = Archive(4, size)
    parts, documents, chosen = made._layout.contents(made._whole_text)
    words: list[Counter[str]] = [Counter() for _ in range(size)]
    for document, part in zip(documents.tolist(), chosen.tolist(), strict=True):
        words[document].update(_words(parts[part]))
    assert words == [Counter(_words(made._whole_text(number))) for number in range(size)]


@pytest.mark.parametrize("size", SIZES)
def test_rankings_are_those_of_bm25s(size: int) -> None:
    bm25s = pytest.importorskip("bm25s")
    made = archive(6, size)
    ids = sorted(made.documents)
    ranking = bm25s.BM25()
    texts = [f"{made.documents[id].title}\n{made.documents[id].text}" for id in ids]
    ranking.index([_words(text) for text in texts], show_progress=False)
    names = [*made.things]
    for number in range(60):
        query = f"{names[number]} {names[-number]}, the mayor the mayor of {names[number * 3]}"
        scores = ranking.get_scores(_words(query)).tolist()
        order = sorted(range(size), key=lambda place: (-scores[place], place))
        wanted = [ids[place] for place in order if scores[place] > 0]
        assert made.index.search(query) == wanted


def test_few_documents_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    replay = Archive._replay

    def counted(self: Archive, number: int, start: int) -> Any:
        made.append(number)
        return replay(self, number, start)

    monkeypatch.setattr(Archive, "_replay", counted)
    env = Search(level=4, worlds=None)
    env.reset(options={"index": 3})
    drawn = len(made)
    assert drawn < 200
    env.step(assistant_calls(("search", {"query": "the"})))
    assert len(made) - drawn < 50
