"""Jolokia's JSON: beans of JMX over HTTP, under the names of jmx_exporter's rules for Kafka.

Source: Jolokia's protocol, https://jolokia.org/reference/html/manual/jolokia_protocol.html.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from cluster.metrics.series_names import series_of
from kadmin.admin.metrics.http_client import EndpointError
from kadmin.plan.metrics.samples import SampleCollection

USUAL: Final = (
    "kafka.controller:type=KafkaController,*",
    "kafka.log:type=LogManager,*",
    "kafka.network:type=RequestMetrics,name=DeprecatedRequestsPerSec,*",
    "kafka.network:type=RequestMetrics,name=TotalTimeMs,*",
    "kafka.network:type=SocketServer,*",
    "kafka.server:type=BrokerTopicMetrics,*",
    "kafka.server:type=KafkaRequestHandlerPool,*",
    "kafka.server:type=ReplicaFetcherManager,*",
    "kafka.server:type=ReplicaManager,*",
)
"""The beans of the usual selection; those of partitions, of which there are most, are not in it."""

ALL: Final = ("kafka.*:*",)

NOT_FOUND: Final = 404
UNREADABLE: Final = (
    *(ValueError, TypeError, KeyError, AttributeError),
    *(RecursionError, OverflowError),  # Lists in lists, and whole numbers, without an end.
)
"""What JSON that is none of Jolokia's leads to."""
PROPERTY: Final = re.compile(r'([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*),?')


def request_body(patterns: Iterable[str]) -> bytes:
    """Return a bulk request for all attributes of the beans that *patterns* match."""
    config = {"ignoreErrors": True}
    return json.dumps(
        [{"type": "read", "mbean": pattern, "config": config} for pattern in patterns]
    ).encode()


def read_samples(content: bytes) -> SampleCollection:
    """Read the answers to `request_body`.

    Raises:
        EndpointError: they are none of Jolokia's, or one is an error.
    """
    found = SampleCollection()
    try:
        answers = json.loads(content)
        if not isinstance(answers, list):
            raise TypeError(answers)
        for answer in answers:
            if answer["status"] == NOT_FOUND:
                continue  # No bean matches.
            if answer["status"] != 200:
                raise EndpointError(f"it answers {answer['status']}: {answer.get('error')}")
            for object_name, attributes in answer["value"].items():
                add(found, object_name, attributes)
    except UNREADABLE as error:
        raise EndpointError("its answer is none of Jolokia's") from error
    return found


def add(found: SampleCollection, object_name: str, attributes: Mapping[str, Any]) -> None:
    domain, _, text = object_name.partition(":")
    properties = {key: unquoted(value) for key, value in PROPERTY.findall(text)}
    type_, name = properties.pop("type", ""), properties.pop("name", "")
    for attribute, value in attributes.items():
        if isinstance(value, int | float):
            names, labels = series_of(domain, type_, name, properties.items(), attribute)
            for each in names:
                found.add(each.name, dict(labels), float(value))


def unquoted(value: str) -> str:
    """Return a property's value without the quotes of an ObjectName."""
    if not value.startswith('"'):
        return value
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], value[1:-1])
