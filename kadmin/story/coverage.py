"""What the logs cover as a whole: whose they are, until when, and the controllers' terms."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kadmin.statechange.kinds import Role

CLOCKS_AGREE_MS: Final = 500
"""Two brokers' times are taken for different only beyond that: clocks differ by less everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Lines of one writer in one log: a broker, or a controller in one epoch of its own.

    *has_traces* if some of them are of level TRACE.
    """

    source: str
    role: Role
    broker: int
    controller_epoch: int | None
    first_ms: int
    last_ms: int
    has_traces: bool
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """The lines of one controller epoch, from the first to the last."""

    controller_id: int
    controller_epoch: int
    first_ms: int
    last_ms: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the logs cover.  *brokers* has the time of the last line of each that wrote any."""

    terms: tuple[Term, ...]
    brokers: Mapping[int, int]
    has_traces: bool
    first_ms: int
    last_ms: int

    def replaced_ms(self, controller_epoch: int) -> int | None:
        """Return when a controller of a later epoch wrote its first line."""
        later = [each.first_ms for each in self.terms if each.controller_epoch > controller_epoch]
        return min(later, default=None)


def coverage_of(spans: Iterable[Span]) -> Coverage:
    """Return all *spans* together; an empty Coverage begins and ends at 0."""
    terms: dict[tuple[int, int], Term] = {}
    brokers: dict[int, int] = {}
    known = list(spans)
    for span in known:
        brokers[span.broker] = max(span.last_ms, brokers.get(span.broker, span.last_ms))
        if span.role is Role.CONTROLLER and span.controller_epoch is not None:
            key = span.controller_epoch, span.broker
            before = terms.get(key)
            terms[key] = Term(
                controller_id=span.broker,
                controller_epoch=span.controller_epoch,
                first_ms=min(span.first_ms, before.first_ms) if before else span.first_ms,
                last_ms=max(span.last_ms, before.last_ms) if before else span.last_ms,
                lines=span.lines + (before.lines if before else 0),
            )
    return Coverage(
        terms=tuple(terms[key] for key in sorted(terms)),
        brokers=dict(sorted(brokers.items())),
        has_traces=any(span.has_traces for span in known),
        first_ms=min((span.first_ms for span in known), default=0),
        last_ms=max((span.last_ms for span in known), default=0),
    )
