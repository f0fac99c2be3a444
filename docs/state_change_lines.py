"""The tables of state-change lines and their columns, in Markdown."""

from collections.abc import Iterator
from typing import Final

from kadmin.statechange.columns import COLUMNS, Column
from kadmin.statechange.kinds import KIND_MEANINGS, Kind, Role
from kadmin.statechange.language import PREFIXES_IN_BRACKETS, Release, Template
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import LOG_PREFIXES, NEWEST_RELEASE, TEMPLATES

INTRODUCTION: Final = """\
# The lines of state-change.log

Written by `make docs` from the table that `kadmin merge-logs` reads them with; changes here are
lost.

Every line is `[yyyy-MM-dd HH:mm:ss,SSS] LEVEL message (state.change.logger)`, in the local time of
the broker, or has [another layout](#layouts).  The message begins with the broker that wrote it:
"""

LAYOUTS: Final = """\
## Layouts

A line may have its parts in another order, as `log4j.properties` or `log4j2.yaml` says:

- the date with brackets or without, with a blank or a `T` in it, slashes or no separators, a comma
  or a point before the fraction, or none; with a zone (`Z`, `+01:00`), which then counts, whatever
  `--time-zone` says;
- level, thread, class and logger's name bare or in brackets, padded, before the message, behind it
  or before the date;
- an event of JSON, one a line: log4j2's JsonLayout and JsonTemplateLayout, logstash, ECS, GELF.

Around the line may be what collectors put there: docker's json-file, the format of CRI
(containerd), prefixes of docker compose, `kubectl logs --prefix` and `--timestamps`, syslog,
journald and grep, and colours.  A line that begins with no date goes on the one before it.
"""

NOTATION: Final = """\
In the tables, `{name}` is a value, `[[text]]` may be missing, and `<one|other>` is one of several
texts.  From 1.0 on the text behind the writer's name begins with a capital letter.  A partition
is `[topic,0]` before 1.0, or before the release that the last column names, and `topic-0` after.
Levels are TRACE, DEBUG, INFO, WARN and ERROR; `I@2.6` means: INFO from 2.6 on.
"""

COLUMNS_NOTE: Final = """\
What `--format json`, `csv` and `parquet` have of each line, in this order.  The last column names
the values of the tables below that say it; of several, the first that a line has counts.  The
controller is the broker that writes as one, and the broker that starts to lead is the leader.
"""

TITLES: Final = {
    Role.CONTROLLER: "Written by the controller",
    Role.BROKER: "Written by every broker",
    None: "Without a writer's name",
}


def page() -> str:
    """The whole of docs/state-change-lines.md."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield INTRODUCTION
    yield from _table(
        ("releases", "role", "begins with"),
        (
            ("from 1.0" if tag.in_brackets else "before 1.0", tag.role, _code(tag.text))
            for tag in LOG_PREFIXES
        ),
    )
    yield NOTATION
    yield LAYOUTS
    yield "## Columns of typed rows\n"
    yield COLUMNS_NOTE
    yield from _table(("column", "type", "what it says", "values"), map(_column_row, COLUMNS))
    for role, title in TITLES.items():
        yield f"## {title}\n"
        for kind in Kind:
            rows = [
                template for template in TEMPLATES if (template.role, template.kind) == (role, kind)
            ]
            if rows:
                yield f"### `{kind}`: {KIND_MEANINGS[kind]}\n"
                yield from _table(("releases", "levels", "line", "`t-0` from"), map(_row, rows))
    yield "## Lines of no template\n"
    yield from _table(
        ("kind", "what it is"),
        (
            (f"`{kind}`", KIND_MEANINGS[kind])
            for kind in Kind
            if kind not in {template.kind for template in TEMPLATES}
        ),
    )
    yield "## Values that have forms of their own\n"
    yield from _table(
        ("value", "releases", "form", "each of `{items}`"),
        (
            (
                f"`{{{payload.family}}}`",
                _span(payload.first, payload.last),
                _code(payload.text),
                _code(payload.item) if payload.item else "",
            )
            for payload in PAYLOADS
        ),
    )


def _column_row(column: Column) -> tuple[str, ...]:
    values = " ".join(_code(f"{{{name}}}") for name in column.placeholders)
    return f"`{column.name}`", column.type.value, column.meaning, values


def _row(template: Template) -> tuple[str, ...]:
    first, *later = template.levels
    levels = [level[0] for level in first[1]]
    levels += [f"{level[0]}@{_version(since)}" for since, changed in later for level in changed]
    return (
        _span(template.first, template.last),
        " ".join(levels),
        _code(template.text),
        "" if template.dashed_from == PREFIXES_IN_BRACKETS else _version(template.dashed_from),
    )


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _span(first: Release, last: Release) -> str:
    if last == NEWEST_RELEASE:
        return f"{_version(first)} and later"
    return _version(first) if first == last else f"{_version(first)} to {_version(last)}"


def _version(version: Release) -> str:
    return ".".join(map(str, version))


def _code(text: str) -> str:
    # A bar would end the cell, and blanks at the ends are not shown.
    return f"`{text.strip()}`".replace("|", "\\|")
