"""Which lines must stand before which others: an order before the first sign of its being obeyed.

Kafka's controller logs an order before it sends it, and a broker logs it after it has come.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kadmin.story.events import Event
from kadmin.story.leader_epochs import incarnations


@dataclass(frozen=True, slots=True)
class Cause:
    """An *order*, and the first line of another source that proves that it was given before."""

    order: Event
    answer: Event


def causes(events: Sequence[Event]) -> Iterator[Cause]:
    """Return what lines about one partition prove.

    *events* are all of them in the order of time.
    """
    for incarnation in incarnations(events):
        for epoch in incarnation.epochs:
            answers = set()
            for broker, answer in epoch.answers.items():
                answers.add(answer.line)
                order = epoch.orders.get(broker, epoch.decided)
                if order is not None and order.line.source != answer.line.source:
                    yield Cause(order, answer)
            decided = epoch.decided
            if decided is None:
                continue
            sources = {decided.line.source}
            for claim in epoch.claims:
                # What brokers note for their clients was decided before, too.
                if claim.line.source in sources or claim.is_of_controller:
                    continue
                sources.add(claim.line.source)
                if claim.line not in answers:
                    yield Cause(decided, claim)
