"""Changes by the page, end to end over a broker of ours."""

import json
import re
from html import unescape

import pytest

from kadmin.app.actions.shown_changes import AGE_S_MAX
from tests.support.cli import done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.page import Browser, Page

pytestmark = [pytest.mark.zk, pytest.mark.clients, pytest.mark.xdist_group("one-broker")]

COUNTS = {"partitions": "2", "replication_factor": "1"}


def topics(one_broker: OneBroker) -> list[str]:
    return done("topics", "--zookeeper", one_broker.zookeeper, "--list").split()


def made(one_broker: OneBroker, name: str, partitions: int = 2) -> str:
    counts = ("--partitions", str(partitions), "--replication-factor", "1")
    # Over the wire: the broker answers when it has heard of it itself.
    way = ("--bootstrap-server", one_broker.broker.bootstrap)
    done("topics", *way, "--create", "--topic", name, *counts, "--yes")
    return name


def text_of(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_topic_is_planned_then_created_once(
    page: Page, ann: Browser, one_broker: OneBroker, name: str
) -> None:
    shown = ann.plan("create-topic", topic=name, configs="retention.ms=86400000", **COUNTS)

    assert 200 == shown.status_code
    assert f"Create topic {name}" in shown.text
    assert f"--create --topic {name} --partitions 2 --replication-factor 1" in text_of(shown.text)
    assert name not in topics(one_broker)

    done_page = ann.confirm(shown)
    assert "Done." in done_page.text
    assert name in topics(one_broker)
    csrf = ann.csrf("/clusters/one/actions/create-topic")
    again = ann.client.post(shown.url.path, data={"csrf": csrf})
    assert "Done." in again.text

    assert page.serving.audit is not None
    noted = [line for line in page.serving.audit.latest(10) if name in line["action"]]
    assert ["done", "begun"] == [line["stage"] for line in noted]
    assert {"ann"} == {line["who"] for line in noted}


def test_several_topics_grow_and_go_together(
    ann: Browser, one_broker: OneBroker, name: str
) -> None:
    both = [made(one_broker, f"{name}-a"), made(one_broker, f"{name}-b")]
    text = ann.do("add-partitions", topics="\n".join(both), partitions="4")
    assert "Add partitions to 2 topics, up to 4" in text

    shown = ann.plan("delete-topics", topics="\r\n".join(both))
    assert "and all their records" in shown.text
    wrong = ann.confirm(shown, typed="delete 1 topic")
    assert 409 == wrong.status_code
    assert "type &#39;delete 2 topics&#39; to confirm" in wrong.text
    assert set(both) <= set(topics(one_broker))
    assert "Done." in ann.confirm(shown, typed="delete 2 topics").text
    assert set(both).isdisjoint(topics(one_broker))


def test_a_plan_that_another_operator_overtook_is_shown_again(
    ann: Browser, page: Page, one_broker: OneBroker, name: str
) -> None:
    made(one_broker, name)
    shown = ann.plan("add-partitions", topics=name, partitions="5")
    other = page.browser("oscar")
    assert "Done." in other.confirm(other.plan("add-partitions", topics=name, partitions="4")).text

    newer = ann.confirm(shown)
    assert newer.url.path != shown.url.path
    assert "Done." not in newer.text
    assert "The cluster has changed since you confirmed another plan" in newer.text
    old = ann.get(shown.url.path)
    assert "The cluster has changed since this plan was made" in old.text
    assert "Done." in ann.confirm(newer).text
    described = done(
        *("topics", "--zookeeper", one_broker.zookeeper, "--describe", "--topic", name),
        *("--output", "json"),
    )
    assert 5 == len(json.loads(described)["topics"][0]["partitions"])


def test_configs_are_set_and_removed(ann: Browser, one_broker: OneBroker, name: str) -> None:
    made(one_broker, name)
    ann.do("change-configs", kind="topics", names=name, add="cleanup.policy=compact,delete")
    describe = (*("configs", "--describe", "--topic", name), "--zookeeper", one_broker.zookeeper)
    assert "cleanup.policy=compact,delete" in done(*describe)

    text = ann.do("change-configs", kind="topics", names=name, delete="cleanup.policy")
    assert "- cleanup.policy=compact,delete" in text
    assert f'href="/clusters/one/topics/{name}"' in text
    assert "cleanup.policy" not in done(*describe)


def test_configs_of_a_broker_that_runs_are_checked_by_it(
    ann: Browser, one_broker: OneBroker
) -> None:
    broker = {"kind": "brokers", "names": "1"}
    ann.do("change-configs", **broker, add="log.cleaner.threads=2")
    describe = ("configs", "--describe", "--broker", "1", "--zookeeper", one_broker.zookeeper)
    assert "log.cleaner.threads=2" in done(*describe)

    refused = ann.plan("change-configs", **broker, add="log.cleaner.threads=2000")
    assert "log.cleaner.threads" in refused.text
    assert 200 != refused.status_code

    unknown = ann.plan("change-configs", kind="brokers", names="77", add="log.cleaner.threads=2")
    assert "there is no broker 77" in unknown.text
    ann.do("change-configs", **broker, delete="log.cleaner.threads")
    assert "log.cleaner.threads" not in done(*describe)


def test_acls_are_added_and_removed(ann: Browser, one_broker: OneBroker, name: str) -> None:
    rule = {
        "kind": "topic",
        "names": name,
        "pattern": "literal",
        "principals": "User:ann",
        "permission": "allow",
        "operations": "Read",
    }
    ann.do("change-acls", action="add", **rule)
    listing = ("acls", "--list", "--topic", name, "--zookeeper", one_broker.zookeeper)
    assert "User:ann" in done(*listing)

    ann.do("change-acls", action="remove", **rule)
    assert "User:ann" not in kadmin(*listing).stdout


def test_an_election_without_a_new_leader_has_nothing_to_confirm(
    ann: Browser, one_broker: OneBroker, name: str
) -> None:
    made(one_broker, name)
    text = ann.plan("elect-leaders", kind="preferred", topic=name, partitions="0,1").text

    assert f"Give 2 partitions of topic {name} their preferred leaders" in text
    assert "Nothing to do." in text
    assert "Write nothing" not in text


def test_a_group_is_reset_deleted_and_can_be_restored(
    ann: Browser, one_broker: OneBroker, name: str
) -> None:
    made(one_broker, name)
    group = f"<b>{name}"
    reset = {"group": group, "topics": f"{name}:0"}
    text = ann.do("reset-offsets", **reset, to="offset", value="0")
    assert "it will be made" in unescape(text)
    assert "Nothing" not in ann.do("reset-offsets", **reset, to="latest")

    shown = ann.plan("delete-groups", groups=group)
    assert group not in shown.text
    ended = ann.confirm(shown, typed=group)
    assert "Done." in ended.text
    file = ann.get(f"{shown.url.path}/rollback")
    assert "attachment" in file.headers["content-disposition"]
    assert f"{name},0,0" in file.text


def test_a_group_with_blanks_around_its_name_is_the_one_that_is_meant(
    ann: Browser, one_broker: OneBroker, name: str
) -> None:
    made(one_broker, name)
    group = f" {name} "
    words = ("--reset-offsets", "--group", group, "--topic", name, "--to-offset", "0", "--execute")
    done("groups", "--bootstrap-server", one_broker.broker.bootstrap, *words, "--yes")

    shown = ann.plan("delete-groups", groups=f"{group}\r\n")
    assert f"--group '{group}'" in unescape(shown.text)
    assert "Done." in ann.confirm(shown, typed=group).text
    assert f"--group {name} " in ann.plan("reset-offsets", **reset_to_end(group, name)).text


def test_a_group_of_old_consumers_is_reset_and_deleted_in_zookeeper(
    ann: Browser, one_broker: OneBroker, name: str
) -> None:
    made(one_broker, name)
    group = f"old-{name}"
    shown = ann.plan("reset-offsets", **reset_to_end(group, name), kept="zookeeper")
    assert f"--in-zookeeper --reset-offsets --group {group}" in shown.text
    assert "Done." in ann.confirm(shown).text
    listed = ("groups", "--zookeeper", one_broker.zookeeper, "--in-zookeeper", "--list")
    assert group in done(*listed)

    shown = ann.plan("delete-groups", groups=group, kept="zookeeper")
    assert "/clusters/one/old-groups" in ann.confirm(shown, typed=group).text
    assert group not in done(*listed)


def reset_to_end(group: str, topics: str) -> dict[str, str]:
    return {"group": group, "topics": topics, "to": "latest"}


def test_nothing_to_release_is_said(ann: Browser) -> None:
    shown = ann.plan("release-throttles")

    assert "Nothing to do." in shown.text
    assert f'action="{shown.url.path}"' not in shown.text


@pytest.mark.parametrize(
    ("action", "fields", "problem"),
    [
        ("create-topic", {"topic": "<script>", **COUNTS}, "illegal"),
        ("create-topic", {"topic": "t", "partitions": "0", "replication_factor": "1"}, "is not"),
        ("create-topic", {"topic": "t", "partitions": "x", "replication_factor": "1"}, "no whole"),
        ("create-topic", {"topic": "t", "partitions": "1"}, "is empty, and needed"),
        ("create-topic", {"topic": "t", **COUNTS, "configs": "retention"}, "is not key=value"),
        ("create-topic", {"topic": "t", **COUNTS, "configs": "no.such=1"}, "no.such"),
        ("create-topic", {"topic": "t", "partitions": "1", "replication_factor": "9"}, "9"),
        ("add-partitions", {"topics": "not-there", "partitions": "3"}, "not-there"),
        ("delete-topics", {"topics": ""}, "is empty, and needed"),
        ("delete-topics", {"topics": "*"}, "illegal"),
        ("change-configs", {"kind": "topics", "names": "x"}, "so is what is to be removed"),
        ("change-configs", {"kind": "rooms", "add": "a=b"}, "is none of"),
        ("change-configs", {"kind": "users", "names": "u", "add": "SCRAM-SHA-256=x"}, "typed"),
        ("change-configs", {"kind": "brokers", "add": "ssl.key.password=x"}, "may be a secret"),
        ("change-acls", {"action": "add", "kind": "topic", "names": "t", "pattern": "literal",
                         "principals": "ann", "permission": "allow"}, "is no principal"),
        ("elect-leaders", {"kind": "preferred", "topic": "", "partitions": "1"}, "is needed"),
        ("reset-offsets", {"group": "g", "to": "shift", "value": "x"}, "no number of records"),
        ("reset-offsets", {"group": "g", "to": "offset", "value": "-1"}, "is not from 0"),
        ("delete-groups", {"groups": "no-such-group"}, "no-such-group"),
        ("delete-groups", {"groups": "no-such-*"}, "no-such-*"),
        ("plan-moves", {"goal": "drain"}, "Goal drain needs Brokers"),
        ("plan-moves", {"goal": "drain", "brokers": "a"}, "no number"),
        ("redirect-run", {"run": "20200101-000000-0000", "goal": "cancel"}, "20200101"),
        ("release-throttles", {"brokers": "99"}, "99"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_meant_is_shown_again(
    ann: Browser, action: str, fields: dict[str, str], problem: str
) -> None:
    answer = ann.plan(action, **fields)

    assert answer.status_code in (400, 404, 409), answer.text
    assert problem in text_of(answer.text)
    assert "<script>" not in answer.text
    assert 'role="alert"' in answer.text
    for value in fields.values():
        assert value in unescape(answer.text)


def test_unclean_leaders_need_another_role_than_preferred_ones(
    page: Page, one_broker: OneBroker, name: str
) -> None:
    made(one_broker, name)
    answer = page.browser("oscar").plan("elect-leaders", kind="unclean", topic=name)

    assert 403 == answer.status_code
    assert "needs the role admin on one; oscar has operate" in answer.text


def test_a_plan_is_only_its_owners(
    page: Page, ann: Browser, one_broker: OneBroker, name: str
) -> None:
    shown = ann.plan("create-topic", topic=name, **COUNTS)
    other = page.browser("ann")
    path = shown.url.path

    for answer in (
        other.get(path),
        other.client.post(path, data={"csrf": other.csrf("/clusters/one/actions/create-topic")}),
        ann.get(f"{path}x"),
        ann.get(f"{path}/rollback"),
        ann.get("/clusters/one/changes/..%2F..%2Fetc"),
    ):
        assert 404 == answer.status_code
    no_token = ann.client.post(path, data={"csrf": "guessed"})
    assert 403 == no_token.status_code
    assert name not in topics(one_broker)
    assert shown.url.path in ann.get("/clusters/one/changes").text


def test_a_plan_that_is_too_old_is_not_confirmed(
    page: Page, ann: Browser, one_broker: OneBroker, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = ann.plan("create-topic", topic=name, **COUNTS)
    csrf = ann.csrf(shown.url.path)
    now_s = page.serving.changes.now_s()
    monkeypatch.setattr(page.serving.changes, "now_s", lambda: now_s + 2 * AGE_S_MAX)

    answer = ann.client.post(shown.url.path, data={"csrf": csrf})
    assert 404 == answer.status_code
    assert name not in topics(one_broker)
