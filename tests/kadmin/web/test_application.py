"""The application without a cluster: who gets in, and which requests go no further?"""

import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from httpx import Client

from kadmin.web.application import FIELD_COUNT_MAX
from kadmin.web.guard import BODY_SIZE_MAX
from kadmin.web.serving import CHANGE_COUNT_MAX, Serving
from tests.support.page import running_page
from tests.support.page_in_process import LINES, ORIGIN, TOKENS, bearer, client_of, serving_of
from tests.support.silent_servers import mute_server
from tests.support.waiting import wait_until

THREAD_COUNT = 41
"""More than all pages share."""
FORM = "/clusters/east/actions/create-topic"


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    return serving_of(tmp_path)


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    client = client_of(serving)
    yield client
    client.close()


def log_in(client: Client, name: str = "ann") -> str:
    """Log in, and return the CSRF token of a form."""
    answer = client.post("/login", data={"token": TOKENS[name], "to": "/"})
    assert 303 == answer.status_code
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/").text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/", "/login?to=%2F"),
        (
            "/clusters/east/topics?sort=-size",
            "/login?to=%2Fclusters%2Feast%2Ftopics%3Fsort%3D-size",
        ),
    ],
)
def test_a_page_leads_to_the_login_and_back(client: Client, path: str, to: str) -> None:
    answer = client.get(path)
    back = client.post("/login", data={"token": TOKENS["ann"], "to": path})

    assert (303, to) == (answer.status_code, answer.headers["location"])
    assert (303, path) == (back.status_code, back.headers["location"])


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "/\r\nX: 1", ""]
)
def test_the_login_leads_nowhere_else(client: Client, to: str) -> None:
    answer = client.post("/login", data={"token": TOKENS["ann"], "to": to})

    assert "/" == answer.headers["location"]


def test_the_cookie_is_for_this_page_alone(tmp_path: Path) -> None:
    cookies = []
    for is_secure, at in ((False, ORIGIN), (True, "https://testserver")):
        client = client_of(serving_of(tmp_path, is_secure=is_secure), at=at)
        answer = client.post("/login", data={"token": TOKENS["ann"]})
        cookies.append(re.sub("=[^;]+;", "=…;", answer.headers["set-cookie"], count=1))

    plain = "kadmin_session=…; HttpOnly; Max-Age=86400; Path=/; SameSite=strict"
    assert [plain, f"__Host-{plain}; Secure"] == cookies


def test_a_wrong_token_gets_no_cookie_and_has_to_wait_after_some(client: Client) -> None:
    old = {"Authorization": "Bearer old"}
    again = [client.get("/api/v1/clusters", headers=old) for _ in range(9)]
    answers = [client.post("/login", data={"token": f"wrong {number}"}) for number in range(5)]
    right = client.post("/login", data={"token": TOKENS["ann"]})
    by_api = client.get("/api/v1/clusters", headers=bearer("ann"))

    assert [401] * 9 == [each.status_code for each in again]
    assert [401] * 4 + [429] == [each.status_code for each in answers]
    assert [429, 429] == [right.status_code, by_api.status_code]
    assert "set-cookie" not in right.headers
    assert int(right.headers["retry-after"]) >= 1


def test_another_address_does_not_wait_for_those_that_fail(
    serving: Serving, client: Client
) -> None:
    for _ in range(6):
        client.post("/login", data={"token": "wrong"})

    assert log_in(client_of(serving, address="10.0.0.2"))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic YW5uOmFubg=="},
        {"X-Remote-User": "pat"},
        {"Cookie": "kadmin_session=wrong"},
    ],
)
def test_the_api_asks_for_a_token(client: Client, headers: dict[str, str]) -> None:
    answer = client.get("/api/v1/clusters", headers=headers)

    assert 401 == answer.status_code
    assert "application/problem+json" == answer.headers["content-type"]
    assert "Bearer" == answer.headers["www-authenticate"]


def test_a_token_shows_the_clusters_that_it_is_for(client: Client) -> None:
    def seen(name: str) -> list[str]:
        body = client.get("/api/v1/clusters", headers=bearer(name)).json()
        return [each["name"] for each in body["clusters"]]

    assert ["east", "west"] == seen("ann")
    assert ["west"] == seen("wes")
    hidden = client.get("/clusters/east/topics", headers=bearer("wes"))
    missing = client.get("/clusters/none/topics", headers=bearer("wes"))
    assert (404, 404) == (hidden.status_code, missing.status_code)
    texts = [re.sub(r"data-now=.\d+|east|none", "", each.text) for each in (hidden, missing)]
    assert texts[0] == texts[1]


def test_a_cluster_that_was_not_read_yet_is_no_fault(client: Client) -> None:
    log_in(client)

    assert 200 == client.get("/").status_code
    for page in ("", "/brokers", "/topics", "/moves"):
        answer = client.get(f"/clusters/east{page}")
        assert (503, True) == (answer.status_code, "has not been read yet" in answer.text)
        assert 'data-news="/clusters/east/news"' in answer.text
        assert 'http-equiv="refresh"' in answer.text
    for page in ("/groups", "/configs", "/acls", "/audit"):
        assert 200 == client.get(f"/clusters/east{page}").status_code


def test_a_logout_ends_the_session_for_its_form_alone(client: Client) -> None:
    csrf = log_in(client)
    cookie = client.cookies["kadmin_session"]

    client.post("/logout", data={"csrf": "wrong"})
    still = client.get("/").status_code
    client.post("/logout", data={"csrf": csrf})
    client.cookies.set("kadmin_session", cookie)

    assert (200, 303) == (still, client.get("/").status_code)


def test_a_token_that_is_taken_out_ends_its_sessions(serving: Serving, client: Client) -> None:
    log_in(client)
    path = serving.access.file.path

    path.write_text(LINES.replace(TOKENS["ann"], "ann-has-quite-another-token"))
    changed = client.get("/").status_code
    path.write_text("no line of use")
    answer = client.get("/api/v1/clusters", headers=bearer("rita"))

    assert (303, 401) == (changed, answer.status_code)


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("10.0.0.9", {"X-Remote-User": "pat"}, 200),
        ("10.0.0.9", {"X-Remote-User": "eve"}, 303),
        ("10.0.0.9", {}, 303),
        ("10.0.0.1", {"X-Remote-User": "pat"}, 303),
    ],
)
def test_only_the_trusted_proxy_names_visitors(
    serving: Serving, address: str, headers: dict[str, str], status: int
) -> None:
    assert status == client_of(serving, address=address).get("/", headers=headers).status_code


def test_a_visitor_whom_the_proxy_no_longer_names_has_no_session(serving: Serving) -> None:
    client = client_of(serving, address="10.0.0.9")
    named = client.get("/", headers={"X-Remote-User": "pat"})

    assert [200, 303] == [named.status_code, client.get("/").status_code]


def test_a_proxy_that_asks_for_a_password_names_visitors(serving: Serving) -> None:
    client = client_of(serving, address="10.0.0.9")
    headers = {"Authorization": "Basic cGF0OnBhdA==", "X-Remote-User": "pat"}

    by_proxy = client.get("/", headers=headers)
    by_token = client.get("/api/v1/clusters/east/audit", headers=headers | bearer("rita"))
    unnamed = client.get("/api/v1/clusters", headers={"Authorization": headers["Authorization"]})

    assert [200, 404, 401] == [each.status_code for each in (by_proxy, by_token, unnamed)]


def test_names_and_tokens_may_have_any_letters(serving: Serving) -> None:
    path = serving.access.file.path
    path.write_text(f"jürgen read {'ü' * 20}\nzoë read -\n")

    answers = [
        client_of(serving).get("/", headers={b"Authorization": f"Bearer {'ü' * 20}".encode()}),
        client_of(serving).post("/login", data={"token": "ü" * 20}),
        client_of(serving, address="10.0.0.9").get("/", headers={b"X-Remote-User": "zoë".encode()}),
    ]

    assert [200, 303, 200] == [each.status_code for each in answers]


def test_a_new_login_ends_the_session_before_it(client: Client) -> None:
    log_in(client)
    cookie = client.cookies["kadmin_session"]

    log_in(client, "rita")
    client.cookies.clear()
    client.cookies.set("kadmin_session", cookie)

    assert 303 == client.get("/").status_code


def test_a_token_file_that_is_mended_is_read_again(serving: Serving, client: Client) -> None:
    path = serving.access.file.path
    found = []
    for mode in (0o644, 0o600, 0o644):
        path.chmod(mode)
        found.append(client.get("/api/v1/clusters", headers=bearer("ann")).status_code)

    assert [401, 200, 401] == found


def test_two_names_of_a_visitor_are_none(serving: Serving) -> None:
    client = client_of(serving, address="10.0.0.9")

    answer = client.get("/", headers=[("X-Remote-User", "pat"), ("X-Remote-User", "ann")])

    assert 303 == answer.status_code


@pytest.mark.parametrize(
    "forwarded",
    [
        ["10.7.7.7"],
        ["1.1.1.1, 10.7.7.7"],
        ["10.7.7.7, 10.7.7.7"],
        ["spoofed, 10.7.7.7"],
        ["1.1.1.1", "10.7.7.7"],
        ["1.1.1.1, 10.7.7.7", "10.0.0.9"],
        ["1.1.1.1,::ffff:10.7.7.7, 10.0.0.9"],
    ],
)
def test_attempts_are_counted_by_the_address_that_the_proxy_saw(
    serving: Serving, forwarded: list[str]
) -> None:
    client = client_of(serving, address="::ffff:10.0.0.9")

    headers = [("X-Forwarded-For", each) for each in forwarded]
    client.post("/login", data={"token": "wrong"}, headers=headers)

    assert {"10.7.7.7"} == serving.access.attempts._by_address.keys()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8090"}, 421),
        ({"Host": "testserver.evil.example"}, 421),
        ({"Host": "[::1"}, 421),
        ({"Host": "evil.example@testserver"}, 421),
        ({"Host": "evil.example\\@testserver"}, 421),
        ({"Host": "testserver/evil"}, 421),
        ({"Host": "testserver."}, 421),
        ({"Host": "testserver:80:80"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "TESTSERVER:8090"}, 200),
    ],
)
def test_only_hosts_that_are_served_are_answered(
    client: Client, headers: dict[str, str], status: int
) -> None:
    assert status == client.get("/login", headers=headers).status_code


@pytest.mark.parametrize(
    ("origin", "status"),
    [(ORIGIN, 303), ("https://evil.example", 403), ("null", 403), ("http://testserver.evil", 403)],
)
def test_forms_of_other_pages_are_refused(client: Client, origin: str, status: int) -> None:
    answer = client.post("/login", data={"token": TOKENS["ann"]}, headers={"Origin": origin})

    assert status == answer.status_code


@pytest.mark.parametrize("path", ["/", "/login", "/static/page.css", "/none", "/api/v1/clusters"])
def test_every_answer_has_the_headers_that_protect_it(client: Client, path: str) -> None:
    headers = client.get(path).headers

    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert ("nosniff", "same-origin") == (
        headers["x-content-type-options"],
        headers["referrer-policy"],
    )


@pytest.mark.sockets
def test_a_stream_ends_when_its_visitor_is_not_known_any_more(serving: Serving) -> None:
    headers = {"Host": "testserver", **bearer("ann")}
    east = serving.clusters["east"]

    with (
        running_page(serving) as page,
        page.base.stream("GET", "/clusters/east/news", headers=headers) as stream,
    ):
        lines = stream.iter_lines()
        first = [next(lines) for _ in range(3)]
        serving.access.file.path.write_text(LINES.replace(TOKENS["ann"], "x" * 30))
        east.announce(east.looks.reading)
        rest = list(lines)

    assert "event: look" == first[2]
    assert len(rest) < 10


@pytest.mark.sockets
def test_a_body_that_is_too_large_or_cut_off_is_no_fault(
    serving: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {"Host": "testserver", **bearer("ann")}
    begun = b"POST /login HTTP/1.1\r\nHost: testserver\r\nContent-Length: 9\r\n\r\n"

    with running_page(serving) as page:
        chunks = iter([b"x" * BODY_SIZE_MAX, b"x"])
        large = page.base.post(FORM, content=chunks, headers=headers)
        with socket.create_connection(("127.0.0.1", page.base.base_url.port or 0)) as client:
            client.sendall(begun)
            client.shutdown(socket.SHUT_WR)
            client.recv(1)

    assert 413 == large.status_code
    assert "Exception" not in caplog.text


@pytest.mark.clients
def test_forms_that_wait_for_a_cluster_leave_pages_to_others(serving: Serving) -> None:
    east = serving.clusters["east"]
    headers = {"Host": "testserver", **bearer("ann")}

    with ExitStack() as stack:
        page = stack.enter_context(running_page(serving))

        def send() -> None:
            page.base.post(
                "/clusters/east/actions/delete-topics", data={"topics": "t"}, headers=headers
            )

        with mute_server() as address:
            east.flags["bootstrap_server"] = address
            for _ in range(THREAD_COUNT):
                thread = threading.Thread(target=send)
                thread.start()
                stack.callback(thread.join)
            waiting = THREAD_COUNT - CHANGE_COUNT_MAX
            wait_until(
                lambda: serving.limiter_of(east).statistics().tasks_waiting == waiting,
                what="the forms",
            )

            assert 200 == page.base.get("/", headers=headers).status_code


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", "GET, HEAD"),
        ("/static/page.css", "GET, HEAD"),
        ("/clusters/east/actions/create-topic", "GET, HEAD, POST"),
        ("/logout", "POST"),
        ("/api/v1/clusters/east/topics", "GET, HEAD"),
    ],
)
def test_other_methods_are_refused(client: Client, method: str, path: str, allowed: str) -> None:
    answer = client.request(method, path)

    assert (405, allowed) == (answer.status_code, answer.headers["Allow"])
    assert path.startswith("/api/") == ("problem+json" in answer.headers["content-type"])


def test_a_form_has_to_be_of_this_session(client: Client, serving: Serving) -> None:
    csrf = log_in(client)
    other = log_in(client_of(serving))
    fields = {"topic": "t", "partitions": "1", "replication_factor": "1"}

    tried: list[Mapping[str, str]] = [{}, {"csrf": ""}, {"csrf": other}, {"csrf": csrf + "x"}]
    refused = [client.post(FORM, data={**fields, **each}).status_code for each in tried]

    assert [403] * 4 == refused
    assert serving.audit is not None
    noted = serving.audit.latest(10)
    assert [("refused", "ann", f"POST {FORM}", "10.0.0.1")] * 4 == [
        (each["stage"], each["who"], each["action"], each["from"]) for each in noted
    ]


@pytest.mark.parametrize("name", ["rita", "wes"])
def test_a_role_that_is_too_small_is_refused_and_noted(
    client: Client, serving: Serving, name: str
) -> None:
    seen = client.get(FORM, headers=bearer(name)).status_code
    sent = client.post(FORM, data={"topic": "t"}, headers=bearer(name)).status_code

    assert {"rita": (403, 403), "wes": (404, 404)}[name] == (seen, sent)
    assert serving.audit is not None
    assert 2 == len(serving.audit.latest(10))


def test_a_page_that_only_reads_refuses_every_change(tmp_path: Path) -> None:
    client = client_of(serving_of(tmp_path, writes=False))
    csrf = log_in(client)

    answer = client.post(FORM, data={"csrf": csrf, "topic": "t"})

    assert (403, True) == (answer.status_code, "kadmin serve --write" in answer.text)


def test_too_much_is_refused(client: Client) -> None:
    csrf = log_in(client)
    sent = [
        client.post(FORM, content=b"x" * (BODY_SIZE_MAX + 1)),
        client.post(FORM, content=iter([b"x" * BODY_SIZE_MAX, b"x"])),
        client.post(FORM, data={"csrf": csrf, "f": ["x"] * (FIELD_COUNT_MAX + 1)}),
        client.post(FORM, json={"csrf": csrf}),
        client.post(FORM, headers={"Content-Length": "-1"}, content=b""),
    ]

    assert [413, 413, 400, 415, 413] == [each.status_code for each in sent]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/static/../tokens.py", 404),
        ("/static/%2e%2e/tokens.py", 404),
        ("/static/", 404),
        ("/clusters/east/%3Cscript%3E", 404),
        ("/clusters/east/groups?page=0", 400),
        ("/clusters/east/groups?sort=%3Cscript%3E", 400),
        ("/timeline", 404),
    ],
)
def test_odd_addresses_are_answered_in_order(client: Client, path: str, status: int) -> None:
    log_in(client)
    answer = client.get(path)

    assert status == answer.status_code
    assert "<script>" not in answer.text


def test_the_theme_is_kept_and_nothing_else(client: Client) -> None:
    for theme, shown in (("dark", "dark"), ('"><script>', "dark"), ("light", "light")):
        answer = client.post("/theme", data={"theme": theme, "to": "//evil"})

        assert "/" == answer.headers["location"]
        assert f'data-theme="{shown}"' in client.get("/login").text


def test_the_timeline_of_an_incident_cannot_reach_the_page(
    serving: Serving, client: Client, tmp_path: Path
) -> None:
    serving.timeline = tmp_path / "timeline.html"
    serving.timeline.write_text("<script>1</script>")
    log_in(client)

    policy = client.get("/timeline").headers["content-security-policy"]

    assert policy.startswith("sandbox allow-scripts; default-src 'none';")


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/clusters/east/", "/clusters/east"),
        ("/clusters/east/topics/", "/clusters/east/topics"),
        ("/clusters/east/topics/?sort=-size", "/clusters/east/topics?sort=-size"),
        ("/api/v1/clusters/", "/api/v1/clusters"),
    ],
    ids=["cluster", "topics", "query", "api"],
)
def test_a_slash_too_many_leads_to_the_address_without_it_by_the_visitors_scheme(
    client: Client, path: str, to: str
) -> None:
    answer = client.get(path, headers=bearer("ann"))

    assert (307, to) == (answer.status_code, answer.headers["location"])


@pytest.mark.parametrize("path", ["//evil.example/", "/none/", "//"])
def test_a_slash_too_many_leads_to_no_other_page(client: Client, path: str) -> None:
    assert 404 == client.get(f"{client.base_url}{path}", headers=bearer("ann")).status_code
