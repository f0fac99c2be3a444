import csv
import io
import json
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kadmin.csv_cells import unevaluated
from kadmin.jobs.merge.output.json_csv import csv_header, csv_lines, json_lines

SCHEMA = pa.schema(
    [
        ("source", pa.dictionary(pa.int8(), pa.string())),
        ("number", pa.int64()),
        ("when", pa.timestamp("ms")),
        ("text", pa.large_string()),
        ("numbers", pa.list_(pa.int64())),
        ("pairs", pa.list_(pa.struct([("name", pa.large_string()), ("index", pa.int64())]))),
    ]
)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@\t\r\n 1.e\ufeff＝"), max_size=8
)
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "source": st.none() | TEXTS,
            "number": NUMBERS,
            "when": st.none() | st.integers(0, 4102444800000),
            "text": st.none() | TEXTS,
            "numbers": st.none() | st.lists(NUMBERS, max_size=3),
            "pairs": st.none()
            | st.lists(st.fixed_dictionaries({"name": TEXTS, "index": NUMBERS}), max_size=2),
        }
    ),
    min_size=1,
    max_size=5,
)


def batch_of(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    columns = [
        pa.array([row[field.name] for row in rows], pa.string())
        .dictionary_encode()
        .cast(field.type)
        if pa.types.is_dictionary(field.type)
        else pa.array([row[field.name] for row in rows], field.type)
        for field in SCHEMA
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def iso(time_ms: int) -> str:
    time: str = pa.scalar(time_ms, pa.timestamp("ms")).as_py().isoformat(timespec="milliseconds")
    return time


@given(ROWS)
def test_json_lines_say_what_the_rows_say_and_leave_nulls_out(rows: list[dict[str, Any]]) -> None:
    lines = json_lines(batch_of(rows)).to_pylist()

    expected = [{key: value for key, value in row.items() if value is not None} for row in rows]
    for row in expected:
        if "when" in row:
            row["when"] = iso(row["when"])
    assert expected == [json.loads(line) for line in lines]
    assert all(line.endswith("}\n") and line.count("\n") == 1 for line in lines)


@given(ROWS)
def test_csv_lines_are_read_back_by_another_reader(rows: list[dict[str, Any]]) -> None:
    text = csv_header(SCHEMA) + "".join(csv_lines(batch_of(rows)).to_pylist())

    header, *cells = csv.reader(io.StringIO(text, newline=""))
    assert SCHEMA.names == header
    assert [
        [
            unevaluated(row["source"] or ""),
            str(row["number"]),
            "" if row["when"] is None else iso(row["when"]),
            unevaluated(row["text"] or ""),
            " ".join(map(str, row["numbers"] or [])),
            unevaluated(" ".join(f"{pair['name']}-{pair['index']}" for pair in row["pairs"] or [])),
        ]
        for row in rows
    ] == cells


def test_no_rows_are_no_lines() -> None:
    empty = SCHEMA.empty_table().to_batches(max_chunksize=1)
    batch = empty[0] if empty else pa.RecordBatch.from_pylist([], schema=SCHEMA)

    assert [] == json_lines(batch).to_pylist()
    assert [] == csv_lines(batch).to_pylist()
