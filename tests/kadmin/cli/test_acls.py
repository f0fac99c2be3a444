"""`kadmin acls` over a real ZooKeeper; with real brokers in `tests/interop`."""

import json
import re
from collections.abc import Iterator

import pytest
from kazoo.client import KazooClient
from kazoo.security import ACL, make_digest_acl

from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster
from tests.support.asking import AskingKadmin
from tests.support.cli import KadminRun, done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.watching import shown
from tests.support.znodes import all_znodes, write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

ANN = ("--allow-principal", "User:ann")
READ = ("--operation", "Read", "--topic", "orders")
STORED = (
    b'{"version":1,"acls":[{"principal":"User:bob","permissionType":"Deny","operation":"Write",'
    b'"host":"10.0.0.1"},{"principal":"User:ann","permissionType":"Allow","operation":"Read",'
    b'"host":"*"}]}'
)
ORDERS, NOTIFICATIONS = "/kafka-acl/Topic/orders", "/kafka-acl-changes"
LISTED = """\
Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)`:\
 \n \t(principal=User:ann, host=*, operation=READ, permissionType=ALLOW)
\t(principal=User:bob, host=10.0.0.1, operation=WRITE, permissionType=DENY) \n
"""


class Authorized:
    """A cluster whose brokers have run AclAuthorizer, as it leaves ZooKeeper."""

    def __init__(self, connect: str, client: KazooClient) -> None:
        self.connect = connect
        self.client = client

    def run(self, *words: str) -> KadminRun:
        return kadmin("acls", *words, "--zookeeper", self.connect)

    def done(self, *words: str) -> str:
        return done("acls", *words, "--zookeeper", self.connect)

    def data(self, path: str) -> bytes:
        return bytes(self.client.get(path)[0])

    def told(self, store: str = NOTIFICATIONS) -> list[bytes]:
        return [self.data(f"{store}/{name}") for name in sorted(self.client.get_children(store))]


@pytest.fixture
def authorized(chroot: str) -> Iterator[Authorized]:
    write_snapshot(chroot, cluster(brokers("0 1")))
    with client_of(chroot) as client:
        for store in ("/kafka-acl", "/kafka-acl-extended/prefixed"):
            for kind in ("Topic", "Group", "Cluster", "TransactionalId", "DelegationToken"):
                client.ensure_path(f"{store}/{kind}")
        for store in (NOTIFICATIONS, "/kafka-acl-extended-changes"):
            client.ensure_path(store)
        yield Authorized(chroot, client)


def test_acls_are_listed_in_kafka_s_lines(authorized: Authorized) -> None:
    authorized.client.create(ORDERS, STORED)
    document = json.loads(authorized.done("--list", "--topic", "orders", "--output", "json"))
    of_bob = authorized.run("--list", "--principal", "User:bob")

    assert LISTED == authorized.done("--list")
    assert ["User:ann", "User:bob"] == [acl["principal"] for acl in document["acls"]]
    assert {
        "resource_type": "TOPIC",
        "name": "orders",
        "pattern_type": "LITERAL",
        "principal": "User:bob",
        "host": "10.0.0.1",
        "operation": "WRITE",
        "permission": "DENY",
    } == document["acls"][1]
    assert of_bob.stdout.startswith("ACLs for principal `User:bob`\nCurrent ACLs for resource")
    assert "User:ann" not in of_bob.stdout


def test_a_list_of_nothing_says_so(authorized: Authorized) -> None:
    nothing, none_such = authorized.run("--list"), authorized.run("--list", "--group", "g")

    assert (ExitCode.DONE, "", "there are no ACLs\n") == (
        nothing.exit_code,
        nothing.stdout,
        nothing.stderr,
    )
    assert "there are no such ACLs\n" == none_such.stderr


def test_watching_shows_rules_that_come(authorized: Authorized) -> None:
    authorized.client.create(ORDERS, STORED)
    words = ("--list", "--topic", "bills", "--watch", "0.1", "--zookeeper", authorized.connect)
    with shown("acls", *words) as watching:
        authorized.done("--add", *ANN, "--operation", "Read", "--topic", "bills")
        first = next(watching)

    assert first.startswith("Current ACLs for resource `ResourcePattern(")
    assert "name=bills" in first


def test_rules_are_added_with_a_notification_in_one_transaction(authorized: Authorized) -> None:
    stdout = authorized.done("--add", *ANN, *READ)
    again = authorized.run("--add", *ANN, *READ)

    assert stdout.startswith("Adding ACLs for resource `ResourcePattern(resourceType=TOPIC, name=o")
    assert "\nCurrent ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders" in stdout
    assert [b"TOPIC:orders"] == authorized.told()
    assert authorized.data(ORDERS) == (
        b'{"version":1,"acls":[{"principal":"User:ann","permissionType":"Allow",'
        b'"operation":"Read","host":"*"}]}'
    )
    [name] = authorized.client.get_children(NOTIFICATIONS)
    told = authorized.client.exists(f"{NOTIFICATIONS}/{name}")
    assert told.czxid == authorized.client.exists(ORDERS).czxid
    assert ExitCode.DONE == again.exit_code
    assert "the ACLs of topic 'orders' stay as they are" in again.stderr
    assert 0 == authorized.client.exists(ORDERS).version


def test_a_prefix_is_written_where_brokers_look_for_it(authorized: Authorized) -> None:
    authorized.done("--add", *ANN, *READ, "--resource-pattern-type", "PREFIXED")

    assert b"User:ann" in authorized.data("/kafka-acl-extended/prefixed/Topic/orders")
    assert [] == authorized.told()
    assert [b'{"version":1,"resourceType":"TOPIC","name":"orders","patternType":"PREFIXED"}'] == (
        authorized.told("/kafka-acl-extended-changes")
    )


def test_removed_is_what_was_named_and_the_node_of_the_last_goes(authorized: Authorized) -> None:
    authorized.client.create(ORDERS, STORED)

    mistyped = authorized.run("--remove", "--topic", "ordrs", "--yes")
    authorized.done("--remove", *ANN, *READ, "--yes")
    left = authorized.data(ORDERS)
    authorized.done("--remove", "--topic", "orders", "--force")
    nothing = authorized.run("--remove", "--topic", "orders", "--yes")

    assert b"User:bob" in left
    assert b"User:ann" not in left
    assert [] == authorized.client.get_children("/kafka-acl/Topic")
    assert [b"TOPIC:orders"] * 2 == authorized.told()
    assert (ExitCode.DONE, "") == (nothing.exit_code, nothing.stdout)
    assert "there are no such ACLs: nothing is to be removed\n" in nothing.stderr
    assert "did you mean topic 'orders'?\n" in mistyped.stderr


def test_removals_are_asked_about_and_no_pipe_answers(authorized: Authorized) -> None:
    authorized.client.create(ORDERS, STORED)
    before = all_znodes(authorized.connect)

    removal = authorized.run("--remove", "--topic", "orders")
    with AskingKadmin(
        "acls", "--remove", "--topic", "orders", "--zookeeper", authorized.connect
    ) as asking:
        asking.read_until("Remove 2 ACLs? [y/N]: ")
        asking.answer("n")
        code = asking.exit_code()

    assert "  - allow User:ann Read\n" in removal.stderr
    assert "--yes" in removal.stderr
    assert [ExitCode.REFUSED] * 2 == [removal.exit_code, code]
    assert before == all_znodes(authorized.connect)


def test_what_was_typed_before_the_question_is_no_answer(authorized: Authorized) -> None:
    authorized.client.create(ORDERS, STORED)
    before = all_znodes(authorized.connect)
    words = ("--remove", "--topic", "orders", "--zookeeper", authorized.connect)
    with AskingKadmin("acls", *words) as asking:
        asking.answer("y")
        asking.read_until("Remove 2 ACLs? [y/N]: ")
        asking.answer("n")
        code = asking.exit_code()

    assert ExitCode.REFUSED == code
    assert before == all_znodes(authorized.connect)


def test_additions_are_not_asked_about_as_by_kafka_s_tool(authorized: Authorized) -> None:
    authorized.done("--add", "--deny-principal", "User:eve", "--topic", "orders")

    assert b'"permissionType":"Deny"' in authorized.data(ORDERS)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--list --topic orders*", "--topic orders --resource-pattern-type prefixed"),
        (
            "--add --allow-principal User:ann --group g*",
            "--group g --resource-pattern-type prefixed",
        ),
        ("--add --allow-principal User:a* --topic orders", "'User:a*' is no pattern"),
        ("--add --allow-principal User:* --topic *", ""),
    ],
)
def test_a_name_that_looks_like_a_glob_is_warned_of(
    authorized: Authorized, words: str, said: str
) -> None:
    outcome = authorized.run(*words.split())

    assert said in outcome.stderr
    assert bool(said) == ("is no pattern" in outcome.stderr)


def test_a_dry_run_writes_nothing(authorized: Authorized) -> None:
    before = all_znodes(authorized.connect)

    outcome = authorized.run("--add", *ANN, "--producer", "--topic", "orders", "--dry-run")

    assert outcome.stdout.splitlines() == [
        "plan: change the ACLs of topic 'orders'",
        "  + allow User:ann Write",
        "  + allow User:ann Describe",
        "  + allow User:ann Create",
    ]
    assert "the first ACLs of topic 'orders': where brokers have allow.everyone" in outcome.stderr
    assert before == all_znodes(authorized.connect)


def test_damage_is_told_and_kept(authorized: Authorized) -> None:
    authorized.client.create(ORDERS, b'{"version":1,"acls":"none"}')
    authorized.client.create("/kafka-acl/Group/g", STORED)

    listed = authorized.run("--list")
    changed = authorized.run("--add", *ANN, *READ)

    assert "name=g, patternType" in listed.stdout
    assert f"left out: {ORDERS}" in listed.stderr
    assert ExitCode.REFUSED == changed.exit_code
    assert "nothing is changed, since this cannot be understood" in changed.stderr


def test_brokers_that_would_not_understand_are_not_told(authorized: Authorized) -> None:
    """Registrations of before 2.7 may be of a 2.3, which a newer notification stops."""
    before = all_znodes(authorized.connect)

    unknown = authorized.run(
        "--add", *ANN, "--user-principal", "User:x", "--operation", "CreateTokens"
    )
    slash = authorized.run("--add", *ANN, "--group", "a/b")

    assert ExitCode.REFUSED == unknown.exit_code
    assert "the brokers of this cluster know no ACLs of users: there is no /kafka-acl/User" in (
        unknown.stderr
    )
    assert ExitCode.USAGE == slash.exit_code
    assert before == all_znodes(authorized.connect)
    authorized.done("--add", *ANN, "--transactional-id", "x")
    assert [b"TRANSACTIONAL_ID:x"] == authorized.told()


def test_kafka_s_cluster_is_the_resource_where_no_name_follows(authorized: Authorized) -> None:
    create = ("--add", *ANN, "--operation", "Create")

    done("acls", *create, "--zookeeper", authorized.connect, "--cluster")
    done("acls", "--cluster", *create[:-1], "Describe", "--zookeeper", authorized.connect)
    listed = done("acls", "--zookeeper", authorized.connect, "--list", "--cluster")
    named = kadmin("acls", "--list", "--cluster", "nowhere")

    assert "resourceType=CLUSTER, name=kafka-cluster, " in listed
    assert ["CREATE", "DESCRIBE"] == re.findall(r"operation=(\w+)", listed)
    assert (ExitCode.USAGE, "") == (named.exit_code, named.stdout)
    assert "'nowhere'" in named.stderr


def test_older_brokers_take_no_transactional_id_by_zookeeper(chroot: str) -> None:
    write_snapshot(chroot, cluster(brokers("0", version=4)))
    add = ("acls", "--add", *ANN, "--zookeeper", chroot)

    prefix = kadmin(*add, "--topic", "t", "--resource-pattern-type", "prefixed")
    transactional = kadmin(*add, "--transactional-id", "x")
    topic = kadmin(*add, "--topic", "t")
    done(*add, "--group", "g", "--kafka-cluster")

    assert ExitCode.REFUSED == prefix.exit_code
    assert "know no ACLs of name prefixes" in prefix.stderr
    assert ExitCode.REFUSED == transactional.exit_code
    assert "not written to ZooKeeper for brokers that may be older than 2.4" in transactional.stderr
    assert ExitCode.DONE == topic.exit_code
    assert "no broker has started with an authorizer here" in topic.stderr
    assert "name=t, patternType=LITERAL" in done("acls", "--list", "--zookeeper", chroot)


@pytest.mark.clients
@pytest.mark.xdist_group("one-broker")
def test_brokers_without_an_authorizer_have_no_acls(one_broker: OneBroker) -> None:
    wire = ("--bootstrap-server", one_broker.broker.bootstrap)
    removal = ("--remove", "--topic", "orders", "--yes")
    ways = ("--list",), ("--add", *ANN, *READ), removal
    outcomes = [kadmin("acls", *way, *wire) for way in ways]

    assert [(ExitCode.FAILED, "")] * 3 == [(each.exit_code, each.stdout) for each in outcomes]
    for outcome in outcomes:
        assert "have no authorizer: there are no ACLs\nhint: they need authorizer.class.name" in (
            outcome.stderr
        )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--add", *ANN), "you must specify at least one resource"),
        (("--add", "--topic", "t"), "one of: --allow-principal, --deny-principal"),
        (("--add", *ANN, "--topic", "t", "--deny-host", "h"), "--deny-host needs --deny-pri"),
        (
            ("--add", *ANN, "--topic", "t", "--resource-pattern-type", "match"),
            "is not valid when adding acls",
        ),
        (("--add", *ANN, "--group", "g", "--producer"), "--producer you must specify a --topic"),
        (("--add", *ANN, "--topic", "t", "--consumer"), "--consumer you must specify a --topic"),
        (("--add", *ANN, "--topic", "t", "--idempotent"), "only available if --producer"),
        (
            ("--add", *ANN, "--topic", "t", "--producer", "--operation", "Read"),
            "--operation does not go with --producer",
        ),
        (("--remove", "--topic", "t", "--operation", "Read"), "--operation needs --allow-princ"),
        (("--remove", "--topic", "t", "--producer"), "--producer needs --allow-principal"),
        (("--list", *ANN), "--allow-principal does not go with --list"),
        (("--list", "--principal", "ann"), "'ann' is no principal"),
        (("--add", *ANN, "--topic", "t", "--allow-host", " "), "a host is empty"),
        (("--add", *ANN, "--topic", "\udcff"), r"'\udcff' is no UTF-8"),
        (("--add", "--allow-principal", "User:\udcff", "--topic", "t"), "is no UTF-8"),
        (("--add", *ANN, "--group", "g", "--operation", "Write"), "GROUP only supports"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anybody_is_asked(
    words: tuple[str, ...], reason: str
) -> None:
    outcome = kadmin("acls", *words, "--zookeeper", "127.0.0.1:1")

    assert ExitCode.USAGE == outcome.exit_code
    assert reason in outcome.stderr


@pytest.mark.parametrize("name", [".", "..", "a/b", "a\x01b", "a\nb", "\ue000"])
def test_a_name_that_no_znode_can_have_is_refused(authorized: Authorized, name: str) -> None:
    outcome = authorized.run("--add", *ANN, "--group", name, "--operation", "Read")

    assert ExitCode.USAGE == outcome.exit_code, outcome
    assert f"no place for ACLs of {name!r}: no znode can have that name" in outcome.stderr
    assert [] == authorized.client.get_children("/kafka-acl/Group")


LOCKED = [make_digest_acl("kafka", "secret", all=True)]


@pytest.mark.parametrize(
    ("path", "data", "acl", "told"),
    [
        ("/kafka-acl/Group", None, LOCKED, "/kafka-acl/Group: may not be read by this user"),
        (
            "/kafka-acl-extended/prefixed/Topic",
            None,
            LOCKED,
            "/kafka-acl-extended/prefixed/Topic: may not be read by this user",
        ),
        (
            "/kafka-acl/Group/g",
            STORED,
            LOCKED,
            "/kafka-acl/Group/g: may not be read by this user",
        ),
        ("/kafka-acl/Group/g", b"?", None, "/kafka-acl/Group/g (zkVersion 0): is not JSON"),
        (
            "/kafka-acl/Group/a/b",
            STORED,
            None,
            "/kafka-acl/Group/a (zkVersion 0): no broker reads what stands below it: b",
        ),
        ("/kafka-acl/Queue/q", STORED, None, "/kafka-acl/Queue: no broker knows such a type"),
        ("/brokers/ids/7", b"bld-x-03:host:9092", None, None),
        ("/brokers/ids/foo", b"", None, None),
    ],
)
def test_one_strange_znode_stops_nothing_else(
    authorized: Authorized, path: str, data: bytes | None, acl: list[ACL] | None, told: str | None
) -> None:
    authorized.client.create(ORDERS, STORED)
    if data is not None:
        authorized.client.create(path, data, makepath=True)
    if acl is not None:
        authorized.client.set_acls(path, acl)

    listed = authorized.run("--list")
    authorized.done("--add", *ANN, "--operation", "Write", "--topic", "orders")

    assert LISTED in listed.stdout
    assert (ExitCode.DONE, 0 if told is None else 1) == (
        listed.exit_code,
        listed.stderr.count("left out: "),
    )
    assert told is None or f"left out: {told}" in listed.stderr
    assert b'"Write","host":"*"' in authorized.data(ORDERS)


def test_rules_that_may_be_hidden_are_not_changed(authorized: Authorized) -> None:
    authorized.client.set_acls("/kafka-acl/Group", LOCKED)

    refused = authorized.run("--add", *ANN, "--operation", "Read", "--group", "g")

    assert ExitCode.REFUSED == refused.exit_code
    assert "/kafka-acl/Group: may not be read by this user" in refused.stderr


def test_a_strange_registration_is_named_where_its_age_counts(authorized: Authorized) -> None:
    authorized.client.create("/brokers/ids/7", b"bld-x-03:host:9092")

    refused = authorized.run("--add", *ANN, "--operation", "Write", "--transactional-id", "x")

    assert ExitCode.REFUSED == refused.exit_code
    assert "left out: /brokers/ids/7 (zkVersion 0): is not JSON" in refused.stderr
