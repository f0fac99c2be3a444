"""Jolokia's protocol: metrics as JMX's beans, in JSON; only what reads.

Source: https://jolokia.org/reference/html/manual/jolokia_protocol.html, and Jolokia 1.7's agent.
"""

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from cluster.metrics.beans import Bean
from cluster.metrics.meters import Meter
from cluster.metrics.object_names import MalformedObjectName, ObjectNamePattern, canonical_name
from cluster.metrics.registry import Attributes, MetricsRegistry, Value, attributes_of
from cluster.metrics.reservoirs import Timer

PROTOCOL: Final = "7.2"
AGENT: Final = "1.7.2"
"""The version of Jolokia whose answers these are."""
SLICE: Final = 200
"""Fewer values than for a scrape: each becomes a name and a mapping."""
REQUESTS_MAX: Final = 1000
"""Requests that one bulk request may have."""
METRICS_MAX: Final = 200_000
"""Metrics that the answer to one body may have: those of 10,000 partitions once, not ten times."""

PART: Final = re.compile(r"(?:[^/!]|!.?)+")
"""A part of a path, in which `!` stands before a character that is meant as it is."""

Answer = dict[str, Any]
Answers = Generator[None, None, Answer]
"""Yields when others may go on, and returns an answer."""


class RequestFailed(Exception):
    """A request that has an error as its answer: Jolokia's status, and Java's exception."""

    def __init__(self, status: int, exception: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.exception = exception


def bad_request(message: str) -> RequestFailed:
    return RequestFailed(400, "java.lang.IllegalArgumentException", message)


def not_found(message: str) -> RequestFailed:
    return RequestFailed(404, "javax.management.InstanceNotFoundException", message)


class Reading:
    """One reading of the registry, for all requests of a body.

    Gauges are scanned once, and at most METRICS_MAX metrics are found.
    """

    def __init__(self, registry: MetricsRegistry) -> None:
        self._registry = registry
        self._has_scanned = False
        self._left = METRICS_MAX

    def matching(
        self, pattern: ObjectNamePattern
    ) -> Iterator[tuple[Bean, tuple[str, ...], Value] | None]:
        """Return the metrics that *pattern* matches, and None between two slices.

        Raises:
            RequestFailed: they would be too many.
        """
        yield None
        scans, self._has_scanned = not self._has_scanned, True
        for part in self._registry.slices(SLICE, pattern.may_match, scans=scans):
            for bean, points in part:
                for tags, value in points:
                    if pattern.matches(bean, tags):
                        if self._left == 0:
                            raise bad_request(f"More than {METRICS_MAX} metrics are asked for")
                        self._left -= 1
                        yield bean, tags, value
            yield None


@dataclass(frozen=True, slots=True)
class JolokiaAgent:
    """Answers requests from a registry.

    *product* is the name of this software, *wall_s* is the time of answers.
    """

    registry: MetricsRegistry
    product: str
    wall_s: Callable[[], int]

    def answer_path(self, path: str) -> Answers:
        """Answer a GET of *path*, which begins behind the agent's own."""
        try:
            request = request_of_path(unquote(path))
        except RequestFailed as error:
            return self._failed({}, error)
        return (yield from self._answer(request, Reading(self.registry)))

    def answer_body(self, body: bytes) -> Generator[None, None, Answer | list[Answer]]:
        """Answer a POST: one request, or a list of them."""
        try:
            requests = json.loads(body)
            if isinstance(requests, list) and len(requests) > REQUESTS_MAX:
                raise ValueError(f"more than {REQUESTS_MAX} requests")
        except (ValueError, RecursionError) as error:
            return self._failed({}, bad_request(f"Invalid JSON request: {error}"))
        reading = Reading(self.registry)
        if not isinstance(requests, list):
            return (yield from self._answer(requests, reading))
        answers = []
        for request in requests:
            answers.append((yield from self._answer(request, reading)))
        return answers

    def _answer(self, request: Any, reading: Reading) -> Answers:
        try:
            if not isinstance(request, dict):
                raise bad_request("Request is no JSON object")
            value = yield from self._value(request, reading)
        except RequestFailed as error:
            return self._failed(request, error)
        return {
            "request": request,
            "value": value,
            "timestamp": self.wall_s(),
            "status": 200,
        }

    def _failed(self, request: Any, error: RequestFailed) -> Answer:
        return {
            "request": request,
            "error_type": error.exception,
            "error": f"{error.exception} : {error}",
            "status": error.status,
            "timestamp": self.wall_s(),
        }

    def _value(self, request: Mapping[str, Any], reading: Reading) -> Generator[None, None, Any]:
        match str(request.get("type", "")).lower():
            case "read":
                return (yield from self._read(request, reading))
            case "search":
                return (yield from self._search(request, reading))
            case "list":
                return (yield from self._list(request, reading))
            case "version":
                info = {"product": self.product, "vendor": self.product}
                return {"agent": AGENT, "protocol": PROTOCOL, "config": {}, "info": info}
            case "write" | "exec" | "notification":
                raise RequestFailed(
                    403, "java.lang.SecurityException", "Only reading is possible here"
                )
            case other:
                raise bad_request(f"Invalid request type '{other}'")

    def _read(self, request: Mapping[str, Any], reading: Reading) -> Generator[None, None, Any]:
        pattern = pattern_of(request)
        names = attribute_names(request.get("attribute"))
        found: dict[str, Mapping[str, object]] = {}
        for each in reading.matching(pattern):
            if each is None:
                yield
                continue
            bean, tags, value = each
            attributes = jmx_attributes(value)
            if names:
                attributes = {name: attributes[name] for name in names if name in attributes}
                if not attributes and pattern.is_pattern:
                    continue
            found[canonical_name(bean, tags)] = attributes
        if not found:
            kind = "pattern " if pattern.is_pattern else ""
            raise not_found(f"No MBean with {kind}{request['mbean']} found")
        if pattern.is_pattern:
            return found
        (attributes_found,) = found.values()
        return selected(attributes_found, names, request)

    def _search(
        self, request: Mapping[str, Any], reading: Reading
    ) -> Generator[None, None, list[str]]:
        found = []
        for each in reading.matching(pattern_of(request)):
            if each is None:
                yield
            else:
                found.append(canonical_name(each[0], each[1]))
        return found

    def _list(self, request: Mapping[str, Any], reading: Reading) -> Generator[None, None, Any]:
        wanted = path_of(request.get("path"))
        domains: dict[str, Any] = {}
        for each in reading.matching(ObjectNamePattern("*", {}, has_more=True)):
            if each is None:
                yield
                continue
            bean, tags, value = each
            domain, _, properties = canonical_name(bean, tags).partition(":")
            if not wanted or wanted[0] == domain:
                domains.setdefault(domain, {})[properties] = description(bean, value)
        found: Any = domains
        for part in wanted:
            if not isinstance(found, dict) or part not in found:
                raise bad_request(f"No MBean information for path {'/'.join(wanted)}")
            found = found[part]
        return found


def pattern_of(request: Mapping[str, Any]) -> ObjectNamePattern:
    mbean = request.get("mbean")
    if not isinstance(mbean, str):
        raise bad_request("No MBean name given")
    try:
        return ObjectNamePattern.parse(mbean)
    except MalformedObjectName as error:
        name = "javax.management.MalformedObjectNameException"
        raise RequestFailed(400, name, str(error)) from error


def attribute_names(attribute: Any) -> tuple[str, ...]:
    """Return the attributes of a request: one, several, or none for all of them."""
    match attribute:
        case None | "" | []:
            return ()
        case str():
            return tuple(attribute.split(","))
        case list():
            return tuple(map(str, attribute))
    raise bad_request("Invalid attribute")


def selected(
    attributes: Mapping[str, object], names: tuple[str, ...], request: Mapping[str, Any]
) -> object:
    """Return the value of one attribute, or several by their names."""
    missing = [name for name in names if name not in attributes]
    if missing:
        raise RequestFailed(
            404, "javax.management.AttributeNotFoundException", f"No such attribute: {missing[0]}"
        )
    is_one = len(names) == 1 and isinstance(request.get("attribute"), str)
    return attributes[names[0]] if is_one else attributes


def jmx_attributes(value: Value) -> Attributes:
    """Return the attributes of *value* with the units of rates and durations, as JMX has them."""
    attributes = attributes_of(value)
    match value:
        case Meter():
            return {**attributes, "RateUnit": value.rate_unit}
        case Timer():
            return {
                **attributes,
                "RateUnit": value.meter.rate_unit,
                "LatencyUnit": "MILLISECONDS",
            }
        case _:
            return attributes


def description(bean: Bean, value: Value) -> Answer:
    return {
        "desc": bean.meaning,
        "attr": {
            name: {"type": java_type(number), "desc": name, "rw": False}
            for name, number in jmx_attributes(value).items()
        },
    }


def java_type(value: object) -> str:
    if isinstance(value, str):
        return "java.lang.String"
    return "double" if isinstance(value, float) else "long"


def request_of_path(path: str) -> dict[str, Any]:
    """Return the request of `read/MBEAN/ATTRIBUTE`, `search/PATTERN`, `list/PATH` or `version`."""
    parts = path_of(path)
    if not parts:
        return {"type": "version"}
    kind, *arguments = parts
    request: dict[str, Any] = {"type": kind}
    if kind in ("read", "search"):
        if not arguments:
            raise bad_request(f"No MBean name given for {kind}")
        request["mbean"] = arguments[0]
    if kind == "read" and len(arguments) > 1:
        request["attribute"] = arguments[1]
    if kind == "list" and arguments:
        request["path"] = "/".join(escaped(part) for part in arguments)
    return request


def path_of(path: Any) -> list[str]:
    if path is None:
        return []
    if not isinstance(path, str):
        raise bad_request("Invalid path")
    return [re.sub("!(.?)", r"\1", part) for part in PART.findall(path)]


def escaped(part: str) -> str:
    return part.replace("!", "!!").replace("/", "!/")
