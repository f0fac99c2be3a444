"""Metrics of groups, by the names of danielqsj's kafka_exporter; lag in seconds and verdicts
besides."""

from collections import defaultdict
from collections.abc import Iterator

from kadmin.render.exposition.text import Family, labels
from kadmin.reports.exported import Exported


def group_families(exported: Exported) -> Iterator[Family]:
    report = exported.groups
    yield Family(
        "kafka_consumergroup_members",
        "Members of a group.",
        {labels(consumergroup=each.group.name): len(each.group.members) for each in report.groups},
    )
    yield Family(
        "kafka_consumergroup_state",
        "Always 1: the state of a group, in Kafka's words.",
        {
            labels(consumergroup=each.group.name, state=each.group.state): 1
            for each in report.groups
        },
    )
    yield from lag_families(exported)
    yield from verdict_families(exported)


def lag_families(exported: Exported) -> Iterator[Family]:
    """A partition to which nothing is committed has no offset, no lag, and no part in sums."""
    committed: dict[str, float] = {}
    lags: dict[str, float] = {}
    seconds: dict[str, float] = {}
    offset_sums: dict[str, float] = {}
    lag_sums: dict[str, float] = {}
    for each in exported.groups.groups:
        name = each.group.name
        offset_sum: defaultdict[str, float] = defaultdict(int)
        lag_sum: defaultdict[str, float] = defaultdict(int)
        for row in each.rows:
            if row.committed is None:
                continue
            topic = row.partition.topic
            text = labels(consumergroup=name, topic=topic, partition=row.partition.partition)
            committed[text] = row.committed
            offset_sum[topic] += row.committed
            if row.distance is None:
                continue
            lags[text] = row.distance
            lag_sum[topic] += row.distance
            if (lag_ms := row.lag_ms(exported.groups.now_ms)) is not None:
                seconds[text] = lag_ms / 1000
        for sums, found in ((offset_sums, offset_sum), (lag_sums, lag_sum)):
            sums |= {labels(consumergroup=name, topic=topic): n for topic, n in found.items()}
    prefix = "kafka_consumergroup"
    yield Family(f"{prefix}_current_offset", "What a group has committed.", committed)
    yield Family(
        f"{prefix}_current_offset_sum",
        "What a group has committed to all partitions of a topic.",
        offset_sums,
    )
    yield Family(
        f"{prefix}_lag",
        "Offsets from what a group has committed to the end; below 0 beyond the end.",
        lags,
    )
    yield Family(f"{prefix}_lag_sum", "The lag of a group in all partitions of a topic.", lag_sums)
    yield Family(
        f"{prefix}_lag_seconds",
        "How long the first record that a group has not read has been there, by its timestamp.",
        seconds,
    )


def verdict_families(exported: Exported) -> Iterator[Family]:
    yield Family(
        "kafka_consumergroup_verdict",
        "Always 1: the verdict on a group, as of kadmin groups --verdict.",
        {
            labels(consumergroup=each.group.name, verdict=each.verdict): 1
            for each in exported.verdicts
        },
    )
