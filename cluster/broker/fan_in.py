"""Fan-in of a request's parts: the results of all, once the last has come to its end."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
R = TypeVar("R")


class FanIn(Generic[K, R]):
    """The results of parts *keys*, given to *done* in the order of the keys once all are there."""

    __slots__ = ("_done", "_keys", "_results")

    def __init__(self, keys: Iterable[K], done: Callable[[list[R]], None]) -> None:
        self._keys = tuple(keys)
        self._results: dict[K, R] = {}
        self._done = done

    def put(self, key: K, result: R) -> None:
        """Take the result of one part; that of the last one ends it."""
        assert key not in self._results
        self._results[key] = result
        self.check()

    def check(self) -> None:
        """End one of no parts; otherwise without effect."""
        if len(self._results) == len(self._keys):
            self._done([self._results[key] for key in self._keys])
