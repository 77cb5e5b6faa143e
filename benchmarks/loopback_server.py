"""A minimal chat completions server on loopback that answers every request after a delay.

It runs in a process of its own and parses as little HTTP as possible, so that it costs less than
any client. `python benchmarks/loopback_server.py SECONDS` prints its port.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["loopback_server"]

_BODY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "It must be \\boxed{B}."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99},
    }
).encode()
_REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_BODY)
) + _BODY


class _Connection(asyncio.Protocol):
    """One connection, which sends one reply for each complete request after a delay."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Schedule a reply for each complete request."""
        self.data += data
        while True:
            head, end, rest = self.data.partition(b"\r\n\r\n")
            length = _content_length(head) if end else 0
            if not end or len(rest) < length:
                return
            self.data = rest[length:]
            asyncio.get_running_loop().call_later(self.seconds, self.answer)

    def answer(self) -> None:
        """Send the reply."""
        if not self.transport.is_closing():
            self.transport.write(_REPLY)


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


async def _serve(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(seconds), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def loopback_server(seconds: float) -> Iterator[str]:
    """Run the server in a process of its own; yields its base URL."""
    command = [sys.executable, str(Path(__file__)), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
