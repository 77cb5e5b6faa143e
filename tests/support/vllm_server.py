"""A real vLLM server for tests: on the CPU, in a process group of its own, stopped at the end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

SECONDS_TO_START = 600
SECONDS_TO_STOP = 20
SETTINGS = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}


@contextmanager
def vllm_server(model: Path, name: str, flags: Sequence[str], log: Path) -> Iterator[str]:
    """Serve a model.

    Args:
        model: Its folder.
        name: Its name in requests.
        flags: Further arguments of the server.
        log: The file of the server's output.

    Yields:
        The URL of the server, when it is ready.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1"]
    command += ["--port", url.rpartition(":")[2], "--model", str(model)]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, "--served-model-name", name, *flags],
            env={**os.environ, **SETTINGS},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_ready(server, f"{url}/health", log)
        yield url
    finally:
        _stop(server)


def _wait_until_ready(server: subprocess.Popen[bytes], health: str, log: Path) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(health, timeout=5) as reply:
            if reply.status == 200:
                return
        time.sleep(0.5)
    what = "died" if server.poll() is not None else f"was not ready in {SECONDS_TO_START} s"
    tail = log.read_text(errors="replace").splitlines()[-40:]
    pytest.fail("\n".join([f"the server {what}; its log ends so:", *tail]), pytrace=False)


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server and its child processes."""
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(SECONDS_TO_STOP)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()
