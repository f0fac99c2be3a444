"""Are librdkafka's words put as an operator's, and its settings as safe as they were meant?"""

import pytest

from kadmin.records.client import ConnectionLog, client_config, plain_text
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import BrokerSasl, Secret


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "ProduceRequest for orders [0] with 2 message(s) failed due to sequence"
            " desynchronization with broker 1 (PID{Id:15,Epoch:0}, base seq 7, last partition"
            " error NO_ERROR (actions , base seq 5..6)",
            "sequence desynchronization with broker 1",
        ),
        (
            "ProduceRequest for orders [0] with 2 message(s) failed due to unknown producer id"
            " (broker 1 PID{Id:13,Epoch:0}, base seq 5, 0 retries): unable to retry",
            "unknown producer id",
        ),
        ("Not in the range 1000..1000000000\n", "not in the range 1000..1000000000"),
        (
            "127.0.0.1:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused"
            " (after 0ms in state CONNECT)",
            "127.0.0.1:1: connection refused",
        ),
        (
            "[thrd:sasl_ssl://b1:9093/bootstrap]: sasl_ssl://b1:9093/1: SASL authentication error:"
            " Authentication failed (after 3ms in state AUTH_REQ, 1 identical error(s) suppressed)",
            "b1:9093: SASL authentication error: authentication failed",
        ),
        ("Broker: Message size too large", "message size too large"),
        ("Local: Timed out", "timed out"),
    ],
)
def test_texts_lose_the_names_of_threads_and_states(text: str, plain: str) -> None:
    assert plain == plain_text(text)


def test_security_is_what_the_settings_say() -> None:
    settings = BrokerSettings(
        bootstrap="b:9093",
        timeout_s=30,
        sasl=BrokerSasl.SCRAM_SHA_512,
        user="ann",
        password=Secret("swordfish"),
        tls=True,
        tls_ca="ca.pem",
        tls_cert="c.pem",
        tls_key="k.pem",
        tls_key_password=Secret("perch"),
        tls_verify=False,
    )

    config = client_config(settings, {"linger.ms": "1"}, ConnectionLog("b:9093"), debug=False)

    assert {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "ann",
        "sasl.password": "swordfish",
        "ssl.ca.location": "ca.pem",
        "ssl.certificate.location": "c.pem",
        "ssl.key.location": "k.pem",
        "ssl.key.password": "perch",
        "enable.ssl.certificate.verification": False,
        "linger.ms": "1",
    }.items() <= config.items()


def test_without_security_none_is_set() -> None:
    settings = BrokerSettings(bootstrap="b:9092", timeout_s=30)

    config = client_config(settings, {}, ConnectionLog("b:9092"), debug=False)

    assert config["security.protocol"] == "PLAINTEXT"
    assert [] == [name for name in config if name.startswith(("sasl", "ssl", "enable"))]
