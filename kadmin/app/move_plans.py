"""Plans of moves: made from a live cluster or from a saved one, and kept in files."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from cluster.model.fault import Thing
from kadmin.app.session import Session
from kadmin.app.snapshot_files import read_snapshot_file
from kadmin.app.snapshots import LAYOUT, read_saved
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import RefusedError
from kadmin.plan.moves.layout import ClusterLayout, layout_of
from kadmin.plan.moves.make_plan import Made, make_plan
from kadmin.plan.moves.request import Request
from kadmin.snapshots.saved import SavedCluster
from kadmin.version import VERSION
from kadmin.wording import listed

if TYPE_CHECKING:
    from cluster.model.fault import Fault

NEEDED: Final = frozenset(
    {Thing.BROKERS, Thing.BROKER, Thing.TOPICS, Thing.TOPIC, Thing.REASSIGNMENT, Thing.DELETIONS}
)
"""What a layout cannot do without."""


class LayoutUnreadable(RefusedError):
    """What a plan rests on could not be read, all of it or a part."""

    def __init__(self, faults: "list[Fault]") -> None:
        super().__init__(
            f"no plan is made of half a cluster: {listed(fault.text for fault in faults)}",
            hint="'kadmin check' shows what is wrong; fix it, and plan again",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A *request*, and the topics that it is about, or not; where the cluster is read, from the
    *snapshot_file* or, where that is None, live."""

    request: Request
    topics: TopicSelection
    excluded_topics: TopicSelection | None
    snapshot_file: str | None
    asks_brokers: bool


def plan_of(session: Session, wish: Wish, now_ms: int) -> tuple[ClusterLayout, Made]:
    """Read the cluster and plan what *wish* asks for.

    Raises:
        LayoutUnreadable: some of it cannot be read.
        KadminError: as `make_plan` does.
    """
    saved = saved_for(session, wish)
    missing = [fault for fault in saved.faults if fault.subject.thing in NEEDED]
    if missing:
        raise LayoutUnreadable(missing)
    for text in dict.fromkeys(f.text for f in saved.faults if f.subject.thing is Thing.LOG_DIRS):
        session.warn(f"sizes are not known: {text}")
    layout = layout_of(saved.cluster, saved.log_dirs, saved.cluster_id)
    names = {partition.topic for partition in layout.partitions}
    request = replace(
        wish.request,
        topics=tuple(wish.topics.require(names)) if wish.topics.wanted else (),
        excluded_topics=tuple(wish.excluded_topics.require(names)) if wish.excluded_topics else (),
    )
    return layout, make_plan(layout, request, tool_version=VERSION, now_ms=now_ms)


def saved_for(session: Session, wish: Wish) -> SavedCluster:
    if wish.snapshot_file is not None:
        return read_snapshot_file(wish.snapshot_file)
    return read_saved(session, LAYOUT, asks_brokers=wish.asks_brokers)
