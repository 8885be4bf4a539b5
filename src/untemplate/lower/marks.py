"""Literal text of a spec as nodes: with free white space where layout is free, exact where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterable

from untemplate.peg import builder as b
from untemplate.peg.nodes import Choice, Literal, Node, Sequence, Space
from untemplate.spec.model import Part, Text

EMPTY: Node = Sequence(items=())
"""Matches anywhere and consumes nothing."""
NEVER: Node = Choice(options=())
"""Matches nowhere."""
SPACE: Node = Space()

_GAPS = re.compile(r"\s+|(?<=>)(?=<)|(?<=\|>)(?=[\[{])|(?<=[\]}])(?=<\|)")
_LABELS = re.compile(r"(?<=[|｜]>)(?=\w)|(?<=\w)(?=<[|｜])")
_MARKS = frozenset("<>[]{}|`｜=")
_LONGEST_TOKEN = 64
"""Characters of a special token's name."""


def any_of(*nodes: Node) -> Node:
    """Return the first of the nodes that matches, repeated literals and those that never match left out."""
    options: list[Node] = []
    known: set[Literal] = set()
    for node in nodes:
        for option in node.options if isinstance(node, Choice) else (node,):
            if isinstance(option, Literal):
                if option in known:
                    continue
                known.add(option)
            options.append(option)
    return options[0] if len(options) == 1 else Choice(options=tuple(options))


def maybe(node: Node) -> Node:
    """Return the node, or nothing where it does not match."""
    return EMPTY if node in (EMPTY, NEVER) else b.optional(node)


def many(node: Node) -> Node:
    """Return the node any number of times."""
    return EMPTY if node in (EMPTY, NEVER) else b.many(node)


def literals(texts: Iterable[str], *, emit: bool = False) -> Node:
    """Return whichever of the texts stands here, the longest first."""
    ordered = sorted({text for text in texts if text}, key=lambda text: (-len(text), text))
    return any_of(*(Literal(text=text, emit=emit) for text in ordered))


def chunks(text: str) -> tuple[str, ...]:
    """Return a text cut at its white space, between two tags, and between a special token and a bracket: white space is free there."""
    return tuple(chunk for chunk in _GAPS.split(text) if chunk)


def pieces(chunk: str) -> tuple[str, ...]:
    """Return a chunk cut between special tokens and the words that label them: some tokenizers write white space there."""
    return tuple(_LABELS.split(chunk))


def special_token(*frames: tuple[str, str]) -> Node:
    """Return a special token of any name between the marks of one of the frames; bounded, because what waits for its end must be."""
    name = b.chars("^<>|｜ \t\r\n", 1, _LONGEST_TOKEN, emit=False)
    return any_of(*(b.seq(b.lit(start), name, b.lit(end)) for start, end in frames))


def loose(*texts: str) -> Node:
    """Return the texts one after another, with free white space between their chunks and none at the ends."""
    nodes: list[Node] = []
    for piece in (piece for text in texts for chunk in chunks(text) for piece in pieces(chunk)):
        nodes += [SPACE, b.lit(piece)] if nodes else [b.lit(piece)]
    return b.seq(*nodes)


def spaced(node: Node) -> Node:
    """Return the node with free white space before it; nothing for nothing."""
    return node if node in (EMPTY, NEVER) else b.seq(SPACE, node)


def longest_prefix(text: str, *, emit: bool = False) -> Node:
    """Return the longest beginning of a text that stands here, maybe none of it."""
    node = EMPTY
    for character in reversed(text):
        node = maybe(b.seq(Literal(text=character, emit=emit), node))
    return node


def is_marker(text: str) -> bool:
    """Return whether a text is a marker by itself, which prose does not hold by chance."""
    return len(text) > 2 and any(character in _MARKS for character in text)


def white_before(text: str) -> str:
    """Return the white space that a text begins with."""
    return text[: len(text) - len(text.lstrip())]


def white_after(text: str) -> str:
    """Return the white space that a text ends with; none where it is nothing else."""
    return text[len(text.rstrip()) :] if text.strip() else ""


def next_chunk(parts: tuple[Part, ...], index: int) -> str:
    """Return the first chunk of the text that follows the part at ``index``; ``""`` where none does."""
    return next((chunks(part.text)[0] for part in parts[index + 1 :] if isinstance(part, Text) and part.text.strip()), "")
