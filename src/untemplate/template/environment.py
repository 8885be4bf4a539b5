"""The Jinja environment of Hugging Face's tokenizers, in a sandbox that asks a budget before it works.

Source: transformers 5.24, ``utils/chat_template_utils.py``: ``trim_blocks``, ``lstrip_blocks``, loop controls, a
``{% generation %}`` block, and the names in ``helpers``.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import SecurityError, UndefinedError
from jinja2.ext import LoopControlExtension
from jinja2.runtime import Context, Undefined, markup_join
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment, SandboxedFormatter
from jinja2.utils import missing
from markupsafe import Markup

from untemplate.template.codegen import LOOP_FILTER, Findings, GenerationBlock, NoteConstants, QuickParser, WatchedCode, keep
from untemplate.template.guards import METHODS, Counted, guard_filters, join_items
from untemplate.template.helpers import Clock, TemplateDict, TemplateNamespace, first_item, json_filter, refuse
from untemplate.template.limits import Budget, Limits

_CONTAINERS = (list, tuple, dict)
_PLAIN = (str, int, float, bool, type(None))
_BOUND = (types.BuiltinMethodType, types.MethodType)
_SMALL = 64
"""Loops up to this length are counted at their start, longer ones item by item."""
_DICT_ATTRIBUTES = frozenset(dir(dict))
_DICT_READERS = frozenset(("get", "items", "keys", "values"))
_TEXT_METHODS = frozenset(name for name in dir(str) if not name.startswith(("_", "format")))
"""Methods of strings that anyone may call; ``format`` and ``format_map`` are watched."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Sandbox(SandboxedEnvironment):
    """One template's environment: what it may call, and what that costs."""

    code_generator_class = WatchedCode
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.budget = Budget(limits)
        self.findings = Findings()
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[NoteConstants, GenerationBlock, LoopControlExtension],
            finalize=self.finalize_value,
            cache_size=0,
            optimized=False,  # constants are computed each time: cheaper than looking for them in every expression
        )
        self.filters = guard_filters({**self.filters, "tojson": json_filter(self.budget), "random": first_item}, self.budget)
        self.filters[LOOP_FILTER] = keep
        self.concat = self._concat  # type: ignore[method-assign]
        self.unmet: set[str] = set()
        self.undefined = self._undefined  # type: ignore[assignment]
        self._safe: dict[tuple[type, str], bool] = {}
        del self.globals["lipsum"]  # random text, and as much of it as a template asks for
        self.globals.update(
            raise_exception=refuse,
            strftime_now=lambda format: clock().strftime(format),
            dict=TemplateDict(),
            namespace=TemplateNamespace,
        )

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return QuickParser(self, source, name, filename).parse()

    def _undefined(self, hint: str | None = None, obj: Any = missing, name: str | None = None, exc: Any = UndefinedError) -> Undefined:
        """Return what stands for a value that is not there; the names of variables are noted in ``unmet``."""
        if obj is missing and name is not None:
            self.unmet.add(name)
        return Undefined(hint, obj, name, exc)

    def _concat(self, parts: Iterable[str]) -> str:
        return "".join(join_items(self.budget, "", parts))

    def finalize_value(self, value: Any) -> Any:
        """Return what is written for ``value``: itself, unless it is too large to be written out or shows an address."""
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, _CONTAINERS):
            self.budget.weigh(value)
            return value
        return value if isinstance(value, Undefined) else _ADDRESS.sub("", str(value))

    def start_loop(self, _context: Context, items: Any) -> Any:
        """Return the items of a loop, counted."""
        try:
            length = len(items)
        except TypeError:
            return Counted(items, self.budget) if hasattr(items, "__iter__") else items
        if length <= _SMALL:
            self.budget.tick(1 + length)
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
        if type(obj) is dict:
            if attribute not in _DICT_ATTRIBUTES:
                try:
                    return obj[attribute]
                except KeyError:
                    return self.undefined(obj=obj, name=attribute)
            if attribute in _DICT_READERS:
                return getattr(obj, attribute)
        elif type(obj) is str and attribute in _TEXT_METHODS:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may see an attribute. The answer depends on the object's type alone, and is remembered."""
        key = (type(obj), attr)
        known = self._safe.get(key)
        if known is None:
            known = self._safe[key] = super().is_safe_attribute(obj, attr, value)
        return known

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Return the result of a call, counted; methods that can grow their receiver are looked at first."""
        budget = self.budget
        kind = type(obj)
        if kind is not types.BuiltinMethodType and not self.is_safe_callable(obj):
            raise SecurityError(f"{obj!r} is not safely callable")
        if kind is types.BuiltinMethodType or kind is types.MethodType:
            receiver = obj.__self__
            if (check := METHODS.get(obj.__name__)) is not None:
                check(budget, (receiver, *args), kwargs)
            elif obj.__name__ == "join" and isinstance(receiver, str) and args:
                args = (join_items(budget, receiver, args[0]), *args[1:])
        result = _call_plainly(self, obj, args, kwargs) if kind is types.BuiltinMethodType else context.call(obj, *args, **kwargs)
        if isinstance(result, (str, bytes)):
            budget.charge(len(result))
        elif isinstance(result, _CONTAINERS):
            budget.charge(len(result))
            if obj is self.globals["dict"]:
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
        result = left + right
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
        if not isinstance(text, str):
            return None
        if isinstance(text, Markup):
            raise SecurityError("format is not available on text that is marked as safe")
        takes_map = value.__name__ == "format_map"

        def formatted(*args: Any, **kwargs: Any) -> str:
            return _Formatter(self).vformat(text, (), args[0]) if takes_map else _Formatter(self).vformat(text, args, kwargs)

        return formatted


def _call_plainly(sandbox: Sandbox, method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what ``context.call`` does for a method of a built-in type, which takes neither context nor environment."""
    kwargs.pop("_block_vars", None)
    kwargs.pop("_loop_vars", None)
    try:
        return method(*args, **kwargs)
    except StopIteration:
        return sandbox.undefined("value was undefined because a callable raised a StopIteration exception")


class _Formatter(SandboxedFormatter):
    """``str.format`` that looks at every field's width before it writes it."""

    def __init__(self, environment: Sandbox) -> None:
        super().__init__(environment)
        self._budget = environment.budget

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return one field's text."""
        digits = "".join(c if c.isdigit() else " " for c in format_spec).split()
        self._budget.need(sum(int(number[:12]) for number in digits))
        self._budget.charge(self._budget.weigh(value))
        return str(super().format_field(value, format_spec))


class ImmutableSandbox(Sandbox, ImmutableSandboxedEnvironment):
    """The sandbox that transformers uses: lists and dicts cannot be changed."""
