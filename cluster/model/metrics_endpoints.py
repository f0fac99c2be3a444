"""Addresses at which a running broker serves its metrics over HTTP.

A broker writes them to a file beside its logs, for tools to read; this is the file's content.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

FILE_NAME: Final = "metrics-endpoints.json"
VERSION: Final = 1
"""The version of the file's format; a reader refuses any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsEndpoints:
    """Of one process: its URLs by the short names of its reporters, for example `prometheus`."""

    pid: int
    urls: Mapping[str, str]


def encode_metrics_endpoints(endpoints: MetricsEndpoints) -> bytes:
    return json.dumps({"version": VERSION, **asdict(endpoints)}).encode()


def decode_metrics_endpoints(data: bytes) -> MetricsEndpoints | None:
    """None for another file, or another version."""
    try:
        fields = json.loads(data)
        if fields["version"] != VERSION:
            return None
        urls = {str(name): str(url) for name, url in fields["urls"].items()}
        return MetricsEndpoints(pid=int(fields["pid"]), urls=urls)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
