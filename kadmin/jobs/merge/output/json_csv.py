"""JSON lines and CSV from record batches, a column at a time.

Pyarrow writes no JSON and no lists into CSV, and a row at a time in Python takes minutes for what
takes seconds here.  Knows Arrow's types, no column by name.
"""

import json
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from kadmin.csv_cells import EVALUATED, MARK, NUMBER, QUOTED

TEXT: Final = pa.large_string()
CONTROLS: Final = r"[\x00-\x1f]"


def json_lines(batch: pa.RecordBatch) -> pa.LargeStringArray:
    """Return each row as an object on a line of its own; values that are null are left out.

    Times are ISO 8601 without a zone, a list of structs is a list of objects.  Keys are in the
    order of the columns.
    """
    pieces = [
        member(batch.schema.names[index], json_value(column))
        for index, column in enumerate(batch.columns)
    ]
    joined = join(*pieces)
    # Each member begins with a comma, which the first must not.
    return join("{", pc.utf8_slice_codeunits(joined, 1), "}\n")


def csv_lines(batch: pa.RecordBatch) -> pa.LargeStringArray:
    """Return each row as a line of RFC 4180, but ended by a newline alone; null is empty.

    Members of a list are separated by blanks, those of a struct by hyphens: `orders-0 orders-1`.
    A text that a spreadsheet would evaluate has an apostrophe in front.
    """
    cells: list[pa.Array | str] = []
    for column in batch.columns:
        text = plain_text(column)
        if may_be_formula(column.type):
            text = unevaluated(text)
        cells += [pc.fill_null(quoted(text), ""), ","]
    return join(*cells[:-1], "\n")


def may_be_formula(kind: pa.DataType) -> bool:
    """Return whether texts are in values of *kind*."""
    if pa.types.is_list(kind):
        return may_be_formula(kind.value_type)
    return not (pa.types.is_integer(kind) or pa.types.is_timestamp(kind))


def unevaluated(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return `kadmin.csv_cells.unevaluated` of each of *texts*."""
    is_formula = pc.match_substring_regex(texts, EVALUATED)
    if not pc.any(is_formula).as_py():
        return texts
    is_number = pc.match_substring_regex(texts, NUMBER)
    return pc.if_else(pc.and_not(is_formula, is_number), join(MARK, texts), texts)


def csv_header(schema: pa.Schema) -> str:
    """Return the line of column names."""
    return ",".join(schema.names) + "\n"


def join(*pieces: pa.Array | str) -> pa.LargeStringArray:
    """Put *pieces* together row by row; null with anything is null."""
    texts = [pa.scalar(piece, TEXT) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*texts, pa.scalar("", TEXT))


def member(name: str, values: pa.LargeStringArray) -> pa.LargeStringArray:
    return pc.fill_null(join(f",{json.dumps(name)}:", values), "")


def json_value(column: pa.Array) -> pa.LargeStringArray:
    """Return each value of *column* in JSON, null as null."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return json_value(column.dictionary).take(column.indices)
    if pa.types.is_list(kind):
        return join("[", joined_members(column, json_value(column.flatten()), ","), "]")
    if pa.types.is_struct(kind):
        pieces = [member(field.name, json_value(column.field(field.name))) for field in kind]
        return join("{", pc.utf8_slice_codeunits(join(*pieces), 1), "}")
    if pa.types.is_integer(kind):
        return column.cast(TEXT)
    if pa.types.is_timestamp(kind):
        return join('"', iso_times(column), '"')
    return join('"', escaped(column.cast(TEXT)), '"')


def escaped(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    for special, written in (("\\", "\\\\"), ('"', '\\"'), ("\t", "\\t")):
        texts = pc.replace_substring(texts, special, written)
    odd = pc.match_substring_regex(texts, CONTROLS)
    if pc.any(odd).as_py():
        rows = [
            text if text is None or not is_odd else "".join(map(escaped_control, text))
            for text, is_odd in zip(texts.to_pylist(), odd.to_pylist(), strict=True)
        ]
        return pa.array(rows, TEXT)
    return texts


def escaped_control(character: str) -> str:
    return f"\\u{ord(character):04x}" if character < " " else character


def plain_text(column: pa.Array) -> pa.LargeStringArray:
    """Return each value of *column* as text without quotes."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain_text(column.dictionary).take(column.indices)
    if pa.types.is_list(kind):
        return joined_members(column, plain_text(column.flatten()), " ")
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        pieces: list[pa.Array | str] = [plain_text(column.field(names[0]))]
        for name in names[1:]:
            pieces += ["-", plain_text(column.field(name))]
        return join(*pieces)
    if pa.types.is_timestamp(kind):
        return iso_times(column)
    return column.cast(TEXT)


def quoted(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return *texts* as cells of CSV."""
    needs = pc.match_substring_regex(texts, QUOTED)
    in_quotes = join('"', pc.replace_substring(texts, '"', '""'), '"')
    return pc.if_else(needs, in_quotes, texts)


def iso_times(times: pa.TimestampArray) -> pa.LargeStringArray:
    """Return `2026-11-20T03:00:00.123` of each time in ms."""
    return pc.utf8_replace_slice(times.cast(TEXT), 10, 11, "T")


def joined_members(lists: pa.ListArray, texts: pa.Array, separator: str) -> pa.LargeStringArray:
    """Return the members of each list, given as the *texts* of all of them, in one text."""
    counts = pc.fill_null(pc.list_value_length(lists), 0)
    ends = pc.cumulative_sum(counts)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    # There is no join for lists of large texts.
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, texts.cast(pa.string())), separator)
    # A null list has no members either, and is no empty text.
    return pc.if_else(lists.is_valid(), joined.cast(TEXT), pa.scalar(None, TEXT))
