"""Questions to brokers that may fail one by one, where an answer to the others is worth having."""

from collections.abc import Callable
from typing import TypeVar

from kafka.errors import AuthorizationError, KafkaError

from kadmin.admin.wire.connection import plain
from kadmin.admin.wire.errors import BrokersDenied
from kadmin.budget import Budget
from kadmin.errors import KadminError

Answer = TypeVar("Answer")


class Attempts:
    """Some questions; *gaps* has those without an answer, each with the reason, and *hidden* those
    that this user may not ask.  Each leaves half of the *budget* to those after it."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.gaps: list[str] = []
        self.hidden: list[str] = []

    def ask(self, what: str, call: Callable[[], Answer]) -> Answer | None:
        """Return what *call* returns; None, and a gap called *what*, where it fails."""
        try:
            with self.budget.sharing():
                return call()
        except AuthorizationError as error:
            self.hidden.append(f"{what}: {plain(error)}")
        except BrokersDenied as error:
            self.hidden.append(f"{what}: {error.message}")
        except KadminError as error:
            self.gaps.append(f"{what}: {error.message}")
        except KafkaError as error:
            self.gaps.append(f"{what}: {plain(error)}")
        return None
