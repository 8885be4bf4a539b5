"""A tree with rules of its own, made once and written into any number of rule books: each book gives the rules names of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import is_

from untemplate.lower.automaton import TooLargeError
from untemplate.lower.rulebook import RuleBook
from untemplate.peg.nodes import Choice, Node, Ref, Repeat, Sequence

_HINT = "part"


@dataclass(frozen=True, slots=True)
class Fragment:
    """The rules of a tree in the order in which they were made, and the tree."""

    rules: tuple[tuple[str, Node], ...]
    whole: Node | None
    """``None`` where it would be too large; its rules were made until that was known."""

    def written(self, book: RuleBook, hint: str) -> Node:
        """Return the tree with its rules in a book, just as if it had been made there.

        Raises:
            TooLargeError: when the tree would be too large.
        """
        names: dict[str, Node] = {}
        for name, node in self.rules:
            names[name] = book.define(hint, _renamed(node, names))
        if self.whole is None:
            raise TooLargeError
        return _renamed(self.whole, names)


def make_fragment(make: Callable[[RuleBook, str], Node]) -> Fragment:
    """Return what ``make`` makes, as a rule, in an empty rule book with hints of the name that it is given."""
    book = RuleBook()
    try:
        whole: Node | None = book.define(_HINT, make(book, _HINT))
    except TooLargeError:
        whole = None
    return Fragment(tuple(book.rules.items()), whole)


def _renamed(node: Node, names: Mapping[str, Node]) -> Node:
    """Return a tree with the rules that it refers to under other names; all of it that refers to none is the same object."""
    match node:
        case Ref(name=name):
            return names[name]
        case Sequence(items=items):
            new = tuple([_renamed(item, names) for item in items])
            return node if all(map(is_, new, items)) else Sequence(items=new)
        case Choice(options=options):
            new = tuple([_renamed(option, names) for option in options])
            return node if all(map(is_, new, options)) else Choice(options=new)
        case Repeat(item=item):
            inner = _renamed(item, names)
            return node if inner is item else Repeat(item=inner, minimum=node.minimum, maximum=node.maximum)
        case _:
            return node
