"""The rules of a grammar in their plainest form: literals, characters, sequences, choices, repetitions, references.

Every other node has been written out before; what is left is what each text dialect can say.
"""

from __future__ import annotations

from collections.abc import Mapping

from untemplate.peg.nodes import Choice, Node, Ref, Repeat, Sequence

Rules = Mapping[str, Node]


def references(node: Node) -> list[str]:
    """Return the names of the rules that ``node`` refers to, in order, each time it does."""
    found: list[str] = []
    todo = [node]
    while todo:
        one = todo.pop()
        if type(one) is Ref:
            found.append(one.name)
        elif type(one) is Sequence:
            todo.extend(one.items[::-1])
        elif type(one) is Choice:
            todo.extend(one.options[::-1])
        elif type(one) is Repeat:
            todo.append(one.item)
    return found


def regular_rules(references_of: Mapping[str, list[str]]) -> frozenset[str]:
    """Return the rules that lead to no recursion: a lexer can take each of them as one token.

    Args:
        references_of: the rules that each rule refers to.
    """
    uses = {name: set(used) for name, used in references_of.items()}
    users: dict[str, list[str]] = {}
    for name, used in uses.items():
        for other in used:
            users.setdefault(other, []).append(name)
    waiting = {name: len(used) for name, used in uses.items()}
    todo = [name for name, count in waiting.items() if count == 0]
    regular: set[str] = set()
    while todo:
        name = todo.pop()
        regular.add(name)
        for user in users.get(name, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                todo.append(user)
    return frozenset(regular)
