"""What a migration would stumble over: is each fault found, with its severity and outcome?"""

from dataclasses import replace
from typing import Final

import pytest

from cluster.model.acl import AclEntry, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.admin import Reassignment
from cluster.model.config_entity import NO_OVERRIDES, ConfigEntity, Entity, EntityKind
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.token import DelegationToken
from cluster.zk import paths
from kadmin.plan.check.findings import Severity
from kadmin.plan.migration.brokers import AUTHORIZER, ENABLE, IBP, VOTERS
from kadmin.plan.migration.check import judge
from kadmin.plan.migration.evidence import (
    BrokerAnswer,
    Damage,
    MigrationEvidence,
    OldConsumers,
)
from kadmin.plan.migration.findings import MigrationFinding, MigrationKind
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.plan.migration.evidence import (
    NOW_MS,
    calm,
    migrating,
    overrides,
    with_snapshot,
)

GOOD_SCRAM = "salt=YQ==,stored_key=Yg==,server_key=Yw==,iterations=4096"
WHOLE = {IBP: "3.9-IV0", ENABLE: "true", VOTERS: "3000@c:9093"}


def found(evidence: MigrationEvidence) -> list[MigrationFinding]:
    findings = judge(evidence).findings
    assert all(isinstance(each, MigrationFinding) for each in findings)
    return [each for each in findings if isinstance(each, MigrationFinding)]


def answers(*configs: dict[str, str]) -> dict[BrokerId, BrokerAnswer]:
    return {
        BrokerId(number): BrokerAnswer(configs={**WHOLE, **each})
        for number, each in enumerate(configs)
    }


def test_a_calm_cluster_is_ready() -> None:
    report = judge(calm(answers=answers({}, {}), configs=overrides(EntityKind.USERS, "ann")))

    assert ((), True, "ready to migrate") == (report.findings, report.is_healthy, report.all_well)


FAULTS: Final[tuple[tuple[MigrationEvidence, MigrationKind, Severity, str], ...]] = (
    (
        migrating(20, owner="zookeeper"),
        MigrationKind.STALE_MIGRATION,
        Severity.CRITICAL,
        "all topics are deleted",
    ),
    (
        migrating(20, owner="nobody"),
        MigrationKind.STALE_MIGRATION,
        Severity.CRITICAL,
        "all topics are deleted",
    ),
    (
        calm(damages=(Damage(paths.MIGRATION, "is no JSON"),)),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "RecoverMigrationStateFromZKEvent",
    ),
    (
        calm(damages=(Damage("/config/users/ann", "is not JSON: …"),)),
        MigrationKind.UNREADABLE,
        Severity.WARNING,
        "as if it held nothing",
    ),
    (
        calm(damages=(Damage("/config/users", "may not be read", True),)),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "NoAuth",
    ),
    (
        calm(damages=(Damage(paths.PRODUCER_ID_BLOCK, "its data is empty"),)),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "exit",
    ),
    (
        with_snapshot(cluster(brokers("0 1"), topic("t", "0,1,7"))),
        MigrationKind.DEAD_REPLICA,
        Severity.CRITICAL,
        "Still waiting for ZK brokers [7] found in metadata",
    ),
    (
        with_snapshot(
            cluster(
                brokers("0 1"),
                replace(
                    topic("t", "0,1"),
                    assignment=replace(topic("t", "0,1").assignment, topic_id=None),
                ),
            )
        ),
        MigrationKind.TOPIC_ID,
        Severity.CRITICAL,
        "Topic was t.",
    ),
    (
        with_snapshot(
            cluster(
                brokers("0 1"),
                replace(
                    topic("t", "0,1"),
                    assignment=replace(topic("t", "0,1").assignment, topic_id="nope"),
                ),
            )
        ),
        MigrationKind.TOPIC_ID,
        Severity.CRITICAL,
        "16 bytes of a base64-encoded UUID",
    ),
    (
        with_snapshot(
            cluster(
                brokers("0 1"),
                topic("t", "0,1"),
                replace(topic("u", "0,1"), assignment=topic("t", "0,1").assignment),
            )
        ),
        MigrationKind.TOPIC_ID,
        Severity.CRITICAL,
        "dual-write is never reached",
    ),
    (
        calm(configs=overrides(EntityKind.CLIENTS, "c", **{"SCRAM-SHA-256": "x"})),
        MigrationKind.SCRAM,
        Severity.CRITICAL,
        "Credentials not valid",
    ),
    (
        calm(configs=overrides(EntityKind.USERS, "ann", producer_byte_rate="fast")),
        MigrationKind.QUOTA,
        Severity.CRITICAL,
        "Unexpected client quota configuration value: producer_byte_rate -> fast",
    ),
    (
        calm(configs=overrides(EntityKind.USERS, "ann", producer_byte_rate="1e3")),
        MigrationKind.QUOTA,
        Severity.CRITICAL,
        "restarted over ZooKeeper, as in migration mode, exits",
    ),
    (
        calm(configs=overrides(EntityKind.IPS, "::1", connection_creation_rate="7.0")),
        MigrationKind.QUOTA,
        Severity.CRITICAL,
        'NumberFormatException: For input string: "7.0"',
    ),
    (
        calm(configs={ConfigEntity(Entity(EntityKind.USERS, "%zz", is_raw=True)): NO_OVERRIDES}),
        MigrationKind.CONFIG_NAME,
        Severity.CRITICAL,
        "Illegal hex characters",
    ),
    (
        calm(configs=overrides(EntityKind.CLIENTS, "c", weather="7")),
        MigrationKind.QUOTA,
        Severity.CRITICAL,
        "Invalid configuration key weather",
    ),
    (
        calm(configs=overrides(EntityKind.IPS, "host.example", connection_creation_rate="7")),
        MigrationKind.QUOTA,
        Severity.NOTE,
        "cannot be resolved",
    ),
    (
        calm(configs=overrides(EntityKind.USERS, "ann", **{"SCRAM-SHA-256": "salt=a"})),
        MigrationKind.SCRAM,
        Severity.CRITICAL,
        "Credentials not valid",
    ),
    (
        calm(configs=overrides(EntityKind.BROKERS, "abc", **{"log.cleaner.threads": "2"})),
        MigrationKind.CONFIG_NAME,
        Severity.CRITICAL,
        "Broker was abc.",
    ),
    (
        calm(configs=overrides(EntityKind.BROKERS, "0", **{"ssl.key.password": "x"})),
        MigrationKind.PASSWORD,
        Severity.WARNING,
        "password.encoder.secret",
    ),
    (
        calm(nodes={}),
        MigrationKind.EPOCH,
        Severity.CRITICAL,
        "no ZK controller epoch present",
    ),
    (
        migrating(None, owner="nobody"),
        MigrationKind.CONTROLLER,
        Severity.CRITICAL,
        "no controller",
    ),
    (
        with_snapshot(cluster(brokers("0 1", version=4), topic("t", "0,1"))),
        MigrationKind.RELEASE,
        Severity.CRITICAL,
        "upgrade",
    ),
    (
        calm(answers=answers({IBP: "3.3-IV3"}, {IBP: "3.3-IV3"})),
        MigrationKind.RELEASE,
        Severity.CRITICAL,
        "Cannot enable ZooKeeper migration without",
    ),
    (
        calm(answers=answers({IBP: "3.8-IV0"}, {IBP: "3.8-IV0"})),
        MigrationKind.RELEASE,
        Severity.CRITICAL,
        "finalized version 21 of metadata.version",
    ),
    (
        calm(answers=answers({AUTHORIZER: "org.example.Own"}, {})),
        MigrationKind.AUTHORIZER,
        Severity.WARNING,
        "only the ACLs of AclAuthorizer are copied",
    ),
    (
        calm(answers=answers({ENABLE: "false"}, {})),
        MigrationKind.BROKER_CONFIG,
        Severity.WARNING,
        "Still waiting for ZK brokers [0]",
    ),
    (
        calm(answers=answers({VOTERS: ""}, {})),
        MigrationKind.BROKER_CONFIG,
        Severity.CRITICAL,
        "No brokers are known to KRaft",
    ),
    (
        calm(answers=answers({VOTERS: "4000@c:9093"}, {})),
        MigrationKind.BROKER_CONFIG,
        Severity.CRITICAL,
        "does not reach the controllers of the others",
    ),
    (
        calm(answers=answers({VOTERS: "3000@elsewhere:9093"}, {})),
        MigrationKind.BROKER_CONFIG,
        Severity.WARNING,
        "does not reach the controllers of the others",
    ),
    (
        calm(answers=answers({VOTERS: "0@a:1,3000@b:1"}, {VOTERS: "0@a:1,3000@b:1"})),
        MigrationKind.BROKER_ID,
        Severity.CRITICAL,
        "must not be included in the set of voters",
    ),
    (
        calm(damages=(Damage(paths.CONTROLLER_EPOCH, "is no number"),)),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "mend it before any is started",
    ),
    (
        calm(answers=answers({"log.dirs": "/a,/b"}, {})),
        MigrationKind.LOG_DIRS,
        Severity.NOTE,
        "some log directory has failed",
    ),
    (
        calm(answers=answers({"log.dirs": "/a,/b", IBP: "3.6"}, {})),
        MigrationKind.LOG_DIRS,
        Severity.CRITICAL,
        "(aka JBOD)",
    ),
    (calm(silent=(BrokerId(1),)), MigrationKind.SILENT_BROKER, Severity.WARNING, "controllers"),
    (
        calm(restricted={"/config/users": ("sasl:kafka",)}),
        MigrationKind.ZNODE_ACL,
        Severity.NOTE,
        "NoAuth",
    ),
    (
        with_snapshot(cluster(brokers("0 1"), topic("t", "0,1 1,0", states={0: state(0, "0,1")}))),
        MigrationKind.NO_STATE,
        Severity.CRITICAL,
        "Could not find partition state in ZK for t-1.",
    ),
    (
        with_snapshot(cluster(brokers("0 1"), topic("t", "0,1", states={0: state(-1, "0")}))),
        MigrationKind.OFFLINE,
        Severity.CRITICAL,
        "down already",
    ),
    (
        with_snapshot(
            cluster(brokers("0 1"), topic("t", "0,1", states={0: state(0, "0")})),
            default_min_isr=1,
        ),
        MigrationKind.UNDER_REPLICATED,
        Severity.WARNING,
        "restart of another replica",
    ),
    (
        with_snapshot(cluster(brokers("0 1"), topic("t", "0,1", marked=True))),
        MigrationKind.DELETION,
        Severity.WARNING,
        "-stray",
    ),
    (
        with_snapshot(cluster(brokers("0 1"), topic("t", "0,1", adding="1"))),
        MigrationKind.REASSIGNMENT,
        Severity.WARNING,
        "go on under KRaft",
    ),
    (
        calm(elections=(TopicPartition("t", 0),)),
        MigrationKind.ELECTION,
        Severity.WARNING,
        "not copied",
    ),
    (calm(log_dir_events=2), MigrationKind.LOG_DIR_EVENT, Severity.WARNING, "log director"),
    (
        calm(old_consumers=(OldConsumers("g", 0, NOW_MS - 5_000),)),
        MigrationKind.OLD_CONSUMER,
        Severity.WARNING,
        "/consumers is not copied",
    ),
    (
        calm(old_consumers=(OldConsumers("g", 0, 1_000),)),
        MigrationKind.OLD_CONSUMER,
        Severity.NOTE,
        "/consumers is not copied",
    ),
    (
        with_snapshot(
            cluster(
                brokers("0 1"),
                topic("t", "0,1", configs={"message.format.version": "2.0"}),
            )
        ),
        MigrationKind.REMOVED_CONFIG,
        Severity.NOTE,
        "'Unknown topic config name: message.format.version'",
    ),
    (calm(foreign=("burrow",)), MigrationKind.FOREIGN_ZNODE, Severity.NOTE, "ensemble"),
    (
        calm(misplaced=("/config/users/ann/groups",)),
        MigrationKind.CONFIG_NAME,
        Severity.NOTE,
        "",
    ),
    (
        calm(
            acls={
                ResourcePattern(ResourceType.TOPIC, "t"): ResourceAcls(
                    entries=(
                        AclEntry(
                            principal="User:a",
                            permission_type="Allow",
                            operation="Fly",
                            host="*",
                        ),
                    )
                )
            }
        ),
        MigrationKind.ACL,
        Severity.WARNING,
        "UNKNOWN",
    ),
    (
        calm(
            acls={
                ResourcePattern(ResourceType.TOPIC, "t"): ResourceAcls(
                    entries=(
                        AclEntry(
                            principal="alice",
                            permission_type="Allow",
                            operation="Read",
                            host="*",
                        ),
                    )
                )
            }
        ),
        MigrationKind.ACL,
        Severity.CRITICAL,
        "principalType:principalName but got alice",
    ),
    (
        calm(damages=(Damage("/config/users/ann", "the value of 'x' is not text"),)),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "Expected `String` value",
    ),
    (
        calm(
            damages=(
                Damage(paths.topic("t"), "'partitions' holds 'a' where a broker id was expected"),
            )
        ),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "Unhandled error in WaitForZkBrokersEvent",
    ),
    (
        calm(
            damages=(Damage(paths.state("t", 0), "'isr' holds '0' where a broker id was expected"),)
        ),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "Expected `Int` value",
    ),
    (
        calm(damages=(Damage("/config/users/%zz", "its name is not URL-encoded"),)),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "Illegal hex characters",
    ),
    (
        calm(damages=(Damage("/kafka-acl/Topic/t", "is not JSON"),)),
        MigrationKind.UNREADABLE,
        Severity.WARNING,
        "as if it held nothing",
    ),
    (
        calm(damages=(Damage(paths.CONSUMERS, "may not be read", True),)),
        MigrationKind.UNREADABLE,
        Severity.WARNING,
        "the controllers do not read it",
    ),
    *(
        (calm(damages=(Damage(path, reason),)), MigrationKind.UNREADABLE, severity, words)
        for path, reason, severity, words in (
            (paths.topic("u"), "is empty, JSON was expected", Severity.CRITICAL, "WaitForZk"),
            (paths.topic("u"), "has no object 'partitions'", Severity.CRITICAL, "without any"),
            (paths.topic("a b"), "topic name 'a b' is illegal", Severity.WARNING, "as it is"),
            (paths.state("u", 0), "is not JSON: …", Severity.CRITICAL, "records are lost"),
            (paths.state("u", 0), "is empty, JSON was expected", Severity.CRITICAL, "exit"),
            ("/brokers/ids/x", "the broker id is not an integer", Severity.CRITICAL, "for ever"),
            ("/brokers/ids/7", "is not JSON: …", Severity.CRITICAL, "Still waiting for ZK brokers"),
            ("/config/users/a b", "its name is not URL-encoded", Severity.WARNING, "decodes"),
            ("/config/users/ann", "has no object 'config'", Severity.WARNING, "held nothing"),
            ("/kafka-acl/Topic/t", "has no list 'acls'", Severity.CRITICAL, "exit"),
            ("/kafka-acl/Any", "no broker knows such a type", Severity.CRITICAL, "exit"),
            ("/delegation_token/tokens/x", "has no 'owner'", Severity.CRITICAL, "exit"),
            ("/delegation_token/tokens/x", "is empty, …", Severity.WARNING, "held nothing"),
        )
    ),
    (
        calm(orphan_marks=("u",), damages=(Damage(paths.topic("u"), "is not JSON: …"),)),
        MigrationKind.UNREADABLE,
        Severity.NOTE,
        "marked for deletion",
    ),
    (
        calm(
            tokens=(
                DelegationToken(
                    token_id="x",
                    owner="User:a",
                    requester="User:a",
                    renewers=("bob",),
                    issue_timestamp_ms=1,
                    expiry_timestamp_ms=2,
                    max_timestamp_ms=3,
                ),
            )
        ),
        MigrationKind.UNREADABLE,
        Severity.CRITICAL,
        "principalType:principalName",
    ),
    *(
        (calm(damages=(Damage(path, reason),)), MigrationKind.UNREADABLE, severity, words)
        for path, reason, severity, words in (
            (paths.state("t", 0), "'leader' is not a broker id: -2", Severity.WARNING, "as it is"),
            (paths.state("t", 0), "'leader' is not a broker id: '0'", Severity.CRITICAL, "`Int`"),
            (
                paths.PRODUCER_ID_BLOCK,
                "'block_end' is out of bounds: -5",
                Severity.WARNING,
                "ids that others have had",
            ),
            (
                paths.PRODUCER_ID_BLOCK,
                "'block_end' is out of bounds: 9223372036854775808",
                Severity.CRITICAL,
                "Failed to parse",
            ),
        )
    ),
    (
        with_snapshot(cluster(brokers("1001 1002"), topic("t", "1001")), has_id_sequence=True),
        MigrationKind.BROKER_ID,
        Severity.WARNING,
        "reserved.broker.max.id to 1002",
    ),
)
"""Evidence, and the kind, the severity and words of the outcome of its finding."""


@pytest.mark.parametrize(
    ("evidence", "kind", "severity", "words"),
    FAULTS,
    ids=lambda value: value.value if isinstance(value, MigrationKind) else "",
)
def test_a_fault_is_found_with_what_would_come_of_it(
    evidence: MigrationEvidence, kind: MigrationKind, severity: Severity, words: str
) -> None:
    findings = [each for each in found(evidence) if each.kind is kind]

    assert [(severity, True)] == [(each.severity, words in each.outcome) for each in findings]
    assert all(each.source or kind is MigrationKind.SILENT_BROKER for each in findings)


@pytest.mark.parametrize(
    ("value", "is_read"),
    [
        *((each, True) for each in ("1000", " 1.5e3 ", ".5", "7.", "-1", "1e5f", "2D", "0x1p3")),
        *((each, True) for each in ("NaN", "Infinity", "-Infinity")),
        *(
            (each, False)
            for each in ("", "infinity", "nan", "1_000", "１２", "1dd", "0x1", "1\u00a0")
        ),
    ],
)
def test_a_quota_is_read_as_by_java(value: str, *, is_read: bool) -> None:
    evidence = calm(configs=overrides(EntityKind.USERS, "ann", request_percentage=value))

    assert is_read == (found(evidence) == [])


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        ({}, True),
        ({"iterations": "99999999999"}, False),
        ({"salt": "!!!"}, False),
        ({"salt": "YQ"}, True),
        ({"salt": "YQ="}, False),
    ],
)
def test_a_credential_is_read_as_by_java(change: dict[str, str], *, is_read: bool) -> None:
    fields = dict(part.split("=", 1) for part in GOOD_SCRAM.split(","))
    text = ",".join(f"{name}={value}" for name, value in {**fields, **change}.items())
    evidence = calm(configs=overrides(EntityKind.USERS, "ann", **{"SCRAM-SHA-256": text}))

    assert is_read == (found(evidence) == [])


def test_a_value_that_may_be_secret_or_long_is_not_shown_whole() -> None:
    for key, value in (("SCRAM-SHA-1", "salt=secret"), ("producer_byte_rate", "x" * 100_000)):
        (finding,) = found(calm(configs=overrides(EntityKind.USERS, "ann", **{key: value})))

        assert "secret" not in finding.text + finding.outcome
        assert len(finding.text + finding.outcome) < 1_000


def test_a_cluster_that_is_copied_is_not_judged_by_who_is_in_zookeeper() -> None:
    report = judge(migrating(40, live="0"))

    assert ("copied already", ["controller"]) == (
        report.all_well,
        [each.kind.value for each in report.findings],
    )


def test_a_copied_cluster_is_changed_over_its_brokers() -> None:
    copied = migrating(40)
    old = topic("t", "0,1", configs={"message.format.version": "2.0"})
    snapshot = replace(copied.snapshot, topics=cluster(brokers("0 1"), old).topics)
    commands = [each.command for each in judge(replace(copied, snapshot=snapshot)).findings]

    assert [
        "kadmin migration status",
        "kadmin configs --alter --topic t --delete-config message.format.version"
        " --bootstrap-server HOST:PORT",
    ] == commands


@pytest.mark.parametrize(
    "evidence",
    [
        # The initial state of /migration, after controllers were started once.
        migrating(-1, owner="zookeeper"),
        # A topic that waits for its deletion is not copied: its brokers need not be there.
        with_snapshot(cluster(brokers("0 1"), topic("t", "0,1"))),
        calm(
            configs=overrides(
                EntityKind.USERS,
                "ann",
                **{"SCRAM-SHA-512": GOOD_SCRAM, "request_percentage": "1000.5"},
            )
        ),
        calm(configs=overrides(EntityKind.BROKERS, "0", **{"log.cleaner.threads": "2"})),
        calm(configs=overrides(EntityKind.IPS, "10.0.0.1", connection_creation_rate="7")),
        calm(configs=overrides(EntityKind.IPS, "::1", connection_creation_rate="7")),
        with_snapshot(cluster(brokers("1001"), topic("t", "1001"))),
        # In migration mode it has started, with an id of its own.
        with_snapshot(
            cluster(brokers("1001"), topic("t", "1001")),
            has_id_sequence=True,
            answers={BrokerId(1001): BrokerAnswer(configs=WHOLE)},
        ),
        calm(old_consumers=(OldConsumers("g", 0, None),)),
        # What is the default, and what the guide says; and the same voters.
        calm(answers=answers({IBP: "3.9"}, {})),
        calm(
            answers=answers({VOTERS: "1000@a:1,2000@b:1"}, {VOTERS: " 2000@b:1, 1000@a:1"}),
        ),
    ],
)
def test_what_the_controllers_cope_with_is_no_finding(evidence: MigrationEvidence) -> None:
    assert [] == found(evidence)


def test_topics_that_wait_for_their_deletion_keep_no_broker() -> None:
    evidence = with_snapshot(cluster(brokers("0 1"), topic("t", "0,7", marked=True)))

    assert MigrationKind.DEAD_REPLICA not in {each.kind for each in found(evidence)}


def test_an_old_protocol_is_one_finding_of_its_brokers() -> None:
    """The registration shows it as well, where the brokers do not answer."""
    evidence = replace(
        calm(answers=answers({IBP: "1.1-IV0"}, {IBP: "1.1-IV0"})),
        snapshot=cluster(brokers("0 1", version=4), topic("t", "0,1")),
    )

    found = [each for each in judge(evidence).findings if each.kind is MigrationKind.RELEASE]

    assert ["brokers 0 and 1 have inter.broker.protocol.version=1.1-IV0"] == [
        each.text for each in found
    ]


def test_a_stale_request_is_never_carried_out() -> None:
    moving = Reassignment(targets={TopicPartition("gone", 0): (BrokerId(1),)}).targets
    evidence = with_snapshot(cluster(brokers("0 1"), topic("t", "0,1"), stale_moves=dict(moving)))

    assert [MigrationKind.REASSIGNMENT] == [each.kind for each in found(evidence)]


def test_kinds_are_ignored_and_the_worst_comes_first() -> None:
    evidence = calm(
        foreign=("burrow",),
        log_dir_events=1,
        damages=(Damage(paths.MIGRATION, "is no JSON"),),
    )

    assert [
        MigrationKind.UNREADABLE,
        MigrationKind.LOG_DIR_EVENT,
        MigrationKind.FOREIGN_ZNODE,
    ] == [each.kind for each in judge(evidence).findings]
    assert [MigrationKind.FOREIGN_ZNODE] == [
        each.kind
        for each in judge(
            evidence, [MigrationKind.UNREADABLE, MigrationKind.LOG_DIR_EVENT]
        ).findings
    ]


@pytest.mark.parametrize(
    ("path", "topics", "about_brokers"),
    [
        ("/brokers/topics/t-1/partitions/0/state", ["t-1"], []),
        ("/config/topics/t-1", ["t-1"], []),
        ("/kafka-acl/Topic/t-1", ["t-1"], []),
        ("/kafka-acl/Topic/*", [], []),
        ("/kafka-acl-extended/prefixed/Topic/t-1", [], []),
        ("/brokers/ids/7", [], [7]),
        ("/config/brokers/7", [], [7]),
        ("/config/brokers/<default>", [], []),
        ("/config/users/7", [], []),
    ],
)
def test_what_stands_in_a_damaged_znode_is_named(
    path: str, topics: list[str], about_brokers: list[int]
) -> None:
    (finding,) = judge(calm(damages=(Damage(path, "is not JSON"),))).findings

    assert (topics, about_brokers) == (list(finding.topics), list(finding.brokers))
    assert finding.has_names
