"""Infers what conversations a template takes: system messages, tools, calls, results, content beside calls."""

from __future__ import annotations

from untemplate.infer.prompt import system_support
from untemplate.infer.turn import TurnFound
from untemplate.probe.cases import sentinel_case
from untemplate.probe.prober import Prober
from untemplate.probe.shape import assistant, results, user
from untemplate.spec.model import Capabilities, ReasoningMode, Support
from untemplate.text import sentinels


def infer_capabilities(found: TurnFound) -> Capabilities:
    """Return the capabilities, each from one rendering."""
    plain, calling = found.plain, found.calling
    return Capabilities(
        system=Support(system_support(plain)),
        tools=_tools_shown(plain),
        calls=Support.DROPPED if found.calls is None else Support.KEPT,
        max_calls=found.most_calls if found.calls is not None and found.most_calls < 3 else None,
        tool_results=_results(calling or plain),
        reasoning=Support.KEPT if found.turn.reasoning.mode is not ReasoningMode.NONE and found.reasoning_rendered else Support.DROPPED,
        content_with_calls=_content_with_calls(calling),
        arguments_as=(calling or plain).shape.arguments_as,
        empty_content=(calling or plain).shape.empty_content,
        content_parts=plain.shape.parts,
        reasoning_always=plain.shape.reasoning_always,
        alternation=_alternation(plain),
        id_pattern=_id_pattern(calling),
        refusals=tuple(plain.refusals),
    )


def _tools_shown(prober: Prober) -> bool:
    with_tools, without = prober.base(), prober.using(tools=None).base()
    return with_tools is not None and (without is None or with_tools != without) and sentinels.name(0) in with_tools


def _results(prober: Prober) -> Support:
    case = sentinel_case(calls=1)
    text = prober.turn(case, follow="tool")
    if text is not None:
        return Support.KEPT if sentinels.RESULT in text else Support.DROPPED
    alone = prober.render([*prober.opening(), assistant(case, prober.shape), *results(case, prober.shape)])
    return Support.REFUSED if alone is None else Support.DROPPED


def _content_with_calls(prober: Prober | None) -> Support:
    if prober is None:
        return Support.DROPPED
    text = prober.turn(sentinel_case(content=True, calls=1))
    if text is None:
        return Support.REFUSED
    return Support.KEPT if sentinels.CONTENT in text and sentinels.name(0) in text else Support.DROPPED


def _alternation(prober: Prober) -> bool:
    """Return whether two messages of one role in a row are refused."""
    twice = [*prober.opening(), user(sentinels.USER_AGAIN, prober.shape)]
    return prober.render(twice) is None


def _id_pattern(prober: Prober | None) -> str | None:
    """Return the form of ids that the template demands, where a plain long id is refused."""
    if prober is None:
        return None
    if prober.shape.ids == "functions":
        return r"functions\.NAME:\d+"
    case = sentinel_case(calls=1)
    message = assistant(case, prober.shape)
    message["tool_calls"][0]["id"] = "call_" + "x" * 19
    return r"[A-Za-z0-9]{9}" if prober.render([*prober.opening(), message]) is None else None
