"""Pictures, sound and video of a run are files of their own, and come back as they were."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textgym
from textgym.errors import RunError
from textgym.json_values import decode_line, encode_line
from textgym.trajectories.media import restore_media, store_media

PNG = bytes(range(200))


def url(content: bytes = PNG, media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def stored(value: Any, folder: Path) -> bytes:
    return store_media(encode_line(value), folder)


@pytest.mark.parametrize(
    ("media_type", "name"),
    [("image/png", "image/@.png"), ("audio/wav", "audio/@.wav"), ("video/mp4", "video/@.mp4"),
     ("image/svg+xml", "image/@.svg+xml")],
)  # fmt: skip
def test_a_url_becomes_a_file(media_type: str, name: str, tmp_path: Path) -> None:
    line = stored({"url": url(PNG, media_type)}, tmp_path)
    file = name.replace("@", hashlib.sha256(PNG).hexdigest())
    assert json.loads(line) == {"url": f"run-file:{file}"}
    assert (tmp_path / file).read_bytes() == PNG
    assert decode_line(restore_media(line, tmp_path)) == {"url": url(PNG, media_type)}


def test_equal_pictures_are_one_file(tmp_path: Path) -> None:
    for _ in range(3):
        stored([url(), url(), url(PNG[::-1])], tmp_path)
    assert len(list((tmp_path / "image").iterdir())) == 2


@pytest.mark.parametrize(
    "text",
    [
        url(b"short"), "data:text/plain;base64," + "QUJD" * 40, "data:image/png," + "A" * 90,
        "data:image/png;base64," + "A" * 65, "data:image/PNG;base64," + "A" * 80,
        "data:image/../x;base64," + "A" * 80, "image/png;base64," + "A" * 80,
    ],
)  # fmt: skip
def test_other_text_stays_in_the_line(text: str, tmp_path: Path) -> None:
    line = stored({"text": text}, tmp_path)
    assert json.loads(line) == {"text": text}
    assert list(tmp_path.iterdir()) == []


NAME = f"image/{hashlib.sha256(PNG).hexdigest()}.png"
PIECES = st.sampled_from(
    ["run-file:", "run-file:=", "=", "image/", NAME, f"run-file:{NAME}", url(), url(PNG[:80]),
     "data:", ";base64,", "é\ud800\"\\\n", "A" * 70]
)  # fmt: skip


@given(parts=st.lists(st.lists(PIECES, max_size=6).map("".join), max_size=4))
def test_any_text_comes_back_as_it_was(
    parts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    line = stored(parts, folder)
    assert f'"{url()}"' not in line.decode()
    assert decode_line(restore_media(line, folder)) == decode_line(encode_line(parts))


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    line = stored({"url": url(bytes(100))}, tmp_path)
    (file,) = (tmp_path / "image").iterdir()
    file.unlink()
    with pytest.raises(RunError, match="which a trajectory names: No such file or directory"):
        restore_media(line, tmp_path)


def test_a_run_reads_as_it_was_played(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    settings: Any = {"episodes": 6, "repeats": 2}
    memory = textgym.rollout("textgym/Pictures-v0", "oracle", **settings)
    on_disk = textgym.rollout("textgym/Pictures-v0", "oracle", out=tmp_path, **settings)
    played, read = (
        {(it["task_index"], it["repeat"]): it["messages"] for it in run.trajectories()}
        for run in (memory, on_disk)
    )
    assert read == played
    assert b";base64," not in (tmp_path / "trajectories.jsonl").read_bytes()
    assert len(list((tmp_path / "image").iterdir())) == 6


def test_a_run_with_pictures_is_resumed_and_rescored(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    settings: Any = {"episodes": 6, "out": tmp_path / "run"}
    textgym.rollout("textgym/Pictures-v0", "random", **settings)
    file = tmp_path / "run" / "trajectories.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:3]))
    run = textgym.rollout("textgym/Pictures-v0", "random", resume=True, **settings)
    assert len(list(run.trajectories())) == 6
    rescored = textgym.rescore(run, out=tmp_path / "again")
    assert rescored.counts["same"] == 6
    assert b";base64," not in (tmp_path / "again" / "trajectories.jsonl").read_bytes()
    again = {
        it["task_id"]: it["messages"] for it in textgym.Run.load(tmp_path / "again").trajectories()
    }
    assert again == {it["task_id"]: it["messages"] for it in run.trajectories()}
