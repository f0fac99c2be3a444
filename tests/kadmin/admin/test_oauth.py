"""Tokens for brokers, of a server that speaks as an authorization server does."""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import pytest

from kadmin.admin.oauth import TokenDenied, Tokens
from kadmin.errors import UnreachableError, UsageError
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import BrokerSasl, Secret

pytestmark = pytest.mark.sockets

Answer = tuple[int, dict[str, str], bytes]


def settings(url: str, **others: Any) -> BrokerSettings:
    return BrokerSettings(
        bootstrap="b:9092",
        timeout_s=5,
        sasl=BrokerSasl.OAUTHBEARER,
        oauth_url=url,
        user="my id",
        password=Secret("hunter:2"),
        **others,
    )


@contextmanager
def server(*answers: Answer) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The URL of a server that gives *answers* in turn, and what it was asked."""
    left, asked = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            asked.append((self.headers["Authorization"], body))
            status, headers, text = left.pop(0)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(text)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_words: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}/token?x=1", asked
        finally:
            listening.shutdown()
            thread.join()


def grant(token: str, life_s: object) -> Answer:
    return 200, {}, json.dumps({"access_token": token, "expires_in": life_s}).encode()


def test_a_token_is_asked_for_by_the_client_and_kept_while_it_is_valid() -> None:
    with server(grant("one", 5), grant("two", 3600)) as (url, asked):
        tokens = Tokens(settings(url, oauth_scope="kafka read"))
        first, second, third = tokens.token(), tokens.token(), tokens.token()

    assert ["one", "two", "two"] == [first.text, second.text, third.text]
    assert 3000 < second.ends_s - time.time() <= 3600
    (authorization, body), _ = asked
    assert "my%20id:hunter%3A2" == base64.b64decode(authorization.removeprefix("Basic ")).decode()
    assert {"grant_type": ["client_credentials"], "scope": ["kafka read"]} == parse_qs(body)
    assert "one" not in repr(first)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((401, {}, b'{"error":"invalid_client","error_description":"who?"}'), "401 .*: invalid_c"),
        ((500, {}, b"<html>"), "500 Internal Server Error"),
        ((302, {"Location": "http://127.0.0.1:1/"}, b""), "302 Found"),
        ((200, {}, b"no json"), "there is no access_token"),
        ((200, {}, b'{"access_token":"a\\u0001auth=x"}'), "there is no access_token"),
        ((200, {}, b'{"access_token":7}'), "there is no access_token"),
    ],
)
def test_a_server_that_gives_none_is_named_without_the_secret(answer: Answer, reason: str) -> None:
    with server(answer) as (url, _), pytest.raises(TokenDenied, match=reason) as denied:
        Tokens(settings(url)).token()

    told = f"{denied.value} {denied.value.hint}"
    assert "hunter" not in told
    assert "x=1" not in told


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(UnreachableError, match=r"cannot reach http://127\.0\.0\.1:1/token"):
        Tokens(settings("http://127.0.0.1:1/token")).token()


def test_a_token_may_be_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my token"
    path.write_text("abc.def.ghi\n")
    found = Tokens(settings(f"file://{str(path).replace(' ', '%20')}")).token()
    path.write_text("two words")

    assert "abc.def.ghi" == found.text
    with pytest.raises(UsageError, match="there is no token in"):
        Tokens(settings(f"file://{str(path).replace(' ', '%20')}")).token()
    with pytest.raises(UsageError, match="cannot read the token in /no/such"):
        Tokens(settings("file:///no/such")).token()


def test_an_unsecured_token_names_the_user() -> None:
    head, claims, signature = Tokens(settings("unsecured")).token().text.split(".")

    assert {"alg": "none"} == json.loads(base64.urlsafe_b64decode(head + "=="))
    assert "my id" == json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"]
    assert "" == signature
