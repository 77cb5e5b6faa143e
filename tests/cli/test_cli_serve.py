"""`textgym serve` and `textgym export`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from in_process import output_of, run_command

pytest.importorskip("aiohttp", reason="the extra 'http' is not installed")

COMMAND = [sys.executable, "-m", "textgym", "serve"]


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def start(processes: list[subprocess.Popen[str]], *arguments: str, **variables: str) -> list[str]:
    """Start a server, and return the lines that it prints until it listens."""
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **variables},
    )
    processes.append(process)
    assert process.stdout
    lines = [process.stdout.readline().strip()]
    if "0.0.0.0" in arguments and "TEXTGYM_TOKEN" not in variables:
        lines.append(process.stdout.readline().strip())
    return lines


def status_of(url: str, token: str = "") -> int:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(url, headers=headers)
    try:
        return int(urllib.request.urlopen(request, timeout=60).status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.slow
def test_a_server_listens_and_stops(started: list[subprocess.Popen[str]]) -> None:
    (line,) = start(started, "textgym/MCQA-v0", "textgym/GuessNumber-v0")
    shown = re.fullmatch(
        r"serving textgym/MCQA-v0, textgym/GuessNumber-v0 at (http://127\.0\.0\.1:\d+); "
        "Ctrl-C stops",
        line,
    )
    assert shown, line
    assert status_of(f"{shown[1]}/textgym/GuessNumber-v0/health") == 200
    started[0].send_signal(signal.SIGINT)
    _, errors = started[0].communicate(timeout=60)
    assert errors == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"GET /health HTTP/1.1\r\nHost: ",
        b"POST /reset HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{",
        b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n",
    ],
    ids=["nothing", "headers", "body", "refused"],
)
def test_connections_without_a_request_or_a_session_keep_nobody_out(
    started: list[subprocess.Popen[str]], first: bytes
) -> None:
    """A client opens more connections than the server may have open files."""
    (line,) = start(started, "textgym/MCQA-v0", "--max-sessions", "4")
    resource.prlimit(started[0].pid, resource.RLIMIT_NOFILE, (400, 400))
    port = re.search(r":(\d+);", line)
    assert port
    with contextlib.ExitStack() as connections:
        for _ in range(600):
            connection = socket.create_connection(("127.0.0.1", int(port[1])), timeout=60)
            connections.enter_context(connection)
            connection.sendall(first)
        for _ in range(3):
            assert status_of(f"http://127.0.0.1:{port[1]}/health") == 200


@pytest.mark.slow
def test_a_server_for_other_machines_needs_a_token(started: list[subprocess.Popen[str]]) -> None:
    line, token_line = start(started, "textgym/MCQA-v0", "--host", "0.0.0.0")
    port = re.search(r":(\d+);", line)
    assert port
    token = token_line.removeprefix("token: ")
    url = f"http://127.0.0.1:{port[1]}/health"
    assert len(token) >= 32
    assert [status_of(url), status_of(url, "wrong"), status_of(url, token)] == [401, 401, 200]
    (line,) = start(started, "textgym/MCQA-v0", "--host", "0.0.0.0", TEXTGYM_TOKEN="chosen")
    port = re.search(r":(\d+);", line)
    assert port
    assert status_of(f"http://127.0.0.1:{port[1]}/health", "chosen") == 200


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["textgym/MCQA-v0", "--as", "soap"], "--as takes openenv or nemo-gym, not 'soap'"),
        (["textgym/Nope-v0"], "there is no environment 'textgym/Nope-v0'"),
        (["CartPole-v1"], "CartPole-v1 cannot be served: its observations are not messages"),
        (["textgym/MCQA-v0", "--port", "99999"], "--port must be from 0 to 65535"),
        (["textgym/MCQA-v0", "--max-sessions", "0"], "must be above 0"),
        (["textgym/MCQA-v0", "--host", "256.0.0.1"], "cannot listen on 256.0.0.1:"),
        (["textgym/AskFirst-v0", "--as", "nemo-gym"], "talks to a user"),
        (["textgym/MCQA-v0", "textgym/Math-v0", "--as", "nemo-gym"], "has one environment, not 2"),
        (["textgym/MCQA-v0", "--set", "nope=1"], "has no argument 'nope'"),
    ],
)
def test_what_cannot_be_served_is_one_line(tmp_path: Path, arguments: list[str], text: str) -> None:
    done = run_command(tmp_path, "serve", *arguments)
    assert done.returncode == 2
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


def test_rows_are_exported(tmp_path: Path) -> None:
    shown = output_of(
        run_command(tmp_path, "export", "textgym/MCQA-v0", "--out", "rows.jsonl", "--tasks", "3")
    )
    assert shown == "rows.jsonl: 3 rows\n"
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [row["responses_create_params"]["input"][0]["role"] for row in rows] == ["user"] * 3


def test_a_task_of_lm_eval_is_exported(tmp_path: Path) -> None:
    arguments = ["--as", "lm-eval", "--out", "tasks", "--tasks", "2", "--level", "1"]
    shown = output_of(run_command(tmp_path, "export", "textgym/MCQA-v0", *arguments))
    assert "lm_eval --include_path tasks --tasks textgym_mcqa_v0" in shown
    names = {path.name for path in (tmp_path / "tasks").iterdir()}
    assert names == {f"textgym_mcqa_v0.{kind}" for kind in ("yaml", "jsonl", "py")}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["textgym/MCQA-v0", "--as", "csv"], "--as takes nemo-gym or lm-eval, not 'csv'"),
        (["textgym/MCQA-v0", "--split", "train"], "has unlimited tasks: state how many"),
        (["textgym/MCQA-v0", "--tasks", "0"], "--tasks must be above 0"),
        (["textgym/AskFirst-v0"], "talks to a user"),
        (["textgym/AskFirst-v0", "--as", "lm-eval"], "has tools, and a task of lm-evaluation"),
        (["textgym/GuessNumber-v0", "--as", "lm-eval"], "has several turns, and a task of lm"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    tmp_path: Path, arguments: list[str], text: str
) -> None:
    done = run_command(tmp_path, "export", *arguments, "--out", "out")
    assert done.returncode == 2
    assert text in done.stderr
    assert done.stderr.count("\n") == 1
