"""Clients that Kafka 4.0 no longer serves, as the metrics of brokers count their requests."""

import re
from collections.abc import Iterator
from typing import Final

from kadmin.plan.check.findings import Severity
from kadmin.plan.metrics.samples import Labels, Scrape
from kadmin.plan.migration.evidence import MigrationEvidence, OldRequests
from kadmin.plan.migration.findings import MigrationFinding, MigrationKind
from kadmin.wording import counted

SERIES: Final = "kafka_network_requestmetrics_deprecatedrequests_total"
UNKNOWN: Final = "unknown"
COUNTED_TWICE: Final = frozenset({"FetchConsumer", "FetchFollower"})
"""Brokers count these as Fetch, too."""
JOINED: Final = re.compile(r"request_(\w+?)_+version_(\d+)_+clientSoftwareName", re.IGNORECASE)
"""A label of jmx_exporter's rules for Kafka, which take no more than two tags apart."""


def old_requests(scrape: Scrape) -> Iterator[OldRequests]:
    for labels, count in scrape.samples.get(SERIES, {}).items():
        software, request, version = client_of(labels)
        if count > 0 and request not in COUNTED_TWICE:
            yield OldRequests(software, request, version, int(count))


def client_of(labels: Labels) -> tuple[str, str, str]:
    """Return the software, the request and its version that *labels* name."""
    found = {key.lower(): value for key, value in labels}
    name = found.get("clientsoftwarename", UNKNOWN)
    for key, value in labels:
        joined = JOINED.fullmatch(key)
        if joined is not None:
            name, found["request"], found["version"] = value, joined[1], joined[2]
    software = " ".join(
        each for each in (name, found.get("clientsoftwareversion", UNKNOWN)) if each != UNKNOWN
    )
    return software, found.get("request", UNKNOWN), found.get("version", UNKNOWN)


def old_client_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Return one finding for each software of clients."""
    found: dict[str, dict[tuple[str, str], int]] = {}
    places: dict[str, set[str]] = {}
    for place, sent in evidence.old_requests.items():
        for software, request, version, count in sent:
            of_software = found.setdefault(software, {})
            key = (request, version)
            of_software[key] = of_software.get(key, 0) + count
            places.setdefault(software, set()).add(place)
    for software, counts in sorted(found.items()):
        kinds = ", ".join(f"{request} v{version}" for request, version in sorted(counts))
        who = (
            f"clients '{software}'" if software else "clients without a name, as before Kafka 2.4,"
        )
        yield MigrationFinding(
            severity=Severity.NOTE,
            kind=MigrationKind.OLD_CLIENT,
            text=f"{who} have sent {counted(sum(counts.values()), 'request')} since the start of"
            f" brokers ({', '.join(sorted(places[software]))}) that Kafka 4.0 does not serve:"
            f" {kinds}",
            outcome="Kafka 4.0 closes their connections: upgrade them to clients of Kafka 2.1 or"
            " later before the brokers; Kafka 3.9 serves them, with ZooKeeper and without",
            source="KIP-896, DeprecatedRequestsPerSec",
        )
