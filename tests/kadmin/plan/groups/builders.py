"""Groups, members and logs as tests write them down."""

from collections.abc import Iterable, Mapping

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.groups.group import STABLE, Coordinator, Group, Member
from kadmin.plan.groups.lag import Logs

COORDINATOR = Coordinator(id=BrokerId(1), host="h", port=9092)
T0, T1, U0 = TopicPartition("t", 0), TopicPartition("t", 1), TopicPartition("u", 0)


def member(name: str, *assigned: TopicPartition, host: str = "/h") -> Member:
    return Member(id=f"{name}-id", client_id=name, host=host, assigned=assigned)


def group(name: str, *members: Member, state: str = STABLE) -> Group:
    return Group(name=name, state=state, assignor="range", coordinator=COORDINATOR, members=members)


def logs(
    spans: Mapping[TopicPartition, tuple[int, int]],
    gone: Iterable[TopicPartition] = (),
    unknown: Mapping[TopicPartition, str] | None = None,
) -> Logs:
    return Logs(
        starts={each: start for each, (start, _) in spans.items()},
        ends={each: end for each, (_, end) in spans.items()},
        gone=frozenset(gone),
        unknown=unknown or {},
    )
