"""The fields of a result's records, from which CSV and `Name: value` lines follow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kadmin.render.visible import visible

Record = Mapping[str, object]


def csv_rows(
    records: Iterable[Record], columns: Sequence[str], separator: str = " "
) -> Iterator[tuple[object, ...]]:
    """Return the *columns* of *records* that they have; a list is one cell, with *separator* in
    it."""
    for record in records:
        cells = (record.get(column) for column in columns)
        yield tuple(
            separator.join(map(str, cell)) if isinstance(cell, list) else cell for cell in cells
        )


def line_of(record: Record) -> str:
    """Return *record* in the form of Kafka's describe lines: tabs between `Name: value`."""
    return "\t".join(f"{heading_of(name)}: {visible(str(cell))}" for name, cell in record.items())


def heading_of(name: str) -> str:
    """Return `LagMax` of `lag_max`."""
    return "".join(word.capitalize() for word in name.split("_"))
