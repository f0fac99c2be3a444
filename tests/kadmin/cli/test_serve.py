"""`kadmin serve`: which options go together, and what is served at the end?"""

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from kadmin.cli.serve import serving_of
from kadmin.errors import ExitCode
from kadmin.web.access import Access, TokenFile
from kadmin.web.tokens import make_token_file
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S

BROKERS = ("--bootstrap-server", "127.0.0.1:1")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--tls-cert", "setup.cfg"), "--tls-cert"),
        (("--listen", "0.0.0.0:8090"), "0.0.0.0 can be reached from elsewhere"),
        (("--listen", "kafka.example.com:8090"), "can be reached from elsewhere"),
        (("--listen", "8090"), "'8090' is not HOST:PORT"),
        (("--listen", "127.0.0.1:70000"), "is not HOST:PORT"),
        (("--auth-header", "X-Remote-User"), "--auth-header needs --trusted-proxy"),
        (("--trusted-proxy", "proxy.example.com"), "'proxy.example.com' is no IP address"),
        (("--url", "kafka.example.com"), "is not http://HOST[:PORT]"),
        (("--url", "https://kafka.example.com/page"), "is not http://HOST[:PORT]"),
        (("--url", "https://kafka.example.com:x"), "is not http://HOST[:PORT]"),
        (("--url", "https://ann@kafka.example.com"), "is not http://HOST[:PORT]"),
        (("--cluster", "nowhere"), "both name a cluster"),
        (("--prometheus-url", "1=ftp://kafka-1"), "ftp://kafka-1"),
        (
            ("--cluster", "a", "--cluster", "b", "--jolokia-url", "1=http://kafka-1:8778"),
            "are for one --cluster alone",
        ),
    ],
)
def test_options_that_make_no_page_are_refused(
    home: Path, options: tuple[str, ...], problem: str
) -> None:
    run = kadmin("serve", *BROKERS, *options)

    assert ExitCode.USAGE == run.exit_code
    assert problem in run.stderr


def test_a_token_file_that_others_read_is_refused_before_anything_is_served(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tokens"
    path.write_text("ann admin a-token-of-many-characters\n")
    path.chmod(0o644)

    run = kadmin("serve", *BROKERS, "--token-file", str(path))

    assert (ExitCode.USAGE, True) == (run.exit_code, f"chmod 600 {path}" in run.stderr)
    assert "log in with" not in run.stderr


def test_a_certificate_that_cannot_be_used_is_refused_before_anything_is_said_to_be_served(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tokens"
    make_token_file(path)
    files = ("--token-file", str(path), "--tls-cert", str(path), "--tls-key", str(path))

    run = kadmin("serve", *BROKERS, "--listen", "127.0.0.1:0", *files)

    assert (ExitCode.USAGE, "") == (run.exit_code, run.stdout)
    assert f"cannot serve by TLS with {path}" in run.stderr
    assert "serving" not in run.stderr


def test_clusters_are_named_more_than_once_and_an_unknown_one_is_refused(home: Path) -> None:
    done("config", "add", "east", "--zookeeper", "127.0.0.1:1")

    run = kadmin("serve", "--cluster", "east", "--name", "nowhere")

    assert ExitCode.USAGE == run.exit_code
    assert "there is no cluster 'nowhere'" in run.stderr


@pytest.mark.parametrize(
    ("listen", "url", "name", "origin"),
    [
        ("0.0.0.0", None, "127.0.0.1", "http://127.0.0.1:8090"),
        ("::", None, "::1", "http://[::1]:8090"),
        ("127.0.0.1", "https://Kafka.Example.com:443/", "kafka.example.com", None),
        ("127.0.0.1", "https://kafka.example.com:8443", "kafka.example.com", None),
        ("127.0.0.1", "http://[2001:db8::1]:80", "2001:db8::1", "http://[2001:db8::1]"),
    ],
)
def test_the_address_that_is_shown_is_served(
    tmp_path: Path, listen: str, url: str | None, name: str, origin: str | None
) -> None:
    make_token_file(tmp_path / "tokens")
    options = {
        "listen": (listen, 8090),
        "urls": () if url is None else (url,),
        "tls_cert": None,
        "timeline": None,
        "write": False,
        "audit_file": None,
    }

    served = serving_of({}, Access(file=TokenFile(tmp_path / "tokens")), options, 8090)

    assert name in served.hosts
    expected = origin or (url or "").lower().removesuffix("/").removesuffix(":443")
    assert expected in served.origins


@pytest.mark.sockets
@pytest.mark.faults
def test_it_makes_its_token_file_serves_and_ends_by_a_signal(tmp_path: Path, home: Path) -> None:
    tokens = tmp_path / "tokens"
    words = ("serve", *BROKERS, "--listen", "127.0.0.1:0", "--token-file", str(tokens))
    watch(tmp_path)
    with (tmp_path / "stderr").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "kadmin", *words, "--timeout", "1"],
            cwd=CHECKOUT,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stderr is not None
            lines = iter(process.stderr.readline, "")
            seen = []
            for line in lines:
                seen.append(line)
                log.write(line)
                if line.startswith("serving"):
                    break
            address = seen[-1].split()[-1]
            token = tokens.read_text().split()[-1]
            headers = {"Authorization": f"Bearer {token}"}
            answer = httpx.get(f"{address}api/v1/clusters", headers=headers, timeout=OUTER_LIMIT_S)
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=OUTER_LIMIT_S)[1]

    assert 200 == answer.status_code
    assert ["127.0.0.1:1"] == [each["name"] for each in answer.json()["clusters"]]
    assert f"made {tokens}, which has the token to log in with\n" in seen
    assert token not in "".join(seen) + rest
    assert ExitCode.INTERRUPTED == process.returncode
