"""Clients that Kafka 4.0 does not serve: are they found by each form of the brokers' metrics?"""

from kadmin.plan.check.findings import Severity
from kadmin.plan.metrics.samples import Scrape
from kadmin.plan.migration.check import judge
from kadmin.plan.migration.evidence import OldRequests
from kadmin.plan.migration.old_clients import SERIES, old_requests
from tests.kadmin.plan.migration.evidence import calm


def requests_of(value: float, **labels: str) -> list[OldRequests]:
    samples = {SERIES: {tuple(sorted(labels.items())): value}}
    return list(old_requests(Scrape(at_s=1.0, samples=samples)))


def test_every_form_of_labels_names_the_client() -> None:
    by_tags = requests_of(
        7.0,
        request="Fetch",
        version="3",
        clientSoftwareName="librdkafka",
        clientSoftwareVersion="0.9.5",
    )
    # As Kafka 3.9.1 showed it by jmx_exporter's rules for Kafka.
    by_rules = requests_of(
        7.0,
        request_Fetch_version_3_clientSoftwareName="librdkafka",
        clientSoftwareVersion="0.9.5",
    )

    assert [OldRequests("librdkafka 0.9.5", "Fetch", "3", 7)] == by_tags == by_rules


def test_requests_are_counted_once_and_only_where_there_were_any() -> None:
    unknown = {"clientSoftwareName": "unknown", "clientSoftwareVersion": "unknown", "version": "1"}

    assert [OldRequests("", "Fetch", "1", 2)] == requests_of(2.0, request="Fetch", **unknown)
    assert [] == requests_of(2.0, request="FetchConsumer", **unknown)
    assert [] == requests_of(0.0, request="Fetch", **unknown)


def test_old_clients_are_named_with_their_requests_and_keep_no_migration_waiting() -> None:
    fetch, produce = OldRequests("", "Fetch", "1", 2), OldRequests("", "Produce", "10", 1)
    named = OldRequests("librdkafka 0.9.5", "Produce", "2", 1)

    report = judge(calm(old_requests={"0": (fetch, produce), "1": (fetch, named)}))

    assert [Severity.NOTE] * 2 == [each.severity for each in report.findings]
    assert {
        "clients without a name, as before Kafka 2.4, have sent 5 requests since the start of"
        " brokers (0, 1) that Kafka 4.0 does not serve: Fetch v1, Produce v10",
        "clients 'librdkafka 0.9.5' have sent 1 request since the start of brokers (1) that Kafka"
        " 4.0 does not serve: Produce v2",
    } == {each.text for each in report.findings}
    assert report.is_healthy
