"""Is a way that is cut one that nothing goes, and is the other way still there?"""

import subprocess
import sys
from typing import Final

import pytest

from tests.faults.network import can_enter, unshare
from tests.support.checkout import CHECKOUT

PROGRAM: Final = """
import socket
from tests.faults.network import CLIENTS, Namespaces, broker, zookeeper

nodes = [CLIENTS, broker(1), broker(2), zookeeper(1)]
net = Namespaces([1, 2], [1])
sockets = {}
for node in nodes:
    if node == CLIENTS:
        sockets[node] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    else:
        with net.inside(node):
            sockets[node] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sockets[node].bind((net.address(node), 5000))
    sockets[node].setblocking(False)

def arrive():
    for source in nodes:
        for target in nodes:
            sockets[source].sendto(source.encode(), (net.address(target), 5000))
    found = set()
    for target, one in sockets.items():
        try:
            while True:
                found.add((one.recv(100).decode(), target))
        except BlockingIOError:
            pass
    return found

ways = {(source, target) for source in nodes for target in nodes}
assert arrive() == ways, sorted(ways - arrive())
cut = {(broker(1), broker(2)), (broker(2), zookeeper(1)), (CLIENTS, broker(1))}
net.cut(cut)
assert arrive() == ways - cut, sorted(ways ^ arrive())
net.heal()
assert arrive() == ways
"""


@pytest.mark.faults
@pytest.mark.skipif(not can_enter(), reason="a kernel that gives namespaces is not installed")
def test_each_way_is_cut_alone() -> None:
    done = subprocess.run(
        unshare(sys.executable, "-c", PROGRAM),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
