"""What a simulation has found, on a screen and in documents."""

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.render.output import Output
from kadmin.render.simulation import simulation_document
from kadmin.reports.simulation import BrokerStages, Change, SimulationReport, Stages
from tests.kadmin.render.terminal import FakeTerminal

ONE, TWO = BrokerId(1), BrokerId(2)
LOST = Change(TopicPartition("t", 0), ONE, None, (ONE,), (ONE,), 1)
MANY = tuple(Change(TopicPartition("t", n), ONE, TWO, (ONE,), (TWO,), 1) for n in range(12))
ROW = BrokerStages(
    broker=ONE,
    rack="a",
    state="lost",
    replicas=Stages(1000, 3000, 2000),
    leaders=Stages(1, 1, 0),
    size_bytes=Stages(1024, 4096, 1024),
)
REPORT = SimulationReport(
    scenario=("broker 1 fails",),
    partition_count=13,
    offline=(LOST,),
    under_min_isr=(),
    unclean=MANY,
    moved=(),
    online=(),
    shrunk=(),
    still_offline=(TopicPartition("u", 7),),
    brokers=(ROW,),
    moved_replicas=2,
    moved_bytes=2048,
    left_out=("topic 'x' is being deleted",),
)


def test_what_is_worst_comes_first_and_many_are_counted() -> None:
    lines = list(simulation_document(REPORT).lines())

    assert [
        "simulated: broker 1 fails",
        "1 partition would go offline:",
        "  t-0: leader 1 -> none, ISR 1 -> 1, min ISR 1",
        "12 partitions would get a leader out of the ISR, and lose records:",
    ] == lines[:4]
    assert [
        "  … and 2 more (--output json has all)",
        "0 leaders would move; 0 ISRs would shrink",
        "2 replicas would be copied, 2.0 KiB",
        "offline before and after: u-7",
        "broker 1, rack a, lost: replicas 1,000 -> 2,000 (at most 3,000), leaders 1 -> 0,"
        " bytes 1.0 KiB -> 1.0 KiB (at most 4.0 KiB)",
        "not simulated: topic 'x' is being deleted",
    ] == lines[14:]


def test_a_row_of_csv_has_all_times_of_a_broker() -> None:
    document = simulation_document(REPORT)

    assert [(1, "a", "lost", 1000, 3000, 2000, 1, 1, 0, 1024, 4096, 1024)] == list(document.rows())
    assert len(document.columns) == len(next(iter(document.rows())))


def test_a_terminal_shows_the_brokers_as_a_table() -> None:
    terminal = FakeTerminal()
    Output(stdout=terminal, color=False).show(simulation_document(REPORT))

    shown = terminal.getvalue()
    assert "1 partition would go offline:" in shown
    assert "1,000 -> 2,000 (at most 3,000)" in shown
    assert "not simulated: topic 'x' is being deleted" in shown
