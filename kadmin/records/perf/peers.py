"""Tests that run side by side, as one of them sees the others."""


class Peers:
    """No others: a test that runs alone."""

    def __init__(self) -> None:
        self.count = 0

    def ready(self) -> None:
        """Wait until all are connected."""

    def add(self, count: int) -> int:
        """Add *count* records, and return how many all have together."""
        self.count += count
        return self.count
