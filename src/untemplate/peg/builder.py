"""Short words for nodes, as EBNF has them: ``lit("a") + many(digit) | end()``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from untemplate.errors import GrammarError
from untemplate.peg import nodes
from untemplate.peg.arena import check_arena, unique_name
from untemplate.peg.nodes import Arena, JsonKind, Node, Ref

PERMUTE_LIMIT = 6
"""Blocks that may stand in any order: each further one multiplies the size."""


def _node(item: Node | str) -> Node:
    return lit(item) if isinstance(item, str) else item


def lit(text: str, *, emit: bool = False) -> nodes.Literal:
    """Return exactly this text; it is no event unless ``emit``."""
    return nodes.Literal(text=text, emit=emit)


def seq(*items: Node | str) -> Node:
    """Return the items in order; sequences within are flattened, one item stays itself."""
    flat: list[Node] = []
    for item in map(_node, items):
        flat.extend(item.items if isinstance(item, nodes.Sequence) else (item,))
    return flat[0] if len(flat) == 1 else nodes.Sequence(items=tuple(flat))


def choice(*options: Node | str) -> Node:
    """Return the first option that matches; choices within are flattened, one option stays itself."""
    flat: list[Node] = []
    for option in map(_node, options):
        flat.extend(option.options if isinstance(option, nodes.Choice) else (option,))
    return flat[0] if len(flat) == 1 else nodes.Choice(options=tuple(flat))


def repeat(item: Node | str, minimum: int = 0, maximum: int | None = None) -> nodes.Repeat:
    """Return the item from ``minimum`` to ``maximum`` times (``None``: unbounded)."""
    return nodes.Repeat(item=_node(item), minimum=minimum, maximum=maximum)


def many(item: Node | str) -> nodes.Repeat:
    """Return the item any number of times, also none."""
    return repeat(item)


def many1(item: Node | str) -> nodes.Repeat:
    """Return the item once or more."""
    return repeat(item, 1)


def optional(item: Node | str) -> nodes.Repeat:
    """Return the item or nothing."""
    return repeat(item, 0, 1)


def separated(item: Node, separator: Node | str, minimum: int = 1) -> Node:
    """Return a list of at least ``minimum`` items (0 or more) with a separator between them."""
    if minimum == 0:
        return optional(separated(item, separator))
    return seq(item, repeat(seq(separator, item), minimum - 1))


def until(*stops: str, confirm: Node | None = None, quotable: bool = False, emit: bool = True) -> nodes.Until:
    """Return free text up to the first of the stops that ``confirm`` confirms; see ``nodes.Until``."""
    return nodes.Until(stops=stops, confirm=confirm, quotable=quotable, emit=emit)


def anything() -> nodes.Until:
    """Return all text to the end of input."""
    return nodes.Until(stops=())


def any_char() -> nodes.Any:
    """Return one character of any kind."""
    return nodes.Any()


def chars(spec: str, minimum: int = 1, maximum: int | None = 1, *, emit: bool = True) -> nodes.Characters:
    """Return a run of a class written as in a regular expression without brackets: ``"a-z0-9_"``, ``"^<"``.

    A ``-`` that is the first or the last of the class is itself.
    """
    negated = spec.startswith("^")
    body = spec[1:] if negated else spec
    ranges: list[tuple[str, str]] = []
    index = 0
    while index < len(body):
        if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
            ranges.append((body[index], body[index + 2]))
            index += 3
        else:
            ranges.append((body[index], body[index]))
            index += 1
    return nodes.Characters(ranges=tuple(ranges), negated=negated, minimum=minimum, maximum=maximum, emit=emit)


def json(
    kind: JsonKind = JsonKind.VALUE,
    *,
    quotes: Sequence[tuple[str, str]] = (),
    bare_keys: bool = False,
    python: bool = False,
    emit: bool = True,
) -> nodes.Json:
    """Return a JSON value of a kind."""
    return nodes.Json(kind=kind, quotes=tuple(quotes), bare_keys=bare_keys, python=python, emit=emit)


def json_string(*, decoded: bool = False) -> nodes.Json:
    """Return a JSON string; ``decoded``: its events are what it means."""
    return nodes.Json(kind=JsonKind.STRING, decoded=decoded)


def peek(item: Node | str) -> nodes.Peek:
    """Return a look-ahead: the item matches here, and nothing is taken."""
    return nodes.Peek(item=_node(item))


def negate(item: Node | str) -> nodes.Negate:
    """Return a look-ahead: the item does not match here."""
    return nodes.Negate(item=_node(item))


def atomic(*items: Node | str) -> nodes.Atomic:
    """Return the items in order, whole or not at all."""
    return nodes.Atomic(item=seq(*items))


def tag(kind: str, *items: Node | str, data: object = None) -> nodes.Tag:
    """Return the items in order, between an open and a close event."""
    return nodes.Tag(kind=kind, item=seq(*items), data=data)


def ref(name: str) -> Ref:
    """Return a reference to a rule."""
    return Ref(name=name)


def remember(text: Node | str, *items: Node | str) -> nodes.Remember:
    """Return ``text`` and then ``items``, in which ``same`` is what ``text`` has taken."""
    return nodes.Remember(text=_node(text), item=seq(*items))


def same() -> nodes.Same:
    """Return what the text of the nearest ``remember`` around has taken."""
    return nodes.Same()


def space(written: str = "") -> nodes.Space:
    """Return white space, any amount, also none."""
    return nodes.Space(written=written)


def end() -> nodes.End:
    """Return the end of input."""
    return nodes.End()


def beginning(text: str) -> nodes.Beginning:
    """Return the beginning of a text that the end of input cuts."""
    return nodes.Beginning(text=text)


def cut() -> nodes.Cut:
    """Return the point from which there is no way back."""
    return nodes.Cut()


def catch(item: Node, handler: Node) -> nodes.Catch:
    """Return ``item``; where it fails after its last way back, ``handler`` goes on."""
    return nodes.Catch(item=item, handler=handler)


def note(code: str) -> nodes.Note:
    """Return a diagnostic event."""
    return nodes.Note(code=code)


def tolerant(strict: Node | str, also: Node | str) -> nodes.Tolerant:
    """Return what the parser takes (``also``) and the grammar writes (``strict``)."""
    return nodes.Tolerant(strict=_node(strict), also=_node(also))


def arena(root: Node, **rules: Node) -> Arena:
    """Return a checked arena with ``root`` as its root rule; ``_`` in the name of a rule stands for ``-``."""
    built = Arena(rules={"root": root, **{name.replace("_", "-"): node for name, node in rules.items()}})
    check_arena(built)
    return built


class ArenaBuilder:
    """Collects rules and keeps their names apart."""

    def __init__(self) -> None:
        self.rules: dict[str, Node] = {}

    def reserve(self, wanted: str) -> Ref:
        """Return a reference to a rule that is still to be defined (for recursion)."""
        name = unique_name(wanted, self.rules)
        self.rules[name] = nodes.Choice(options=())
        return Ref(name=name)

    def define(self, reference: Ref, node: Node) -> Ref:
        """Give a reserved rule its node, and return the reference."""
        self.rules[reference.name] = node
        return reference

    def add(self, wanted: str, node: Node) -> Ref:
        """Return a reference to a new rule; its name is ``wanted``, or as near as one that is free."""
        return self.define(self.reserve(wanted), node)

    def build(self, root: Node, name: str = "root") -> Arena:
        """Return the checked arena, with the root first."""
        reference = Ref(name=unique_name(name, self.rules))
        built = Arena(rules={reference.name: root, **self.rules}, root=reference.name)
        check_arena(built)
        return built


def permute(
    blocks: Sequence[Node | str],
    *,
    separator: Node | str | None = None,
    optional_blocks: Sequence[Node | str] = (),
    add_rule: Callable[[str, Node], Node] | None = None,
    name: str = "any-order",
) -> Node:
    """Return the blocks in any order, each exactly once (``optional_blocks``: at most once), with ``separator`` between them.

    With ``add_rule`` (``ArenaBuilder.add``) every set of blocks that is left becomes a rule, at most ``2 ** n`` of them; without
    it the tree is written out, ``n!`` ways.

    Raises:
        GrammarError: E403 for more than 6 blocks.
    """
    items = [_node(block) for block in (*blocks, *optional_blocks)]
    if len(items) > PERMUTE_LIMIT:
        raise GrammarError(f"{len(items)} blocks in any order are too many (at most {PERMUTE_LIMIT})", code="E403")
    needed = frozenset(range(len(blocks)))
    rest: dict[tuple[frozenset[int], bool], Node] = {}

    def write(left: frozenset[int], first: bool) -> Node:
        key = (left, first or separator is None)
        if key in rest:
            return rest[key]
        ways: list[Node] = []
        for number in sorted(left):
            start = items[number] if first or separator is None else seq(separator, items[number])
            ways.append(seq(start, write(left - {number}, False)) if len(left) > 1 else start)
        node: Node = choice(*ways) if needed & left else optional(choice(*ways))
        if add_rule is not None and len(left) > 1:
            node = add_rule("-".join([name, *(str(number + 1) for number in sorted(left))]), node)
        rest[key] = node
        return node

    return write(frozenset(range(len(items))), True) if items else seq()
