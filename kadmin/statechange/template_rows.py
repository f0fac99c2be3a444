"""The rows in which the tables of line formats are written."""

from typing import Final

from kadmin.statechange.kinds import Kind, Level, Role
from kadmin.statechange.language import Release, Template, release

LEVELS: Final = {level.value[0]: level for level in Level if level is not Level.FATAL}

Row = tuple[str, str, str, str]
"""First and last release, levels (`T I@2.6`: TRACE, and INFO from 2.6 on), text."""


def lines(
    kind: Kind,
    role: Role | None,
    *rows: Row,
    dashed_from: str = "1.0",
    has_epoch: bool = True,
    sets: tuple[tuple[str, str], ...] = (),
) -> tuple[Template, ...]:
    """Return the rows of one kind that share what the keywords say (see `Template`)."""
    return tuple(
        Template(
            kind=kind,
            role=role,
            first=release(first),
            last=release(last),
            levels=_levels(levels, release(first)),
            text=text,
            dashed_from=release(dashed_from),
            has_epoch=has_epoch,
            sets=sets,
        )
        for first, last, levels, text in rows
    )


def _levels(text: str, first: Release) -> tuple[tuple[Release, tuple[Level, ...]], ...]:
    spans: dict[Release, tuple[Level, ...]] = {}
    for word in text.split():
        letter, _, since = word.partition("@")
        start = release(since) if since else first
        spans[start] = (*spans.get(start, ()), LEVELS[letter])
    return tuple(sorted(spans.items()))
