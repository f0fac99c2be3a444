"""SCRAM credentials, against one that Kafka 2.8.2 made and RFC 7677's example."""

import base64

import pytest

from kadmin.plan.scram import (
    BadScramRequest,
    ScramRequest,
    credential,
    parse_scram_request,
    salted_password,
    salted_password_of,
    shown_credential,
)

MADE_BY_KAFKA = (
    "salt=ZXN6ZzB2aGswN3cwZzljMGc0N2gwZzllNA==,stored_key=kOxdGvcOsYctKhOBmDZ5uWYTUtMczZGErhzvfjW8jHU="
    ",server_key=+2gtWy1V5VqcuQCRP1X0Nr66yGGzr0d01iYPdUnNFMM=,iterations=4096"
)


def test_a_credential_is_the_one_that_kafka_makes_of_the_same_salt() -> None:
    request = parse_scram_request("SCRAM-SHA-256", "iterations=4096,password=pw")

    salt = base64.b64decode("ZXN6ZzB2aGswN3cwZzljMGc0N2gwZzllNA==")

    assert credential(request, salt) == MADE_BY_KAFKA


def test_brokers_are_told_the_salted_password_but_not_the_password() -> None:
    request = parse_scram_request("SCRAM-SHA-256", "iterations=4096,password=pencil")

    told = salted_password(request, base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ=="))

    # The example of RFC 7677 up to there.
    assert "xKSVEDI6tPlSysH6mUQZOeeOp01r6B3fcJbodRPcYV0=" == base64.b64encode(told.salted).decode()
    assert salted_password_of(told.text) == told
    assert "iterations=4096" == shown_credential(told.text)
    assert "pencil" not in told.text
    assert repr(told.salted) not in repr(told)


def test_the_stronger_mechanism_has_longer_keys() -> None:
    text = credential(parse_scram_request("SCRAM-SHA-512", "password=pw"), b"salt")
    fields = dict(field.split("=", 1) for field in text.split(","))

    assert {name: len(base64.b64decode(fields[name])) for name in ("stored_key", "server_key")} == {
        "stored_key": 64,
        "server_key": 64,
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=x", ScramRequest(mechanism="M", password="x", iterations=4096)),
        (
            "iterations=8192,password=a,b=c]",
            ScramRequest(mechanism="M", password="a,b=c]", iterations=8192),
        ),
    ],
)
def test_everything_behind_password_is_the_password(text: str, expected: ScramRequest) -> None:
    assert parse_scram_request("M", text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected iterations=NUMBER,password=TEXT"),
        ("secret", "expected iterations=NUMBER,password=TEXT"),
        ("password=", "expected iterations=NUMBER,password=TEXT"),
        ("iterations=x,password=secret", "expected iterations=NUMBER,password=TEXT"),
        ("password=secret,iterations=8192", "the iterations must stand before the password"),
        (
            "iterations=4095,password=secret",
            "Iterations 4095 is less than the minimum 4096 required for SCRAM-SHA-256",
        ),
        (
            "iterations=,password=secret",
            "Iterations 0 is less than the minimum 4096 required for SCRAM-SHA-256",
        ),
        (
            "iterations=1000001,password=secret",
            "Iterations 1000001 is more than the maximum 1000000",
        ),
    ],
)
def test_a_bad_request_is_refused_without_repeating_the_password(text: str, reason: str) -> None:
    with pytest.raises(BadScramRequest) as caught:
        parse_scram_request("SCRAM-SHA-256", text)

    assert caught.value.message == f"SCRAM-SHA-256: {reason}"
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"


def test_a_password_does_not_show_in_a_request() -> None:
    request = parse_scram_request("SCRAM-SHA-256", "password=secret")

    assert "secret" not in repr(request)


def test_of_a_stored_credential_only_the_iterations_are_shown() -> None:
    assert shown_credential(MADE_BY_KAFKA) == "iterations=4096"
    assert shown_credential("anything else") == "***"
