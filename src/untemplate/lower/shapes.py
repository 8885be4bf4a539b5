"""Constructors that keep trees small: sequences and choices are flattened, repetitions joined, the empty text dropped."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from os.path import commonprefix

from untemplate.lower import charset
from untemplate.lower.charset import CharSet
from untemplate.peg.nodes import Characters, Choice, Literal, Node, Ref, Repeat, Sequence

_MANY = 24
"""More literal texts than these are written by their common beginnings."""
EMPTY = Sequence(items=())
"""Matches the empty text."""
_APART = frozenset({(Literal, Ref), (Ref, Literal), (Literal, Choice), (Choice, Literal), (Ref, Choice), (Choice, Ref)})
"""Neighbours of these kinds never make one node."""


def literal(text: str) -> Node:
    """Return a literal that is no event; ``EMPTY`` for no text."""
    return Literal(text=text) if text else EMPTY


def seq(*nodes: Node) -> Node:
    """Return ``nodes`` in sequence: literals are joined, equal neighbours become a repetition."""
    items: list[Node] = []
    for node in nodes:
        for item in node.items if type(node) is Sequence else (node,):
            joined = _join(items[-1], item) if items and (type(items[-1]), type(item)) not in _APART else None
            if joined is not None:
                items[-1] = joined
            else:
                items.append(item)
    return items[0] if len(items) == 1 else Sequence(items=tuple(items))


def apart(*nodes: Node) -> Node:
    """Return ``nodes`` in sequence with nothing joined: literals that stay apart are tokens of their own to an engine with a lexer."""
    items: list[Node] = []
    for node in nodes:
        if type(node) is Sequence:
            items.extend(node.items)
        else:
            items.append(node)
    return items[0] if len(items) == 1 else Sequence(items=tuple(items))


def _join(left: Node, right: Node) -> Node | None:
    if isinstance(right, Ref) and not isinstance(left, Ref | Repeat):
        return None
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(text=left.text + right.text) if not left.emit and not right.emit else None
    if isinstance(left, Literal | Sequence) and not isinstance(right, Repeat):
        return None
    left_item, left_min, left_max = _counts(left)
    right_item, right_min, right_max = _counts(right)
    if left_item != right_item:
        return None
    return rep(left_item, left_min + right_min, None if left_max is None or right_max is None else left_max + right_max)


def _counts(node: Node) -> tuple[Node, int, int | None]:
    return (node.item, node.minimum, node.maximum) if isinstance(node, Repeat) else (node, 1, 1)


def alt(*nodes: Node) -> Node:
    """Return a choice between ``nodes``, without doubles; with ``EMPTY`` among them, an optional choice."""
    options: dict[Node, None] = {}
    optional = False
    for node in nodes:
        for option in node.options if isinstance(node, Choice) else (node,):
            if option == EMPTY:
                optional = True
            else:
                options.setdefault(option)
    kept = tuple(options)
    if not kept:
        if not optional:
            raise ValueError("a choice between nothing")
        return EMPTY
    node = kept[0] if len(kept) == 1 else Choice(options=kept)
    return opt(node) if optional else node


def opt(node: Node) -> Node:
    """Return ``node`` or the empty text."""
    if node == EMPTY:
        return node
    if isinstance(node, Repeat) and node.minimum <= 1:
        return Repeat(item=node.item, minimum=0, maximum=node.maximum)
    return Repeat(item=node, minimum=0, maximum=1)


def rep(node: Node, minimum: int, maximum: int | None) -> Node:
    """Return ``node`` from ``minimum`` to ``maximum`` times."""
    if maximum == 0 or node == EMPTY:
        return EMPTY
    if minimum == maximum == 1:
        return node
    if maximum is None and minimum <= 1 and isinstance(node, Repeat) and node.maximum is None and node.minimum <= 1:
        return Repeat(item=node.item, minimum=min(minimum, node.minimum), maximum=None)
    return Repeat(item=node, minimum=minimum, maximum=maximum)


@lru_cache(maxsize=4096)
def chars(members: CharSet) -> Node:
    """Return one character of the set, as a literal where it has a single member."""
    if len(members) == 1 and members[0][0] == members[0][1]:
        return Literal(text=chr(members[0][0]))
    if members == charset.ALL:
        return Characters(ranges=(("\0", chr(charset.LAST)),), emit=False)
    inverse = charset.complement(members)
    negated = len(inverse) < len(members) and inverse[-1][1] < charset.LAST
    ranges = tuple((chr(low), chr(high)) for low, high in (inverse if negated else members))
    return Characters(ranges=ranges, negated=negated, emit=False)


def any_of(texts: Iterable[str]) -> Node:
    """Return a choice between literal texts; many are written by their common beginnings, which engines read faster."""
    listed = list(dict.fromkeys(texts))
    return alt(*map(literal, listed)) if len(listed) <= _MANY else _by_beginnings(sorted(listed))


def one_of(nodes: Iterable[Node]) -> Node:
    """Return a choice between ``nodes``, literals among them as ``any_of`` writes them."""
    listed = list(nodes)
    texts = [node.text for node in listed if isinstance(node, Literal)]
    if len(texts) <= _MANY:
        return alt(*listed)
    return alt(any_of(texts), *(node for node in listed if not isinstance(node, Literal)))


def _by_beginnings(texts: list[str]) -> Node:
    """Return a choice between sorted texts, those with a common beginning together."""
    common = commonprefix([texts[0], texts[-1]])
    rests = [text[len(common) :] for text in texts]
    groups: dict[str, list[str]] = {}
    for rest in rests:
        groups.setdefault(rest[:1], []).append(rest)
    ways = [literal(group[0]) if len(group) == 1 else _by_beginnings(group) for group in groups.values()]
    return seq(literal(common), alt(*ways))
