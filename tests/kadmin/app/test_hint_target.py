"""Commands in hints: do they name the cluster, and the groups, that are meant?"""

import pytest

from kadmin.app.hint_target import with_cluster
from kadmin.settings.keys import Value

ZOOKEEPER: dict[str, Value] = {"zookeeper": "zk:2181"}
BOTH: dict[str, Value] = {**ZOOKEEPER, "bootstrap_server": "b:9092"}


@pytest.mark.parametrize(
    ("text", "flags", "expected"),
    [
        ("kadmin check", {}, "kadmin check"),
        ("kadmin check", ZOOKEEPER, "kadmin --zookeeper zk:2181 check"),
        ("kadmin throttle list", ZOOKEEPER, "kadmin --zookeeper zk:2181 throttle list"),
        ("kadmin lead /x --status", ZOOKEEPER, "kadmin --zookeeper zk:2181 lead /x --status"),
        ("kadmin snapshot save FILE", ZOOKEEPER, "kadmin --zookeeper zk:2181 snapshot save FILE"),
        ("kadmin help check", ZOOKEEPER, "kadmin help check"),
        ("kadmin collect goes on with it", ZOOKEEPER, "kadmin collect goes on with it"),
        ("kadmin check --zookeeper z", ZOOKEEPER, "kadmin check --zookeeper z"),
        (
            "see 'kadmin groups --list', then 'kadmin check'",
            ZOOKEEPER,
            "see 'kadmin --zookeeper zk:2181 groups --of-brokers --list',"
            " then 'kadmin --zookeeper zk:2181 check'",
        ),
        (
            "kadmin groups --list",
            BOTH,
            "kadmin --zookeeper zk:2181 --bootstrap-server b:9092 groups --list",
        ),
        *(
            (f"kadmin groups {words}", ZOOKEEPER, f"kadmin --zookeeper zk:2181 groups {words}")
            for words in (
                *("--in-zookeeper --list", "--list --in-zookeeper", "--list --of-brokers"),
                "migrate-offsets --from-zookeeper",
            )
        ),
        ("kadmin groups --list", {"cluster": "prod"}, "kadmin --cluster prod groups --list"),
    ],
)
def test_commands_name_what_is_meant(text: str, flags: dict[str, Value], expected: str) -> None:
    assert expected == with_cluster(text, flags)
