"""What do columns say of lines, and what should they say by the plain parser?"""

import pyarrow as pa

from kadmin.statechange.columns import SAID_COLUMNS, StateChange
from kadmin.statechange.parse import parse_line
from kadmin.statechange.typed import SCHEMA, typed_batch


def rows_of(lines: list[bytes], times: list[int] | None = None) -> list[dict[str, object]]:
    """What `typed_batch` says of *lines*, with times in ms."""
    batch = typed_batch(
        pa.array(lines, pa.large_binary()),
        sources=pa.array(["b"] * len(lines), pa.string()).dictionary_encode(),
        files=pa.array(["b.log"] * len(lines), pa.string()).dictionary_encode(),
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
    said = {column.name: plain(getattr(change, column.attribute)) for column in SAID_COLUMNS}
    return {
        "source": "b",
        "file": "b.log",
        "line": number,
        "topic": topic,
        "partition": partition,
        **said,
    } | {"partitions": [{"topic": t, "partition": p} for t, p in change.partitions]}


def plain(value: object) -> object:
    """*value* as Arrow gives it back."""
    return list(value) if isinstance(value, tuple) else value


def expected_rows(lines: list[bytes]) -> list[dict[str, object]]:
    return [
        row_of(number, parse_line(line.decode(errors="replace")))
        for number, line in enumerate(lines, start=1)
    ]
