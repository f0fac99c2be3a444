"""What real clusters wrote: read, and written again byte for byte.

The dumps are of Kafka 0.8.2.2 and 2.8.2 after a day of use, each line a path, its zkVersion and
its data; `2.8.2-writes` has what stood only for a while, `2.8.2-first-paths` the order in which
the first broker made its parents.  `documented` was not recorded but put together from Kafka's
documented formats, for the releases and the nodes that the dumps lack.
"""

import json
import re
from pathlib import Path

from cluster.model.ids import ZkVersion
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.topics import decode_assignment
from cluster.zk.znode import Znode
from tests.cluster.zk.codecs import codec_for

GOLDEN = Path(__file__).parent / "golden"
PARENT = re.compile(
    r"/cluster"
    r"|/brokers/topics/[^/]+/partitions(/[0-9]+)?"
    r"|/config/users/[^/]+(/clients)?"
    r"|/admin/delete_topics/[^/]+"
)


def nodes(name: str) -> list[Znode]:
    lines = (GOLDEN / f"{name}.txt").read_text().splitlines()
    parts = [line.split(" ", 2) for line in lines]
    return [
        Znode(path, None if data == "(null)" else data.encode(), ZkVersion(int(version)))
        for path, version, data in parts
    ]


def test_every_node_of_the_dumps_is_read_and_written_again_byte_for_byte() -> None:
    seen: set[str] = set()
    for node in nodes("0.8.2.2") + nodes("2.8.2") + nodes("2.8.2-writes"):
        if node.data is None:
            continue
        codec = codec_for(node.path)
        value = codec.decode(node)
        written = codec.encode(value)
        seen.add(codec.name)

        read_version = (
            value.epoch_zk_version if codec.name == "controller epoch" else value.zk_version
        )
        assert read_version == node.zk_version
        if codec.name == "assignment" and value.version == 1:
            # 0.8 writes the partitions in the order of a hash map.
            assert json.loads(written) == json.loads(node.data)
        else:
            assert written == node.data

    assert seen >= {"assignment", "state", "broker", "controller", "controller epoch", "config"}
    assert seen >= {"config change", "reassignment", "preferred election", "cluster id"}
    assert seen >= {"producer id block", "features"}


def test_nodes_without_data_are_parents_that_we_know() -> None:
    without_data = {
        node.path for name in ("0.8.2.2", "2.8.2") for node in nodes(name) if node.data is None
    }

    assert {path for path in without_data if not PARENT.fullmatch(path)} <= set(PERSISTENT_PATHS)


def test_the_first_paths_are_those_of_a_real_broker_in_its_order() -> None:
    assert PERSISTENT_PATHS == tuple((GOLDEN / "2.8.2-first-paths.txt").read_text().split())


def test_a_move_that_was_under_way_is_read_with_all_its_roles() -> None:
    moves = [
        (node.path, decode_assignment(node))
        for node in nodes("2.8.2-writes")
        if node.path.startswith("/brokers/topics/") and node.path.count("/") == 3
    ]
    path, assignment = next(move for move in moves if move[1].is_reassigning)
    partition = assignment.partitions[1]

    assert path == "/brokers/topics/t1"
    assert partition.replicas == (0, 2, 1)
    assert (partition.adding, partition.removing) == ((2,), (1,))
    assert (partition.origin, partition.target) == ((0, 1), (0, 2))


def test_documented_nodes_of_other_releases_are_written_again_byte_for_byte() -> None:
    for node in nodes("documented"):
        codec = codec_for(node.path)

        assert codec.encode(codec.decode(node)) == node.data
