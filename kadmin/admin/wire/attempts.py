"""Questions to brokers that may fail one by one, where an answer to the others is worth having."""

from collections.abc import Callable
from typing import TypeVar

from kafka.errors import KafkaError

from kadmin.admin.wire.connection import plain
from kadmin.errors import KadminError

Answer = TypeVar("Answer")


class Attempts:
    """Some questions; *gaps* has those without an answer, each with the reason."""

    def __init__(self) -> None:
        self.gaps: list[str] = []

    def ask(self, what: str, call: Callable[[], Answer]) -> Answer | None:
        """What *call* returns; None, and a gap called *what*, where it fails."""
        try:
            return call()
        except KadminError as error:
            self.gaps.append(f"{what}: {error.message}")
        except KafkaError as error:
            self.gaps.append(f"{what}: {plain(error)}")
        return None
