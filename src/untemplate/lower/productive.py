"""Rules that never come to an end: recursion that every way leads back into."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Set

from untemplate.lower.shapes import EMPTY, alt, apart, rep
from untemplate.peg.nodes import Characters, Choice, Literal, Node, Ref, Repeat, Sequence


def endless_rules(
    rules: Mapping[str, Node], known: Set[str] = frozenset(), uses: Callable[[Node], Iterable[str]] | None = None
) -> frozenset[str]:
    """Return the rules that write no finite text.

    Args:
        known: rules that do.
        uses: what a tree refers to, where that is known already: a tree all of whose rules come to an end does so too.
    """
    waiting = {name: node for name, node in rules.items() if name not in known}
    ending = set(known)
    while waiting:
        before = len(waiting)
        for name, node in list(waiting.items()):
            if (uses is not None and ending.issuperset(uses(node))) or _ends(node, ending):
                ending.add(name)
                del waiting[name]
        if len(waiting) == before:
            break
    return frozenset(waiting)


def _ends(node: Node, ending: Container[str]) -> bool:
    if isinstance(node, Literal | Characters):
        return True
    match node:
        case Ref(name=name):
            return name in ending
        case Sequence(items=items):
            return all(_ends(item, ending) for item in items)
        case Choice(options=options):
            return any(_ends(option, ending) for option in options)
        case Repeat(item=item, minimum=minimum):
            return minimum == 0 or _ends(item, ending)
        case _:
            return True


def without_endless(node: Node, endless: Container[str]) -> Node | None:
    """Return ``node`` without the ways that lead into endless rules; ``None`` when no way is left."""
    match node:
        case Ref(name=name):
            return None if name in endless else node
        case Sequence(items=items):
            kept = [without_endless(item, endless) for item in items]
            return None if None in kept else apart(*(item for item in kept if item is not None))
        case Choice(options=options):
            ways = [way for option in options if (way := without_endless(option, endless)) is not None]
            return alt(*ways) if ways else None
        case Repeat(item=item, minimum=minimum, maximum=maximum):
            one = without_endless(item, endless)
            if one is None:
                return EMPTY if minimum == 0 else None
            return rep(one, minimum, maximum)
        case _:
            return node
