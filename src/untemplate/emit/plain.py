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
    regular: dict[str, bool] = {}
    """Rules that were looked at; ``False`` as long as they are open, so that a way back to one is recursion."""
    for root in references_of:
        if root in regular:
            continue
        regular[root] = False
        work = [(root, iter(references_of[root]))]
        while work:
            name, used = work[-1]
            for other in used:
                if other not in regular and other in references_of:
                    regular[other] = False
                    work.append((other, iter(references_of[other])))
                    break
            else:
                work.pop()
                regular[name] = all(regular.get(other, False) for other in references_of[name])
    return frozenset(name for name, is_regular in regular.items() if is_regular)
