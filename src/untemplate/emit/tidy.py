"""Makes plain rules small: equal rules become one, names of names vanish, small ones are written in place, deep ones are split.

Every step hands a tree on as it is where nothing changes in it, since most trees need no change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from untemplate.emit.plain import Rules, references, regular_rules
from untemplate.errors import GrammarError
from untemplate.lower.productive import endless_rules, without_endless
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import apart, rep, seq
from untemplate.peg.nodes import Characters, Choice, Literal, Node, Ref, Repeat, Sequence

MOST_COUNT = 1000
"""No count in a grammar's text is larger: more is written as repetitions of repetitions."""
MOST_DEPTH = 10
"""Groups nested deeper become rules; readers of grammars are recursive."""
_SMALL = 12
_EASY_COUNT = 300
_LEAVES = frozenset({Literal, Characters, Ref})
Uses = dict[str, list[str]]
"""The rules that each rule refers to, each time it does."""


def tidy(rules: Rules, root: str = "root", *, frame: frozenset[str] = frozenset(), final: Set[str] = frozenset()) -> dict[str, Node]:
    """Return rules that write the same texts from ``root``: ``root`` first, then each rule after those that it needs.

    Args:
        frame: rules that are written in place wherever an engine's lexer would take them as one token.
        final: rules to leave as they are (``RuleBook.final``).
    """
    book = RuleBook(rules)
    split = {name: node if name in final or _is_easy(node, 0) else _split(node, book, name, 0) for name, node in rules.items()}
    split.update(book.rules)
    uses = _Uses()
    joined = _join_equal(_finite(split, root, final, uses), root, final, uses)
    placed = _Placed(joined, root, frame, final, uses)
    return _order(_at_root(placed.rules(), root, placed.regular, uses), root, uses)


class _Uses:
    """The rules that trees refer to, each time they do; of a tree that was looked at before, at no cost."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Node, list[str]]] = {}
        """By identity; the trees are kept, so that no other one gets it."""

    def of(self, node: Node) -> list[str]:
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (node, references(node))
        return known[1]


def _finite(rules: dict[str, Node], root: str, final: Set[str], uses: _Uses) -> dict[str, Node]:
    """Return ``rules`` without ways on which a model could never come to an end.

    Raises:
        GrammarError: E406 when there is no other way.
    """
    endless = endless_rules(rules, final, uses.of)
    if not endless:
        return rules
    if root in endless:
        raise GrammarError("the grammar writes no finite text: it leads back into itself on every way", code="E406")
    kept = {name: without_endless(node, endless) for name, node in rules.items() if name not in endless}
    return {name: node for name, node in kept.items() if node is not None}


def _is_easy(node: Node, depth: int) -> bool:
    """Tell whether there is nothing to split in a tree: most rules are small."""
    if type(node) in _LEAVES:
        return True
    if isinstance(node, Sequence):
        return all(type(item) in _LEAVES or _is_easy(item, depth) for item in node.items)
    if depth >= MOST_DEPTH:
        return False
    if isinstance(node, Choice):
        return all(type(option) in _LEAVES or _is_easy(option, depth + 1) for option in node.options)
    if isinstance(node, Repeat):
        fits = max(node.minimum, node.maximum or 0) <= _EASY_COUNT and type(node.item) is not Repeat
        return fits and _is_easy(node.item, depth + 1)
    return False


def _split(node: Node, book: RuleBook, hint: str, depth: int) -> Node:
    """Return ``node`` with large counts nested, repetitions of repetitions and deep groups made rules."""
    if isinstance(node, Literal | Ref | Characters):
        return node
    match node:
        case Sequence(items=items):
            inner = [_split(item, book, hint, depth) for item in items]
            return node if all(map(_same, inner, items)) else apart(*inner)
        case Choice(options=options):
            inner = [_split(option, book, hint, depth + 1) for option in options]
            choice = node if all(map(_same, inner, options)) else Choice(options=tuple(inner))
            return book.define(hint, choice) if depth >= MOST_DEPTH else choice
        case Repeat(item=item, minimum=minimum, maximum=maximum):
            one = _split(item, book, hint, depth + 1)
            if isinstance(one, Repeat) or (depth >= MOST_DEPTH and not isinstance(one, Literal | Characters | Ref)):
                one = book.define(hint, one)
            if one is item and max(minimum, maximum or 0) <= _EASY_COUNT:
                return node
            return _counted(one, minimum, maximum, book, hint)
        case _:
            return node


def _same(left: Node, right: Node) -> bool:
    return left is right


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


def _join_equal(rules: dict[str, Node], root: str, final: Set[str], uses: _Uses) -> dict[str, Node]:
    """Return ``rules`` without doubles and without rules that are only another's name."""
    names: dict[str, str] = {}
    while True:
        firsts: dict[Node, str] = {}
        changed: set[str] = set()
        for name, node in rules.items():
            if name in final:
                continue
            target = node.name if isinstance(node, Ref) else firsts.setdefault(node, name)
            if target != name and name != root:
                names[name] = target
                changed.add(name)
        if not changed:
            return rules
        finals = {name: _final(name, names) for name in names}
        rules = {
            name: node if name in final and not any(used in finals for used in uses.of(node)) else _rename(node, finals)
            for name, node in rules.items()
            if name not in names
        }


def _final(name: str, names: dict[str, str]) -> str:
    seen = set()
    while name in names and name not in seen:
        seen.add(name)
        name = names[name]
    return name


def _rename(node: Node, names: dict[str, str]) -> Node:
    if isinstance(node, Literal | Characters):
        return node
    match node:
        case Ref(name=name):
            return Ref(name=names[name]) if name in names else node
        case Sequence(items=items):
            inner = [_rename(item, names) for item in items]
            return node if all(map(_same, inner, items)) else Sequence(items=tuple(inner))
        case Choice(options=options):
            inner = [_rename(option, names) for option in options]
            return node if all(map(_same, inner, options)) else Choice(options=tuple(inner))
        case Repeat(item=item, minimum=minimum, maximum=maximum):
            one = _rename(item, names)
            return node if one is item else Repeat(item=one, minimum=minimum, maximum=maximum)
        case _:
            return node


class _Placed:
    """Rules with literals, and what is used once and small, written where they are used.

    What an engine's lexer takes as one token (a rule without recursion) is never opened inside a rule with recursion.
    """

    def __init__(self, rules: dict[str, Node], root: str, frame: frozenset[str], final: Set[str], known: _Uses) -> None:
        self.source = rules
        self.root = root
        self.final = final
        self.known = known
        uses = {name: known.of(node) for name, node in rules.items()}
        self.regular = regular_rules(uses)
        counts = Counter(name for used in uses.values() for name in used)
        self.opened = {name for name in frame if name in self.regular and name != root}
        self.inline = {name for name, node in rules.items() if name != root and self._fits(name, node, counts[name], uses[name])}

    def _fits(self, name: str, node: Node, count: int, used: list[str]) -> bool:
        if isinstance(node, Literal):
            return count == 1 or len(node.text) <= _SMALL
        return count == 1 and name not in used and _weight(node, _SMALL) >= 0

    def rules(self) -> dict[str, Node]:
        """Return the rules; those that were written in place everywhere are still among them."""
        touched = self.opened | self.inline
        return {
            name: node
            if name in self.final or touched.isdisjoint(self.known.of(node))
            else self.fill(node, name in self.regular and name != self.root, 0)
            for name, node in self.source.items()
        }

    def fill(self, node: Node, regular: bool, depth: int) -> Node:
        if isinstance(node, Literal | Characters):
            return node
        match node:
            case Ref(name=name):
                if name in self.opened:
                    return self.fill(self.source[name], regular, depth)
                if name in self.inline and depth < 3:
                    target = self.source[name]
                    if isinstance(target, Literal) or (name in self.regular) == regular:
                        return self.fill(target, regular, depth + 1)
                return node
            case Sequence(items=items):
                inner = [self.fill(item, regular, depth) for item in items]
                return node if all(map(_same, inner, items)) else apart(*inner)
            case Choice(options=options):
                inner = [self.fill(option, regular, depth) for option in options]
                if all(map(_same, inner, options)):
                    return node
                return Choice(
                    options=tuple(one for option in inner for one in (option.options if isinstance(option, Choice) else (option,)))
                )
            case Repeat(item=item, minimum=minimum, maximum=maximum):
                one = self.fill(item, regular, depth)
                return node if one is item or isinstance(one, Repeat) else Repeat(item=one, minimum=minimum, maximum=maximum)
            case _:
                return node


def _weight(node: Node, left: int) -> int:
    """Return what is left of a budget of nodes after ``node``; negative when it is too large."""
    left -= 1
    if left < 0 or isinstance(node, Literal | Characters | Ref):
        return left
    inner: tuple[Node, ...] = ()
    match node:
        case Sequence(items=inner) | Choice(options=inner):
            pass
        case Repeat(item=item):
            inner = (item,)
    for one in inner:
        left = _weight(one, left)
        if left < 0:
            break
    return left


def _at_root(rules: dict[str, Node], root: str, regular: frozenset[str], uses: _Uses) -> dict[str, Node]:
    """Return ``rules`` with the root's own tree at the root, where it only names a rule that nothing else uses.

    A rule without recursion stays apart: the root itself is never one token.
    """
    node = rules[root]
    if isinstance(node, Ref) and node.name not in regular and sum(uses.of(other).count(node.name) for other in rules.values()) == 1:
        return {**rules, root: rules[node.name]}
    return rules


def _order(rules: dict[str, Node], root: str, uses: _Uses) -> dict[str, Node]:
    """Return what ``root`` needs: ``root``, then each rule after the rules that it refers to, as far as recursion allows."""
    seen = {root}
    after: list[str] = []
    work = [(root, iter(uses.of(rules[root])))]
    while work:
        name, targets = work[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                work.append((target, iter(uses.of(rules[target]))))
                break
        else:
            work.pop()
            after.append(name)
    return {root: rules[root], **{name: rules[name] for name in after if name != root}}
