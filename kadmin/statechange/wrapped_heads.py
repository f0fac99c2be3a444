"""The head of a line, whatever is around it: its date, its level, and what may be its message."""

from dataclasses import replace

from kadmin.statechange.collectors import ANSI, Wrapped, unwrapped
from kadmin.statechange.json_events import error_of_fields, head_of_fields
from kadmin.statechange.layouts import (
    FRONT_LEVEL,
    Head,
    date_behind,
    dated_head,
    is_of_kafka,
    level_in_front,
    plain_head,
    prefixed_head,
)


def find_head(line: str) -> Head | None:
    """Return the head of *line*, without its end; None for one that only goes on what is before
    it."""
    plain = None if "\x1b" in line else plain_head(line)
    if plain is not None:
        return plain
    if line[:1] in (" ", "\t", ""):
        return prefixed_head(line)
    wrapped = unwrapped(line)
    head = own_head(wrapped)
    if head is None:
        text = wrapped.text if wrapped.fields is not None else ANSI.sub("", line)
        head = None if text[:1] in (" ", "\t") else prefixed_head(text) or date_behind(text)
    if head is not None and head.date_end and not wrapped.is_same:
        at = line.rfind(wrapped.text)
        return replace(head, date_end=0 if at < 0 else at + head.date_end)
    return head


def own_head(wrapped: Wrapped) -> Head | None:
    """Return the head of a line that something is wrapped around, or that has another layout."""
    text = wrapped.text
    head = plain_head(text)
    if head is None:
        head = dated_head(text)
    if head is None and wrapped.fields is not None:
        return head_of_fields(wrapped.fields, text)
    if head is None and wrapped.time_ms is not None and not text[:1].isspace():
        # The pattern may leave the date to the collector.
        level, rest = level_in_front(text)
        if FRONT_LEVEL.match(text) is not None or is_of_kafka(text):
            return Head(time_ms=wrapped.time_ms, is_utc=True, level=level, rest=rest)
    if head is not None and wrapped.fields is not None:
        return replace(head, error=error_of_fields(wrapped.fields))
    return head
