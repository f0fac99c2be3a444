"""What tests of `kadmin topics` share: clusters to run it on, and ways to run it."""

import json
from typing import Any

from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.cli import KadminRun, done, kadmin
from tests.support.znodes import all_znodes

RACKED = brokers("0:a 1:b 2:c")

SICK = cluster(
    RACKED,
    topic("__consumer_offsets", "0,1,2", configs={"cleanup.policy": "compact"}),
    topic(
        "orders",
        "0,1 1,2 2,7",
        {0: state(1, "0,1"), 1: state(1, "1"), 2: state(-1, "7")},
        configs={"min.insync.replicas": "2", "retention.ms": "60000"},
    ),
    topic("gone", "0", marked=True),
)


def topics(*arguments: str) -> str:
    return done("topics", *arguments)


def refused(connect: str, *arguments: str) -> KadminRun:
    """Run `kadmin topics`, which must fail and leave every znode as it was."""
    before = all_znodes(connect)

    outcome = kadmin("topics", *arguments)

    assert outcome.exit_code != ExitCode.DONE
    assert "" == outcome.stdout
    assert before == all_znodes(connect)
    return outcome


def described(name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(
        topics("--describe", "--topic", name, "--output", "json")
    )["topics"]
    assert 1 == len(found)
    return found[0]


def layout(name: str) -> dict[int, list[int]]:
    return {part["partition"]: part["replicas"] for part in described(name)["partitions"]}
