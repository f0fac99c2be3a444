"""Events of logs in JSON: which of their fields are time, level, message and exception?"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kadmin.statechange.dates import DATE, of_calendar, time_of_date
from kadmin.statechange.layouts import LOGGER_NAME, Head, is_of_kafka, level_of

TEXT_KEYS: Final = (
    *("log", "MESSAGE", "message", "msg", "short_message", "textPayload", "line", "@message"),
    *("_raw", "body", "Body", "LogMessage", "LogEntry"),
)

NESTED_KEYS: Final = ("jsonPayload", "_source", "result", "content")
"""Where exports of clouds, Elasticsearch, Splunk and Datadog keep the event."""

TIME_KEYS: Final = (
    *("@timestamp", "timestamp", "time", "timeMillis", "instant", "ts", "date"),
    *("Timestamp", "timeUnixNano", "TimeUnixNano"),
)
LEVEL_KEYS: Final = ("level", "log.level", "severity", "levelname", "level_name", "loglevel")
OTEL_LEVEL_KEYS: Final = ("SeverityText", "severityText", "severity_text")
"""Collectors fill them in for lines of traces, too."""
TRACE_KEYS: Final = (
    *("thrown", "exception", "stack_trace", "stacktrace", "error.stack_trace", "error"),
    *("throwable", "full_message", "extendedStackTrace", "exception.stacktrace"),
)

EXCEPTION_NAME: Final = re.compile(r"[\w$]+(?:\.[\w$]+)+(?::|\s|\Z)")
TRACE: Final = re.compile(rf"Caused by: |\.\.\. [0-9]+ |{EXCEPTION_NAME.pattern}")
NANOS: Final = re.compile(r"[0-9]{19}")
"""OpenTelemetry's numbers, which JSON has as text."""
MICROS: Final = re.compile(r"[0-9]{1,18}")


def head_of_fields(fields: Mapping[str, Any], text: str) -> Head | None:
    """Return the head of an event in JSON: one of a collector, without a level, is none of
    Kafka's."""
    time_ms, is_utc = time_of_fields(fields)
    keys = (*LEVEL_KEYS, *OTEL_LEVEL_KEYS) if is_of_kafka(text) else LEVEL_KEYS
    level = next((level_of(value) for value in values(fields, keys)), None)
    if text[:1].isspace() or TRACE.match(text):
        return None
    names = map(str, values(fields, ("loggerName", "logger_name", "logger", "log.logger")))
    if time_ms is None or (level is None and LOGGER_NAME not in names and not is_of_kafka(text)):
        return None
    return Head(
        time_ms=time_ms, is_utc=is_utc, level=level, rest=text, error=error_of_fields(fields)
    )


def text_of(value: Any) -> str | None:
    """Return a text; journald writes one with unprintable bytes as their numbers, OpenTelemetry any
    by its type."""
    if isinstance(value, Mapping):
        value = value.get("stringValue")
    if isinstance(value, list) and all(type(each) is int for each in value):
        return bytes(each & 0xFF for each in value).decode(errors="replace")
    return value if isinstance(value, str) else None


def values(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Any]:
    """Return the values of *keys* that there are; `log.level` is that of nested objects, too."""
    for key in keys:
        outer, _, inner = key.partition(".")
        nested = fields.get(outer)
        if key in fields:
            yield fields[key]
        elif inner and isinstance(nested, Mapping) and inner in nested:
            yield nested[inner]


def time_of_fields(fields: Mapping[str, Any]) -> tuple[int | None, bool]:
    """Return the time of an event, and whether it is of UTC."""
    for value in values(fields, TIME_KEYS):
        match value:
            case {"epochSecond": int(seconds), "nanoOfSecond": int(nanos)}:
                return of_calendar(seconds * 1000 + nanos // 1_000_000), True
            case bool():
                continue
            case int() | float() if 0 < value < 1e15:
                # Seconds until the year 5138, else millis.
                return of_calendar(int(value * 1000 if value < 1e11 else value)), True
            case str() if NANOS.fullmatch(value):
                return of_calendar(int(value) // 1_000_000), True
            case str():
                found = DATE.match(value)
                time_ms = None if found is None else time_of_date(found)
                if found is not None and time_ms is not None:
                    return time_ms, found["zone"] is not None
    micros = str(fields.get("__REALTIME_TIMESTAMP", ""))
    if not MICROS.fullmatch(micros):
        return None, False
    return of_calendar(int(micros) // 1000), True


def error_of_fields(fields: Mapping[str, Any]) -> str | None:
    """Return the exception that an event names, as the first line of its trace does."""
    for value in values(fields, TRACE_KEYS):
        if isinstance(value, Mapping):
            texts = [
                next((str(value[key]) for key in keys if value.get(key)), "")
                for keys in (
                    ("name", "exception_class", "class", "type"),
                    ("message", "exception_message", "localizedMessage"),
                )
            ]
            if texts[0]:
                return ": ".join(filter(None, texts))
            value = next((v for v in value.values() if isinstance(v, str)), "")
        text = str(value or "").lstrip()
        if EXCEPTION_NAME.match(text):
            return text.splitlines()[0]
    return None
