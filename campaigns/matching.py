"""The matching that the engine's pairings are handed: from outside the standard library, so not the
engine's own.
"""

from collections.abc import Sequence
from typing import Any

from engine.records import ChoiceList
from engine.tournament.types import Edge


def max_weight_matching(edges: Sequence[Edge]) -> ChoiceList:
    """A matching of most pairs and, among those, of the greatest weight.

    Whole weights of any size are exact.

    Takes (one, other, weight) of each pair that may be; gives the pairs in the order of their
    edges. Time grows with the third power of the number of players.
    """
    import networkx  # here, because pages that pair nobody need not wait for it

    class Graph(networkx.Graph):
        def __getitem__(self, node: str) -> Any:
            """The plain dictionary: a view of it, made a million times in a round of 128, is a
            third of the time.
            """
            return self._adj[node]

    graph = Graph()
    graph.add_weighted_edges_from(edges)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs = {frozenset(pair) for pair in matching}
    return [edge[:2] for edge in edges if frozenset(edge[:2]) in pairs]
