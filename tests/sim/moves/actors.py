"""Processes that take turns: threads of which one runs at a time, as the story wants.

What is tested blocks at each call of a port; so each call is a point at which the process may be
killed, or stand still while others go on.
"""

import threading
from collections.abc import Callable


class Killed(BaseException):
    """The process is no more; no handler of it may do anything."""


class Actor:
    """A process that runs *body*, one call at a time."""

    def __init__(self, name: str, body: "Callable[[Actor], None]") -> None:
        self.name = name
        self.is_killed = False
        self.has_ended = False
        self.error: Exception | None = None
        self.wakes_at_ms = 0
        self.is_about_to_write = False
        self._go = threading.Semaphore(0)
        self._back = threading.Semaphore(0)
        self._body = body
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._go.acquire()
        try:
            if not self.is_killed:
                self._body(self)
        except Killed:
            pass
        except Exception as error:  # noqa: BLE001 - the story judges it, in another thread
            self.error = error
        self.has_ended = True
        self._back.release()

    def step(self) -> None:
        """Let the process go on to its next call, or its end."""
        self._go.release()
        self._back.acquire()

    def turn(self) -> None:
        """Let others go on; called by the process before each call of a port."""
        self.refuse_killed()
        self._back.release()
        self._go.acquire()
        self.refuse_killed()

    def refuse_killed(self) -> None:
        if self.is_killed:
            raise Killed

    def kill(self) -> None:
        self.is_killed = True
        while not self.has_ended:
            self.step()
