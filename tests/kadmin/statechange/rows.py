"""What do columns say of lines, and what should they say by the plain parser?"""

import pyarrow as pa

from kadmin.statechange.parse import StateChange, parse_line
from kadmin.statechange.typed import SCHEMA, typed_batch


def rows_of(lines: list[bytes], times: list[int] | None = None) -> list[dict[str, object]]:
    """What `typed_batch` says of *lines*, with times in ms."""
    batch = typed_batch(
        pa.array(lines, pa.large_binary()),
        sources=pa.array(["b"] * len(lines), pa.string()).dictionary_encode(),
        line_numbers=pa.array(range(1, len(lines) + 1), pa.int64()),
        times=None if times is None else pa.array(times, pa.int64()),
    )
    batch.validate(full=True)
    assert batch.schema == SCHEMA
    place = SCHEMA.get_field_index("time")
    as_ms = pa.Table.from_batches([batch]).set_column(
        place, "time", batch.column("time").cast(pa.int64())
    )
    found: list[dict[str, object]] = as_ms.to_pylist()
    return found


def row_of(number: int, change: StateChange) -> dict[str, object]:
    """The row that should be made of the line with that number."""
    topic, partition = change.partitions[0] if change.partitions else (None, None)
    return {
        "source": "b",
        "line": number,
        "time": change.time_ms,
        "level": change.level,
        "role": change.role,
        "broker": change.broker,
        "controller_id": change.controller_id,
        "controller_epoch": change.controller_epoch,
        "kind": change.kind,
        "topic": topic,
        "partition": partition,
        "partitions": [{"topic": t, "partition": p} for t, p in change.partitions],
        "from_state": change.from_state,
        "to_state": change.to_state,
        "leader": change.leader,
        "isr": None if change.isr is None else list(change.isr),
        "leader_epoch": change.leader_epoch,
        "zk_version": change.zk_version,
        "correlation_id": change.correlation_id,
        "peer_broker": change.peer_broker,
        "error": change.error,
        "message": change.message,
    }


def expected_rows(lines: list[bytes]) -> list[dict[str, object]]:
    return [
        row_of(number, parse_line(line.decode(errors="replace")))
        for number, line in enumerate(lines, start=1)
    ]
