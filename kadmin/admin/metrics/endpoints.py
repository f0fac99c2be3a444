"""Endpoints of brokers' metrics: all are read at the same time, and those that fail are named."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kadmin.admin.asking import Asking
from kadmin.admin.metrics import jolokia, prometheus_text
from kadmin.admin.metrics.http_client import EndpointError, fetch, parse_url
from kadmin.plan.metrics.samples import Scrape


class Protocol(StrEnum):
    """What an endpoint answers with."""

    PROMETHEUS = "prometheus"
    JOLOKIA = "jolokia"


PATHS: Mapping[Protocol, str] = {Protocol.PROMETHEUS: "/metrics", Protocol.JOLOKIA: "/jolokia/"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint, and the *name* of its broker."""

    name: str
    url: str
    protocol: Protocol


def parse_endpoint(text: str, protocol: Protocol) -> Endpoint:
    """Parse `[NAME=]URL`; without a name, host and port are it.

    Raises:
        UsageError: it is not of this form.
    """
    name, is_named, rest = text.partition("=")
    if not is_named or "/" in name or not name:
        name, rest = "", text
    url = parse_url(rest, PATHS[protocol])
    return Endpoint(name=name or url.split("/")[2], url=url, protocol=protocol)


def read_endpoints(
    endpoints: Sequence[Endpoint], timeout_s: float, *, is_usual: bool
) -> dict[str, Scrape | str]:
    """Read *endpoints* within *timeout_s*, and return of each, by its name, what it reports or why
    there is nothing.

    *is_usual*: only what the usual measures need, where an endpoint can select.
    """

    def read(endpoint: Endpoint) -> Scrape | str:
        try:
            return read_endpoint(endpoint, timeout_s, is_usual=is_usual)
        except EndpointError as error:
            return str(error)

    answers = Asking(endpoints, read).answers(timeout_s)
    silence = f"no answer within {timeout_s:.3g} s"
    return {each.name: answers.get(each, silence) for each in endpoints}


def read_endpoint(endpoint: Endpoint, timeout_s: float, *, is_usual: bool) -> Scrape:
    """Read one endpoint; raises EndpointError."""
    if endpoint.protocol is Protocol.JOLOKIA:
        body = jolokia.request_body(jolokia.USUAL if is_usual else jolokia.ALL)
        content = fetch(endpoint.url, timeout_s, body)
        found = jolokia.read_samples(content)
    else:
        content = fetch(endpoint.url, timeout_s)
        found = prometheus_text.read_samples(content.decode("utf-8", "replace"))
    if not len(found):
        raise EndpointError("there are no metrics of a Kafka broker in its answer")
    return found.scrape(time.monotonic())
