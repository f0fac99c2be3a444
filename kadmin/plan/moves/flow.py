"""Cheapest flows through networks whose arcs cost nothing or something per unit.

The primal-dual method: the most flow along arcs of reduced cost zero, by SciPy, then dearer ones.
All numbers are whole, and equal networks have equal flows.

Source: Ford and Fulkerson, Flows in Networks, 1962; in Kafka, KIP-925 has min-cost flows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNBOUNDED: Final = 2**30
"""More than any network here carries; SciPy adds capacities in 32 bits."""

Numbers: TypeAlias = "Sequence[int] | NDArray[np.int64]"


class Network:
    """Nodes, and arcs from node to node; between two nodes at most one arc, in one direction."""

    def __init__(self) -> None:
        self.node_count = 0
        self.arc_count = 0
        self._columns: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []

    def nodes(self, count: int) -> int:
        """Add *count* nodes and return the first of them; the others follow it."""
        first = self.node_count
        self.node_count += count
        return first

    def arcs(
        self, tails: Numbers, heads: Numbers, capacities: Numbers, cost: "int | Numbers" = 0
    ) -> slice:
        """Add an arc for each of *tails*; return where its flow stands in `Flow.by_arc`."""
        assert len(tails) == len(heads) == len(capacities)
        costs = [cost] * len(tails) if isinstance(cost, int) else cost
        self._columns.append((tails, heads, capacities, costs))
        first = self.arc_count
        self.arc_count += len(tails)
        return slice(first, self.arc_count)

    def columns(self) -> "tuple[NDArray[np.int64], ...]":
        """Return tails, heads, capacities and costs of all arcs."""
        import numpy as np

        return tuple(
            np.concatenate([np.asarray(columns[each], dtype=np.int64) for columns in self._columns])
            for each in range(4)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """*value* units flow, for *cost* in all.

    *is_reached* has the nodes to which more could flow from the source: where too little flows, the
    arcs that leave them are the bottleneck.
    """

    value: int
    cost: int
    by_arc: "NDArray[np.int64]"
    is_reached: "NDArray[np.bool_]"


def cheapest_flow(network: Network, source: int, sink: int) -> Flow:
    """Return the most that flows from *source* to *sink*, of all such flows the cheapest."""
    import numpy as np

    tails, heads, capacities, costs = network.columns()
    flow = np.zeros(len(tails), dtype=np.int64)
    potentials = np.zeros(network.node_count, dtype=np.int64)
    both_tails, both_heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    both_costs = np.concatenate([costs, -costs])
    while True:
        residual = np.concatenate([capacities - flow, flow])
        reduced = both_costs + potentials[both_tails] - potentials[both_heads]
        assert not (reduced[residual > 0] < 0).any()
        is_free = (residual > 0) & (reduced == 0)
        is_reached = _reached(network, source, both_tails[is_free], both_heads[is_free])
        if is_reached[sink]:
            flow += _pushed(network, (source, sink), tails, heads, residual * is_free)
            continue
        leaving = (residual > 0) & is_reached[both_tails] & ~is_reached[both_heads]
        if not leaving.any():
            break
        potentials[~is_reached] += reduced[leaving].min()
    value = int(flow[tails == source].sum() - flow[heads == source].sum())
    cost = int((flow * costs).sum())
    return Flow(value=value, cost=cost, by_arc=flow, is_reached=is_reached)


def reaching(network: Network, flow: Flow, sink: int) -> "NDArray[np.bool_]":
    """Return the nodes from which more of *flow* could go to *sink*."""
    import numpy as np

    tails, heads, capacities, _ = network.columns()
    has_room, has_flow = flow.by_arc < capacities, flow.by_arc > 0
    before = np.concatenate([tails[has_room], heads[has_flow]])
    behind = np.concatenate([heads[has_room], tails[has_flow]])
    return _reached(network, sink, behind, before)


def _reached(
    network: Network, source: int, tails: "NDArray[np.int64]", heads: "NDArray[np.int64]"
) -> "NDArray[np.bool_]":
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    size = network.node_count
    graph = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(size, size))
    order = breadth_first_order(graph, source, return_predecessors=False)
    found = np.zeros(size, dtype=np.bool_)
    found[order] = True
    return found


def _pushed(
    network: Network,
    ends: tuple[int, int],
    tails: "NDArray[np.int64]",
    heads: "NDArray[np.int64]",
    residual: "NDArray[np.int64]",
) -> "NDArray[np.int64]":
    """Return by how much the flow of each arc grows, or shrinks, where the most flows between
    *ends* through *residual*, that of the arcs and then that against them."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    size, count = network.node_count, len(tails)
    used = np.flatnonzero(residual)
    rows = np.concatenate([tails, heads])[used]
    columns = np.concatenate([heads, tails])[used]
    graph = csr_array((residual[used].astype(np.int32), (rows, columns)), shape=(size, size))
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    found = maximum_flow(graph, *ends).flow.tocoo()
    keys = np.asarray(found.row, dtype=np.int64) * size + found.col
    order = np.argsort(keys)
    wanted = tails * size + heads
    places = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
    if not len(keys):
        return np.zeros(count, dtype=np.int64)
    at = order[places]
    return np.where(keys[at] == wanted, found.data[at].astype(np.int64), 0)
