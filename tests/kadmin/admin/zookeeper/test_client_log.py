"""Does the client's log tell what happened, and nothing that was secret?"""

import io
import logging

import pytest
from kazoo.protocol.serialization import SASL, Auth, Connect, Create, GetData, SetData, Transaction

from cluster.zkclient.multi_read import GET_DATA, MultiRead
from kadmin.admin.zookeeper.client_log import debug_handler


def logged(text: str, *arguments: object, secrets: tuple[str, ...] = ()) -> str:
    stream = io.StringIO()
    logger = logging.Logger("kazoo", logging.DEBUG)
    logger.addHandler(debug_handler(stream, secrets))
    logger.debug(text, *arguments)
    return stream.getvalue().split("kazoo: ", 1)[1].rstrip("\n")


@pytest.mark.parametrize(
    ("request_sent", "shown"),
    [
        (Auth(0, "digest", "me:swordfish"), "Auth"),
        (SASL(b"swordfish"), "SASL"),
        (Connect(0, 0, 10_000, 0, b"swordfish", False), "Connect"),
        (Create("/config/users/a", b"swordfish", [], 0), "Create /config/users/a"),
        (SetData("/config/users/a", b"swordfish", 3), "SetData /config/users/a"),
        (GetData("/config/users/a", None), "GetData /config/users/a"),
        (
            Transaction([SetData("/a", b"swordfish", 0), Create("/b", b"swordfish", [], 0)]),
            "Transaction [SetData /a, Create /b]",
        ),
        (MultiRead(GET_DATA, "/k", ["/a", "/b"]), "MultiRead [/k/a, /k/b]"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_request_is_shown_by_type_and_path_and_never_by_content(
    request_sent: object, shown: str
) -> None:
    assert f"Sending request(xid=1): {shown}" == logged(
        "Sending request(xid=%s): %s", 1, request_sent
    )


def test_answer_is_shown_by_its_size() -> None:
    answer = [(b"swordfish", None), (b"x", None), "a", "b", "c"]

    assert "got [[<9 bytes>, None], [<1 bytes>, None], a, … 5 in all]" == logged("got %s", answer)


@pytest.mark.parametrize("secret", ["swordfish", 'sw"ord', "sw'ord", "back\\slash", "schlüssel"])
@pytest.mark.parametrize("quoted", [str, repr, lambda text: repr(text.encode())])
def test_secret_is_hidden_however_python_writes_it(secret: str, quoted: type[str]) -> None:
    line = logged(f"failed with {quoted(secret)}", secrets=(secret,))

    assert "***" in line
    assert secret not in line
    assert repr(secret.encode())[2:-1] not in line


def test_secret_in_a_trace_is_hidden() -> None:
    stream = io.StringIO()
    logger = logging.Logger("kazoo", logging.DEBUG)
    logger.addHandler(debug_handler(stream, ("swordfish",)))

    try:
        raise ValueError("swordfish")
    except ValueError:
        logger.exception("failed")

    assert "ValueError: ***" in stream.getvalue()
    assert "swordfish" not in stream.getvalue()


def test_secret_that_contains_another_is_hidden_whole() -> None:
    assert "a *** b" == logged("a swordfish-2 b", secrets=("swordfish", "swordfish-2"))
