"""Metrics of the exporter itself: does it still read the cluster, and how old are its numbers?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kadmin.render.exposition.text import Family, labels
from kadmin.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class PollHealth:
    """A poll: whether its last attempt was answered, and how its answer was had.

    *age_s* is that of the answer, None where there is none; *unanswered* is how much the answer
    lacks that some server did not return, by what it is.
    """

    is_up: bool
    age_s: float | None
    took_s: float | None
    number: int
    failure_count: int
    late_count: int
    unanswered: Mapping[str, int]


def poll_families(polls: Mapping[str, PollHealth]) -> Iterator[Family]:
    texts = {labels(poll=name): health for name, health in polls.items()}
    prefix = "kafka_exporter"
    yield Family(
        f"{prefix}_build_info", "Always 1: the version of kadmin.", {labels(version=VERSION): 1}
    )
    yield Family(
        f"{prefix}_up",
        "1 where the last attempt to read the cluster was answered, else 0.",
        {text: int(each.is_up) for text, each in texts.items()},
    )
    yield Family(
        f"{prefix}_age_seconds",
        "The age of the numbers here, from when their poll began; none without any.",
        {text: round(each.age_s, 3) for text, each in texts.items() if each.age_s is not None},
    )
    yield Family(
        f"{prefix}_poll_duration_seconds",
        "How long the poll took that had these numbers.",
        {text: round(each.took_s, 3) for text, each in texts.items() if each.took_s is not None},
    )
    yield Family(
        f"{prefix}_polls_total",
        "Polls that have ended.",
        {text: each.number for text, each in texts.items()},
        "counter",
    )
    yield Family(
        f"{prefix}_poll_failures_total",
        "Polls that no server answered.",
        {text: each.failure_count for text, each in texts.items()},
        "counter",
    )
    yield Family(
        f"{prefix}_polls_late_total",
        "Polls that took longer than the interval.",
        {text: each.late_count for text, each in texts.items()},
        "counter",
    )
    yield Family(
        f"{prefix}_untold",
        "Of how many brokers, groups and partitions the last answer lacks what was asked for.",
        {
            labels(poll=name, what=what): count
            for name, health in polls.items()
            for what, count in health.unanswered.items()
        },
    )
