"""The state tables of controller, replica, fetcher and connection as diagrams."""

from typing import Final

from cluster.controller.partition_states import PARTITION_VALID_PREVIOUS, PartitionStatus
from cluster.controller.replica_states import REPLICA_VALID_PREVIOUS, ReplicaStatus
from cluster.replication.fetch_phases import FETCH_VALID_PREVIOUS, FetchPhase
from cluster.replication.replica_roles import ROLE_VALID_PREVIOUS
from cluster.runtime.network.connection_states import CONNECTION_VALID_PREVIOUS, ConnectionState

START: Final = "[*]"
"""The name of a diagram's beginning and end."""

STEPS: Final[dict[str, list[tuple[str, str]]]] = {
    "partition": [
        (before, status)
        for status, allowed in PARTITION_VALID_PREVIOUS.items()
        for before in sorted(allowed)
    ],
    "replica": [
        (before, status)
        for status, allowed in REPLICA_VALID_PREVIOUS.items()
        for before in sorted(allowed)
    ],
    "role": [
        (before, role)
        for role, allowed in ROLE_VALID_PREVIOUS.items()
        for before in sorted(allowed)
    ],
    "fetch": [
        (START, FetchPhase.TRUNCATING),
        *(
            (before, phase)
            for phase, allowed in FETCH_VALID_PREVIOUS.items()
            for before in sorted(allowed)
        ),
    ],
    "connection": [
        (START, ConnectionState.RECEIVING),
        *(
            (before, state)
            for state, allowed in CONNECTION_VALID_PREVIOUS.items()
            for before in sorted(allowed)
        ),
        (ConnectionState.CLOSED, START),
    ],
}
"""The transitions in each of the tables."""

NOWHERE: Final = (PartitionStatus.NON_EXISTENT, ReplicaStatus.NON_EXISTENT)


def block(table: str) -> str:
    """A Mermaid diagram with an arrow for each step that the table allows."""
    if table not in STEPS:
        raise SystemExit(f"no such block: generated: states {table}")
    arrows = [f"    {_end(before)} --> {_end(status)}" for before, status in STEPS[table]]
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```"]) + "\n"


def _end(status: str) -> str:
    return START if status in NOWHERE else status
