"""Guards for filters, methods and operators whose result can be far larger than what goes in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from untemplate.template.limits import Budget

Check = Callable[[Budget, tuple[Any, ...], dict[str, Any]], None]
"""Looks at the positional arguments (the receiver first) and the keywords before the work is done."""

_CONTAINERS = (list, tuple, dict, set, frozenset)
_SLOW_TEXT = 100_000
"""Characters that a filter built on a backtracking expression may be given."""
_UNTOUCHED = frozenset(
    {"abs", "attr", "count", "d", "default", "first", "float", "items", "last", "length", "map", "random"}
    | {"reject", "rejectattr", "select", "selectattr"}
)
"""Filters that build nothing: they stay as they are."""


def _number(args: tuple[Any, ...], keywords: dict[str, Any], place: int, name: str, default: int = 0) -> int:
    value = args[place] if len(args) > place else keywords.get(name, default)
    return abs(value) if isinstance(value, int) else default


def _text(args: tuple[Any, ...], keywords: dict[str, Any], place: int, name: str) -> str:
    value = args[place] if len(args) > place else keywords.get(name, "")
    return value if isinstance(value, str) else str(value) if not isinstance(value, _CONTAINERS) else ""


def _size(value: Any) -> int:
    return len(value) if isinstance(value, (str, bytes, *_CONTAINERS)) else 32


def _check_width(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    budget.need(_size(args[0]) + _number(args, keywords, 1, "width", 80))


def _check_tabs(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    budget.need(_size(args[0]) * max(1, _number(args, keywords, 1, "tabsize", 8)))


def _check_length(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    budget.need(_number(args, keywords, 1, "length"))


def _check_parts(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    name = "slices" if "slices" in keywords else "linecount"
    budget.charge(_number(args, keywords, 1, name))


def _check_replace(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    text, old, new = _text(args, {}, 0, ""), _text(args, keywords, 1, "s"), _text(args, keywords, 2, "new")
    if len(new) > len(old):
        found = text.count(old) if old else len(text) + 1
        budget.need(len(text) + 6 * found * len(new))


def _check_indent(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    width = args[1] if len(args) > 1 else keywords.get("width", 4)
    one = len(width) if isinstance(width, str) else _number((width,), {}, 0, "")
    lines = len(args[0].splitlines()) + 1 if isinstance(args[0], str) else budget.weigh(args[0])
    budget.need(_size(args[0]) + one * lines)


def _check_wrap(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    _check_slow(budget, args, keywords)
    budget.need(_size(args[0]) * max(1, len(_text(args, keywords, 3, "wrapstring"))))


def _check_slow(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    size = budget.weigh(args[0]) if isinstance(args[0], _CONTAINERS) else _size(args[0])
    if size > _SLOW_TEXT:
        budget.need(budget.limits.value + size)


def _check_format(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    budget.weigh_format(str(args[0]), (*args[1:], *keywords.values()))


def _check_encode(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    name = _text(args, keywords, 1, "encoding").lower()
    if name and name not in {"utf-8", "utf8", "utf-16", "utf-32", "ascii", "latin-1", "latin1"}:
        _check_slow(budget, args, keywords)


def _check_translate(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    table = args[1] if len(args) > 1 else None
    longest = max((_size(item) for item in table.values()), default=1) if isinstance(table, dict) else 1
    budget.need(_size(args[0]) * longest)


def _check_precision(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    if _number(args, keywords, 1, "precision") > 300:
        budget.need(budget.limits.value + 1)


def _check_added(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    budget.charge(sum(_size(item) for item in args))
    budget.weigh(args[1:])


METHODS: dict[str, Check] = {
    "center": _check_width,
    "ljust": _check_width,
    "rjust": _check_width,
    "zfill": _check_width,
    "expandtabs": _check_tabs,
    "replace": _check_replace,
    "translate": _check_translate,
    "encode": _check_encode,
    "to_bytes": _check_length,
    "append": _check_added,
    "extend": _check_added,
    "insert": _check_added,
    "update": _check_added,
    "setdefault": _check_added,
}
"""Methods of built-in types that need a look before they are called, by name. ``join`` is ``join_text``."""

_FILTERS: dict[str, Check] = {
    "center": _check_width,
    "batch": _check_parts,
    "slice": _check_parts,
    "replace": _check_replace,
    "indent": _check_indent,
    "wordwrap": _check_wrap,
    "format": _check_format,
    "round": _check_precision,
    "urlize": _check_slow,
    "striptags": _check_slow,
    "pprint": _check_slow,
    "xmlattr": _check_slow,
}


def join_items(budget: Budget, glue: str, items: Iterable[Any]) -> list[Any]:
    """Return ``items`` as a list, after a look at how long they get when ``glue`` joins them.

    Raises:
        TemplateError: E206 when the text would be too long.
    """
    parts = []
    size = 0
    for item in items:
        size += len(glue) + (len(item) if isinstance(item, str) else budget.weigh(item))
        if size > budget.limits.value:
            budget.need(size)
        parts.append(item)
    budget.charge(size)
    return parts


def guard_filters(filters: dict[str, Callable[..., Any]], budget: Budget) -> dict[str, Callable[..., Any]]:
    """Return the filters with every one that builds something watched by ``budget``."""
    return {name: f if name in _UNTOUCHED else _guard_filter(f, _FILTERS.get(name), name, budget) for name, f in filters.items()}


def _guard_filter(function: Callable[..., Any], check: Check | None, name: str, budget: Budget) -> Callable[..., Any]:
    first = 1 if getattr(function, "jinja_pass_arg", None) is not None else 0
    charge = budget.charge

    def guarded(*args: Any, **keywords: Any) -> Any:
        value = args[first] if len(args) > first else None
        if isinstance(value, _CONTAINERS):
            budget.weigh(value)
        if check is not None:
            check(budget, args[first:], keywords)
        elif name == "join":
            args = _watch_join(budget, args, keywords, first)
        elif name == "sum":
            return _sum(budget, function, args, keywords, first)
        result = function(*args, **keywords)
        charge(len(result) if isinstance(result, (str, list, tuple, dict)) else 1)
        return result

    if first:
        guarded.jinja_pass_arg = function.jinja_pass_arg  # type: ignore[attr-defined]
    return guarded


def _watch_join(budget: Budget, args: tuple[Any, ...], keywords: dict[str, Any], first: int) -> tuple[Any, ...]:
    glue = _text(args[first:], keywords, 1, "d")
    return (*args[:first], join_items(budget, glue, args[first]), *args[first + 1 :])


def _sum(budget: Budget, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any], first: int) -> Any:
    start = args[first + 2] if len(args) > first + 2 else keywords.get("start", 0)
    if isinstance(start, (int, float)):
        return function(*args, **keywords)
    items = list(args[first])
    budget.charge(sum(_size(item) for item in items) * max(1, len(items) // 2))
    return function(*args[:first], items, *args[first + 1 :], **keywords)


class Counted:
    """An iterable that counts a step for every item; as long as what it wraps, if that has a length."""

    __slots__ = ("_budget", "_items")

    def __init__(self, items: Any, budget: Budget) -> None:
        self._items = items
        self._budget = budget

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        tick = self._budget.tick
        for item in self._items:
            tick()
            yield item
