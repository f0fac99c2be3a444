"""The option --broker of commands that ask each broker about itself: who is meant?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kadmin.cli.options import Decorator, option
from kadmin.errors import KadminError, UsageError

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId
    from cluster.model.snapshot import ClusterSnapshot


def broker_option(section: str) -> Decorator:
    return option(
        "--broker",
        "--broker-list",
        "brokers",
        multiple=True,
        metavar="ID,ID",
        section=section,
        completes="brokers",
        help="Only these brokers; several by comma or by repeating.",
    )


def broker_ids(texts: Sequence[str]) -> "frozenset[BrokerId] | None":
    """The brokers that are named; None where none is.

    Raises:
        UsageError: what is no id.
    """
    from cluster.model.ids import BrokerId

    if not texts:
        return None
    words = [word.strip() for text in texts for word in text.split(",")]
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise UsageError(f"'{word}' is no id of a broker", hint="name ids by commas: 0,1")
    return frozenset(BrokerId(int(word)) for word in words)


def chosen_brokers(
    snapshot: "ClusterSnapshot", wanted: "frozenset[BrokerId] | None"
) -> "list[BrokerId]":
    """Those of *wanted*, None for all, in order.

    Raises:
        NoSuchBroker: one that is none of the cluster.
        KadminError: one that is not alive.
    """
    from kadmin.plan.broker_names import dead_brokers, refuse_unknown_brokers

    missing = (wanted or frozenset()) - snapshot.brokers.keys()
    dead = sorted(missing.intersection(dead_brokers(snapshot)))
    if dead:
        shown = ",".join(map(str, dead))
        raise KadminError(
            f"broker {shown.replace(',', ', ')} is not alive, so it cannot answer",
            hint=f"kadmin brokers --describe --broker {shown}",
        )
    refuse_unknown_brokers(snapshot, missing)
    return [broker for broker in snapshot.brokers if wanted is None or broker in wanted]
