"""The same bytes and the same names as other implementations, wherever they know a message."""

from typing import Any

import pytest

from cluster.wire.encoders import encode_message
from cluster.wire.fields import Kind
from cluster.wire.messages.api_versions import ApiVersionsResponse
from cluster.wire.schema import Schema, fields_of
from tests.cluster.wire.messages import Dice, spoken_schemas, title
from tests.cluster.wire.oracles import Kio, Names, Oracle, oracles_of

SPOKEN = list(spoken_schemas())
EVERY_MESSAGE = pytest.mark.parametrize("schema", SPOKEN, ids=title)

RENAMED = {"index": "partition_index", "count": "partition_count"}
"""Fields of theirs whose names tuples have for something else."""

AUTHORIZED = "authorized_operations"


def our_names(cls: type[tuple[Any, ...]], version: int) -> Names:
    names: list[Any] = []
    for name, field in fields_of(cls).items():
        if version in field.versions:
            names.append(name)
            if not isinstance(field.of, Kind):
                names.append(our_names(field.of, version))
    return tuple(names)


def comparable(names: Names, oracle: Oracle) -> Names:
    """Without what one side calls otherwise: kio has times without units, kafka-python a prefix."""
    changed: list[Any] = []
    for name in names:
        if isinstance(name, tuple):
            changed.append(comparable(name, oracle))
            continue
        plain = RENAMED.get(name) or str(name)
        if isinstance(oracle, Kio):
            plain = plain.removesuffix("_ms")
        elif plain.endswith(AUTHORIZED) and not plain.startswith("include"):
            plain = AUTHORIZED
        changed.append(plain)
    return tuple(changed)


@pytest.mark.slow
@EVERY_MESSAGE
def test_bytes_are_those_of_other_implementations(schema: Schema) -> None:
    for version in schema.versions:
        for oracle in oracles_of(schema, version):
            for seed in range(6):
                message = Dice(seed, narrow=True).message(schema.message, version)
                if isinstance(message, ApiVersionsResponse):
                    # With an error, kafka-python reads every version as version 0.
                    message = message._replace(error_code=0)
                data = b"".join(encode_message(schema, version, message))  # type: ignore[arg-type]

                assert oracle.rewritten(data) == data, (version, oracle, seed)


@pytest.mark.slow
def test_fields_have_the_names_and_the_order_of_other_implementations() -> None:
    for schema, version in ((each, version) for each in SPOKEN for version in each.versions):
        for oracle in oracles_of(schema, version):
            if (names := oracle.names()) is not None:
                ours = comparable(our_names(schema.message, version), oracle)

                assert comparable(names, oracle) == ours, (schema.name, version, oracle)


@pytest.mark.slow
def test_what_no_other_implementation_knows_is_known() -> None:
    """Those of `test_control_plane`, and the first versions of two that their second repeats."""
    alone: dict[str, list[int]] = {}
    for schema in spoken_schemas():
        for version in schema.versions:
            if not list(oracles_of(schema, version)):
                alone.setdefault(schema.name, []).append(version)

    assert alone == {
        "LeaderAndIsrRequest": [0, 1, 2, 3, 4, 5, 6, 7],
        "LeaderAndIsrResponse": [0, 1, 2, 3, 4, 5, 6, 7],
        "StopReplicaRequest": [0, 1, 2, 3, 4],
        "StopReplicaResponse": [0, 1, 2, 3, 4],
        "UpdateMetadataRequest": [0, 1, 2, 3, 4, 5, 6, 7, 8],
        "UpdateMetadataResponse": [0, 1, 2, 3, 4, 5, 6, 7, 8],
        "ControlledShutdownRequest": [0, 1, 2, 3],
        "ControlledShutdownResponse": [0, 1, 2, 3],
        "AlterPartitionRequest": [0, 1],
        "AlterPartitionResponse": [0, 1],
        "AlterReplicaLogDirsRequest": [0],
        "AlterReplicaLogDirsResponse": [0],
        "DescribeLogDirsRequest": [0],
    }
