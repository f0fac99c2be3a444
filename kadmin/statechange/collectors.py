"""What collectors of logs wrap around whole lines: docker, kubectl, syslog, Loki, clouds, grep."""

import json
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

from kadmin.statechange.dates import time_of_text
from kadmin.statechange.json_events import NESTED_KEYS, TEXT_KEYS, text_of, time_of_fields
from kadmin.statechange.layouts import SEARCHED_CHARS, dated_head, is_of_kafka, plain_head

ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
STAMP: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"
)

COLLECTORS: Final = tuple(
    map(
        re.compile,
        (
            # docker compose logs; swarm's service logs
            r"(?P<stream>[\w.][\w.@/-]*) *\|(?: |\Z)",
            # kubectl logs --prefix
            r"\[(?P<stream>pod/[^\]\s]+)\](?: |\Z)",
            # containerd and CRI-O
            rf"(?P<time>{STAMP}) (?:stdout|stderr) (?P<tag>[FP])(?::[^ ]*)?(?: |\Z)",
            # syslog: RFC 5424; RFC 3164, journald and rsyslog with their kinds of dates
            rf"<[0-9]+>1 (?P<time>{STAMP}) (?P<stream>\S+ \S+) \S+ \S+ (?:-|(?:\[.*?\])+)(?: |\Z)",
            r"(?:<[0-9]+>)?(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
            rf"|(?P<time>{STAMP})|[0-9]{{10}}\.[0-9]{{6}}"
            r"|[A-Z][a-z]{2} [0-9]{4}(?:-[0-9]{2}){2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)? \S+)"
            r" (?!Caused by:)(?P<stream>[\w.-]+ [\w./@-]+)(?:\[[0-9]+\])?:(?: |\Z)",
            # Loki's logcli
            rf"(?P<time>{STAMP}) (?P<stream>\{{[\w.]+=\"[^}}]*\}})(?: |\Z)",
            # kubectl and docker logs --timestamps; Grafana's downloads
            rf"(?P<time>{STAMP})(?:[ \t]|\Z)",
            # CloudWatch's rows of CSV
            r"[0-9]{13},\"?",
            # fluentd's out_file and stdout, and Fluent Bit's stdout, before JSON
            r"(?P<stream>[\w.-]+)\t(?=\{)",
            r"[0-9]{4}(?:-[0-9]{2}){2} [0-9]{2}(?::[0-9]{2}){2}(?:\.[0-9]+)? [+-][0-9]{4}"
            r" (?P<stream>[\w.-]+): (?=\{)",
            r"\[[0-9]+\] (?P<stream>[\w.-]+): \[{1,2}[0-9.]+, (?:\{\}\], )?(?=\{)",
            # grep with names and numbers
            r"(?P<stream>[^\s:\[\]{]*\.log[\w.-]*?)(?::[0-9]+:|-[0-9]+-|:)",
        ),
    )
)

SURE_COLLECTORS: Final = 4
"""The first ones, with which no line of its own begins."""

WRAPPERS_MAX: Final = 5
DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """A log line inside of another format: *text* is the line.

    *stream* is the container or host as the collector calls it, *time_ms* when the collector
    received the line, in ms of UTC.  A line that *is_piece* continues in the next of its stream.
    *fields* are the other fields of JSON.  *is_same* if the line is not wrapped at all.
    """

    text: str
    stream: str = ""
    time_ms: int | None = None
    is_piece: bool = False
    fields: Mapping[str, Any] | None = None
    is_same: bool = True


def unwrapped(line: str) -> Wrapped:
    """Return the line itself, without what collectors have put around it."""
    found = Wrapped(text=line)
    for _ in range(WRAPPERS_MAX):
        inner = unwrapped_once(found)
        if inner is None:
            break
        found = inner
    return found


def unwrapped_once(outer: Wrapped) -> Wrapped | None:
    text = outer.text
    if "\x1b" in text:
        return replace(outer, text=ANSI.sub("", text), is_same=False)
    if text.startswith("{"):
        return unwrapped_json(outer)
    for number, collector in enumerate(COLLECTORS):
        if number == SURE_COLLECTORS and (
            plain_head(text) is not None or dated_head(text) is not None
        ):
            break
        found = collector.match(text, 0, SEARCHED_CHARS)
        if found is None:
            continue
        said = found.groupdict()
        stamp = said.get("time")
        return Wrapped(
            text=text[found.end() :],
            stream=" ".join(filter(None, (outer.stream, said.get("stream")))),
            time_ms=outer.time_ms if stamp is None else time_of_text(stamp),
            is_piece=outer.is_piece or said.get("tag") == "P",
            fields=outer.fields,
            is_same=False,
        )
    return None


def unwrapped_json(outer: Wrapped) -> Wrapped | None:
    try:
        fields, end = DECODER.raw_decode(outer.text)
    except (ValueError, RecursionError):
        return None
    if outer.text[end:].strip(" \r,]"):
        return None
    nested = [fields[key] for key in NESTED_KEYS if isinstance(fields.get(key), dict)]
    fields = reduce(operator.or_, nested, fields)
    texts = (text_of(fields.get(key)) for key in TEXT_KEYS)
    text = next((each for each in texts if each is not None), None)
    if text is None:
        return None
    full = fields.get("full_message")
    if isinstance(full, str) and text:
        # GELF's short message may be cut; the full one may have a trace behind, or be one.
        first = full.partition("\n")[0]
        if first.startswith(text) or (text in first and is_of_kafka(first)):
            text = first
    is_docker = isinstance(fields.get("log"), str) and "stream" in fields
    time_ms, _ = time_of_fields(fields)
    return Wrapped(
        text=text.rstrip("\r\n"),
        stream=outer.stream,
        time_ms=outer.time_ms if time_ms is None else time_ms,
        is_piece=outer.is_piece or (is_docker and not text.endswith("\n")),
        fields=None if is_docker else fields,
        is_same=False,
    )
