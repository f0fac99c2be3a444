"""What does the plain parser find in lines of every release, and in lines that are none?"""

import string
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kadmin.statechange.collectors import ANSI
from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Kind, Level, Role
from kadmin.statechange.parse import parse_line
from tests.kadmin.statechange.strategies import WRITTEN, broken_lines, examples
from tests.support.examples import example_count

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.log"))
TIME_MS = 1_533_218_835_136  # [2018-08-02 14:07:15,136]


def at(message: str, level: str = "TRACE", logger: str = " (state.change.logger)") -> str:
    return f"[2018-08-02 14:07:15,136] {level} {message}{logger}"


@pytest.mark.slow
@given(examples())
@settings(max_examples=example_count(500))
def test_every_line_of_every_release_says_the_values_that_made_it(example: StateChange) -> None:
    assert example == parse_line(example.text)


def test_drawn_lines_cover_every_template_in_every_release() -> None:
    assert len(WRITTEN) > 1500


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_real_logs_of_each_release_are_understood(sample: Path) -> None:
    parsed = [parse_line(line) for line in sample.read_text(encoding="utf-8").splitlines()]

    assert [] == [change.text for change in parsed if change.kind is Kind.OTHER]
    assert [] == [
        change.text
        for change in parsed
        if change.kind is Kind.CONTINUATION and change.text.startswith("[2")
    ]
    assert all(
        "preRegister called" in change.text for change in parsed if change.kind is Kind.NOISE
    )
    assert all(
        (change.level is None) == (change.kind is Kind.CONTINUATION) == (change.time_ms is None)
        for change in parsed
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_states_in_real_logs_are_read_whole(sample: Path) -> None:
    parsed = [parse_line(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    stating = [
        change
        for change in parsed
        if change.kind
        in {
            *(Kind.RECEIVED_LEADER_AND_ISR, Kind.CACHED, Kind.ISR_CHANGE),
            *(Kind.SEND_LEADER_AND_ISR, Kind.SEND_UPDATE_METADATA),
        }
        or "with state " in change.message
    ]

    assert all(
        change.leader is not None
        and change.isr is not None
        and change.leader_epoch is not None
        and len(change.partitions) == 1
        for change in stating
    )


def test_a_line_of_0_8_says_all_its_fields() -> None:
    message = (
        "Controller 2 epoch 4 sending become-follower LeaderAndIsr request "
        "(Leader:1,ISR:1,2,LeaderEpoch:7,ControllerEpoch:3) with correlationId 9 "
        "to broker 3 for partition [my-topic,12]"
    )
    line = at(message)

    assert parse_line(line) == StateChange(
        text=line,
        message=message,
        kind=Kind.SEND_LEADER_AND_ISR,
        time_ms=TIME_MS,
        level=Level.TRACE,
        role=Role.CONTROLLER,
        broker=2,
        controller_id=2,
        controller_epoch=4,
        partitions=(("my-topic", 12),),
        to_state="become-follower",
        leader=1,
        isr=(1, 2),
        leader_epoch=7,
        correlation_id=9,
        peer_broker=3,
    )


def test_a_line_of_2_4_takes_its_partition_from_the_payload() -> None:
    message = (
        "[Broker id=1] Received LeaderAndIsr request LeaderAndIsrPartitionState("
        "topicName='a-1', partitionIndex=0, controllerEpoch=1, leader=-1, leaderEpoch=5, "
        "isr=[0, 2], zkVersion=6, replicas=[0, 2, 1], addingReplicas=[], removingReplicas=[], "
        "isNew=true) correlation id 3 from controller 0 epoch 2"
    )
    line = at(message)

    assert parse_line(line) == StateChange(
        text=line,
        message=message,
        kind=Kind.RECEIVED_LEADER_AND_ISR,
        time_ms=TIME_MS,
        level=Level.TRACE,
        role=Role.BROKER,
        broker=1,
        controller_id=0,
        controller_epoch=2,
        partitions=(("a-1", 0),),
        leader=-1,
        isr=(0, 2),
        leader_epoch=5,
        zk_version=6,
        correlation_id=3,
    )


def test_an_empty_isr_was_said_and_a_missing_one_was_not() -> None:
    empty = parse_line(
        at(
            "Controller 0 epoch 2 sending UpdateMetadata request "
            "(Leader:-2,ISR:,LeaderEpoch:1,ControllerEpoch:2) with correlationId 7 "
            "to broker 0 for partition [t,0]"
        )
    )
    missing = parse_line(at("Controller 0 epoch 2 started leader election for partition [t,0]"))

    assert ((), -2) == (empty.isr, empty.leader)
    assert missing.isr is None


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("[t,0]", ("t", 0)),
        ("[t, 0]", ("t", 0)),
        ("[0,2]", ("0", 2)),
        ("t-0", ("t", 0)),
        ("a-1-0", ("a-1", 0)),
        ("--0", ("-", 0)),
        ("7-3", ("7", 3)),
    ],
)
def test_a_partition_is_read_in_both_spellings(spelled: str, expected: tuple[str, int]) -> None:
    change = parse_line(at(f"Controller 1 epoch 1 started leader election for partition {spelled}"))

    assert (expected,) == change.partitions


def test_a_list_of_brokers_in_brackets_is_no_partition() -> None:
    change = parse_line(
        at(
            "[Broker id=1] Leader t-4 starts at leader epoch 0 from offset 0 with high watermark 0 "
            "ISR [1,0] addingReplicas [] removingReplicas []. Previous leader epoch was -1.",
            "INFO",
        )
    )

    assert (("t", 4),) == change.partitions
    assert (1, 0) == change.isr


def test_a_line_may_name_several_partitions() -> None:
    change = parse_line(at("[Controller id=1] Mark replicas a-0,b-c-11 on broker 3 as offline"))

    assert (Kind.OFFLINE_REPLICAS, 3) == (change.kind, change.peer_broker)
    assert (("a", 0), ("b-c", 11)) == change.partitions


def test_who_starts_to_lead_is_the_leader_and_who_starts_to_follow_names_it() -> None:
    messages = [
        "[Broker id=0] Leader t-0 starts at leader epoch 3 from offset 0 with high watermark 0 "
        "ISR [0] addingReplicas [] removingReplicas []. Previous leader epoch was 1.",
        "[Broker id=0] Follower t-0 starts at leader epoch 1 from offset 0 with partition epoch 1 "
        "and high watermark 0. Current leader is 2. Previous leader Some(2) and previous leader "
        "epoch was 1.",
    ]

    assert [0, 2] == [parse_line(at(message)).leader for message in messages]


def test_one_broker_is_a_peer_and_several_are_not() -> None:
    messages = [
        f"[Controller id=0 epoch=1] Sending UpdateMetadata request to brokers {brokers} "
        "for 0 partitions"
        for brokers in ("HashSet(7)", "Set(1, 2)", "HashSet()")
    ]

    assert [7, None, None] == [parse_line(at(message)).peer_broker for message in messages]


@pytest.mark.parametrize(
    ("answer", "error", "partitions"),
    [
        ("{error_code=0}", None, ()),
        ("{error_code=11}", "error_code=11", ()),
        ("{error_code=0,_tagged_fields={}}", None, ()),
        (
            "{error_code=0,partitions=[{topic=t,partition=0,error_code=0},"
            "{topic=u,partition=1,error_code=6}]}",
            "error_code=6",
            (("t", 0), ("u", 1)),
        ),
        (
            "LeaderAndIsrResponseData(errorCode=0, partitionErrors=[], topics=["
            "LeaderAndIsrTopicError(topicId=qCg7iZ_MSiiJQycQOSa8iw, partitionErrors=["
            "LeaderAndIsrPartitionError(topicName='', partitionIndex=0, errorCode=56)])])",
            "error_code=56",
            (),
        ),
        (
            "LeaderAndIsrResponseData(errorCode=0, partitionErrors=[], topics=["
            "LeaderAndIsrTopicError(topicId=qCg7iZ_MSiiJQycQOSa8iw, partitionErrors=["
            "LeaderAndIsrPartitionError(topicName='', partitionIndex=0, errorCode=0)]), "
            "LeaderAndIsrTopicError(topicId=5gSItEi2TO-pa7y2TSPbZg, partitionErrors=["
            "LeaderAndIsrPartitionError(topicName='', partitionIndex=0, errorCode=0), "
            "LeaderAndIsrPartitionError(topicName='', partitionIndex=1, errorCode=11)])])",
            "error_code=11",
            (),
        ),
        (
            "LeaderAndIsrResponse(1,Map((t,0) -> 0, (u,1) -> 13),0)",
            "error_code=13",
            (("t", 0), ("u", 1)),
        ),
        (
            "StopReplicaResponse(10,Map([t,0] -> 0, [u,1] -> 6),0)",
            "error_code=6",
            (("t", 0), ("u", 1)),
        ),
        ("SomethingNew(errorCode=3)", None, ()),
    ],
)
def test_an_answer_tells_its_partitions_and_its_first_error(
    answer: str, error: str | None, partitions: tuple[tuple[str, int], ...]
) -> None:
    change = parse_line(
        at(
            f"[Controller id=0 epoch=1] Received response {answer} for request LEADER_AND_ISR "
            "with correlation id 4 sent to broker b:9092 (id: 2 rack: null)"
        )
    )

    assert (Kind.RESPONSE, 2, 4) == (change.kind, change.peer_broker, change.correlation_id)
    assert (error, partitions) == (change.error, change.partitions)


PLAIN = at("[Broker id=3] Handling stop replica (delete=true) for partition t-0")


@pytest.mark.parametrize(
    "line",
    [
        PLAIN,
        PLAIN + "\r",
        PLAIN + "\r\n",
        "broker3  | " + PLAIN,
        "kafka[1]: " + PLAIN,
        "logs/state-change.log.2018-08-02-14:" + PLAIN,
        "logs/state-change.log:17:" + PLAIN,
        "2018-08-02T14:07:16.001Z " + PLAIN,
        PLAIN.replace(" (state.change.logger)", ""),
        PLAIN.replace("logger)", "logger:66)"),
        PLAIN.replace("(state.change.logger)", "[state.change.logger]"),
        PLAIN.replace("TRACE ", "TRACE  "),
        PLAIN.replace("(state.change.logger)", "(kafka.controller.StateChangeLogger)"),
        PLAIN.replace("[Broker", "[data-plane-kafka-request-handler-3] [Broker"),
        PLAIN.replace("[Broker", "state.change.logger - [Broker"),
        PLAIN.replace("[Broker id=3] Handling", "main: Broker 3 handling"),
        PLAIN.replace("[Broker", "[main] [Broker").replace(" (state.change.logger)", " (x.Y)"),
    ],
)
def test_other_layouts_and_collectors_are_tolerated(line: str) -> None:
    change = parse_line(line)

    assert (Kind.STOP_REPLICA, TIME_MS, Level.TRACE) == (change.kind, change.time_ms, change.level)
    assert (Role.BROKER, 3, (("t", 0),)) == (change.role, change.broker, change.partitions)
    assert line == change.text


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("java.util.NoSuchElementException: key not found: [t,0]", None),
        ("kafka.common.StateChangeFailedException", None),
        ("Caused by: java.io.IOException: No space left", "java.io.IOException: No space left"),
        ("\tat kafka.controller.KafkaController.start(KafkaController.scala:1)", ""),
        ("\t... 12 more", ""),
        ("e=0)] correlation id 3 from controller 0 epoch 2 (state.change.logger)", ""),
        ("", ""),
        ("[2018-13-02 14:07:15,136] TRACE Broker 1 x (state.change.logger)", ""),
        ("[2018-02-29 14:07:15,136] TRACE Broker 1 x (state.change.logger)", ""),
        ("[2018-08-02 24:07:15,136] TRACE Broker 1 x (state.change.logger)", ""),
        ("java.lang.Error: at [2018-08-02 14:07:15,136] it broke", None),
    ],
)
def test_a_line_without_a_date_continues_another(line: str, error: str | None) -> None:
    """Its error is the exception that it names: *error*, or (None) all of the line."""
    change = parse_line(line)

    assert (Kind.CONTINUATION, None) == (change.kind, change.time_ms)
    assert change.error == (line if error is None else error or None)
    assert line == change.message


def test_what_is_not_understood_keeps_what_is_known_of_it() -> None:
    change = parse_line(at("[Controller id=5 epoch=6] Painted partition t-0 blue", "WARN"))

    assert (Kind.OTHER, Level.WARN, TIME_MS) == (change.kind, change.level, change.time_ms)
    assert (Role.CONTROLLER, 5, 5, 6) == (
        *(change.role, change.broker),
        *(change.controller_id, change.controller_epoch),
    )
    assert change.message == "[Controller id=5 epoch=6] Painted partition t-0 blue"


@pytest.mark.parametrize("role", ["Broker 1", "[Broker id=1]"])
def test_a_controller_line_from_a_broker_is_not_understood(role: str) -> None:
    change = parse_line(at(f"{role} started leader election for partition t-0"))

    assert (Kind.OTHER, Role.BROKER, 1) == (change.kind, change.role, change.broker)


def test_a_cut_last_line_is_not_understood_but_dated() -> None:
    change = parse_line("[2018-08-02 14:07:15,136] TRACE Controller 0 epoch 1 rec")

    assert (Kind.OTHER, TIME_MS, 0) == (change.kind, change.time_ms, change.broker)


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("1970-01-01 00:00:00,000", 0),
        ("1969-12-31 23:59:59,999", -1),
        ("2000-02-29 00:00:00,001", 951_782_400_001),
        ("0001-01-01 00:00:00,000", -62_135_596_800_000),
        ("9999-12-31 23:59:59,999", 253_402_300_799_999),
    ],
)
def test_times_are_the_wall_clock_as_if_it_were_utc(date: str, expected: int) -> None:
    assert expected == parse_line(f"[{date}] INFO x").time_ms


@pytest.mark.slow
@given(broken_lines())
@example("")
@example("[2018-08-02 14:07:15,136]")
@example("[2018-08-02 14:07:15,136] TRACE")
@example("[2018-08-02 14:07:15,136] TRACE Broker 99999999999999999999 x")
@example("0\x1b@0")
@settings(max_examples=example_count(500))
def test_no_line_is_lost_whatever_it_is(line: str) -> None:
    change = parse_line(line)

    assert line == change.text
    # What a terminal would not show is no part of the message.
    assert change.message in ANSI.sub("", line)
    assert isinstance(change.kind, Kind)


@given(st.text(string.printable, max_size=20), examples())
def test_a_prefix_changes_nothing_that_a_line_says(prefix: str, example: StateChange) -> None:
    change = parse_line(prefix + example.text)

    assert (example.kind, example.message, example.partitions) == (
        *(change.kind, change.message),
        change.partitions,
    )
