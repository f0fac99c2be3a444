"""What kazoo's results mean; how real replies compare is in `tests/sim/test_zookeeper`."""

import pytest
from kazoo.exceptions import (
    AuthFailedError,
    BadVersionError,
    ConnectionLoss,
    NoAuthError,
    NodeExistsError,
    NoNodeError,
    RolledBackError,
    RuntimeInconsistency,
)

from cluster.model.ids import ZkVersion
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    Exists,
    GetChildren,
    GetData,
    Lost,
    Multi,
    MultiFailed,
    Refused,
    SingleRequest,
    ZkError,
)
from cluster.zkclient.kazoo_requests import reply_to

WRITE = Multi((Check("/fence", ZkVersion(1)), Create("/a"), Delete("/b")))
REQUESTS: tuple[SingleRequest, ...] = (Exists("/a"), GetData("/a"), GetChildren("/a"), WRITE)


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_broken_connection_is_a_lost_reply_and_a_missing_right_a_refusal(
    request_: SingleRequest,
) -> None:
    assert isinstance(reply_to(request_, ConnectionLoss()), Lost)
    assert Refused("NoAuthError") == reply_to(request_, NoAuthError())
    assert Refused("AuthFailedError") == reply_to(request_, AuthFailedError())


def test_a_mistake_is_not_taken_for_an_answer_of_zookeeper() -> None:
    with pytest.raises(TypeError):
        reply_to(WRITE, TypeError("data must be bytes"))


def test_what_is_not_there_is_nothing_to_a_read() -> None:
    assert reply_to(GetData("/a"), NoNodeError()) is None
    assert reply_to(GetChildren("/a"), NoNodeError()) is None


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([BadVersionError(), RuntimeInconsistency(), RuntimeInconsistency()], (0, "BAD_VERSION")),
        ([RolledBackError(), NodeExistsError(), RuntimeInconsistency()], (1, "NODE_EXISTS")),
        ([RolledBackError(), RolledBackError(), NoNodeError()], (2, "NO_NODE")),
    ],
)
def test_a_transaction_names_the_operation_that_stood_in_the_way(
    results: list[Exception], expected: tuple[int, str]
) -> None:
    assert MultiFailed(expected[0], ZkError[expected[1]]) == reply_to(WRITE, results)


def test_a_transaction_without_the_right_names_the_path() -> None:
    results = [RolledBackError(), NoAuthError(), RuntimeInconsistency()]

    assert Refused("/a: NoAuthError") == reply_to(WRITE, results)
