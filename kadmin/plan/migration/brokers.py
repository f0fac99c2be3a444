"""What brokers must be before a migration: their release, listeners, settings and znodes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from cluster.model.ids import BrokerId
from cluster.zk import paths
from kadmin.plan.check.findings import Severity
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import (
    DIES,
    SOURCE_3_9,
    WAITS,
    MigrationFinding,
    MigrationKind,
    paths_text,
)
from kadmin.wording import brokers_text, verb_of

IBP: Final = "inter.broker.protocol.version"
IBP_NEEDED: Final = (3, 9)
IBP_MIN: Final = (3, 4)
IBP_JBOD: Final = (3, 7)
AUTHORIZER: Final = "authorizer.class.name"
COPIED_AUTHORIZERS: Final = frozenset(
    {"", "kafka.security.authorizer.AclAuthorizer", "kafka.security.auth.SimpleAclAuthorizer"}
)
ENABLE: Final = "zookeeper.metadata.migration.enable"
VOTERS: Final = "controller.quorum.voters"
CONTROL_PLANE: Final = "control.plane.listener.name"
LOG_DIRS: Final = ("log.dirs", "log.dir")

NO_START: Final = (
    f"with {ENABLE}=true no such broker starts: 'Cannot enable ZooKeeper migration without setting"
    f" '{IBP}' to 3.4 or higher'"
)
UPGRADE: Final = f"; upgrade all brokers to 3.9, then set {IBP}=3.9 on each"
UNREGISTERED: Final = (
    "controllers that were formatted by Kafka 3.9 refuse such brokers: 'Unable to register because"
    " the broker does not support finalized version 21 of metadata.version.'"
)

ASKED: Final = (
    *(IBP, AUTHORIZER, ENABLE, VOTERS, CONTROL_PLANE),
    *LOG_DIRS,
)
"""The configs of brokers that are judged."""

REGISTERED_SINCE_2_7: Final = 5


def broker_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    yield from registrations(evidence)
    yield from listeners(evidence)
    yield from restricted(evidence)
    if evidence.silent:
        yield MigrationFinding(
            severity=Severity.WARNING,
            kind=MigrationKind.SILENT_BROKER,
            text=f"{brokers_text(evidence.silent)} {verb_of(evidence.silent, 'does')} not answer",
            outcome="a broker that cannot be reached may not reach the controllers either",
            brokers=evidence.silent,
            command="kadmin check",
        )
    if evidence.answers is not None:
        configs = {broker: answer.configs for broker, answer in evidence.answers.items()}
        yield from protocols(configs)
        yield from authorizers(configs)
        yield from log_dirs(configs)
        yield from settings(configs)
        yield from node_ids(evidence, configs)


def registrations(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    # What a broker has answered of its protocol, `protocols` judges.
    answered = {
        broker for broker, each in (evidence.answers or {}).items() if each.configs.get(IBP)
    }
    old = tuple(
        each.broker_id
        for each in evidence.snapshot.brokers.values()
        if 0 < each.version < REGISTERED_SINCE_2_7 and each.broker_id not in answered
    )
    if old:
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.RELEASE,
            text=f"{brokers_text(old)} {verb_of(old, 'is')} older than Kafka 2.7,"
            " or kept to an older inter.broker.protocol.version",
            outcome="only Kafka 3.9 with inter.broker.protocol.version=3.9 should migrate: upgrade"
            " all brokers first",
            brokers=old,
            command="kadmin brokers --list",
            znodes=tuple(map(paths.broker, old)),
            source="Kafka 3.9 documentation, Preparing for migration",
        )


def listeners(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find brokers without a listener that others have."""
    brokers = evidence.snapshot.brokers
    names = {broker: {end.listener for end in each.endpoints} for broker, each in brokers.items()}
    everywhere = set.union(*names.values()) if names else set()
    for listener in sorted(everywhere):
        lacking = tuple(sorted(broker for broker, own in names.items() if listener not in own))
        if lacking:
            yield MigrationFinding(
                severity=Severity.WARNING,
                kind=MigrationKind.LISTENER,
                text=f"{brokers_text(lacking)} {verb_of(lacking, 'does')} not register the"
                f" listener {listener} that others have",
                outcome="where it is the inter.broker.listener.name of the controllers: 'Broker"
                f" does not have the current inter.broker.listener {listener}': {WAITS}",
                brokers=lacking,
                command="kadmin brokers --list",
                znodes=tuple(map(paths.broker, lacking)),
                source=f"KAFKA-16468; {SOURCE_3_9}",
            )


def restricted(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find who may use the znodes that the controllers need, where not anyone may."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for path, who in evidence.restricted.items():
        groups.setdefault(who, []).append(path)
    for who, found in groups.items():
        yield MigrationFinding(
            severity=Severity.NOTE,
            kind=MigrationKind.ZNODE_ACL,
            text=f"only {', '.join(who) or 'nobody'} may write {paths_text(found)}",
            outcome="of controllers that authenticate as another identity ('KeeperErrorCode ="
            f" NoAuth'): {DIES}",
            znodes=tuple(found),
            source=f"MigrationClientAuthException; {SOURCE_3_9}",
        )


def version_of(text: str | None) -> tuple[int, ...] | None:
    """Return `(3, 9)` of `3.9-IV0`; None for what is no release."""
    numbers = (text or "").partition("-")[0].split(".")
    return tuple(map(int, numbers[:2])) if all(map(str.isdecimal, numbers)) else None


Configs = Mapping[BrokerId, Mapping[str, str | None]]


def protocols(configs: Configs) -> Iterator[MigrationFinding]:
    values: dict[str, list[BrokerId]] = {}
    for broker, each in configs.items():
        if each.get(IBP):
            values.setdefault(str(each[IBP]), []).append(broker)
    for text, brokers in sorted(values.items()):
        version = version_of(text)
        if version is None or version >= IBP_NEEDED:
            continue
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.RELEASE,
            text=f"{brokers_text(brokers)} {verb_of(brokers, 'has')} {IBP}={text}",
            outcome=(NO_START if version < IBP_MIN else f"{UNREGISTERED}: {WAITS}") + UPGRADE,
            brokers=tuple(brokers),
            source=f"Kafka 3.9 documentation, Preparing for migration; {SOURCE_3_9}",
        )


def authorizers(configs: Configs) -> Iterator[MigrationFinding]:
    for name in sorted({str(each.get(AUTHORIZER) or "") for each in configs.values()}):
        brokers = tuple(
            broker for broker, each in configs.items() if (each.get(AUTHORIZER) or "") == name
        )
        if name not in COPIED_AUTHORIZERS:
            yield MigrationFinding(
                severity=Severity.WARNING,
                kind=MigrationKind.AUTHORIZER,
                text=f"{brokers_text(brokers)} {verb_of(brokers, 'has')} {AUTHORIZER}={name}",
                outcome="only the ACLs of AclAuthorizer are copied: this one must know KRaft, and"
                " keep its rules elsewhere",
                brokers=brokers,
                source="ZkAclMigrationClient",
            )


def log_dirs(configs: Configs) -> Iterator[MigrationFinding]:
    several = [
        broker
        for broker, each in configs.items()
        if "," in str(next((each[key] for key in LOG_DIRS if each.get(key)), ""))
    ]
    old = [
        broker
        for broker in several
        if (version := version_of(configs[broker].get(IBP))) is not None and version < IBP_JBOD
    ]
    for severity, brokers, outcome in (
        (
            Severity.CRITICAL,
            old,
            f"with {ENABLE}=true no such broker starts: 'Cannot enable ZooKeeper migration with"
            f" multiple log directories (aka JBOD) without setting '{IBP}' to 3.7-IV2 or higher'",
        ),
        (
            Severity.NOTE,
            [broker for broker in several if broker not in old],
            "a broker in migration mode ends when one fails: 'Shutdown broker because some log"
            " directory has failed during migration mode'",
        ),
    ):
        if brokers:
            yield MigrationFinding(
                severity=severity,
                kind=MigrationKind.LOG_DIRS,
                text=f"{brokers_text(brokers)} {verb_of(brokers, 'has')} several log directories",
                outcome=outcome,
                brokers=tuple(brokers),
                command="kadmin log-dirs --describe",
                source=f"KIP-858; {SOURCE_3_9}",
            )


def node_ids(evidence: MigrationEvidence, configs: Configs) -> Iterator[MigrationFinding]:
    """Find controllers that have the id of a broker."""
    voters = {
        BrokerId(int(number))
        for each in configs.values()
        for part in (each.get(VOTERS) or "").split(",")
        if (number := part.partition("@")[0].strip()).isdecimal()
    }
    taken = tuple(sorted(voters & (evidence.snapshot.brokers.keys() | evidence.assigned.keys())))
    if taken:
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.BROKER_ID,
            text=f"{VOTERS} has the id of {brokers_text(taken)}",
            outcome="the cluster is copied, and then no such broker starts on KRaft: 'If"
            " process.roles contains just the 'broker' role, the node id … must not be included in"
            f" the set of voters {VOTERS}': give the controllers other ids before you format them",
            brokers=taken,
            source=f"Kafka's KafkaConfig; {SOURCE_3_9}",
        )


def settings(configs: Configs) -> Iterator[MigrationFinding]:
    """Find settings of the migration that only some brokers have, or that do not go with it."""
    enabled = [broker for broker, each in configs.items() if each.get(ENABLE) == "true"]
    missing = tuple(broker for broker in configs if broker not in enabled)
    if enabled and missing:
        yield MigrationFinding(
            severity=Severity.WARNING,
            kind=MigrationKind.BROKER_CONFIG,
            text=f"{brokers_text(missing)} {verb_of(missing, 'does')} not have {ENABLE}=true,"
            " and others do",
            outcome=f"'Still waiting for ZK brokers {list(missing)} to register with KRaft.':"
            f" {WAITS}: set it there, and restart",
            brokers=missing,
            source=f"KRaftMigrationDriver; {SOURCE_3_9}",
        )
    yield from quorums(configs, enabled)
    control = tuple(broker for broker, each in configs.items() if each.get(CONTROL_PLANE))
    if control:
        yield MigrationFinding(
            severity=Severity.WARNING,
            kind=MigrationKind.BROKER_CONFIG,
            text=f"{brokers_text(control)} {verb_of(control, 'has')} {CONTROL_PLANE}",
            outcome=f"'{CONTROL_PLANE} is not supported in KRaft mode.': leave it out when you"
            " restart brokers on KRaft, or they do not start",
            brokers=control,
            source=f"KAFKA-17788; {SOURCE_3_9}",
        )


def quorums(configs: Configs, enabled: Iterable[BrokerId]) -> Iterator[MigrationFinding]:
    """Find brokers that may not reach the controllers of the others, by what those that are
    *enabled* name."""
    without = tuple(broker for broker in enabled if not configs[broker].get(VOTERS))
    if without:
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.BROKER_CONFIG,
            text=f"{brokers_text(without)} {verb_of(without, 'does')} not have {VOTERS}",
            outcome="by controller.quorum.bootstrap.servers alone a broker follows the controllers'"
            " log and does not register: 'No brokers are known to KRaft, waiting for brokers to"
            f" register.': {WAITS}: set {VOTERS} as well, and restart",
            brokers=without,
            source=SOURCE_3_9,
        )
    named = {
        frozenset(filter(None, map(str.strip, text.split(","))))
        for broker in enabled
        if (text := configs[broker].get(VOTERS))
    }
    ids = {frozenset(part.partition("@")[0] for part in each) for each in named}
    if len(named) > 1:
        shown = sorted(",".join(sorted(each)) for each in named)
        yield MigrationFinding(
            severity=Severity.CRITICAL if len(ids) > 1 else Severity.WARNING,
            kind=MigrationKind.BROKER_CONFIG,
            text=f"brokers differ in {VOTERS}: {'; '.join(shown)}",
            outcome="a broker that does not reach the controllers of the others by it does not"
            f" register with them: {WAITS}: give all brokers the same, and restart",
            source=f"KIP-866; {SOURCE_3_9}",
        )
