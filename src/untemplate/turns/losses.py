"""What a template does not write of a message, proved by rendering: a change of the message that changes nothing in the text.

Each change is a function of messages. One that leaves a message's text as it is is invisible there; two messages that an invisible
change makes equal cannot be told apart by anybody who sees the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from untemplate.probe.cases import CallCase, Case
from untemplate.spec.model import Section, Spec
from untemplate.turns.render import RenderedTurn, turn_text

Change = Callable[[Case], Case]


@dataclass(frozen=True, slots=True)
class Loss:
    """A change of messages, and what it means when it is invisible."""

    because: str
    change: Change


def _on_texts(change: Callable[[str], str], *, content: bool = False, reasoning: bool = False) -> Change:
    def changed(case: Case) -> Case:
        return replace(
            case,
            content=(change(case.content) or None) if content and case.content else case.content,
            reasoning=(change(case.reasoning) or None) if reasoning and case.reasoning else case.reasoning,
        )

    return changed


def _on_calls(change: Callable[[CallCase], CallCase]) -> Change:
    return lambda case: replace(case, calls=tuple(change(call) for call in case.calls))


def _on_values(change: Callable[[Any], Any]) -> Change:
    """Return the change of every value inside the arguments, from the inside out."""

    def walk(value: Any) -> Any:
        match value:
            case Mapping():
                return change({key: walk(item) for key, item in value.items()})
            case list():
                return change([walk(item) for item in value])
            case _:
                return change(value)

    return _on_calls(lambda call: replace(call, arguments={key: walk(value) for key, value in call.arguments.items()}))


def _sorted(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, Mapping) else value


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _without_nulls(value: Any) -> Any:
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, Mapping) else value


def _without_empties(value: Any) -> Any:
    return {key: item for key, item in value.items() if item not in ("", [], {})} if isinstance(value, Mapping) else value


def _lines(text: str) -> str:
    """Return ``text`` without blank lines and without white space at the ends of lines."""
    return re.sub(r"[ \t]*\n\s*", "\n", text)


def _spoken(between: str) -> Change:
    """Return the change that puts reasoning in front of content."""

    def changed(case: Case) -> Case:
        texts = [text for text in (case.reasoning, case.content) if text]
        return replace(case, reasoning=None, content=between.join(texts) or None)

    return changed


def _thought(case: Case) -> Case:
    """Return the message with its content as reasoning."""
    return replace(case, reasoning=case.reasoning or case.content, content=case.content if case.reasoning else None)


LOSSES: tuple[Loss, ...] = (
    Loss("reasoning is not rendered", lambda case: replace(case, reasoning=None)),
    Loss("content is not rendered", lambda case: replace(case, content=None)),
    Loss("calls are not rendered", lambda case: replace(case, calls=())),
    Loss("only the first call is rendered", lambda case: replace(case, calls=case.calls[:1])),
    Loss("arguments are not rendered", _on_calls(lambda call: replace(call, arguments={}))),
    Loss("white space at the ends of content is trimmed", _on_texts(str.strip, content=True)),
    Loss("white space before content is trimmed", _on_texts(str.lstrip, content=True)),
    Loss("white space behind content is trimmed", _on_texts(str.rstrip, content=True)),
    Loss("line breaks at the ends of content are trimmed", _on_texts(lambda text: text.strip("\n"), content=True)),
    Loss("white space at the ends of reasoning is trimmed", _on_texts(str.strip, reasoning=True)),
    Loss("white space before reasoning is trimmed", _on_texts(str.lstrip, reasoning=True)),
    Loss("white space behind reasoning is trimmed", _on_texts(str.rstrip, reasoning=True)),
    Loss("line breaks at the ends of reasoning are trimmed", _on_texts(lambda text: text.strip("\n"), reasoning=True)),
    Loss("blank lines are collapsed", _on_texts(_lines, content=True, reasoning=True)),
    Loss("keys of arguments are sorted", _on_calls(lambda call: replace(call, arguments=_sorted(call.arguments)))),
    Loss("keys of nested objects are sorted", _on_values(_sorted)),
    Loss("null arguments are dropped", _on_calls(lambda call: replace(call, arguments=_without_nulls(call.arguments)))),
    Loss("nulls in arguments are dropped", _on_values(_without_nulls)),
    Loss("empty arguments are dropped", _on_calls(lambda call: replace(call, arguments=_without_empties(call.arguments)))),
    Loss("empty values in arguments are dropped", _on_values(_without_empties)),
    Loss("white space at the ends of string arguments is trimmed", _on_values(_stripped)),
    *(Loss("reasoning is written as content is", _spoken(between)) for between in ("", "\n", "\n\n", " ")),
    Loss("content is written as reasoning is", _thought),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The invisible changes of one message."""

    losses: tuple[Loss, ...]

    @property
    def because(self) -> str:
        """All of them in words."""
        return "; ".join(loss.because for loss in self.losses)

    def apply(self, case: Case) -> Case:
        """Return ``case`` with every invisible change made: what is left of it in the text."""
        for loss in self.losses:
            case = loss.change(case)
        return case


def find_losses(turn: RenderedTurn, enough: Callable[[Lost], bool] = lambda _: False) -> Lost:
    """Return the changes that leave the text of ``turn`` as it is, in an order in which they can be made one after the other.

    ``enough`` ends the search early: the changes found so far explain what is to be explained.
    """
    text = turn_text(turn.case, turn.mode)
    case = turn.case
    lost = Lost(losses=())
    for loss in LOSSES:
        changed = loss.change(case)
        if not same_case(changed, case) and turn_text(changed, turn.mode) == text:
            lost = Lost(losses=(*lost.losses, loss))
            case = changed
            if enough(lost):
                break
    return lost


def find_rewriting(turn: RenderedTurn) -> str | None:
    """Return what the template leaves out or writes in other words: names, content or reasoning that do not stand in the turn."""
    whole = turn_text(turn.case, turn.mode) or ""
    if any(call.name not in whole for call in turn.case.calls):
        return "calls are not rendered"
    for name, text in (("content", turn.case.content), ("reasoning", turn.case.reasoning)):
        if text and not _stands(turn, name, text, whole):
            return f"{name} is rewritten"
    return None


_OTHER = "zothrqtext"


def _stands(turn: RenderedTurn, name: str, text: str, whole: str) -> bool:
    """Return whether a text stands in the turn just where any other text in its place would stand."""
    if text.strip() not in whole:
        return False
    changed = replace(turn.case, content=_OTHER) if name == "content" else replace(turn.case, reasoning=_OTHER)
    other = turn_text(changed, turn.mode)
    return other is None or _OTHER not in other or any(other.replace(_OTHER, each) == whole for each in (text, text.strip()))


def calls_before_end(turn: RenderedTurn, spec: Spec) -> int | None:
    """Return behind how many of its calls a turn ends although more follow, ``None`` where it ends behind the last.

    The turn of those calls alone is the beginning of the turn, and ends as turns or sections of calls end.
    """
    section = spec.turn.calls.section if spec.turn.calls is not None else Section()
    closed = [section.close.core] if section.close is not None and section.close_several_only else []
    known = (end.strip() for end in (*spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls, *closed))
    between = section.separator + (spec.turn.frame.separator.text if spec.turn.frame is not None else "")
    ends = tuple(end for end in known if end and end not in between)
    whole = turn_text(turn.case, turn.mode) or ""
    for count in range(1, len(turn.case.calls)) if ends else ():
        earlier = turn_text(replace(turn.case, calls=turn.case.calls[:count]), turn.mode)
        if earlier is not None and whole.startswith(earlier) and earlier.rstrip().endswith(ends):
            return count
    return None


def writes_ids(turn: RenderedTurn) -> bool:
    """Return whether the ids of the calls stand in the text: other ids would give another text."""
    others = replace(turn.case, calls=tuple(replace(call, id=f"w4Xy9Jk{index:02d}") for index, call in enumerate(turn.case.calls)))
    return turn_text(others, turn.mode) != turn_text(turn.case, turn.mode)


def same_case(left: Case, right: Case) -> bool:
    """Return whether two messages are the same, types of values and order of keys included; ids set aside."""
    return (left.reasoning or "", left.content or "", _plain_calls(left)) == (
        right.reasoning or "",
        right.content or "",
        _plain_calls(right),
    )


def _plain_calls(case: Case) -> list[Any]:
    return [(call.name, _typed(dict(call.arguments))) for call in case.calls]


def _typed(value: Any) -> Any:
    """Return a value that equals another only if their types and the order of their keys are the same."""
    match value:
        case Mapping():
            return [(key, _typed(item)) for key, item in value.items()]
        case list() | tuple():
            return ("list", [_typed(item) for item in value])
        case _:
            return (type(value).__name__, value)
