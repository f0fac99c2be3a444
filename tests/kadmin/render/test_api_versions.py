"""Versions of requests: as Kafka's tool has them, and where brokers disagree."""

from cluster.model.ids import BrokerId
from kadmin.plan.api_versions import BrokerApis, Versions, compare
from kadmin.render.api_versions import versions_document
from kadmin.render.output import Document, Output
from tests.kadmin.builders import brokers
from tests.kadmin.render.terminal import FakeTerminal

NAMES = {0: "Produce", 1: "Fetch"}
APIS: BrokerApis = {
    BrokerId(1): {0: Versions(0, 9), 1: Versions(0, 0)},
    BrokerId(2): {0: Versions(0, 9)},
}


def document(*, differences_only: bool) -> Document:
    return versions_document(
        APIS,
        brokers("1:a 2 3"),
        compare(APIS, NAMES, differences_only=differences_only),
        differences_only=differences_only,
    )


def test_the_lines_of_kafka_s_tool() -> None:
    assert [
        "127.0.0.1:9093 (id: 1 rack: a) -> (",
        "\tProduce(0): 0 to 9,",
        "\tFetch(1): 0",
        ")",
        "127.0.0.1:9094 (id: 2 rack: null) -> (",
        "\tProduce(0): 0 to 9",
        ")",
        "127.0.0.1:9095 (id: 3 rack: null) -> ERROR: it did not answer",
    ] == list(document(differences_only=False).lines())


def test_the_lines_of_differences() -> None:
    assert ["Fetch(1): 0: broker 1; none: broker 2; common: none"] == list(
        document(differences_only=True).lines()
    )


def test_documents_have_every_broker() -> None:
    made = document(differences_only=False)

    assert [(1, 0, "Produce", 0, 9), (2, 0, "Produce", 0, 9)] == [
        tuple(row) for row in made.rows()
    ][:2]
    assert [(1, 1, "Fetch", 0, 0), (2, 1, "Fetch", None, None)] == [
        tuple(row) for row in made.rows()
    ][2:]
    assert [3] == made.body()["silent_brokers"]


def test_a_table_tells_what_all_have_and_who_differs() -> None:
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(document(differences_only=False))

    lines = [line.split() for line in terminal.getvalue().splitlines()]

    assert ["Produce", "0", "0", "to", "9"] == lines[-2]
    assert ["Fetch", "1", "none", "0:", "broker", "1;", "none:", "broker", "2"] == lines[-1]
