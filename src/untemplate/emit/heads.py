"""What a tree begins with, as literal texts: how free text before it is told where to end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from untemplate.lower.text_rules import EDGE
from untemplate.peg.nodes import Choice, End, Literal, Node, Peek, Ref, Repeat, Sequence, Space

_DEEPEST = 40
Items = tuple[Node, ...]
Head = tuple[str | None, Items]
"""A literal text and what follows it. ``None``: something else than a literal begins here, or nothing is left."""


def heads(items: Items, rules: Mapping[str, Node], depth: int = 0, *, laid_out: bool = False) -> list[Head]:
    """Return the ways in which ``items`` may begin; white space of layout before a literal is left out.

    A way with ``None`` holds what stands there; an empty one is the end. The tree is one that ``settle`` made.

    Args:
        laid_out: literals come with that white space, too.
    """
    if not items:
        return [(None, ())]
    first, rest = items[0], items[1:]
    if depth > _DEEPEST:
        return [(None, items)]
    match first:
        case Literal(text=""):
            return heads(rest, rules, depth + 1, laid_out=laid_out)
        case Literal(text=text):
            while rest and isinstance(rest[0], Literal):
                text += rest[0].text
                rest = rest[1:]
            return [(text, rest)]
        case Sequence(items=inner):
            return heads((*inner, *rest), rules, depth + 1, laid_out=laid_out)
        case Space(written=white):
            found = heads(rest, rules, depth + 1, laid_out=laid_out)
            return [*((white + text, after) for text, after in found if text is not None and white and laid_out), *found]
        case End():
            return [(None, ())]
        case Choice(options=options):
            return [head for option in options for head in heads((option, *rest), rules, depth + 1, laid_out=laid_out)]
        case Repeat(item=inner, minimum=minimum, maximum=maximum):
            more = None if maximum is None else maximum - 1
            again = () if more == 0 else (Repeat(item=inner, minimum=max(0, minimum - 1), maximum=more),)
            ways = heads((inner, *again, *rest), rules, depth + 1, laid_out=laid_out)
            return ways if minimum else [*ways, *heads(rest, rules, depth + 1, laid_out=laid_out)]
        case Ref(name=name) if name in rules:
            return heads((rules[name], *rest), rules, depth + 1, laid_out=laid_out)
        case _:
            return [(None, items)]


def share_beginnings(ways: Iterable[Items], rules: Mapping[str, Node]) -> bool:
    """Return whether the literal that one way begins with is the beginning of another's."""
    texts = sorted({text for way in ways for text, _ in heads(way, rules) if text})
    return any(longer.startswith(text) for text, longer in pairwise(texts))


def first_texts(node: Node, rules: Mapping[str, Node], depth: int = 0) -> list[tuple[str, ...]] | None:
    """Return the literal texts that a look-ahead begins with, as chunks with free white space between; ``None``: unknown."""
    match node:
        case Literal(text=text):
            return [(text,)] if text else [()]
        case End():
            return [(EDGE,)]
        case Space():
            return [()]
        case Sequence(items=items):
            found: list[tuple[str, ...]] = [()]
            for item in items:
                texts = first_texts(item, rules, depth + 1)
                if texts is None:
                    return found if any(found) else None
                found = [(*before, *after) for before in found for after in texts]
                if len(found) > 64:
                    return None
            return found
        case Choice(options=options):
            listed = [first_texts(option, rules, depth + 1) for option in options]
            return None if None in listed else [text for texts in listed if texts is not None for text in texts]
        case Repeat(item=item, minimum=0, maximum=1):
            inner = first_texts(item, rules, depth + 1)
            return None if inner is None else [(), *inner]
        case Peek(item=item):
            return first_texts(item, rules, depth + 1)
        case Ref(name=name) if name in rules and depth < _DEEPEST:
            return first_texts(rules[name], rules, depth + 1)
        case _:
            return None
