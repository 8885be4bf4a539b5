"""The Jinja environment of Hugging Face's tokenizers, in a sandbox that asks a budget before it works.

Source: transformers 5.24, ``utils/chat_template_utils.py``: ``trim_blocks``, ``lstrip_blocks``, loop controls, a
``{% generation %}`` block, ``tojson`` that is ``json.dumps``, ``raise_exception``, ``strftime_now``, and its own
``dict`` and ``namespace``.
"""

from __future__ import annotations

import datetime
import json
import operator as operators
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension, LoopControlExtension
from jinja2.lexer import Token, TokenStream
from jinja2.parser import Parser
from jinja2.runtime import Context, markup_join
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment, SandboxedFormatter
from jinja2.utils import Namespace, pass_context
from markupsafe import Markup

from untemplate.errors import TemplateError, TemplateRefusal
from untemplate.template.guards import METHODS, Counted, guard_filters, join_items
from untemplate.template.limits import Budget, Limits

Clock = Callable[[], datetime.datetime]

FROZEN = datetime.datetime(2025, 1, 15, 10, 20, 30)
"""The time that every template sees during analysis, so that two renderings differ only where they should."""

_LOOP = "untemplate loop"
_CONTAINERS = (list, tuple, dict)
_SMALL = 64
"""Loops up to this length are counted at their start, longer ones item by item."""
_BOUND = (types.BuiltinMethodType, types.MethodType)
_DICT_ATTRIBUTES = frozenset(dir(dict))


class _Namespace(Namespace):
    """Jinja's namespace without names that begin with an underscore, and with a short text of its own."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # noqa: N805 - ``self`` may be one of the names
        attributes = dict(*args[1:], **kwargs)
        for name in attributes:
            _check_attribute(name)
        Namespace.__init__(args[0], attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_attribute(name)
        super().__setitem__(name, value)

    def __repr__(self) -> str:
        return "<Namespace>"


def _check_attribute(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace takes no name that begins with an underscore: {name!r}")


class _Dict:
    """``dict`` for templates: it makes dicts and shows nothing else of the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Generation(Extension):
    """``{% generation %}…{% endgeneration %}``: marks the assistant's own text for training; renders its body."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


class _Constants(Extension):
    """Notes the string constants and the plain text of a template while it is parsed."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        environment: Sandbox = self.environment  # type: ignore[assignment]
        strings, texts = environment.strings, environment.texts
        joined = False
        for token in stream:
            if token.type == "string":
                if joined:
                    strings[-1] += token.value
                else:
                    strings.append(token.value)
            elif token.type == "data":
                texts.append(token.value)
            joined = token.type == "string"
            yield token


class _Watched(CodeGenerator):
    """Writes Jinja's Python code with calls to the sandbox where loops start and values are built."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.filters[_LOOP] = "environment.start_loop"

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        known = self.environment.globals
        self.environment.undeclared.update(  # type: ignore[attr-defined]
            name for action, name in frame.symbols.loads.values() if action == "resolve" and name not in known
        )

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        node.iter = nodes.Filter(node.iter, _LOOP, [], [], None, None, lineno=node.lineno)
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


class Sandbox(SandboxedEnvironment):
    """One template's environment: what it may call, and what that costs."""

    code_generator_class = _Watched
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.budget = Budget(limits)
        self.strings: list[str] = []
        self.texts: list[str] = []
        self.undeclared: set[str] = set()
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[_Constants, _Generation, LoopControlExtension],
            finalize=self.finalize_value,
            cache_size=0,
        )
        self.filters = guard_filters({**self.filters, "tojson": self._to_json}, self.budget)
        self.filters[_LOOP] = _never
        self.concat = self._concat  # type: ignore[assignment]
        self.globals.update(
            raise_exception=_refuse,
            strftime_now=lambda format: clock().strftime(format),
            dict=_Dict(),
            namespace=_Namespace,
            lipsum=self._lipsum(self.globals["lipsum"]),
        )

    def _lipsum(self, function: Callable[..., str]) -> Callable[..., str]:
        def lipsum(n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:
            self.budget.need(n * max * 16)
            return function(n, html, min, max)

        return lipsum

    def _to_json(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """Return ``json.dumps`` of the value: nothing is escaped for HTML, and the result is no ``Markup``."""
        if indent is None or (indent == 2 and type(indent) is int):
            return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
        self.budget.need(len(indent) if isinstance(indent, str) else indent)
        encoder = json.JSONEncoder(ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
        return "".join(join_items(self.budget, "", encoder.iterencode(value)))

    def _concat(self, parts: Iterable[str]) -> str:
        return "".join(join_items(self.budget, "", parts))

    def finalize_value(self, value: Any) -> Any:
        """Return what is written for ``value``: itself, unless it is too large to be written out."""
        if isinstance(value, _CONTAINERS):
            self.budget.weigh(value)
        return value

    def start_loop(self, _context: Context, items: Any) -> Any:
        """Return the items of a loop, counted."""
        try:
            length = len(items)
        except TypeError:
            return Counted(items, self.budget) if hasattr(items, "__iter__") else items
        self.budget.tick()
        if length <= _SMALL:
            self.budget.tick(length)
            return items
        return Counted(items, self.budget)

    def join_values(self, context: Context, values: tuple[Any, ...]) -> str:
        """Return ``a ~ b ~ c``."""
        if context.eval_ctx.autoescape:
            return markup_join(join_items(self.budget, "", values))
        size = 0
        for value in values:
            size += len(value) if type(value) is str else self.budget.weigh(value)
        self.budget.charge(size)
        return "".join(map(str, values))

    def charge_value(self, value: Any) -> Any:
        """Return a slice, counted."""
        self.budget.charge(len(value) if hasattr(value, "__len__") else 1)
        return value

    def weigh_value(self, value: Any) -> Any:
        """Return a list, tuple or dict that the template wrote, weighed."""
        self.budget.weigh(value)
        return value

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return ``obj.attribute``; members of dicts without the detour over Python's attributes."""
        if type(obj) is dict and attribute not in _DICT_ATTRIBUTES:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        """Return the result of a call, counted; methods that can grow their receiver are looked at first."""
        budget = self.budget
        if not self.is_safe_callable(obj):
            raise jinja2.exceptions.SecurityError(f"{obj!r} is not safely callable")
        if isinstance(obj, _BOUND):
            receiver = obj.__self__
            if (check := METHODS.get(obj.__name__)) is not None:
                check(budget, (receiver, *args), kwargs)
            elif obj.__name__ == "join" and isinstance(receiver, str) and args:
                args = (join_items(budget, receiver, args[0]), *args[1:])
        result = context.call(obj, *args, **kwargs)
        if isinstance(result, (str, bytes)):
            budget.charge(len(result))
        elif isinstance(result, _CONTAINERS):
            budget.charge(len(result))
            if isinstance(obj, types.MethodType):
                budget.weigh(result)
        else:
            budget.tick()
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator, after a look at its size."""
        match operator:
            case "+":
                return self._add(left, right)
            case "*":
                return self._multiply(left, right)
            case "**":
                if isinstance(left, int) and isinstance(right, int):
                    self.budget.need(left.bit_length() * max(right, 0))
                return left**right
            case _:
                if isinstance(left, str):
                    self.budget.weigh_format(left, right)
                result = left % right
                self.budget.charge(len(result) if isinstance(result, str) else 1)
                return result

    def _add(self, left: Any, right: Any) -> Any:
        result = operators.add(left, right)
        if isinstance(result, str):
            self.budget.charge(len(result))
        elif isinstance(result, _CONTAINERS):
            self.budget.charge(len(result))
            self.budget.weigh(result)
        else:
            self.budget.tick()
        return result

    def _multiply(self, left: Any, right: Any) -> Any:
        if isinstance(left, int) and not isinstance(right, int):
            left, right = right, left
        if isinstance(left, (str, bytes)) and isinstance(right, int):
            self.budget.charge(len(left) * max(right, 0))
        elif isinstance(left, _CONTAINERS) and isinstance(right, int):
            self.budget.charge(self.budget.weigh(left) * max(right, 0))
        elif isinstance(left, int) and isinstance(right, int):
            self.budget.need(left.bit_length() + right.bit_length())
        return left * right

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return a watched ``str.format`` or ``str.format_map`` in place of the method, or ``None`` for other values."""
        if not isinstance(value, _BOUND) or value.__name__ not in ("format", "format_map"):
            return None
        text = value.__self__
        if not isinstance(text, str) or isinstance(text, Markup):
            return super().wrap_str_format(value)
        takes_map = value.__name__ == "format_map"

        def formatted(*args: Any, **kwargs: Any) -> str:
            return _Formatter(self).vformat(text, (), args[0]) if takes_map else _Formatter(self).vformat(text, args, kwargs)

        return formatted


class _Formatter(SandboxedFormatter):
    """``str.format`` that looks at every field's width before it writes it."""

    def __init__(self, environment: Sandbox) -> None:
        super().__init__(environment)
        self._budget = environment.budget

    def format_field(self, value: Any, format_spec: str) -> str:
        digits = "".join(c if c.isdigit() else " " for c in format_spec).split()
        self._budget.need(sum(int(number[:12]) for number in digits))
        self._budget.charge(self._budget.weigh(value))
        return str(super().format_field(value, format_spec))


class ImmutableSandbox(Sandbox, ImmutableSandboxedEnvironment):
    """The sandbox that transformers uses: lists and dicts cannot be changed."""


@pass_context
def _never(_context: Context, items: Any) -> Any:
    """Return ``items``. Stands in the table of filters so that a loop's source is never computed at compile time."""
    return items


def _refuse(message: Any = "") -> Any:
    raise TemplateRefusal(str(message), hint="The template does not take this conversation; the message is its own.")


__all__ = ["FROZEN", "Clock", "ImmutableSandbox", "Sandbox", "TemplateError"]
