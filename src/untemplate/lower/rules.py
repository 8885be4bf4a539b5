"""The rules of a tree under construction, equal ones made once."""

from __future__ import annotations

from untemplate.peg.builder import ArenaBuilder
from untemplate.peg.nodes import Node, Ref


class Rules(ArenaBuilder):
    """Collects rules for the arena of one turn."""

    def __init__(self) -> None:
        super().__init__()
        self._shared: dict[Node, Ref] = {}

    def share(self, wanted: str, node: Node) -> Ref:
        """Return a reference to a rule for ``node``: the same for equal nodes."""
        found = self._shared.get(node)
        if found is None:
            found = self._shared[node] = self.add(wanted, node)
        return found
