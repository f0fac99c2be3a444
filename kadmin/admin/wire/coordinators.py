"""Requests that only the coordinators of groups answer: which broker is it, and when to ask again?

Knows no other request: the caller passes a function that asks one broker.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias, TypeVar

from kafka.errors import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    NotCoordinatorError,
)
from kafka.protocol.metadata import FindCoordinatorRequest

from cluster.model.ids import BrokerId
from kadmin.admin.answers import GroupAnswers
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.outcomes import words_of

Answer = TypeVar("Answer")
Item = TypeVar("Item")

Told: TypeAlias = Iterable[tuple[str, int, Answer]]
"""Groups with the code of their error, 0 for none, and what was answered about them."""

PASSING: Final = frozenset(
    error.errno
    for error in (
        CoordinatorLoadInProgressError,
        CoordinatorNotAvailableError,
        NotCoordinatorError,
    )
)
"""Errors of a coordinator that has just become one, or is none any more."""

BATCHED_SINCE: Final = 4
KEYS_MAX: Final = 2_000
GROUP_KEY: Final = 0
ROUNDS_MAX: Final = 8
PAUSE_S: Final = 0.05
"""Twice as long after each round: in all, long enough for a coordinator to load its groups."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why a coordinator answers nothing."""

    reason: str


class Coordinators:
    """Who the coordinators of groups are, as brokers return it; each is looked for once."""

    def __init__(self, connection: WireConnection) -> None:
        self.connection = connection
        self.known: dict[str, BrokerId] = {}

    def ask(
        self,
        names: Iterable[str],
        ask: Callable[[BrokerId, Sequence[str]], Told[Answer]],
    ) -> GroupAnswers[Answer]:
        """Ask the coordinators of the groups *names* by *ask*, and those again whose coordinator
        has moved, or still loads.

        A coordinator that does not answer costs its own groups.

        Raises:
            KafkaError: an error that *ask* lets out.
        """
        found: dict[str, Answer] = {}
        unanswered: dict[str, str] = {}
        pending = set(names)
        for round_number in range(ROUNDS_MAX):
            if not pending:
                break
            if round_number > 0:
                self.connection.budget.pause(PAUSE_S * 2**round_number)
            for name, code in self.find(pending - self.known.keys()).items():
                unanswered[name] = words_of(code)
                if code not in PASSING:
                    pending.discard(name)
            for name, code, answer in self.ask_known(sorted(pending & self.known.keys()), ask):
                if isinstance(answer, Unanswered):
                    unanswered[name] = answer.reason
                elif code == 0:
                    found[name] = answer
                    unanswered.pop(name, None)
                else:
                    unanswered[name] = words_of(code)
                if code in PASSING:
                    self.known.pop(name, None)
                else:
                    pending.discard(name)
        return GroupAnswers(found=found, unanswered=unanswered)

    def ask_known(
        self, names: Sequence[str], ask: Callable[[BrokerId, Sequence[str]], Told[Answer]]
    ) -> Iterator[tuple[str, int, Answer | Unanswered]]:
        """Ask the known coordinators of the groups *names*, all at once."""
        kept: dict[BrokerId, list[str]] = {}
        for name in names:
            kept.setdefault(self.known[name], []).append(name)
        if not kept:
            return
        answered = self.connection.at_once(
            sorted(kept), lambda broker: list(ask(broker, kept[broker]))
        )
        for broker, answers in answered.items():
            if isinstance(answers, BrokersUnreachable):
                yield from ((name, 0, Unanswered(answers.reason)) for name in kept[broker])
            elif isinstance(answers, Exception):
                raise answers
            else:
                yield from answers

    def find(self, names: Iterable[str]) -> Mapping[str, int]:
        """Learn the coordinators of the groups *names*; returns those without one, with the code
        of the error."""
        version = self.connection.version_of(FindCoordinatorRequest)
        is_batched = version is not None and version >= BATCHED_SINCE
        failed: dict[str, int] = {}
        for some in chunks(sorted(names), KEYS_MAX if is_batched else 1):
            for name, code, broker in self.find_some(some, is_batched=is_batched):
                if code == 0:
                    self.known[name] = broker
                else:
                    failed[name] = code
        return failed

    def find_some(
        self, names: Sequence[str], *, is_batched: bool
    ) -> Iterator[tuple[str, int, BrokerId]]:
        fields: dict[str, Any] = {"key": names[0]}
        if is_batched:
            fields = {"coordinator_keys": list(names)}
        answer = self.connection.ask(FindCoordinatorRequest(key_type=GROUP_KEY, **fields))
        if not is_batched:
            yield names[0], answer.error_code, BrokerId(answer.node_id)
            return
        for each in answer.coordinators:
            yield each.key, each.error_code, BrokerId(each.node_id)


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """*items* in lists of at most *size*."""
    left = iter(items)
    while some := list(islice(left, size)):
        yield some
