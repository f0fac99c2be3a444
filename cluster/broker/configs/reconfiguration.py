"""Validation of a change of configs in a running broker.

Compares all values before and after the change; each of them is legal by itself.
Source: Kafka's BrokerReconfigurables and DynamicListenerConfig.
"""

from collections.abc import Callable, Mapping
from typing import Final

from cluster.broker.configs.listeners import InvalidListeners, check_inter_broker, read_listeners
from cluster.model.config_spec import members
from cluster.model.config_table import LISTENER_PREFIX

NETWORK_THREADS: Final = "num.network.threads"
THREADS: Final = (
    "background.threads",
    "num.io.threads",
    NETWORK_THREADS,
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)
CLEANER_THREADS: Final = "log.cleaner.threads"
CLEANER_BUFFER: Final = "log.cleaner.dedupe.buffer.size"
CLEANER_BUFFER_MIN: Final = 1024**2
REPORTERS: Final = "metric.reporters"
KAFKAS_REPORTER: Final = "org.apache.kafka.common.metrics.JmxReporter"
"""The reporter that every Kafka has; others are custom classes, which do not exist here."""
LOCAL_RETENTIONS: Final = (
    ("log.local.retention.ms", "log.retention.ms"),
    ("log.local.retention.bytes", "log.retention.bytes"),
)
AS_TOTAL: Final = -2
UNLIMITED: Final = -1


def reconfiguration_problem(
    before: Callable[[str], str], after: Callable[[str], str], changed: Mapping[str, str]
) -> str | None:
    """Why configs cannot become *changed*; None when they can.

    *before* and *after* return the value of each Kafka key, empty for none; behind the prefix of a
    listener without a value of its own, that of the base key.
    """
    # An unset config changes, too, without being in *changed*.
    for name in dict.fromkeys((*THREADS, *changed)):
        base = NETWORK_THREADS if is_of_listener(name, NETWORK_THREADS) else name
        if base in THREADS:
            problem = thread_problem(base, int(before(name)), int(after(name)))
            if problem is not None:
                return problem
    return (
        cleaner_problem(before, after)
        or retention_problem(before, after)
        or reporter_problem(changed)
        or listener_problem(before, after)
    )


def is_of_listener(name: str, key: str) -> bool:
    return name.startswith(LISTENER_PREFIX) and name.endswith(f".{key}")


def thread_problem(name: str, before: int, after: int) -> str | None:
    refused = f"Dynamic thread count update validation failed for {name}={after}, value should"
    if after < before // 2:
        return f"{refused} be at least half the current value {before}"
    if after > 2 * before:
        return f"{refused} not be greater than double the current value {before}"
    return None


def cleaner_problem(before: Callable[[str], str], after: Callable[[str], str]) -> str | None:
    if all(before(one) == after(one) for one in (CLEANER_THREADS, CLEANER_BUFFER)):
        return None
    threads_before, threads = int(before(CLEANER_THREADS)), int(after(CLEANER_THREADS))
    if int(after(CLEANER_BUFFER)) < CLEANER_BUFFER_MIN * threads:
        return f"{CLEANER_BUFFER} must be at least 1MB per cleaner thread."
    if threads < threads_before // 2:
        return (
            "Log cleaner threads cannot be reduced to less than half the current value"
            f" {threads_before}"
        )
    if threads > 2 * threads_before:
        return (
            "Log cleaner threads cannot be increased to more than double the current value"
            f" {threads_before}"
        )
    return None


def retention_problem(before: Callable[[str], str], after: Callable[[str], str]) -> str | None:
    for local, total in LOCAL_RETENTIONS:
        if before(local) == after(local) and before(total) == after(total):
            continue
        low, high = int(after(local)), int(after(total))
        if low != AS_TOTAL and high != UNLIMITED and (low == UNLIMITED or low > high):
            return (
                f"Invalid value {low} for configuration {local}: Value must not be more than"
                f" {total} property value: {high}"
            )
    return None


def reporter_problem(changed: Mapping[str, str]) -> str | None:
    custom = [one for one in members(changed.get(REPORTERS, "")) if one != KAFKAS_REPORTER]
    return f"Class {custom[0]} of {REPORTERS} could not be found." if custom else None


def listener_problem(before: Callable[[str], str], after: Callable[[str], str]) -> str | None:
    try:
        check_inter_broker(read_listeners(before).inter_broker, read_listeners(after))
    except InvalidListeners as error:
        return f"Invalid value {after(error.key)} for configuration {error.key}: {error}"
    return None
