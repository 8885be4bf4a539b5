"""Makes plain rules small: equal rules become one, names of names vanish, small ones are written in place, deep ones are split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from untemplate.emit.plain import Rules, children, references, regular_rules
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import rep, seq
from untemplate.peg.nodes import Characters, Choice, Literal, Node, Ref, Repeat, Sequence

MOST_COUNT = 1000
"""No count in a grammar's text is larger: more is written as repetitions of repetitions."""
MOST_DEPTH = 10
"""Groups nested deeper become rules; readers of grammars are recursive."""
_SMALL = 12
_EASY_COUNT = 300
_NUMBER = re.compile(r"(-\d+)+$")


def tidy(rules: Rules, root: str = "root", *, frame: frozenset[str] = frozenset()) -> dict[str, Node]:
    """Return rules that write the same texts from ``root``: ``root`` first, then each rule after those that it needs.

    Args:
        frame: rules that are written in place wherever an engine's lexer would take them as one token.
    """
    book = RuleBook(rules)
    split: dict[str, Node] = {}
    for name, node in rules.items():
        split[name] = _split(node, book, name, 0)
    split.update(book.rules)
    joined = _join_equal(split, root)
    placed = _write_in_place(joined, root, frame)
    return _named(_order(_at_root(placed, root), root), root)


def _at_root(rules: dict[str, Node], root: str) -> dict[str, Node]:
    """Return ``rules`` with the root's own tree at the root, where it only names a rule that nothing else uses."""
    node = rules[root]
    if isinstance(node, Ref) and sum(name == node.name for other in rules.values() for name in references(other)) == 1:
        return {**rules, root: rules[node.name]}
    return rules


def _named(rules: dict[str, Node], root: str) -> dict[str, Node]:
    """Return ``rules`` with the numbers in their names closed up, in order of appearance."""
    names: dict[str, str] = {}
    book = RuleBook(())
    for name in rules:
        base = _NUMBER.sub("", name)
        names[name] = root if name == root else book.reserve(base)
    return {names[name]: _rename(node, names) for name, node in rules.items()}


def _split(node: Node, book: RuleBook, hint: str, depth: int) -> Node:
    """Return ``node`` with large counts nested, repetitions of repetitions and deep groups made rules."""
    match node:
        case Sequence(items=items):
            return _flat(_split(item, book, hint, depth) for item in items)
        case Choice(options=options):
            choice = Choice(options=tuple(_split(option, book, hint, depth + 1) for option in options))
            return book.define(hint, choice) if depth >= MOST_DEPTH else choice
        case Repeat(item=item, minimum=minimum, maximum=maximum):
            inner = _split(item, book, hint, depth + 1)
            if isinstance(inner, Repeat) or (depth >= MOST_DEPTH and not isinstance(inner, Literal | Characters | Ref)):
                inner = book.define(hint, inner)
            return _counted(inner, minimum, maximum, book, hint)
        case _:
            return node


def _flat(nodes: Iterable[Node]) -> Node:
    """Return a sequence with sequences inside opened; literals stay apart, since each may be a token of its own."""
    items = tuple(item for node in nodes for item in (node.items if isinstance(node, Sequence) else (node,)))
    return items[0] if len(items) == 1 else Sequence(items=items)


def _counted(item: Node, minimum: int, maximum: int | None, book: RuleBook, hint: str) -> Node:
    """Return a repetition whose counts are small, nested where they were large.

    ``x{0,1000000}`` is ``block{0,999} x{0,999} | block{1000}`` with ``block ::= x{1000}``: as many texts, each in one way.
    """
    largest = max(minimum, maximum or 0)
    if largest <= _EASY_COUNT:
        return rep(item, minimum, maximum)
    if not isinstance(item, Ref | Characters):
        item = book.define(hint, item)
    size = max(2, int(largest**0.5))
    block = book.define(f"{hint}-{size}", Repeat(item=item, minimum=size, maximum=size))
    exact = _exactly(item, block, minimum, size, book, hint)
    if maximum is None:
        return seq(exact, rep(item, 0, None))
    blocks, rest = divmod(maximum - minimum, size)
    if blocks == 0:
        return seq(exact, rep(item, 0, rest))
    full = seq(_counted(block, blocks, blocks, book, hint), rep(item, 0, rest))
    part = seq(_counted(block, 0, blocks - 1, book, hint), rep(item, 0, size - 1))
    return seq(exact, book.define(hint, Choice(options=(part, full))))


def _exactly(item: Node, block: Node, count: int, size: int, book: RuleBook, hint: str) -> Node:
    blocks, rest = divmod(count, size)
    return seq(_counted(block, blocks, blocks, book, hint), rep(item, rest, rest))


def _join_equal(rules: dict[str, Node], root: str) -> dict[str, Node]:
    """Return ``rules`` without doubles and without rules that are only another's name."""
    names: dict[str, str] = {}
    while True:
        firsts: dict[Node, str] = {}
        changed = False
        for name, node in rules.items():
            target = node.name if isinstance(node, Ref) else firsts.setdefault(node, name)
            if target != name and name != root:
                names[name] = target
                changed = True
        if not changed:
            return rules
        finals = {name: _final(name, names) for name in names}
        rules = {name: _rename(node, finals) for name, node in rules.items() if name not in names}


def _final(name: str, names: dict[str, str]) -> str:
    seen = set()
    while name in names and name not in seen:
        seen.add(name)
        name = names[name]
    return name


def _rename(node: Node, names: dict[str, str]) -> Node:
    match node:
        case Ref(name=name):
            return Ref(name=names[name]) if name in names else node
        case Sequence(items=items):
            return Sequence(items=tuple(_rename(item, names) for item in items))
        case Choice(options=options):
            return Choice(options=tuple(_rename(option, names) for option in options))
        case Repeat(item=item, minimum=minimum, maximum=maximum):
            return Repeat(item=_rename(item, names), minimum=minimum, maximum=maximum)
        case _:
            return node


def _write_in_place(rules: dict[str, Node], root: str, frame: frozenset[str]) -> dict[str, Node]:
    """Return ``rules`` with literals and what is used once and small written where they are used.

    What an engine's lexer takes as one token (a rule without recursion) is never opened inside a rule with recursion.
    """
    regular = regular_rules(rules)
    uses = Counter(name for node in rules.values() for name in references(node))
    inline: set[str] = set()
    opened: set[str] = set()
    for name, node in rules.items():
        if name == root:
            continue
        if name in frame and name in regular:
            opened.add(name)
        elif isinstance(node, Literal) and (uses[name] == 1 or len(node.text) <= _SMALL):
            inline.add(name)
        elif uses[name] == 1 and _weight(node) <= _SMALL and name not in references(node):
            inline.add(name)
    done: dict[str, Node] = {}

    def fill(node: Node, user: str, depth: int) -> Node:
        match node:
            case Ref(name=name) if name in opened:
                return fill(rules[name], user, depth)
            case Ref(name=name) if name in inline and depth < 3:
                target = rules[name]
                if isinstance(target, Literal) or (name in regular) == (user in regular):
                    return fill(target, user, depth + 1)
                return node
            case Sequence(items=items):
                return _flat(fill(item, user, depth) for item in items)
            case Choice(options=options):
                filled: list[Node] = []
                for option in options:
                    one = fill(option, user, depth)
                    filled.extend(one.options if isinstance(one, Choice) else (one,))
                return Choice(options=tuple(filled))
            case Repeat(item=item, minimum=minimum, maximum=maximum):
                inner = fill(item, user, depth)
                return node if isinstance(inner, Repeat) else Repeat(item=inner, minimum=minimum, maximum=maximum)
            case _:
                return node

    for name, node in rules.items():
        done[name] = fill(node, name, 0)
    return done


def _weight(node: Node) -> int:
    return 1 + sum(_weight(child) for child in children(node))


def _order(rules: dict[str, Node], root: str) -> dict[str, Node]:
    """Return what ``root`` needs: ``root``, then each rule after the rules that it refers to, as far as recursion allows."""
    seen = {root}
    after: list[str] = []
    work = [(root, iter(list(references(rules[root]))))]
    while work:
        name, targets = work[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                work.append((target, iter(list(references(rules[target])))))
                break
        else:
            work.pop()
            after.append(name)
    return {root: rules[root], **{name: rules[name] for name in after if name != root}}
