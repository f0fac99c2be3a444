"""Lists of groups: how do they look?"""

from collections.abc import Iterator, Sequence
from typing import Final

from kadmin.plan.groups.group import ListedGroup
from kadmin.render.fields import csv_rows
from kadmin.render.groups.lines import aligned
from kadmin.render.output import Document
from kadmin.render.visible import visible

COLUMNS: Final = ("group", "type", "state", "protocol_type", "coordinator")
NAME_WIDTH: Final = 25
STATE_WIDTH: Final = 20


def list_document(
    groups: Sequence[ListedGroup], *, with_types: bool, with_states: bool
) -> Document:
    """Names alone, as lines, or a table *with_types* or *with_states*, as in Kafka's tool."""
    return Document(
        schema="kadmin.groups.list/1",
        body=lambda: {"groups": [record(each) for each in groups]},
        columns=COLUMNS,
        rows=lambda: csv_rows(map(record, groups), COLUMNS),
        lines=lambda: lines(groups, with_types=with_types, with_states=with_states),
    )


def record(each: ListedGroup) -> dict[str, object]:
    return {
        "group": each.name,
        "type": each.type,
        "state": each.state,
        "protocol_type": each.protocol_type or None,
        "coordinator": each.coordinator,
    }


def lines(groups: Sequence[ListedGroup], *, with_types: bool, with_states: bool) -> Iterator[str]:
    if not with_types and not with_states:
        yield from (visible(each.name) for each in groups)
        return
    heads = ["GROUP", *(["TYPE"] if with_types else []), *(["STATE"] if with_states else [])]
    widths = [NAME_WIDTH, *[STATE_WIDTH] * (len(heads) - 1)]
    rows = (
        [
            each.name,
            *([each.type] if with_types else []),
            *([each.state] if with_states else []),
        ]
        for each in groups
    )
    yield from aligned(heads, rows, widths)
