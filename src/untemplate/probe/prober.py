"""Runs probes: renders cases in a template's own shape and returns the text of the turn."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import dataclass, field
from os.path import commonprefix
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from untemplate.errors import TemplateError, TemplateRefusal
from untemplate.probe.cases import Case, sentinel_case, sentinel_tools
from untemplate.probe.shape import Message, Shape, assistant, results, user
from untemplate.text import sentinels
from untemplate.text.edges import boundaries, common_prefix, common_suffix

NO_SWITCHES: Mapping[str, Any] = MappingProxyType({})


class Renderer(Protocol):
    """What a probe needs of a template."""

    def render(
        self, messages: list[Message], *, tools: list[dict[str, Any]] | None = None, add_generation_prompt: bool = False, **variables: Any
    ) -> str: ...

    @property
    def unmet(self) -> frozenset[str]:
        """Names whose value could have changed the last rendering, and that it was not given."""

    def telling(self, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the template can tell of the values of its variables: where that is equal, so are the renderings."""


class _Rendered(NamedTuple):
    text: str | None
    """``None`` where the template raised."""
    unmet: frozenset[str]


@dataclass(slots=True)
class Prober:
    """Renders cases of one template. Renderings are kept: a probe is paid for once."""

    template: Renderer
    shape: Shape = field(default_factory=Shape)
    switches: Mapping[str, Any] = field(default_factory=lambda: NO_SWITCHES)
    """Variables given to every rendering, such as ``{"enable_thinking": True}``."""
    tools: list[dict[str, Any]] | None = field(default_factory=sentinel_tools)
    refusals: dict[str, None] = field(default_factory=dict)
    """Messages of the template's own refusals, in order of appearance."""
    failures: dict[str, None] = field(default_factory=dict)
    """Messages of every rendering that failed, refusals included."""
    _kept: dict[tuple[bytes, bytes], _Rendered] = field(default_factory=dict)
    _opened: tuple[str | None] | None = None
    """What the opening renders to, once it was asked for."""
    always: str = ""
    """The generation prompt of a template that writes one whether asked or not; it is taken off every rendering."""
    free_lead: bool = False
    """White space at the beginning of a turn is layout, which history and the generation prompt do not write alike: it is taken off."""
    _tools_key: bytes = field(init=False)

    def __post_init__(self) -> None:
        self._tools_key = _key(self.tools)

    def using(
        self,
        *,
        shape: Shape | None = None,
        switches: Mapping[str, Any] | None = None,
        tools: Any = "same",
        free_lead: bool | None = None,
    ) -> Prober:
        """Return a prober of the same template with another shape, switches or tools; renderings and refusals are shared."""
        return Prober(
            self.template,
            self.shape if shape is None else shape,
            self.switches if switches is None else switches,
            self.tools if tools == "same" else tools,
            self.refusals,
            self.failures,
            self._kept,
            always=self.always,
            free_lead=self.free_lead if free_lead is None else free_lead,
        )

    def render(self, messages: list[Message], *, generate: bool = False) -> str | None:
        """Return the rendering, or ``None`` where the template raises."""
        asked = _key((messages, generate, self._tools_key))
        telling = self.template.telling(self.switches) if self.switches else {}
        kept_as = (asked, _key(telling))
        if kept_as not in self._kept:
            self._kept[kept_as] = self._known(asked, telling) or self._rendered(messages, generate, self.switches)
        return self._kept[kept_as].text

    def _known(self, asked: bytes, telling: Mapping[str, Any]) -> _Rendered | None:
        """Return the rendering without one of the switches, if it did not ask for that one: then its value changes nothing."""
        for name in telling:
            without = self._kept.get((asked, _key({key: value for key, value in telling.items() if key != name})))
            if without is not None and name not in without.unmet:
                return without
        return None

    def _rendered(self, messages: list[Message], generate: bool, switches: Mapping[str, Any]) -> _Rendered:
        try:
            text: str | None = self.template.render(messages, tools=self.tools, add_generation_prompt=generate, **switches)
        except TemplateError as problem:
            self.failures.setdefault(problem.message)
            if isinstance(problem, TemplateRefusal):
                self.refusals.setdefault(problem.message)
            text = None
        return _Rendered(text, self.template.unmet)

    def opening(self) -> list[Message]:
        """Return the messages before the turn."""
        system = [{"role": "system", "content": sentinels.SYSTEM}] if self.shape.system else []
        return [*system, user(sentinels.USER, self.shape)]

    def base(self) -> str | None:
        """Return the rendering of what comes before the turn, without a generation prompt."""
        if self._opened is None:
            self._opened = (self.render(self.opening()),)
        return self._less_prompt(self._opened[0])

    def generation(self) -> str | None:
        """Return what asking for a turn appends to the base."""
        prompt, base = self.render(self.opening(), generate=True), self.base()
        if prompt is None or base is None:
            return None
        return self._less_lead(prompt[_shared(base, prompt) :].removeprefix(self.always) or self.always)

    def _less_prompt(self, text: str | None) -> str | None:
        return text[: len(text) - len(self.always)] if text is not None and self.always and text.endswith(self.always) else text

    def with_standing_prompt(self) -> Prober:
        """Return a prober that knows the generation prompt which the template writes unasked, if it does."""
        base = self.render(self.opening())
        text = self.render([*self.opening(), assistant(sentinel_case(content=True), self.shape)])
        found = self.using()
        found.always = "" if base is None or text is None else _standing(base, self.render(self.opening(), generate=True), text)
        return found

    def turn(self, case: Case, *, follow: str | None = None) -> str | None:
        """Return what the turn of ``case`` adds to the base, header and end included; ``None`` where the template raises.

        ``follow`` puts a message after it: ``"user"`` or ``"tool"``; the text then runs to the end of that message.
        """
        messages = [*self.opening(), assistant(case, self.shape)]
        if follow is None and self.shape.followed:
            return self._followed_turn(case)
        if follow == "tool":
            messages += results(case, self.shape)
        elif follow == "user":
            messages.append(user(sentinels.USER_AGAIN, self.shape))
        base, text = self.base(), self._less_prompt(self.render(messages))
        return None if base is None or text is None else self._less_lead(text[_shared(base, text) :])

    def _less_lead(self, text: str) -> str:
        return text.lstrip() if self.free_lead else text

    def _followed_turn(self, case: Case) -> str | None:
        """Return the turn of a template that renders it only when something follows: the text up to that."""
        if case.calls and (before := self._before_user(case)) is not None:
            return before
        follow = "tool" if case.calls else "user"
        text = self.turn(case, follow=follow)
        mark = sentinels.RESULT if case.calls else sentinels.USER_AGAIN
        if text is None or mark not in text:
            return None
        base = self.base() or ""
        before_user = base[: base.rfind(sentinels.USER)] if not case.calls else ""
        rest = text[: text.index(mark)]
        size = len(commonprefix([rest[::-1], before_user[::-1]]))
        return rest[: len(rest) - size] if size else rest

    def _before_user(self, case: Case) -> str | None:
        """Return a turn that calls tools up to the user's next message, where it is the same before their results; else ``None``."""
        text, other = self.turn(case, follow="user"), self.turn(case, follow="tool")
        if text is None or other is None or sentinels.USER_AGAIN not in text:
            return None
        base = self.base() or ""
        before_user = base[: base.rfind(sentinels.USER)]
        rest = text[: text.index(sentinels.USER_AGAIN)]
        size = len(commonprefix([rest[::-1], before_user[::-1]]))
        found = rest[: len(rest) - size]
        return found if size and other.startswith(found) else None


def _key(value: Any) -> bytes:
    """Return bytes that tell plain values apart exactly, 1 from True included."""
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        return repr(value).encode("utf-8", "surrogatepass")


def _standing(base: str, asked: str | None, text: str) -> str:
    """Return what a template writes at the end of every rendering, asked for a turn (``asked``) or not; ``""`` where it writes nothing.

    ``text`` is a conversation that ends with the assistant's content.
    """
    if text.startswith(base) and asked != base:
        return ""
    rest = _behind_user(base)
    if asked is not None and not asked.startswith(base):
        last = rest[len(common_prefix([rest, _behind_user(asked)], after_value=False)) :]
        if last.strip() and text.endswith(last):
            return last
    shared = common_suffix([rest, text], after_value=False, before_value=False)
    ends = sorted(edge for edge in boundaries(shared, after_value=False) if edge)
    found = shared[ends[0] if len(ends) > 1 and shared == rest else 0 :]
    if found.strip() or asked != base or text.startswith(base):
        return found if found.strip() else ""
    own = rest[len(common_prefix([rest, _behind_user(text)], after_value=False)) :]
    return own if own.strip() else ""


def _behind_user(text: str) -> str:
    return text[text.rfind(sentinels.USER) + len(sentinels.USER) :]


def _shared(base: str, text: str) -> int:
    """Return how much of ``text`` is the base: all of it, or up to the end of the user's own text where the end differs."""
    if text.startswith(base):
        return len(base)
    size = len(commonprefix([base, text]))
    user_end = base.rfind(sentinels.USER) + len(sentinels.USER)
    if size >= user_end:
        return user_end
    found = text.rfind(sentinels.USER)
    return found + len(sentinels.USER) if found >= 0 else size
