"""What is done while a template is compiled: its constants are noted, and calls to the sandbox are written into its code."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from jinja2.idtracking import VAR_LOAD_RESOLVE
from jinja2.lexer import Token, TokenStream
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.utils import pass_context

from untemplate.template.questions import STANDING, Questions

LOOP_FILTER = "untemplate loop"
"""A filter that no template can name: it stands before the source of every loop."""


@dataclass(slots=True)
class Findings:
    """What the compiler met in a template, in order of appearance."""

    strings: list[str] = field(default_factory=list)
    """String literals; neighbours are joined, as Jinja joins them."""
    texts: list[str] = field(default_factory=list)
    """Text between tags."""
    undeclared: set[str] = field(default_factory=set)
    """Names that may have no value of the template's own."""
    read: set[str] = field(default_factory=set)
    """Names that stand in an expression."""
    questions: Questions | None = None
    """What is asked of those names; ``None`` where none of them is the template's own idea."""


class NoteConstants(Extension):
    """Notes strings and text in the environment's ``findings`` while a template is parsed."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens unchanged."""
        findings: Findings = self.environment.findings  # type: ignore[attr-defined]
        joined = False
        for token in stream:
            if token.type == "string":
                if joined:
                    findings.strings[-1] += token.value
                else:
                    findings.strings.append(token.value)
            elif token.type == "data":
                findings.texts.append(token.value)
            joined = token.type == "string"
            yield token


class GenerationBlock(Extension):
    """``{% generation %}…{% endgeneration %}``: marks the assistant's own text for training; renders its body."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        """Return the body as a scope of its own, which is what transformers' call block is."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


class QuickParser(Parser):
    """Jinja's parser, less its walk through the tree at the end: ``WatchedCode`` tells the nodes their environment on a walk of its own."""

    def parse(self) -> nodes.Template:
        """Return the tree of the template."""
        return nodes.Template(self.subparse(), lineno=1)


@pass_context
def keep(_context: Context, items: Any) -> Any:
    """Return ``items``. Stands in the table of filters, so that no loop's source is computed while compiling."""
    return items


class WatchedCode(CodeGenerator):
    """Writes Jinja's Python code with calls to the sandbox where loops start and values are built."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters[LOOP_FILTER] = "environment.start_loop"
        self._kinds: set[type[nodes.Node]] = set()
        self._named: dict[tuple[type[nodes.Node], str], None] = {}
        """Filters and tests."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        for inner in _walk(node):
            inner.environment = self.environment
            kind = type(inner)
            self._kinds.add(kind)
            if kind is nodes.Filter or kind is nodes.Test:
                self._named.setdefault((kind, inner.name))  # type: ignore[attr-defined]
        with self._answering_quickly(node):
            super().visit_Template(node, frame)
        findings: Findings = self.environment.findings  # type: ignore[attr-defined]
        if not findings.undeclared.isdisjoint(findings.read - STANDING):
            findings.questions = Questions(node)

    @contextlib.contextmanager
    def _answering_quickly(self, node: nodes.Node) -> Iterator[None]:
        """Give a node a ``find_all`` that knows what its template lacks: Jinja asks each loop for blocks, by walking all below it.

        It is taken away again: a tree that refers to what walks it is not freed before the garbage collector runs.
        """
        node.find_all = functools.partial(self._find_all, node)  # type: ignore[assignment]
        try:
            yield
        finally:
            del node.find_all

    def _find_all(self, node: nodes.Node, wanted: Any) -> Iterator[nodes.Node]:
        if any(issubclass(kind, wanted) for kind in self._kinds):
            yield from (inner for inner in _walk(node) if isinstance(inner, wanted) and inner is not node)

    def pull_dependencies(self, found: Iterable[nodes.Node]) -> None:
        """Write where filters and tests come from. They are known already; Jinja would walk all of the template for them."""
        if nodes.Block in self._kinds:
            super().pull_dependencies(found)
        else:
            super().pull_dependencies(kind(None, name, [], [], None, None) for kind, name in self._named)

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        known = self.environment.globals
        findings: Findings = self.environment.findings  # type: ignore[attr-defined]
        for action, name in frame.symbols.loads.values():
            if action == VAR_LOAD_RESOLVE and name is not None and name not in known:
                findings.undeclared.add(name)

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:  # noqa: N802
        if node.ctx == "load":
            findings: Findings = self.environment.findings  # type: ignore[attr-defined]
            findings.read.add(node.name)
        super().visit_Name(node, frame)

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        node.iter = nodes.Filter(node.iter, LOOP_FILTER, [], [], None, None, lineno=node.lineno)
        with self._answering_quickly(node):
            super().visit_For(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self.write("environment.join_values(context, (")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        self._wrap("environment.charge_value(", isinstance(node.arg, nodes.Slice), super().visit_Getitem, node, frame)

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802
        self._wrap("environment.weigh_value(", not _is_flat(node.items), super().visit_List, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802
        self._wrap("environment.weigh_value(", node.ctx == "load" and not _is_flat(node.items), super().visit_Tuple, node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        flat = _is_flat([pair.value for pair in node.items]) and _is_flat([pair.key for pair in node.items])
        self._wrap("environment.weigh_value(", not flat, super().visit_Dict, node, frame)

    def _wrap(self, call: str, wanted: bool, visit: Callable[[Any, Frame], None], node: nodes.Node, frame: Frame) -> None:
        if wanted:
            self.write(call)
        visit(node, frame)
        if wanted:
            self.write(")")


def _is_flat(items: list[nodes.Expr]) -> bool:
    return all(isinstance(item, nodes.Const) for item in items)


def _walk(root: nodes.Node) -> Iterator[nodes.Node]:
    """Yield a node and all below it in the order of ``Node.find_all``, without a generator for each level."""
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if type(node) is list:
            waiting.extend(reversed(node))
        elif isinstance(node, nodes.Node):
            yield node
            waiting.extend([getattr(node, name, None) for name in reversed(node.fields)])
