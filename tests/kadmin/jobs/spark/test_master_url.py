import socket

import pytest

from kadmin.errors import UnreachableError, UsageError
from kadmin.jobs.spark.master_url import check_master


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
