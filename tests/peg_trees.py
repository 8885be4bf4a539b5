"""Random trees, texts for them, and ways to run the machine: what the tests of the PEG floor share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from hypothesis import strategies as st

from untemplate.errors import GrammarError
from untemplate.peg import nodes
from untemplate.peg.arena import check_arena
from untemplate.peg.events import TEXT, Event, merge_text
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.machine import Machine
from untemplate.peg.nodes import Arena, Json, Node
from untemplate.peg.program import Program

LITERALS = ("a", "b", "ab", "<a>", "</a>", "<ab>", "</", "aba", '"', "``", "(", "\n")
PIECES = (*LITERALS, "<", "x", "`", "'", " ", "{", "}", "[", "]", ",", ":", "1", '"a"', "true", '{"a": ', "\\", "\\u12", "é")

texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


def feed_in(program: Program, pieces: Iterable[str]) -> tuple[Machine, list[Event]]:
    """Return the machine after all pieces and the end, and all its events with texts joined."""
    machine = Machine(program)
    events: list[Event] = []
    for piece in pieces:
        events += machine.feed(piece)
    events += machine.finish()
    return machine, merge_text(events)


def cut_text(text: str, sizes: Sequence[int]) -> list[str]:
    """Return the text in pieces of these sizes, which repeat."""
    pieces, start, number = [], 0, 0
    while start < len(text):
        size = max(1, sizes[number % len(sizes)]) if sizes else len(text)
        pieces.append(text[start : start + size])
        start += size
        number += 1
    return pieces


def read_all(node: Json, pieces: list[str]) -> tuple[bool, str, str]:
    """Return whether the value is whole, what was given, and what was not read."""
    reader, text, index, given_text = JsonReader(node), "", 0, ""
    for number, piece in enumerate([*pieces, ""]):
        text += piece
        whole, index = reader.read(text, index, number == len(pieces))
        given_text += "".join(reader.pieces)
        if whole is not None:
            return whole, given_text, text[index:] + "".join(pieces[number + 1 :])
    raise AssertionError("the end decides")


def flatten(events: Iterable[Event]) -> list[object]:
    """Return the events with texts as single characters, so that lists can be held against each other."""
    flat: list[object] = []
    for kind, payload, position in events:
        flat += list(str(payload)) if kind == TEXT else [(kind, payload, position)]
    return flat


def _leaves() -> st.SearchStrategy[Node]:
    literal = st.builds(nodes.Literal, text=st.sampled_from(LITERALS), emit=st.booleans())
    stops = st.lists(st.sampled_from(LITERALS), min_size=1, max_size=3, unique=True).map(tuple)
    return st.one_of(
        literal,
        literal,
        st.builds(nodes.Until, stops=stops, quotable=st.booleans(), emit=st.booleans()),
        st.just(nodes.Any()),
        st.builds(
            nodes.Characters,
            ranges=st.sampled_from(((("a", "b"),), (("<", ">"), ("/", "/")), ((" ", " "), ("\n", "\n")))),
            negated=st.booleans(),
            minimum=st.integers(0, 2),
            maximum=st.sampled_from((2, 3, None)),
        ),
        st.builds(
            nodes.Json,
            kind=st.sampled_from(nodes.JsonKind),
            quotes=st.sampled_from(((), (("<a>", "</a>"),))),
            bare_keys=st.booleans(),
            decoded=st.booleans(),
        ),
        st.just(nodes.Space()),
        st.just(nodes.End()),
        st.builds(nodes.Beginning, text=st.sampled_from(LITERALS)),
        st.sampled_from(("n1", "n2")).map(lambda code: nodes.Note(code=code)),
        st.just(nodes.Sequence(items=(nodes.Literal(text="("), nodes.Ref(name="inner")))),
        st.just(nodes.Ref(name="inner")),
        st.just(nodes.Same()),
    )


def _grow(inner: st.SearchStrategy[Node], cuts: bool) -> st.SearchStrategy[Node]:
    items = st.one_of(st.lists(inner, min_size=2, max_size=5), st.lists(inner, max_size=1)).map(tuple)
    stops = st.lists(st.sampled_from(LITERALS), min_size=1, max_size=2, unique=True).map(tuple)
    ways = [
        st.builds(nodes.Sequence, items=items),
        st.builds(nodes.Sequence, items=items),
        st.builds(nodes.Choice, options=items),
        st.builds(nodes.Repeat, item=inner, minimum=st.integers(0, 2), maximum=st.sampled_from((2, 3, None))),
        st.builds(nodes.Until, stops=stops, confirm=inner, quotable=st.booleans(), cut=st.booleans()),
        st.builds(nodes.Peek, item=inner),
        st.builds(nodes.Negate, item=inner),
        st.builds(nodes.Atomic, item=inner),
        st.builds(nodes.Tag, kind=st.sampled_from(("t", "u")), item=inner),
        st.builds(nodes.Catch, item=inner, handler=inner),
        st.builds(nodes.Remember, text=inner, item=inner),
        st.builds(nodes.Tolerant, strict=inner, also=inner),
    ]
    if cuts:
        ways.append(items.map(lambda found: nodes.Sequence(items=(*found[:1], nodes.Cut(), *found[1:]))))
    return st.one_of(ways)


@lru_cache
def arenas(*, cuts: bool) -> st.SearchStrategy[Arena]:
    """Return a strategy for arenas of two rules that pass the checks."""
    node = st.recursive(_leaves(), lambda inner: _grow(inner, cuts), max_leaves=10)
    root = st.lists(node, min_size=1, max_size=5).map(lambda items: nodes.Sequence(items=tuple(items)))
    return st.builds(lambda root, inner: Arena(rules={"root": root, "inner": inner}), root, node).filter(_holds)


def _holds(arena: Arena) -> bool:
    try:
        check_arena(arena)
    except GrammarError:
        return False
    return True


JSON_TEXTS = (
    '{"a": 1, "a": [2, 3,], "b": "x\\n\\q"}',
    "{'k': True, 'l': (None, 'it\\'s')}",
    '"""a"b"""',
    '"\\ud83d\\ude00 \\ud83d x"',
    "[1, -2.5e3, {}, []]",
    "{a: <a>raw</a>}",
    '""',
    "12",
)


@st.composite
def cases(draw: st.DrawFn, *, cuts: bool) -> tuple[Arena, str]:
    """Return a tree and a text that was written after it, and then perhaps damaged."""
    arena = draw(arenas(cuts=cuts))
    text = _write(draw, arena, arena.rules[arena.root], 0)
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(("", *PIECES))) + text[place + draw(st.integers(0, 2)) :]
    return arena, text


def _write(draw: st.DrawFn, arena: Arena, node: Node, depth: int, kept: str = "") -> str:
    if depth > 12:
        return ""
    match node:
        case nodes.Literal(text=text):
            return text
        case nodes.Sequence(items=items):
            return "".join([_write(draw, arena, item, depth + 1, kept) for item in items])
        case nodes.Choice(options=options):
            return _write(draw, arena, draw(st.sampled_from(options)), depth + 1, kept) if options else ""
        case nodes.Repeat(item=item, minimum=minimum):
            return "".join([_write(draw, arena, item, depth + 1, kept) for _ in range(draw(st.integers(minimum, minimum + 2)))])
        case nodes.Until(stops=stops, confirm=confirm):
            stop = "" if confirm is None else draw(st.sampled_from(("", *stops)))
            return draw(st.lists(st.sampled_from((*PIECES, *stops)), max_size=4).map("".join)) + stop
        case nodes.Any():
            return draw(st.sampled_from(("a", "<", "é")))
        case nodes.Characters(ranges=ranges):
            return draw(st.sampled_from(ranges))[0] * draw(st.integers(node.minimum, node.minimum + 2))
        case nodes.Json():
            return draw(st.sampled_from(JSON_TEXTS))
        case nodes.Space():
            return draw(st.sampled_from(("", " ", "\n ")))
        case nodes.Ref(name=name):
            return _write(draw, arena, arena.rules[name], depth + 1, kept)
        case nodes.Peek(item=item):
            return draw(st.sampled_from(("", _write(draw, arena, item, depth + 1, kept))))
        case nodes.Tag(item=item) | nodes.Atomic(item=item) | nodes.Tolerant(also=item) | nodes.Catch(item=item):
            return _write(draw, arena, item, depth + 1, kept)
        case nodes.Remember(text=text, item=item):
            first = _write(draw, arena, text, depth + 1, kept)
            return first + _write(draw, arena, item, depth + 1, first)
        case nodes.Same():
            return kept
        case _:
            return ""
