"""Drives a headless Chromium over a pipe, in its own protocol; needs nothing but the browser."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page:
    """One page of a browser."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.requests: list[str] = []
        """The addresses that the page asked for."""
        self.problems: list[str] = []
        """What the console was told of errors."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def wait_for(self, event: str) -> None:
        while (answer := self._read()).get("method") != event:
            self._note(answer)

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def until(self, script: str) -> None:
        """Waits, five seconds at most, until an expression in the page is true."""
        wait = (
            "new Promise((done, fail) => { const end = Date.now() + 5000; const look = () => "
            f"({script}) ? done(true) : Date.now() > end ? fail(new Error('never true')) : setTimeout(look, 20); "
            "look(); })"
        )
        self.run(wait)

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        codes = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "End": 35, "Home": 36, "Tab": 9}
        code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._from, 1 << 16)
            assert part, "the browser has ended"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.problems.append(params["entry"]["text"])
            case _:
                pass


@contextlib.contextmanager
def open_browser(profile: Path, *, width: int = 1300, height: int = 800) -> Iterator[Page]:
    """A browser with a profile of its own, ended when the block is left."""
    assert BROWSER is not None
    read_by_browser, to_browser = os.pipe()
    from_browser, written_by_browser = os.pipe()

    def hand_over() -> None:
        # The protocol's pipes are the descriptors 3 and 4; what is there may be one of them.
        held = os.dup(read_by_browser), os.dup(written_by_browser)
        kept = [os.dup2(one, 10 + place) for place, one in enumerate(held)]
        for place, one in enumerate(kept):
            os.dup2(one, 3 + place)

    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(read_by_browser)
    os.close(written_by_browser)
    try:
        yield Page(to_browser, from_browser)
    finally:
        process.terminate()
        process.wait(10)
        os.close(to_browser)
        os.close(from_browser)
