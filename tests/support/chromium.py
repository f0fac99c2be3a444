"""What does a real browser make of a page?  Chromium without a window, over its DevTools protocol.

It is spoken over a pair of pipes: no port, and nobody else's browser.
"""

import base64
import json
import os
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.waiting import OUTER_LIMIT_S, never, wait_until

PROGRAM: Final = "chromium"

# The protocol's own descriptors are 3, which Chromium reads, and 4, which it writes.
START: Final = 'exec "$@" 3<&"$READS" 4>&"$WRITES"'


class NavigatedError(Exception):
    """A page went to another while it was asked."""


class Browser:
    """A running Chromium; *events* are those of all pages that were not taken yet."""

    def __init__(self, writes_fd: int, reads_fd: int) -> None:
        self.writes_fd = writes_fd
        self.reads_fd = reads_fd
        self.received = b""
        self.asked = 0
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and give its result."""
        self.asked += 1
        number = self.asked
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writes_fd, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "navigated or closed" in answer.get("error", {}).get("message", ""):
                    raise NavigatedError
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def receive(self) -> dict[str, Any]:
        while b"\0" not in self.received:
            is_ready = bool(select.select([self.reads_fd], [], [], OUTER_LIMIT_S)[0])
            assert is_ready, never("an answer of chromium")
            data = os.read(self.reads_fd, 1 << 20)
            assert data, "chromium is gone"
            self.received += data
        message, _, self.received = self.received.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    @contextmanager
    def opened(self, at: Path | str, *, width: int = 1400, height: int = 900) -> "Iterator[Page]":
        """The page in a file or at an address, as soon as it is loaded."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        try:
            for domain in ("Page", "Runtime", "Network", "Log"):
                page.ask(f"{domain}.enable")
            page.ask(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
            page.ask("Page.navigate", url=at if isinstance(at, str) else at.as_uri())
            yield page
        finally:
            self.ask("Target.closeTarget", targetId=target)


class Page:
    """A page that is open in *browser*."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser = browser
        self.session = session

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.ask(method, self.session, **parameters)

    def value(self, expression: str) -> Any:
        """What a JavaScript expression is in the page."""
        told = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Wait until a JavaScript expression is true, and give its value."""

        def value() -> Any:
            with suppress(NavigatedError):
                return self.value(expression)
            return None

        return self.wait_until(value, expression)

    def wait_until(self, condition: Callable[[], Any], what: str) -> Any:
        found: list[Any] = []

        def is_so() -> bool:
            found[:] = [condition()]
            return bool(found[0])

        wait_until(is_so, what=what)
        return found[0]

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for step in range(1, steps + 1):
            at = [a + (b - a) * step / steps for a, b in zip(start, end, strict=True)]
            self.mouse("mouseMoved", *at, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def requested(self) -> list[str]:
        """What it has asked for so far, itself first; of data in the page only that it is such."""
        self.value("0")
        urls = [
            event["params"]["request"]["url"]
            for event in self.browser.events
            if event.get("sessionId") == self.session
            and event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if not url.startswith(("data:", "blob:"))]

    def complaints(self) -> list[str]:
        """What the browser has said of errors in it."""
        self.value("0")
        said = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                said.append(str(event["params"]["exceptionDetails"]))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                said.append(event["params"]["entry"]["text"])
        return said

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))


@contextmanager
def chromium(directory: Path) -> Iterator[Browser]:
    """A browser whose files are in *directory*; skips the test where there is none."""
    if shutil.which(PROGRAM) is None:
        pytest.skip(f"{PROGRAM} is not installed")
    words = (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--no-first-run", "--disable-extensions", "--disable-background-networking"),
        *("--remote-debugging-pipe", f"--user-data-dir={directory / 'profile'}", "about:blank"),
    )
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with (directory / "chromium.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", START, "bash", PROGRAM, *words],
            pass_fds=(to_read, from_write),
            env={**os.environ, "READS": str(to_read), "WRITES": str(from_write)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    os.close(to_read)
    os.close(from_write)
    browser = Browser(to_write, from_read)
    try:
        yield browser
        browser.ask("Browser.close")
        process.wait(OUTER_LIMIT_S)
    finally:
        os.close(to_write)
        os.close(from_read)
        if process.poll() is None:
            process.kill()
            process.wait(OUTER_LIMIT_S)
