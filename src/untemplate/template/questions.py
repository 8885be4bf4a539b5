"""What a template can tell of a variable's value: whether it is true, equal to a constant, defined … or all of it.

``{% if enable_thinking is defined and not enable_thinking %}`` asks two things only; two values that answer both alike render
alike, and one of them need not be rendered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jinja2 import nodes
from jinja2.runtime import Undefined
from jinja2.tests import TESTS

STANDING = frozenset(("messages", "tools", "documents", "add_generation_prompt"))
"""Variables that every rendering has."""
_TESTS = frozenset(
    ("boolean", "defined", "false", "integer", "iterable", "mapping", "none", "number", "sequence", "string", "true", "undefined")
)
_CONSTANTS = (str, int, float, type(None))
_OPERATORS = {"eq": "equals", "ne": "equals", "in": "in", "notin": "in"}

Question = tuple[str, Any]
"""A kind and what it is about: ``truth``, ``test``, ``equals``, ``in``; ``flow``: all that is asked of another variable; ``all``."""
_TRUTH: Question = ("truth", None)
_ALL: Question = ("all", None)


@dataclass(frozen=True, slots=True)
class Answers:
    """The questions that a template asks of a variable's value."""

    questions: tuple[Question, ...]

    def of(self, value: Any) -> tuple[bool, ...]:
        """Return the answers for a plain value, equal for values between which the template cannot tell."""
        return tuple(_answer(question, value) for question in self.questions)

    def of_nothing(self) -> tuple[bool, ...]:
        """Return the answers where the variable is not given."""
        return self.of(Undefined())


class Questions:
    """What a template asks of its variables."""

    def __init__(self, root: nodes.Node) -> None:
        self._asked: dict[str, set[Question]] = defaultdict(set)
        self._read(root, _ALL)

    def find(self, name: str) -> Answers | None:
        """Return what is asked of a variable, ``None`` where all of its value may show."""
        found: set[Question] = set()
        names = [name]
        for each in names:
            for question in self._asked.get(each, ()):
                if question[0] == "flow":
                    names += [question[1]] if question[1] not in names else []
                else:
                    found.add(question)
        return None if _ALL in found else Answers(tuple(sorted(found, key=repr)))

    def _read(self, node: Any, asked: Question) -> None:
        """Note what is asked of the variables in an expression, of which ``asked`` is asked itself; in a statement all of each."""
        match node:
            case nodes.Name():
                if node.ctx == "load":
                    self._asked[node.name].add(asked)
            case nodes.Not():
                self._read(node.node, _TRUTH)
            case nodes.And() | nodes.Or():
                self._read(node.left, _TRUTH)
                self._read(node.left, asked)
                self._read(node.right, asked)
            case nodes.CondExpr():
                self._read(node.test, _TRUTH)
                self._read(node.expr1, asked)
                self._read(node.expr2, asked)
            case nodes.If():
                self._read(node.test, _TRUTH)
                self._read_all((*node.body, *node.elif_, *node.else_))
            case nodes.Assign(target=nodes.Name(name=name)):
                self._read(node.node, ("flow", name))
            case nodes.Test(name=name, args=[], kwargs=[], dyn_args=None, dyn_kwargs=None) if name in _TESTS:
                self._read(node.node, ("test", name))
            case nodes.Filter(name="default" | "d", kwargs=[], dyn_args=None, dyn_kwargs=None) if node.node is not None:
                for question in (("test", "defined"), _TRUTH, asked):
                    self._read(node.node, question)
                self._read(node.args[0] if node.args else None, asked)
                self._read_all(node.args[1:])
            case nodes.Compare(ops=[nodes.Operand(op=operator, expr=other)]) if operator in _OPERATORS:
                self._compare(node.expr, operator, other)
            case nodes.Node():
                self._read_all(node.iter_child_nodes())

    def _read_all(self, found: Iterable[nodes.Node]) -> None:
        for node in found:
            self._read(node, _ALL)

    def _compare(self, left: nodes.Expr, operator: str, right: nodes.Expr) -> None:
        constant, listed = _constant(right), _constants(right)
        if operator in ("eq", "ne") and constant is not None:
            self._read(left, ("equals", constant.value))
        elif operator in ("eq", "ne") and (constant := _constant(left)) is not None:
            self._read(right, ("equals", constant.value))
        elif operator in ("in", "notin") and listed is not None:
            self._read(left, ("in", listed))
        else:
            self._read_all((left, right))


def _constant(node: nodes.Expr) -> nodes.Const | None:
    return node if isinstance(node, nodes.Const) and isinstance(node.value, _CONSTANTS) else None


def _constants(node: nodes.Expr) -> tuple[Any, ...] | None:
    if not isinstance(node, nodes.List | nodes.Tuple):
        return None
    found = [constant.value for item in node.items if (constant := _constant(item)) is not None]
    return tuple(found) if len(found) == len(node.items) else None


def _answer(question: Question, value: Any) -> bool:
    kind, about = question
    match kind:
        case "truth":
            return bool(value)
        case "test":
            test: Any = TESTS[about]
            return bool(test(value))
        case "equals":
            return bool(value == about)
        case _:
            return value in about
