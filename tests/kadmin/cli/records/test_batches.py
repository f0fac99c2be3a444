"""Do batches fit into topics that take small ones only?"""

from pathlib import Path

import pytest

from tests.support.asking import AskingKadmin
from tests.support.brokers import Broker
from tests.support.cli import KadminRun, done, kadmin
from tests.support.one_broker import OneBroker

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]

COUNT = 2000


@pytest.fixture
def broker(one_broker: OneBroker) -> Broker:
    return one_broker.broker


def produced(broker: Broker, topic: str, records: Path, *options: str) -> KadminRun:
    where = ("--topic", topic, "--bootstrap-server", broker.bootstrap)
    return kadmin("produce", *where, "--file", str(records), *options)


@pytest.mark.parametrize("compression", ["none", "lz4"])
@pytest.mark.parametrize("config", ["max.message.bytes=1000", "segment.bytes=1200"])
def test_small_records_fit_into_a_topic_that_takes_small_batches(
    broker: Broker, tmp_path: Path, config: str, compression: str
) -> None:
    topic = f"{config.partition('.')[0]}-{compression}"
    wire = ("--topic", topic, "--bootstrap-server", broker.bootstrap)
    layout = ("--partitions", "1", "--replication-factor", "1", "--config", config)
    done("topics", "--create", *wire, *layout, "--yes")
    records = tmp_path / "records"
    records.write_text("".join(f"record {number}\n" for number in range(COUNT)))

    outcome = produced(broker, topic, records, "--compression", compression)
    read = done("consume", *wire, "--from-beginning", "--until-end")

    assert outcome.exit_code == 0, outcome
    assert COUNT == len(read.splitlines())


def test_a_record_that_is_too_large_for_its_topic_is_told_and_costs_no_other(
    broker: Broker, tmp_path: Path
) -> None:
    wire = ("--topic", "mixed", "--bootstrap-server", broker.bootstrap)
    layout = ("--partitions", "1", "--replication-factor", "1")
    done("topics", "--create", *wire, *layout, "--config", "max.message.bytes=1000", "--yes")
    records = tmp_path / "records"
    records.write_text("one\n" + "x" * 2000 + "\nthree\n")

    outcome = produced(broker, "mixed", records)
    read = done("consume", *wire, "--from-beginning", "--until-end")

    assert 1 == outcome.exit_code
    assert f"warning: line 2 of {records} was not delivered: message" in outcome.stderr
    assert "1 of 3 records was not delivered" in outcome.stderr
    assert ["one", "three"] == read.splitlines()


def test_a_batch_size_that_is_given_is_kept(broker: Broker, tmp_path: Path) -> None:
    wire = ("--topic", "given", "--bootstrap-server", broker.bootstrap)
    layout = ("--partitions", "1", "--replication-factor", "1")
    done("topics", "--create", *wire, *layout, "--config", "max.message.bytes=1000", "--yes")
    records = tmp_path / "records"
    records.write_text("".join(f"record {number}\n" for number in range(COUNT)))

    outcome = produced(broker, "given", records, "-X", "batch.size=900000", "-X", "linger.ms=500")

    assert 1 == outcome.exit_code
    assert "message size too large" in outcome.stderr


def test_records_have_no_effect_on_a_terminal_and_are_themselves_elsewhere(
    broker: Broker, tmp_path: Path
) -> None:
    wire = ("--topic", "evil", "--bootstrap-server", broker.bootstrap)
    done("topics", "--create", *wire, "--partitions", "1", "--replication-factor", "1", "--yes")
    records = tmp_path / "records"
    records.write_text("\x1b[31mred\tone\n")
    produced(broker, "evil", records)

    with AskingKadmin("consume", *wire, "--from-beginning", "--until-end", "--quiet") as run:
        code = run.exit_code()
    elsewhere = done("consume", *wire, "--from-beginning", "--until-end", "--quiet")

    assert (0, "\\x1b[31mred\tone\n") == (code, run.said)
    assert records.read_text() == elsewhere
