"""A monotonic clock that a test moves on."""


class Ticking:
    """Starts somewhere, as monotonic clocks do."""

    def __init__(self) -> None:
        self.now_ns = 123_456_789_000

    def __call__(self) -> int:
        return self.now_ns
