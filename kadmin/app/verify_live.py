"""The comparison of replicas as brokers serve them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from kadmin.app.session import Session
from kadmin.errors import KadminError

if TYPE_CHECKING:
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.arguments.topics import TopicSelection
    from kadmin.jobs.verify_live import Listener, LiveRequest, LiveVerification


@contextmanager
def live_verification(
    session: Session,
    selection: "TopicSelection",
    request: "LiveRequest",
    listener: "Listener",
    *,
    moment: int,
    compacted: tuple[str, ...],
) -> "Iterator[tuple[LiveVerification, int]]":
    """Find the replicas of *selection* and where they begin at *moment*; a verification of them,
    which is yet to run, and the number of partitions.

    Brokers say which topics are *compacted*, beside those that are named so.
    """
    from kadmin.admin.wire.opening import connect_brokers
    from kadmin.admin.wire.replica_reader import WireReplicaReader
    from kadmin.admin.wire.snapshot import read_topics
    from kadmin.jobs.read_bounds import ANSWER_S
    from kadmin.jobs.verify_live import LiveVerification

    began_s = time.monotonic()
    brokers = session.brokers()
    patience_s = brokers.timeout_s if request.time_max_s is None else request.time_max_s / 2
    answer_s = request.max_wait_ms / 1000 + min(patience_s, ANSWER_S)
    with connect_brokers(replace(brokers, timeout_s=answer_s)) as connection:
        topics = sorted(read_topics(connection, selection).topics)
        cleaned = compacted_topics(session, connection, topics, compacted)
        reader = WireReplicaReader(connection, topics)
        placement = reader.placement()
        if not placement.replicas:
            raise KadminError(
                "there is no topic to verify", hint="'kadmin topics --list' lists all topics"
            )
        starts = reader.starts(placement.replicas, moment)
        if request.time_max_s is not None:
            # What it took to begin is a part of it.
            left_s = max(0.0, request.time_max_s - (time.monotonic() - began_s))
            request = replace(request, time_max_s=left_s)
        verification = LiveVerification(
            reader, request, listener, placement, starts, compacted=cleaned
        )
        yield verification, len(placement.replicas)


def compacted_topics(
    session: Session,
    connection: "WireConnection",
    topics: Sequence[str],
    named: tuple[str, ...],
) -> frozenset[str]:
    """Return those of *topics* that are compacted: as brokers describe them, and those *named*."""
    from kafka.errors import KafkaError

    from kadmin.admin.wire.describe_configs import read_topic_configs
    from kadmin.arguments.topics import TopicSelection

    found = set(TopicSelection(wanted=named).require(topics)) if named else set()
    try:
        for name, configs in read_topic_configs(connection, topics).items():
            policy = {**configs.inherited, **configs.overrides}.get("cleanup.policy", "")
            if "compact" in policy.split(","):
                found.add(name)
    except (KadminError, KafkaError) as error:
        session.warn(
            f"which topics are compacted is not known: {error}; name them with --compacted"
        )
    return frozenset(found)
