import socket
from threading import Timer

import pytest

from kadmin.local.ports import LISTENING_PORTS, free_ports, why_blocked
from kadmin.local.server import PortBlocked, require_free_port


def test_a_port_on_which_somebody_listens_is_blocked_until_he_stops() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        assert why_blocked("127.0.0.1", port) == "address already in use"
    assert why_blocked("127.0.0.1", port) is None


def test_an_address_of_another_machine_is_blocked() -> None:
    # 192.0.2.0/24 is for documentation; no machine has such an address.
    assert why_blocked("192.0.2.1", 0) == "cannot assign requested address"


def test_free_ports_differ_and_avoid_what_is_to_be_avoided() -> None:
    avoided = set(LISTENING_PORTS[100:])

    ports = free_ports(5, "127.0.0.1", avoid=avoided)

    assert 5 == len(set(ports))
    assert set(ports) <= set(LISTENING_PORTS[:100])


def test_who_needs_a_port_waits_a_moment_for_it_and_not_for_ever() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with pytest.raises(PortBlocked, match=f"zookeeper 3 cannot listen on port {port} "):
        require_free_port("zookeeper 3", "127.0.0.1", port)
    leaving = Timer(0.2, listener.close)
    leaving.start()

    require_free_port("zookeeper 3", "127.0.0.1", port)

    leaving.join()
    assert why_blocked("127.0.0.1", port) is None
