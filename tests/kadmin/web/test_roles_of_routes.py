"""Who may ask for which route: every role, each address of pages, API and actions."""

from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Final

import pytest
from httpx import Client
from starlette.responses import Response

from kadmin.web import application
from kadmin.web.access import COOKIE
from kadmin.web.route import Route
from kadmin.web.routes import ROUTES
from kadmin.web.serving import Serving
from tests.support.page_in_process import TOKENS, bearer, client_of, serving_of

OK, SEE_OTHER = HTTPStatus.NO_CONTENT, HTTPStatus.SEE_OTHER
UNKNOWN, FORBIDDEN, HIDDEN = HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND

OPERATE: Final = {
    *("create-topic", "add-partitions", "elect-leaders", "plan-moves", "redirect-run"),
    *("reset-offsets", "release-throttles"),
}
ADMIN: Final = {"delete-topics", "delete-groups", "change-configs", "change-acls"}
"""What docs/page.md promises, and not what the routes say of themselves."""

Asked = tuple[str, str]
"""A method and a path."""


def refused(asked: Asked) -> set[str]:
    """Return which visitors with a token may not ask it of the cluster east."""
    words = asked[1].split("/")
    if "actions" in words:
        (action,) = words[words.index("actions") + 1 :]
        assert action in OPERATE | ADMIN, f"give {action} a role in this test and in docs/page.md"
        return {"rita", "wes"} if action in OPERATE else {"rita", "oscar", "wes"}
    if "changes" in words:
        return {"rita", "wes"}
    return {"wes"} if "east" in words else set()


def asked(route: Route) -> Asked:
    path = route.path.replace(":path}", "}")
    names = dict.fromkeys(("broker", "topic", "group", "change"), "1")
    return route.method, path.format(cluster="east", **names)


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    return serving_of(tmp_path)


@pytest.fixture
def client(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client of all routes, which answer that they were reached and do nothing."""
    reached = [
        replace(each, answer=lambda _: Response(status_code=OK), name=f"route-{number}")
        for number, each in enumerate(ROUTES)
    ]
    monkeypatch.setattr(application, "ROUTES", reached)
    return client_of(serving)


def test_each_role_reaches_its_routes_and_no_others(client: Client) -> None:
    for each in map(asked, ROUTES):
        without = client.request(*each).status_code
        is_page = each[0] == "GET" and not each[1].startswith("/api/")
        assert (SEE_OTHER if is_page else UNKNOWN) == without, each
        for name in TOKENS:
            wanted = OK
            if name in refused(each):
                wanted = HIDDEN if name == "wes" else FORBIDDEN
            assert wanted == client.request(*each, headers=bearer(name)).status_code, (name, each)


def test_each_form_of_a_browser_has_to_be_of_its_session(client: Client, serving: Serving) -> None:
    begun = [serving.access.log_in(TOKENS["ann"]) for _ in range(2)]
    ((own_id, own), (_, other)) = (each for each in begun if each is not None)
    client.cookies.set(COOKIE, own_id)
    forms = [each for each in map(asked, ROUTES) if each[0] == "POST"]
    assert len(OPERATE | ADMIN) < len(forms)

    for method, path in forms:
        tried = [{}, *({"csrf": csrf} for csrf in ("", "guessed", other.csrf, own.csrf))]
        answers = [client.request(method, path, data=fields).status_code for fields in tried]
        assert [FORBIDDEN] * 4 + [OK] == answers, path


def test_news_are_for_those_who_see_the_cluster(client: Client) -> None:
    news = "/clusters/east/news"
    answers = [client.get(news), client.get(news, headers=bearer("wes"))]

    assert [UNKNOWN, HIDDEN] == [each.status_code for each in answers]
