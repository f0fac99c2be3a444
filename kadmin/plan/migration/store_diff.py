"""The differences between ZooKeeper and the metadata log, and how far the one lags behind."""

from collections.abc import Sequence
from dataclasses import dataclass

from cluster.model.controller import MigrationState
from kadmin.plan.migration.evidence import Damage
from kadmin.plan.migration.stores import Fact, Facts, MetadataImage


@dataclass(frozen=True, slots=True, order=True)
class StoreDifference:
    """A fact that the stores do not agree about; a value of None is missing there."""

    fact: Fact
    zookeeper: str | None
    kraft: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreReport:
    """What two looks at both stores have in common.

    *written_offset* is that of `/migration`, None without a readable one; *last_change_offset* that
    of the last record of the log that both stores have.  *in_flight* counts the differences that
    only one of the looks has found; *unreadable* are znodes.
    """

    differences: tuple[StoreDifference, ...]
    in_flight: int
    compared: int
    written_offset: int | None
    last_change_offset: int
    end_offset: int
    unreadable: tuple[Damage, ...] = ()

    @property
    def is_behind(self) -> bool:
        """Whether ZooKeeper lacks a change that is in the log.

        Of the changes in a snapshot only the end of all is known: equal values count for more.
        """
        if self.written_offset is None:
            return True
        return not self.is_equal and self.written_offset < self.last_change_offset

    @property
    def is_log_behind(self) -> bool:
        """Whether the log that was read ends before what ZooKeeper has: it is an earlier copy, or
        that of a node that lags, or damaged."""
        return self.written_offset is not None and self.written_offset >= self.end_offset

    @property
    def is_equal(self) -> bool:
        return not self.differences and not self.unreadable and not self.in_flight


def differences(zookeeper: Facts, kraft: Facts) -> set[StoreDifference]:
    return {
        StoreDifference(fact, zookeeper.get(fact), kraft.get(fact))
        for fact in zookeeper.keys() | kraft.keys()
        if zookeeper.get(fact) != kraft.get(fact)
    }


def store_report(
    looks: Sequence[tuple[Facts, Facts]],
    image: MetadataImage,
    migration: MigrationState | None,
    damages: Sequence[Damage],
) -> StoreReport:
    """Judge *looks* at both stores; the last was at *image*, with *migration* and *damages*.

    A difference that is not in all of them comes from a write under way, and does not count.
    """
    found = [differences(zookeeper, kraft) for zookeeper, kraft in looks]
    lasting = set.intersection(*found)
    zookeeper, kraft = looks[-1]
    return StoreReport(
        differences=tuple(sorted(lasting, key=lambda each: each.fact)),
        in_flight=len(found[-1] - lasting),
        compared=len(zookeeper.keys() | kraft.keys()),
        written_offset=None if migration is None else migration.kraft_metadata_offset,
        last_change_offset=image.last_change_offset,
        end_offset=image.end_offset,
        unreadable=tuple(damages),
    )
