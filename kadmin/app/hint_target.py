"""The target of the commands in hints: the cluster that this run's options name."""

import re
from collections.abc import Mapping
from typing import Final

from kadmin.called_name import OF_A_CLUSTER, as_called
from kadmin.quoting import quoted
from kadmin.settings.keys import KEYS, Value

OVER_A_CLUSTER: Final = re.compile(
    rf"\bkadmin(?= (?:{'|'.join(OF_A_CLUSTER)})\b)"
    r"(?![^']* --(?:zookeeper|bootstrap-server)\b)"
)
"""A command that needs a cluster and does not name one."""

GROUPS_OF_BROKERS: Final = re.compile(
    r"\bkadmin groups(?! migrate-offsets\b)"
    r"(?![^']* --(?:zookeeper|bootstrap-server|in-zookeeper|of-brokers)\b)"
)
"""A command about groups that brokers keep: with --zookeeper alone it would be about others."""


def with_cluster(text: str, flags: Mapping[str, Value]) -> str:
    """Add those of *flags* that name the cluster to the commands in *text*, and call them as this
    process was called.

    Without these options, a pasted command would go to the current cluster, or be about other
    groups.
    """
    options = [
        key.option if key.is_flag else f"{key.option} {quoted(str(flags[key.name]))}"
        for key in KEYS
        if (key.of_cluster or key.name == "cluster") and key.name in flags
    ]
    if "zookeeper" in flags and "bootstrap_server" not in flags:
        text = GROUPS_OF_BROKERS.sub(lambda match: f"{match[0]} --of-brokers", text)
    if options:
        text = OVER_A_CLUSTER.sub(lambda match: " ".join([match[0], *options]), text)
    return as_called(text)
