"""Finds the shape of conversation that a template takes, by rendering: what raises or loses a sentinel is left behind.

Source: DESIGN.md section 8 item 10; INFERENCE.md "Content with calls", "Arguments", "One call only".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from untemplate.errors import TemplateError
from untemplate.probe.cases import Case, sentinel_call, sentinel_case
from untemplate.probe.prober import Prober
from untemplate.probe.shape import Shape
from untemplate.text import sentinels


def find_opening(prober: Prober) -> Prober | None:
    """Return a prober whose base conversation renders with the user's text in it, or ``None`` where no shape does."""
    for tools in (prober.tools, None, []):
        for shape in (
            prober.shape,
            replace(prober.shape, parts=True),
            replace(prober.shape, system=True),
            replace(prober.shape, parts=True, system=True),
            replace(prober.shape, reasoning_always=True),
        ):
            tried = prober.using(shape=shape, tools=tools)
            base = tried.base()
            if base is not None and sentinels.USER in base:
                turn = tried.turn(sentinel_case(content=True)) or tried.using(shape=replace(shape, followed=True)).turn(
                    sentinel_case(content=True)
                )
                if turn is not None and sentinels.CONTENT in turn:
                    followed = sentinels.CONTENT not in (tried.turn(sentinel_case(content=True)) or "")
                    return tried.using(shape=replace(shape, followed=followed))
    return None


def _call_shapes(shape: Shape) -> Iterator[Shape]:
    """Yield shapes of a call turn, the most usual first."""
    for followed in (False, True):
        for ids in ("plain", "functions"):
            for arguments in ("object", "text"):
                for empty in ("empty", "null", "missing"):
                    yield replace(shape, arguments_as=arguments, empty_content=empty, ids=ids, followed=followed)


def find_call_shape(prober: Prober) -> Shape | None:
    """Return the shape in which a call with its name and arguments is rendered, or ``None`` where the template shows none.

    A template that prints an argument object as Python but an argument text as it is wants the text; the object is preferred
    wherever it is printed as JSON or by the template's own notation, and where all of the call is Python.
    """
    first: Shape | None = None
    wanted = [sentinels.name(0), sentinels.key(0, 0), sentinels.value(0, 0)]
    case = Case(calls=(sentinel_call(0),))
    ignored = _ignores_calls(prober, case)
    for shape in _call_shapes(prober.shape):
        if ignored and not (shape.followed and shape.ids == "plain" and shape.empty_content == "empty"):
            continue
        if first is not None and (shape.arguments_as, shape.empty_content) != ("text", first.empty_content):
            continue
        text = prober.using(shape=shape).turn(case)
        if text is None or not all(mark in text for mark in wanted):
            continue
        if first is not None:
            member = f'"{sentinels.key(0, 0)}": "{sentinels.value(0, 0)}"'
            return shape if member in text and f"'{{{member}" not in text else first
        first = shape
        if f"'{sentinels.key(0, 0)}': '{sentinels.value(0, 0)}'" not in text:
            return first
    return first


def _ignores_calls(prober: Prober, case: Case) -> bool:
    """Return whether calls leave no trace in a last message: then only what follows them can show more.

    Some templates look at calls only where content is null, and take arguments as text only.
    """
    if prober.turn(case) is None:
        return False
    for empty in ("empty", "null"):
        without = prober.using(shape=replace(prober.shape, empty_content=empty)).turn(Case())
        for arguments in ("object", "text"):
            tried = prober.using(shape=replace(prober.shape, empty_content=empty, arguments_as=arguments)).turn(case)
            if tried is not None and tried != without:
                return False
    return True


def find_reasoning_shape(prober: Prober) -> Shape | None:
    """Return the shape in which reasoning is rendered, or ``None`` where it never is."""
    for way in ("field", "reasoning", "part"):
        shape = replace(prober.shape, reasoning_as=way)
        for case in (sentinel_case(reasoning=True, content=True), sentinel_case(reasoning=True, calls=1)):
            text = prober.using(shape=shape).turn(case)
            if text is not None and sentinels.REASONING in text and not _DUMPED.search(text):
                return shape
    return None


_DUMPED = re.compile(r"""["']thinking["']: ?["']""" + sentinels.REASONING)
"""A list of parts printed as such: the template does not know them."""


def count_calls(prober: Prober) -> int:
    """Return how many calls of a turn are rendered, of 3 asked for: some templates refuse or drop all but the first."""
    for count in (3, 2, 1):
        text = prober.turn(sentinel_case(calls=count))
        if text is not None and all(sentinels.name(i) in text for i in range(count)):
            return count
    return 0


def standing_variables(template: Any, prober: Prober) -> dict[str, Any]:
    """Return values for variables without which the template raises even on a plain conversation, ``{}`` where none is needed."""
    names = [name for name in template.variables() if name not in _USUAL]
    blanks: tuple[Any, ...] = ("", [], 0)
    for value in blanks:
        given = dict.fromkeys(names, value)
        tried = prober.using(switches=given)
        try:
            if tried.base() is not None:
                return given
        except TemplateError:
            continue
    return {}


_USUAL = frozenset(
    {"messages", "tools", "documents", "add_generation_prompt", "bos_token", "eos_token", "pad_token", "unk_token", "raise_exception"}
    | {"strftime_now", "namespace", "range", "dict", "lipsum", "cycler", "joiner", "enable_thinking", "thinking"}
)
