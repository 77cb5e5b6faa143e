"""A headless Chromium that tests drive through its debugging pipe, without another package."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """One page of a browser.

    Attributes:
        requests: The addresses that the page asked for.
        problems: Exceptions of scripts, errors on the console, and violations of the page's policy.
    """

    def __init__(self, profile: Path, width: int = 1280, height: int = 900) -> None:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            pytest.skip("there is no Chromium on this machine")
        ours, theirs = os.pipe(), os.pipe()  # what the browser reads, and what it writes
        command = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--disable-background-networking", f"--user-data-dir={profile}",
            f"--window-size={width},{height}", "about:blank",
        ]  # fmt: skip

        def as_3_and_4() -> None:
            reading, writing = os.dup(ours[0]), os.dup(theirs[1])
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self._process = subprocess.Popen(
            command, preexec_fn=as_3_and_4, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(ours[0])
        os.close(theirs[1])
        self._out, self._in = os.fdopen(ours[1], "wb"), os.fdopen(theirs[0], "rb")
        self._numbers, self._rest, self._session = itertools.count(1), b"", ""
        self.requests: list[str] = []
        self.problems: list[str] = []
        self._loaded = False
        targets = self._call("Target.getTargets")["targetInfos"]
        target = next(item["targetId"] for item in targets if item["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file and wait until it is loaded."""
        self._loaded = False
        self._call("Page.navigate", url=path.absolute().as_uri() + fragment)
        while not self._loaded:
            self._handle(self._receive())

    def run(self, script: str) -> Any:
        """Return the value of an expression, which may be a promise."""
        result = self._call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            raise AssertionError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        for _ in range(600):
            if self.run(condition):
                return
            time.sleep(0.05)
        raise AssertionError(f"{condition} is not true after 30 s; {self.problems}")

    def picture(self, path: Path) -> None:
        """Write what the window shows as a PNG file."""
        shot = self._call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait()
        self._out.close()
        self._in.close()

    def _call(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self._handle(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in.fileno(), 1 << 16)
            if not part:
                raise AssertionError("the browser has ended")
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def _handle(self, event: dict[str, Any]) -> None:
        method, values = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(values["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning"):
            self.problems.append(json.dumps(values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(values["entry"]["text"])
