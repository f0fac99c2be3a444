"""A time that passes only by sleeping: waits of kadmin that end at once, however slow the machine.

It takes the place of the module `time` in a module of kadmin that waits.
"""


class QuickTime:
    """The monotonic clock of one test, which begins at 0."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Let *seconds* pass, without taking any."""
        self.now_s += seconds
