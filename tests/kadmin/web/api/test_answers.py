"""The API over a broker of ours: schemas, ages, tags, pages, and what is refused."""

import json
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest
from httpx import Response

from kadmin.web.api.endpoints import ENDPOINTS, Endpoint, openapi_document
from tests.support.cli import done
from tests.support.one_broker import OneBroker
from tests.support.page import TOKENS, Page
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = [pytest.mark.zk, pytest.mark.clients, pytest.mark.xdist_group("one-broker")]

TOPIC = "asked-by-api"
GROUP = "asked by/api #1&<b>"
VALUES = {"cluster": "one", "topic": TOPIC, "group": quote(GROUP, safe="")}
ANN = {"Authorization": f"Bearer {TOKENS['ann']}"}


@pytest.fixture(scope="module")
def asked(page: Page, one_broker: OneBroker) -> Page:
    """A page that has seen topics, and a group that lags behind in one."""
    wire = ("--bootstrap-server", one_broker.broker.bootstrap)
    counts = ("--partitions", "2", "--replication-factor", "1")
    for name in (TOPIC, f"{TOPIC}-2"):
        done("topics", "--create", "--topic", name, *counts, *wire)
    spec = ("--to-earliest", "--execute", "--yes")
    done("groups", "--reset-offsets", "--group", GROUP, "--topic", TOPIC, *spec, *wire)
    cluster = page.serving.clusters["one"]
    for poll in (cluster.looks, cluster.ends, cluster.groups, cluster.looks):
        poll.wait_beyond(poll.hurry(), OUTER_LIMIT_S)
    return page


def get(page: Page, path: str, **headers: str) -> Response:
    return page.base.get(path, headers={**ANN, **headers})


def path_of(endpoint: Endpoint) -> str:
    return endpoint.documented_path.format(**VALUES)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: each.documented_path)
def test_an_answer_has_its_schema_and_a_tag(asked: Page, endpoint: Endpoint) -> None:
    answer = get(asked, path_of(endpoint))

    assert 200 == answer.status_code, answer.text
    assert "application/json" == answer.headers["content-type"]
    errors = list(jsonschema_rs.Draft202012Validator(endpoint.schema).iter_errors(answer.json()))
    assert [] == [f"{error.instance_path}: {error.message}" for error in errors]
    if endpoint.names:
        assert answer.headers["age"].isdigit()
    again = get(asked, path_of(endpoint), **{"If-None-Match": answer.headers["etag"]})
    assert (304, b"") == (again.status_code, again.content)
    other = get(asked, path_of(endpoint), **{"If-None-Match": '"other"'})
    assert 200 == other.status_code


@pytest.mark.parametrize(
    ("path", "command"),
    [
        (f"topics/{TOPIC}", ("topics", "--describe", "--topic", TOPIC)),
        ("brokers", ("brokers", "--describe")),
        ("controller", ("controller",)),
    ],
)
def test_an_answer_is_what_the_command_prints(
    asked: Page, one_broker: OneBroker, path: str, command: tuple[str, ...]
) -> None:
    printed = done(*command, "--zookeeper", one_broker.zookeeper, "--output", "json")
    answer = get(asked, f"/api/v1/clusters/one/{path}").json()

    for each in (printed_body := json.loads(printed), answer):
        for broker in each.get("brokers", []):
            if isinstance(broker, dict):  # Other tests make topics meanwhile.
                del broker["replicas"], broker["leaders"], broker["preferred_leaders"]
    assert printed_body == answer


def names(answer: Response, of: str, name: str) -> list[str]:
    return [each[name] for each in answer.json()[of]]


def test_topics_come_in_pages(asked: Page) -> None:
    path = f"/api/v1/clusters/one/topics?filter={TOPIC}&size=1"
    first = get(asked, f"{path}&sort=-topic")
    second = get(asked, f"{path}&sort=-topic&page=2")

    assert [f"{TOPIC}-2"] == names(first, "topics", "topic")
    assert 1 == first.json()["hidden_topics"]
    assert [TOPIC] == names(second, "topics", "topic")
    assert 'page=2>; rel="next"' in first.headers["link"]
    assert 'page=1>; rel="prev"' in second.headers["link"]
    assert "next" not in second.headers["link"]


def test_the_lag_of_a_group_with_any_name_is_answered(asked: Page) -> None:
    listed = get(asked, "/api/v1/clusters/one/groups?filter=asked by/")
    one = get(asked, path_of(next(each for each in ENDPOINTS if "group" in each.names)))

    assert [GROUP] == names(listed, "groups", "group")
    (group,) = one.json()["groups"]
    assert [(TOPIC, 0, 0), (TOPIC, 1, 0)] == [
        (each["topic"], each["partition"], each["current_offset"]) for each in group["partitions"]
    ]


@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("/api/v1/clusters/two", 404, "there is no cluster 'two'"),
        ("/api/v1/clusters/one/topics/none", 404, "there is no topic 'none'"),
        ("/api/v1/clusters/one/groups/none", 404, "there is no group 'none'"),
        ("/api/v1/clusters/one/rooms", 404, "there is no such page"),
        ("/api/v1/clusters/one/topics?page=0", 400, "page is '0'"),
        ("/api/v1/clusters/one/topics?size=x", 400, "size is 'x'"),
        ("/api/v1/clusters/one/groups?sort=weight", 400, "there is no column 'weight'"),
    ],
)
def test_a_failure_is_a_problem_document(asked: Page, path: str, status: int, title: str) -> None:
    answer = get(asked, path)

    assert (status, "application/problem+json") == (
        answer.status_code,
        answer.headers["content-type"],
    )
    assert title in answer.json()["title"]
    assert status == answer.json()["status"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_who_is_not_known_is_answered_nothing(asked: Page, headers: dict[str, str]) -> None:
    answer = asked.base.get("/api/v1/clusters", headers=headers)

    assert (401, "Bearer") == (answer.status_code, answer.headers["www-authenticate"])
    assert "application/problem+json" == answer.headers["content-type"]


def test_nothing_is_changed_by_the_api(asked: Page) -> None:
    answer = asked.base.post("/api/v1/clusters/one/topics", headers=ANN)

    assert 405 == answer.status_code


def test_the_document_of_the_api_names_every_address(asked: Page) -> None:
    found: dict[str, Any] = get(asked, "/api/v1/openapi.json").json()

    assert openapi_document() == found
    assert {each.documented_path for each in ENDPOINTS} == found["paths"].keys()
