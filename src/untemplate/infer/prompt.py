"""Infers what stands around a turn: the assistant's header, generation prompts, role delimiters, ends of turn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

from untemplate.infer.evidence import Notebook
from untemplate.probe.cases import sentinel_case
from untemplate.probe.prober import Prober
from untemplate.probe.shape import user
from untemplate.text import sentinels
from untemplate.text.edges import common_prefix, common_suffix, marker_atoms


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A generation prompt as rendered under some switches."""

    when: Mapping[str, Any]
    thinking: bool | None
    text: str


def infer_header(turns: Sequence[str], generations: Sequence[str], *, special: tuple[str, ...] = ()) -> str:
    """Return the assistant's header: what every turn of history and, where they agree, every generation prompt starts with.

    Where history and the generation prompts share nothing, or write it in other letters (``Assistant``), history decides.
    """
    texts = list(turns)
    prompts = [text for text in generations if text.strip()]
    own = common_prefix(texts, special=special, after_value=False)
    if prompts and own.strip() and all(begins_with(text, own) for text in prompts):
        return own
    both = common_prefix([*texts, *prompts], special=special, after_value=False)
    return both if both.strip() or not prompts else common_prefix(texts, special=special, after_value=False)


def begins_with(text: str, header: str) -> bool:
    """Return whether a text begins with a header, in whatever case."""
    return text[: len(header)].lower() == header.lower()


def cut_at_role(header: str, user_opening: str) -> str:
    """Return the header up to where the user's delimiter, with another role in it, would end.

    ``<｜Assistant｜><think>`` is cut by ``<｜User｜>`` to ``<｜Assistant｜>``: what follows belongs to the turn.
    """
    if not user_opening.strip() or not header.strip():
        return header
    opening = max((user_opening[at:] for at in _starts(user_opening)), key=lambda text: len(commonprefix([text, header])))
    size = len(commonprefix([opening, header]))
    while size and opening[size - 1].isalnum():
        size -= 1
    role = _WORD.match(opening, size)
    mine = _WORD.match(header, size)
    if role is None or mine is None or not size:
        return header
    expected = opening[:size] + mine.group() + opening[role.end() :].replace(role.group(), mine.group())
    return expected if header.startswith(expected) else header


def _starts(user_opening: str) -> list[int]:
    """Return the offsets at which the user's own delimiter may start, past what closes an earlier message."""
    return [0, *(match.start() for match in re.finditer(r"[<\[]", user_opening))]


_WORD = re.compile(r"\w+")


def give_back_opener(header: str, bodies_before_reasoning: str, *, special: tuple[str, ...] = ()) -> str:
    """Return the header without the marker that opens reasoning, where every rendering writes that marker right behind the header."""
    if bodies_before_reasoning.strip():
        return header
    atoms = marker_atoms(header, special=special)
    if len(atoms) < 2:
        return header
    return header[: header.rindex(atoms[-1])]


def user_opening(prober: Prober) -> str:
    """Return the delimiter before a user's text, as two user messages of one conversation share it; ``""`` where they do not."""
    bare = prober.using(tools=None)
    prober = bare if bare.base() is not None else prober
    text = prober.turn(sentinel_case(content=True), follow="user")
    base = prober.base() or ""
    between = None if text is None else _between(text, sentinels.CONTENT, sentinels.USER_AGAIN)
    return "" if between is None else common_suffix([between, base[: base.rfind(sentinels.USER)]], after_value=False)


def _between(text: str, first: str, second: str) -> str | None:
    if first not in text or second not in text:
        return None
    start, stop = text.index(first) + len(first), text.index(second)
    return text[start:stop] if start <= stop else None


def infer_roles(prober: Prober, header: str, prior_end: str, notebook: Notebook) -> dict[str, str]:
    """Return the opening delimiter of a message by role; ``prior_end`` is what ends a turn before it."""
    roles: dict[str, str] = {}
    opening = user_opening(prober)
    for end in (prior_end, infer_user_end(prober)):
        if end.strip() and opening.startswith(end):
            opening = opening[len(end) :]
            break
    if opening:
        roles["user"] = opening
        notebook.note("prompt.roles.user", "content>user", left=opening, note="shared with what precedes the first user text")
    roles["assistant"] = header
    return roles


def infer_user_end(prober: Prober) -> str:
    """Return what closes a user's message before the next header, as the base rendering shows it."""
    base = prober.base() or ""
    return base[base.rfind(sentinels.USER) + len(sentinels.USER) :]


def earlier_end(prober: Prober, roles: Mapping[str, str]) -> str | None:
    """Return what stands between content and the delimiter of the next user message, or ``None`` where it cannot be seen."""
    text = prober.turn(sentinel_case(content=True), follow="user")
    if text is None or sentinels.CONTENT not in text or sentinels.USER_AGAIN not in text:
        return None
    between = text[text.index(sentinels.CONTENT) + len(sentinels.CONTENT) : text.index(sentinels.USER_AGAIN)]
    opening = roles.get("user", "")
    return between[: len(between) - len(opening)] if opening and between.endswith(opening) else between


def system_support(prober: Prober) -> str:
    """Return ``kept``, ``dropped`` or ``refused``: what becomes of a system message."""
    messages = [{"role": "system", "content": sentinels.SYSTEM}, user(sentinels.USER, prober.shape)]
    text = prober.render(messages)
    if text is None:
        return "refused"
    return "kept" if sentinels.SYSTEM in text else "dropped"
