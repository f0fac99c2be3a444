import javaproperties
import pytest

from kadmin.errors import UsageError
from kadmin.local.server_properties import (
    OWN_KEYS,
    BrokerMember,
    parse_racks,
    parse_settings,
    properties_text,
)


def properties_of(member: BrokerMember, address: str = "127.0.0.1", **settings: str) -> dict:
    """What a reader of Java's format finds in the text, which is the format's plain ASCII."""
    text = properties_text(member, address, "127.0.0.1:2181", settings)
    assert text.isascii()
    return javaproperties.loads(text)


def test_a_broker_has_its_id_rack_port_and_directories() -> None:
    found = properties_of(BrokerMember(id=3, port=9092, rack="b"), "::1")

    expected = {
        "broker.id": "3",
        "broker.rack": "b",
        "listeners": "PLAINTEXT://[::1]:9092",
        "zookeeper.connect": "127.0.0.1:2181",
        "log.dirs": "data",
        "kafka.logs.dir": "logs",
    }
    assert expected == {key: found[key] for key in expected}
    assert "broker.rack" not in properties_of(BrokerMember(id=3, port=9092))


@pytest.mark.parametrize(
    "value", [r"C:\new", " led by a blank", "ümlaut 𝄞", "a=b:c#d!", "", "a\nb"]
)
def test_whatever_stands_in_a_rack_or_setting_is_read_again_as_it_was(value: str) -> None:
    settings = parse_settings([f"some.key={value}"])

    found = properties_of(BrokerMember(id=1, port=1, rack=value), **settings)

    assert (value, value) == (found["some.key"], found["broker.rack"])


def test_settings_win_over_defaults_and_the_last_of_a_key_counts() -> None:
    key = "zookeeper.session.timeout.ms"

    found = properties_of(BrokerMember(id=1, port=1), **parse_settings([f"{key}=1", f"{key}=9000"]))

    assert "9000" == found[key]


@pytest.mark.parametrize("word", ["", "=1", "num.partitions", "a b=1", "a\n=1", "ä=1"])
def test_a_setting_of_another_form_is_wrong_usage(word: str) -> None:
    with pytest.raises(UsageError, match="it is not KEY=VALUE"):
        parse_settings([word])


@pytest.mark.parametrize("key", sorted(OWN_KEYS))
def test_what_the_cluster_decides_cannot_be_set(key: str) -> None:
    with pytest.raises(UsageError, match=f"--set {key}: this key cannot be set") as raised:
        parse_settings([f"{key}=1"])

    assert OWN_KEYS[key] == raised.value.hint


def test_racks_are_parted_by_commas() -> None:
    assert ("a", "b c", "ü") == parse_racks("a,b c,ü")


@pytest.mark.parametrize("text", ["", "a,", ",a", "a, b", "a,,b"])
def test_an_empty_rack_or_blanks_around_one_are_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError, match="it is not RACK"):
        parse_racks(text)
