import socket

import pytest

from kadmin.errors import UnreachableError, UsageError
from kadmin.jobs.spark.master_url import SMALL_BYTES, check_master, is_for_spark
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jobs.verify.run import is_without_spark


@pytest.mark.parametrize(
    ("master", "conf", "size_bytes", "expected"),
    [
        (None, {}, SMALL_BYTES, False),
        (None, {"spark.executor.memory": "1g"}, SMALL_BYTES, False),
        *((local, {}, SMALL_BYTES - 1, False) for local in ("local", "local[*]", "local[4]")),
        *((local, {}, SMALL_BYTES, True) for local in ("local", "local[*]", "local[4,2]")),
        ("local[*]", {"spark.executor.memory": "1g"}, 1, True),
        *((away, {}, 1, True) for away in ("spark://h:7077", "yarn", "k8s://h:1")),
        ("local-cluster[2,1,1024]", {}, 1, True),
    ],
)
def test_a_job_is_meant_for_spark_if_it_is_large_or_a_master_or_a_setting_says_so(
    master: str | None, conf: dict[str, str], size_bytes: int, expected: bool
) -> None:
    assert expected == is_for_spark(master, conf, size_bytes)

    request = VerifyRequest(partitions={}, master=master, conf=conf)

    assert expected == (not is_without_spark(request, size_bytes))


@pytest.mark.parametrize(
    "address", ["", "spark1", "spark1:", ":7077", "spark1:seven", "spark1:70777", "spark1:7077/"]
)
def test_a_standalone_master_without_host_and_port_is_wrong_usage(address: str) -> None:
    with pytest.raises(UsageError, match=f"'{address}' is no host and port") as caught:
        check_master(f"spark://{address}")

    assert "--master spark://spark1:7077" in str(caught.value.hint)


def test_one_of_several_masters_that_answers_is_enough() -> None:
    with socket.socket() as unused, socket.create_server(("127.0.0.1", 0)) as master:
        unused.bind(("127.0.0.1", 0))
        dead, alive = (f"127.0.0.1:{each.getsockname()[1]}" for each in (unused, master))

        check_master(f"spark://{dead},{alive}")
        with pytest.raises(UnreachableError, match=f"{dead}: connection refused"):
            check_master(f"spark://{dead}")
