"""Partitions of a cluster of this machine that lack something: how do they look?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kadmin.called_name import as_called
from kadmin.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SHOWN_MAX: Final = 10
"""How many partitions are shown one by one; JSON and YAML have all of them."""
MORE: Final = "kadmin topics --describe --under-replicated-partitions"


@dataclass(frozen=True, slots=True, kw_only=True)
class LackingPartition:
    """A partition without a leader or a replica.

    *leader* is None where there is none.  *lag* is by how many records each replica that is out of
    the ISR is behind; None where it is unknown.
    """

    topic: str
    partition: int
    leader: int | None
    replicas: Sequence[int]
    isr: Sequence[int]
    is_unavailable: bool
    lag: Mapping[int, int | None]

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionsView:
    """How many partitions there are, and which of them lack something."""

    count: int
    lacking: Sequence[LackingPartition]

    @property
    def unavailable_count(self) -> int:
        return sum(each.is_unavailable for each in self.lacking)

    @property
    def under_replicated_count(self) -> int:
        return sum(len(each.isr) < len(each.replicas) for each in self.lacking)


def partitions_record(partitions: PartitionsView) -> dict[str, object]:
    return {
        "count": partitions.count,
        "unavailable": partitions.unavailable_count,
        "under_replicated": partitions.under_replicated_count,
        "lacking": [
            {
                "topic": each.topic,
                "partition": each.partition,
                "leader": each.leader,
                "replicas": list(each.replicas),
                "isr": list(each.isr),
                "lag": {str(broker_id): lag for broker_id, lag in each.lag.items()},
            }
            for each in partitions.lacking
        ],
    }


def partition_lines(partitions: PartitionsView) -> Iterator[str]:
    yield (
        f"partitions: {partitions.count} unavailable={partitions.unavailable_count}"
        f" under_replicated={partitions.under_replicated_count}"
    )
    for each in partitions.lacking[:SHOWN_MAX]:
        lag = f" lag={lag_text(each.lag)}" if each.lag else ""
        yield (
            f"partition {each.name}: leader={leader_text(each)}"
            f" replicas={ids_text(each.replicas)} isr={ids_text(each.isr)}{lag}"
        )
    yield from more_lines(partitions)


def partition_counts(partitions: PartitionsView) -> "list[Text]":
    """Return how many there are, and what they lack, in phrases."""
    from rich.text import Text

    bad, fine = "bold red", "green"
    unavailable, under = partitions.unavailable_count, partitions.under_replicated_count
    return [
        Text(counted(partitions.count, "partition")),
        Text(f"{unavailable} unavailable", bad if unavailable else fine),
        Text(f"{under} under-replicated", bad if under else fine),
    ]


def partition_table(partitions: PartitionsView) -> "list[RenderableType]":
    """Return the first of those that lack something; nothing where none does."""
    from rich.text import Text

    from kadmin.render.tables import Shown, shortened, table_of

    if not partitions.lacking:
        return []
    table = table_of(
        partitions.lacking[:SHOWN_MAX],
        Shown("partition", lambda each: each.name, least=32),
        Shown("leader", leader_text),
        Shown("replicas", lambda each: ids_text(each.replicas)),
        Shown("isr", lambda each: ids_text(each.isr)),
        Shown(
            "lag",
            lambda each: shortened([(word,) for word in lag_words(each.lag)], separator=","),
            least=12,
            worth=1,
        ),
    )
    return [Text(), table, *map(Text, more_lines(partitions))]


def more_lines(partitions: PartitionsView) -> Iterator[str]:
    more = len(partitions.lacking) - SHOWN_MAX
    if more > 0:
        yield f"and {more} more: {as_called(MORE)}"


def leader_text(partition: LackingPartition) -> str:
    return "none" if partition.leader is None else str(partition.leader)


def ids_text(ids: Sequence[int]) -> str:
    return ",".join(map(str, ids))


def lag_text(lag: Mapping[int, int | None]) -> str:
    """Write `2:1200,3:?`: broker 2 is 1,200 records behind, and the lag of broker 3 is unknown."""
    return ",".join(lag_words(lag))


def lag_words(lag: Mapping[int, int | None]) -> list[str]:
    return [f"{one}:{'?' if count is None else count}" for one, count in lag.items()]
