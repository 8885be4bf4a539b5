"""The names that a chat template may call. Source: transformers 5.24, ``utils/chat_template_utils.py``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.utils import Namespace

from untemplate.errors import TemplateRefusal
from untemplate.template.guards import join_items
from untemplate.template.limits import Budget

Clock = Callable[[], datetime]

FROZEN = datetime(2025, 1, 15, 10, 20, 30, tzinfo=UTC).replace(tzinfo=None)
"""The local time that every template sees during analysis, so that two renderings differ only where they should."""


def frozen_clock() -> datetime:
    """Return the fixed time of analysis."""
    return FROZEN


class TemplateNamespace(Namespace):
    """Jinja's namespace without names that begin with an underscore, and with a short text of its own."""

    # Without a named ``self``: a template may well give a namespace an attribute of that name.
    def __init__(*args: Any, **kwargs: Any) -> None:
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
        raise SecurityError(f"a namespace takes no name that begins with an underscore: {name!r}")


class TemplateDict:
    """``dict`` for templates: it makes dicts and shows nothing else of the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """Return a dict with these keys."""
        return dict.fromkeys(*args, **kwargs)

    def __repr__(self) -> str:
        return "<dict>"


def refuse(message: Any = "") -> Any:
    """``raise_exception``: the template does not take this conversation.

    Raises:
        TemplateRefusal: always.
    """
    raise TemplateRefusal(str(message), hint="The template does not take this conversation; the message is its own.")


def first_item(items: Iterable[Any]) -> Any:
    """Return the first item: the ``random`` filter of an analysis that gives the same bytes twice."""
    return next(iter(items), "")


def json_filter(budget: Budget) -> Callable[..., str]:
    """Return the ``tojson`` filter: ``json.dumps``, without escapes for HTML, and no ``Markup``."""

    def tojson(
        value: Any,
        ensure_ascii: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        # A wide indentation of a deep value can be far longer than the value: it is written piece by piece.
        if indent is None or (type(indent) is int and indent <= 4):
            shared = budget.shared
            if id(value) not in shared.sizes:
                return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
            key = (id(value), ensure_ascii, indent, tuple(separators or ()), sort_keys)
            if key not in shared.texts:
                shared.texts[key] = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
            return shared.texts[key]
        budget.need(len(indent) if isinstance(indent, str) else indent)
        encoder = json.JSONEncoder(ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
        return "".join(join_items(budget, "", encoder.iterencode(value)))

    return tojson
