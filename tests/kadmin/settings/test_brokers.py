"""Is a connection to brokers never less safe than it was meant?"""

from pathlib import Path

import pytest

from kadmin.errors import UsageError
from kadmin.settings.brokers import broker_settings
from kadmin.settings.keys import BrokerSasl, Value
from kadmin.settings.resolve import resolve


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        ({"broker_sasl": "plain", "broker_password_file": "f"}, "plain needs a user"),
        ({"broker_sasl": "scram-sha-256", "broker_user": "u"}, "scram-sha-256 needs a password"),
        ({"broker_user": "u"}, r"broker_user \(--broker-user\) needs --broker-sasl"),
        ({"broker_tls_ca": "ca.pem"}, r"broker_tls_ca \(--broker-tls-ca\) needs --broker-tls"),
        ({"broker_tls_no_verify": True}, "broker_tls_no_verify .* needs --broker-tls"),
        ({"broker_tls": True, "broker_tls_key": "k"}, "broker_tls_key needs a certificate"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    flags: dict[str, Value], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        broker_settings(resolve(flags), "b:9092")


def test_password_comes_from_the_first_line_of_its_file_and_is_never_shown(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("swordfish\nsecond line\n")
    flags: dict[str, Value] = {
        "broker_sasl": "scram-sha-512",
        "broker_user": "ann",
        "broker_password_file": str(path),
        "broker_tls": True,
    }

    settings = broker_settings(resolve(flags), "b:9092")

    assert (BrokerSasl.SCRAM_SHA_512, "swordfish") == (settings.sasl, settings.password)
    assert settings.protocol == "SASL_SSL"
    assert "swordfish" not in repr(settings)


@pytest.mark.parametrize(
    ("sasl", "tls", "protocol"),
    [
        (None, False, "PLAINTEXT"),
        (None, True, "SSL"),
        ("plain", False, "SASL_PLAINTEXT"),
        ("plain", True, "SASL_SSL"),
    ],
)
def test_protocol_follows_from_tls_and_sasl(
    sasl: str | None, tls: bool, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags: dict[str, Value] = {"broker_tls": tls}
    if sasl is not None:
        monkeypatch.setenv("KADMIN_BROKER_PASSWORD", "p")
        flags |= {"broker_sasl": sasl, "broker_user": "u"}

    assert protocol == broker_settings(resolve(flags), "b:9092").protocol
