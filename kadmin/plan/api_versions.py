"""Versions of Kafka's requests: which ones each broker serves, and where brokers differ.

Pure: brokers' answers in, a comparison out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from cluster.model.ids import BrokerId


class Versions(NamedTuple):
    """From *lowest* to *highest*, both of them too."""

    lowest: int
    highest: int

    def __str__(self) -> str:
        if self.lowest == self.highest:
            return str(self.lowest)
        return f"{self.lowest} to {self.highest}"


FETCH: Final = 1
FETCH_OF_KAFKA_4: Final = 4
"""The lowest version of Fetch in Kafka 4; it lists all versions of Produce, and refuses some."""

BrokerApis: TypeAlias = Mapping[BrokerId, Mapping[int, Versions]]
"""What each broker serves, by the number of the API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiComparison:
    """The versions of one API; *by_broker* has None for a broker that does not serve it."""

    key: int
    name: str
    by_broker: Mapping[BrokerId, Versions | None]

    @property
    def is_agreed(self) -> bool:
        return len(set(self.by_broker.values())) == 1

    @property
    def common(self) -> Versions | None:
        """What all of them serve; None where that is nothing."""
        found = [versions for versions in self.by_broker.values() if versions is not None]
        if len(found) < len(self.by_broker):
            return None
        common = Versions(
            max(versions.lowest for versions in found), min(versions.highest for versions in found)
        )
        return common if common.lowest <= common.highest else None

    @property
    def groups(self) -> list[tuple[Versions | None, tuple[BrokerId, ...]]]:
        """The brokers that serve the same, in order of the first broker of each."""
        groups: dict[Versions | None, list[BrokerId]] = {}
        for broker, versions in self.by_broker.items():
            groups.setdefault(versions, []).append(broker)
        return [(versions, tuple(brokers)) for versions, brokers in groups.items()]


def compare(
    apis: BrokerApis, names: Mapping[int, str], *, differences_only: bool = False
) -> list[ApiComparison]:
    """Compare what brokers serve, in order of the APIs' numbers; brokers in order of id.

    With *differences_only*, only APIs in which they disagree.
    """
    keys = sorted({key for served in apis.values() for key in served})
    compared = [
        ApiComparison(
            key=key,
            name=names.get(key, f"UNKNOWN({key})"),
            by_broker={broker: apis[broker].get(key) for broker in sorted(apis)},
        )
        for key in keys
    ]
    return [each for each in compared if not (differences_only and each.is_agreed)]


def refusing_old_clients(apis: BrokerApis) -> tuple[BrokerId, ...]:
    """Return the brokers that have dropped the requests of clients before Kafka 2.1 (KIP-896)."""
    return tuple(
        broker
        for broker, served in sorted(apis.items())
        if FETCH in served and served[FETCH].lowest >= FETCH_OF_KAFKA_4
    )
