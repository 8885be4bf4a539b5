"""Calls whose text is one JSON value: white space and the order of the keys are free, and keys of no meaning are passed over.

A call is certain once a declared name stands at its place. What comes before it (arguments, an id) waits until then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from untemplate.lower.bodies import CUT, CallBody, Way
from untemplate.lower.closing import spaced_chunks
from untemplate.lower.marks import EMPTY, SPACE, any_of, many, maybe
from untemplate.lower.rules import Rules
from untemplate.lower.tags import CallData, Code, Kind
from untemplate.lower.vocabulary import Vocabulary
from untemplate.peg import builder as b
from untemplate.peg.nodes import End, Json, JsonKind, Node
from untemplate.spec.model import JsonCall

_SYNONYMS = ("arguments", "parameters", "args", "params", "input")
_SILENT = ("type", "id", "index")
"""Keys of no meaning that models often add: passing over them is not worth a word."""
_COLON = b.seq(SPACE, b.lit(":"), SPACE)
_COMMA = b.seq(SPACE, b.lit(","), SPACE)
_AT_END = b.peek(b.seq(SPACE, End()))
_MEMBER_BEGUN = b.seq(b.peek(any_of(b.lit('"'), b.lit("'"))), b.chars("^{}[]<\n", 1, 80, emit=False))
_CUT_MEMBER = b.seq(any_of(b.seq(_COMMA, maybe(_MEMBER_BEGUN)), b.seq(SPACE, _MEMBER_BEGUN)), _AT_END)
"""A further member that the end of the text cuts, such as an id behind the arguments: it is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Level:
    """One object on the way to the name, and the keys that mean something in it."""

    step: str
    """The key of the name, or of the object that holds it."""
    arguments: tuple[str, ...]
    id: str | None
    known: tuple[str, ...] | None
    """The only other keys that may come before the name; ``None``: any."""
    excluded: tuple[str, ...] = ()
    """Keys that are not passed over before the name."""
    python: bool = False
    """The template writes the call as a Python literal."""


def json_call(call: JsonCall, vocabulary: Vocabulary, tail: tuple[str, ...], *, marked: bool) -> CallBody:
    """Return the body of a call that is a JSON object, without its close. ``tail``: the chunks that close it.

    ``marked``: an opening marker stands before it; else only an object whose first keys are a call's own is taken for one.
    """
    data = CallData(has_id=call.id is not None, late_id=_late_id(call))
    if call.name_is_key:
        return CallBody(ways=(_keyed(call, vocabulary, tail),), data=data)
    ways = [_way(levels, vocabulary, tail) for levels in _layouts(call, marked=marked)]
    return CallBody(ways=tuple(ways), data=data)


def _late_id(call: JsonCall) -> bool:
    """Return whether the template writes the id behind the arguments."""
    if call.id is None or not call.arguments or call.id[0] not in call.order or call.arguments[0] not in call.order:
        return False
    return call.order.index(call.id[0]) > call.order.index(call.arguments[0])


def _layouts(call: JsonCall, *, marked: bool) -> list[list[_Level]]:
    """Return the template's layout; and OpenAI's wrapper around a flat one, or what is in it without the wrapper.

    The name of a flat one may stand at ``function``.
    """
    known = None if marked else tuple(dict.fromkeys((*call.order, *(path.split(".")[0] for path in call.extra), "type", "id")))
    levels = [_level(call, depth, known if depth == 0 else None) for depth in range(len(call.name))]
    if len(levels) > 1:
        return [levels, [replace(levels[-1], known=known)]]
    wrapped = [replace(levels[0], step="function", arguments=(), excluded=()), replace(levels[0], known=None)]
    if levels[0].step == "function":
        return [levels]
    renamed = [replace(levels[0], step="function", excluded=(levels[0].step,))]
    return [[replace(levels[0], excluded=("function",))], wrapped, renamed]


def _level(call: JsonCall, depth: int, known: tuple[str, ...] | None) -> _Level:
    way = call.name[:depth]
    arguments = tuple(dict.fromkeys((call.arguments[-1], *_SYNONYMS))) if call.arguments and call.arguments[:-1] == way else ()
    call_id = call.id[-1] if call.id is not None and call.id[:-1] == way else None
    step = call.name[depth]
    keys = tuple(key for key in arguments if key != step)
    return _Level(step=step, arguments=keys, id=call_id, known=known, python=call.python)


def _way(levels: list[_Level], vocabulary: Vocabulary, tail: tuple[str, ...]) -> Way:
    head: list[Node] = []
    for level in levels:
        before = many(b.seq(_member(level, vocabulary.rules, certain=False), _COMMA))
        head += [b.lit("{"), SPACE, before, _key(level.step), _COLON]
    whole = _behind_name(levels, vocabulary, [_end(tail) for _ in levels])
    return Way(
        head=b.seq(*head, vocabulary.json_name()),
        unknown=b.seq(*head, vocabulary.rules.share("any-json-name", _any_name())),
        rest=_behind_name(levels, vocabulary, _ends(tail, len(levels))),
        whole=whole,
        unknown_whole=whole,
    )


def _behind_name(levels: list[_Level], vocabulary: Vocabulary, ends: list[Node]) -> Node:
    """Return the members behind the name and the ends of the objects, from the inside out."""
    nodes: list[Node] = []
    for level, end in zip(reversed(levels), ends, strict=True):
        nodes += [many(b.seq(_COMMA, _member(level, vocabulary.rules, certain=True))), end]
    return b.seq(*nodes)


def _keyed(call: JsonCall, vocabulary: Vocabulary, tail: tuple[str, ...]) -> Way:
    """Return the call whose name is the key of its arguments."""
    opening = [node for step in call.arguments for node in (b.lit("{"), SPACE, _key(step), _COLON)]
    arguments = _arguments(certain=True, python=call.python)
    whole = b.seq(arguments, *(_end(tail) for _ in range(len(call.arguments) + 1)))
    return Way(
        head=b.seq(*opening, b.lit("{"), SPACE, vocabulary.json_name(), _COLON),
        unknown=b.seq(*opening, b.lit("{"), SPACE, vocabulary.rules.share("any-json-name", _any_name()), _COLON),
        rest=b.seq(arguments, *_ends(tail, len(call.arguments) + 1)),
        whole=whole,
        unknown_whole=whole,
    )


def _ends(tail: tuple[str, ...], count: int) -> list[Node]:
    """Return the ends of nested objects, from the inside out: the end of the text stands for those that are not there."""
    cut = any_of(_CUT_MEMBER, _AT_END)
    inner = any_of(_end(tail), cut)
    return [inner] * (count - 1) + [any_of(_end(tail), b.seq(cut, b.note(Code.UNCLOSED_CALL)))]


def _end(tail: tuple[str, ...]) -> Node:
    """Return the end of an object; it may be missing where the close of the call follows."""
    end = b.seq(maybe(_COMMA), SPACE, b.lit("}"))
    return any_of(end, b.seq(maybe(_COMMA), b.peek(spaced_chunks(tail[:1])), b.note(Code.REPAIRED))) if tail else end


def _any_name() -> Node:
    """Return a name that need not be declared; a blank one is none."""
    blank = any_of(*(b.seq(b.lit(mark), SPACE, b.lit(mark)) for mark in "\"'"))
    return b.seq(b.negate(blank), b.tag(Kind.NAME, Json(kind=JsonKind.STRING, decoded=True)))


def _key(key: str) -> Node:
    return any_of(b.lit(f'"{key}"'), b.lit(f"'{key}'"))


def _member(level: _Level, rules: Rules, *, certain: bool) -> Node:
    """Return a member of an object beside the one that leads to the name. ``certain``: the name has been read."""
    options: list[Node] = []
    if level.arguments:
        options.append(
            b.seq(
                any_of(*map(_key, level.arguments)), _COLON, rules.share("json-arguments", _arguments(certain=certain, python=level.python))
            )
        )
    if level.id is not None:
        text = any_of(Json(kind=JsonKind.STRING, decoded=True), Json(kind=JsonKind.NUMBER))
        options.append(b.seq(_key(level.id), _COLON, b.tag(Kind.ID, text)))
    value = b.seq(_COLON, Json(emit=False))
    if certain or level.known is None:
        excluded = () if certain else (level.step, *level.excluded)
        guard = b.negate(any_of(*map(_key, excluded))) if excluded else EMPTY
        silent = any_of(*map(_key, (*_SILENT, *(level.known or ()))))
        options += [b.seq(guard, silent, value), b.seq(guard, Json(kind=JsonKind.STRING, emit=False), value, b.note(Code.UNKNOWN_MEMBER))]
    else:
        keys = [key for key in level.known if key not in (level.step, *level.excluded, *level.arguments)]
        options.append(b.seq(any_of(*map(_key, keys)), value))
    return rules.share("member", any_of(*options))


def _arguments(*, certain: bool, python: bool) -> Node:
    """Return arguments: an object, maybe in a list, a string that holds it, nothing, or whatever else the model wrote, which is said."""
    cut = CUT if certain else EMPTY
    listed, repaired = b.seq(b.lit("["), SPACE), b.note(Code.REPAIRED)
    text = b.tag(Kind.ARGUMENTS_TEXT, Json(kind=JsonKind.STRING, decoded=True))
    return any_of(
        b.seq(b.peek(b.lit("{")), cut, b.tag(Kind.ARGUMENTS, Json(kind=JsonKind.OBJECT, python=python))),
        b.seq(b.peek(any_of(b.lit('"'), b.lit("'"))), cut, text),
        b.lit("null"),
        b.seq(listed, b.lit("]"), repaired),
        b.seq(
            b.peek(b.seq(listed, b.lit("{"))), cut, listed, repaired, b.tag(Kind.ARGUMENTS, Json(kind=JsonKind.OBJECT)), SPACE, b.lit("]")
        ),
        b.peek(any_of(b.lit("}"), b.lit(","))),
        b.seq(b.tag(Kind.ARGUMENTS, Json(python=python)), b.note(Code.NOT_JSON)),
    )
