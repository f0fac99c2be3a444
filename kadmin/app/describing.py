"""A report on topics, read from the cluster: which of them, and as much as is to be shown."""

from dataclasses import dataclass, replace

from cluster.model.fault import Thing
from kadmin.admin.ports import TopicAdmin
from kadmin.app.session import Session
from kadmin.arguments.topics import NoSuchTopicId, TopicSelection
from kadmin.plan.health import Finding
from kadmin.reports.topics import ClusterReport, report_on


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedReport:
    """What the report is to have.

    *topic_id* names the topic in the place of a selection; *only* and *is_overrides_only* are those
    of `report_on`.  *is_summary* needs only what a row for each topic shows, *has_eligible_leaders*
    what only brokers know.  A topic that is named and missing is an error unless the report
    *may_miss* it.
    """

    topic_id: str | None
    only: Finding | None
    is_overrides_only: bool
    is_summary: bool
    has_eligible_leaders: bool
    may_miss: bool
    default_min_isr: int


def read_report(session: Session, selection: TopicSelection, wanted: WantedReport) -> ClusterReport:
    """Read the topics of *selection*, and report on them.

    Raises:
        NoSuchTopicId, NoSuchTopic: one that is named is not there.
    """
    topic_id = wanted.topic_id
    with session.topics() as admin:
        if topic_id is not None:
            selection = selection_of_id(session, admin, selection, topic_id)
        snapshot = admin.snapshot(
            selection,
            with_states=wanted.is_summary or not wanted.is_overrides_only,
            # No name means all topics, but an id that no topic has means none.
            with_topics=topic_id is None or bool(selection.wanted),
        )
        if selection.wanted and selection.is_by_name:
            # Not of all topics: over the wire each broker is asked, and one may hang.
            snapshot = admin.with_refusals(snapshot)
        if wanted.has_eligible_leaders and not (wanted.is_overrides_only or wanted.is_summary):
            snapshot = admin.with_eligible_leaders(snapshot)
        names = list(snapshot.topics)
        if topic_id is None and selection.missing(names) and not wanted.may_miss:
            # A topic that is damaged is missing in the snapshot, but it is there.
            hidden = (
                each.subject.name for each in snapshot.faults if each.subject.thing is Thing.TOPIC
            )
            by_name = selection.wanted if selection.is_by_name else ()
            selection.require([*admin.names(by_name).names, *hidden])
    if topic_id is not None:
        # The topic may have been deleted and made again since its id was read.
        names = [name for name in names if snapshot.topics[name].assignment.topic_id == topic_id]
        if not names and not wanted.may_miss:
            raise NoSuchTopicId(topic_id)
    return report_on(
        snapshot,
        names,
        only=wanted.only,
        with_overrides=wanted.is_overrides_only,
        default_min_isr=wanted.default_min_isr,
    )


def selection_of_id(
    session: Session, admin: TopicAdmin, selection: TopicSelection, topic_id: str
) -> TopicSelection:
    """Return *selection* with the topics of that id as the ones that are wanted, which may be
    none."""
    found = admin.topics_of_id(topic_id)
    if not found.names:
        for fault in found.faults:
            session.warn(f"left out, whatever its id is: {fault}")
    return replace(selection, wanted=found.names)
