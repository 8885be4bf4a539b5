"""Infers the whole turn of a template: renders the presence grid, then calls, ends, reasoning and content in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from untemplate.infer.blocks import BlocksFound, Gaps, gap_after, gap_before, gap_between, infer_blocks, infer_end
from untemplate.infer.call_gaps import before_first_token
from untemplate.infer.calls import CallsFound, infer_calls
from untemplate.infer.evidence import Notebook
from untemplate.infer.hidden import infer_hidden
from untemplate.infer.markers import marker
from untemplate.infer.prompt import begins_with, cut_at_role, give_back_opener, infer_header, infer_user_end, user_opening
from untemplate.probe.cases import Case, sentinel_case
from untemplate.probe.find_shape import count_calls, find_call_shape, find_reasoning_shape
from untemplate.probe.prober import Prober
from untemplate.spec.model import Block, EndOfTurn, Marker, ReasoningMode, Turn
from untemplate.text import sentinels
from untemplate.text.edges import common_prefix, longest, marker_atoms


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFound:
    """The turn's layout, and what the rest of the spec needs to know of how it was found."""

    turn: Turn
    header: str
    ends: EndOfTurn
    most_calls: int
    calls: CallsFound | None
    reasoning_rendered: bool
    plain: Prober
    """Renders turns without calls."""
    calling: Prober | None
    """Renders turns with calls."""


def infer_turn(
    probers: Sequence[Prober],
    generations: Sequence[str],
    notebook: Notebook,
    *,
    constants: Sequence[str] = (),
    source: str = "",
    special: tuple[str, ...] = (),
) -> TurnFound:
    """Return the turn's layout.

    Args:
        probers: one for each setting of the thinking switch, the template's default first.
    """
    plain, reasons = _reasoning_prober(probers)
    call_shape = find_call_shape(plain)
    calling = None if call_shape is None else plain.using(shape=call_shape)
    most = 0 if calling is None else count_calls(calling)
    if most == 0:
        calling = None
    header = _header(plain, calling, special)
    body = _body_of(plain, header)
    call_body = None if calling is None else _body_of(calling, header)
    gaps = _plain_gaps(body, probers, header, reasons)
    if reasons and not _marked(gaps):
        reasons, gaps = False, _plain_gaps(body, probers, header, False)
    user_end = infer_user_end(plain)
    tail, raw_between = _call_tails(call_body)
    content_end, calls_end = infer_end(gaps, tail, raw_between, user_end)
    found = None if call_body is None else infer_calls(call_body, most, calls_end, notebook, content_end=content_end, special=special)
    if found is not None and call_body is not None:
        gaps = _with_call_gaps(gaps, found, call_body)
    prefills = [text[len(header) :] for text in generations if begins_with(text, header)]
    fence = None if reasons else infer_hidden(plain, prefills, constants, source, notebook)
    blocks = infer_blocks(gaps, content_end if content_end.strip() else "", header, fence, notebook)
    blocks, found = _share_section(blocks, found)
    found = _with_lead(blocks, found)
    found, calls_end = _end_without_section(found, calls_end if found is None or found.end is None else found.end, content_end, most)
    order = _order(gaps, found, blocks.reasoning.mode is not ReasoningMode.NONE)
    if found is not None and call_body is not None and _reasons_behind_calls(call_body(sentinel_case(reasoning=True, calls=1))):
        order = (Block.CALLS, *(block for block in order if block is not Block.CALLS))
    turn = Turn(
        frame=blocks.frame,
        blocks=order,
        reasoning=blocks.reasoning,
        content=blocks.content,
        calls=None if found is None else found.calls,
    )
    ends = EndOfTurn(
        content=(content_end,) if content_end.strip() else (), calls=(calls_end,) if found is not None and calls_end.strip() else ()
    )
    return TurnFound(
        turn=turn,
        header=header,
        ends=ends,
        most_calls=most if found is not None else 0,
        calls=found,
        reasoning_rendered=reasons,
        plain=plain,
        calling=calling,
    )


def _reasoning_prober(probers: Sequence[Prober]) -> tuple[Prober, bool]:
    """Return the prober under whose switches reasoning is rendered, in the shape that shows it; the default where none does."""
    for prober in probers:
        shape = find_reasoning_shape(prober)
        if shape is not None:
            return prober.using(shape=shape), True
    return probers[0], False


def _header(plain: Prober, calling: Prober | None, special: tuple[str, ...]) -> str:
    turns: list[str | None] = [plain.turn(sentinel_case(content=True)), plain.turn(sentinel_case(reasoning=True, content=True))]
    if calling is not None:
        turns += [calling.turn(sentinel_case(calls=1)), calling.turn(sentinel_case(content=True, calls=1))]
    texts = [_before_sentinels(text) for text in turns if text is not None]
    earlier = plain.turn(sentinel_case(content=True), follow="user")
    if earlier is not None and common_prefix([*texts, before := _before_sentinels(earlier)], special=special, after_value=False).strip():
        texts.append(before)
    asked = plain.generation()
    header = infer_header(texts, [] if asked is None else [asked], special=special)
    header = cut_at_role(header, user_opening(plain))
    reasoning = plain.turn(sentinel_case(reasoning=True, content=True))
    opening = gap_before(reasoning, sentinels.REASONING)
    return header if opening is None else give_back_opener(header, opening[len(header) :], special=special)


def _before_sentinels(text: str) -> str:
    """Return what precedes the first sentinel: the header is part of that."""
    return before_first_token(text)


def _body_of(prober: Prober, header: str) -> Callable[[Case], str | None]:
    def body(case: Case) -> str | None:
        text = prober.turn(case)
        return text[len(header) :] if text is not None and text.startswith(header) else None

    return body


def _plain_gaps(body: Callable[[Case], str | None], probers: Sequence[Prober], header: str, reasons: bool) -> Gaps:
    content = body(sentinel_case(content=True))
    befores = [gap_before(content, sentinels.CONTENT)]
    for prober in probers:
        for follow in (None, "user"):
            text = prober.turn(sentinel_case(content=True), follow=follow)
            if text is not None and text.startswith(header):
                befores.append(gap_before(text[len(header) :], sentinels.CONTENT))
    gaps = Gaps(before_content=tuple(text for text in befores if text is not None), content_end=gap_after(content, sentinels.CONTENT))
    if not reasons:
        return gaps
    both, alone = body(sentinel_case(reasoning=True, content=True)), body(sentinel_case(reasoning=True))
    with_call = body(sentinel_case(reasoning=True, calls=1))
    before = next(
        (gap for text in (both, alone, with_call) if (gap := gap_before(text, sentinels.REASONING)) is not None),
        None,
    )
    return replace(
        gaps,
        before_reasoning=before,
        reasoning_content=gap_between(both, sentinels.REASONING, sentinels.CONTENT),
        content_end_after_reasoning=gap_after(both, sentinels.CONTENT),
        reasoning_end=gap_after(alone, sentinels.REASONING),
    )


def _marked(gaps: Gaps) -> bool:
    """Return whether anything but white space tells reasoning from content."""
    return gaps.reasoning_content is None or bool((gaps.before_reasoning or "").strip() or gaps.reasoning_content.strip())


def _call_tails(call_body: Callable[[Case], str | None] | None) -> tuple[str | None, str | None]:
    """Return what follows the last sentinel of a call, and what stands between content and a call's first sentinel."""
    if call_body is None:
        return None, None
    text = call_body(sentinel_case(calls=1))
    tail = None if text is None else text[max(text.rfind(mark) + len(mark) for mark in _call_marks()) :]
    both = call_body(sentinel_case(content=True, calls=1))
    after = gap_after(both, sentinels.CONTENT)
    between = None if after is None or not any(mark in after for mark in _call_marks()) else before_first_token(after)
    return tail, between


def _call_marks() -> tuple[str, ...]:
    return (sentinels.name(0), sentinels.call_id(0), *(make(0, i) for make in (sentinels.key, sentinels.value) for i in range(2)))


def _with_call_gaps(gaps: Gaps, found: CallsFound, call_body: Callable[[Case], str | None]) -> Gaps:
    leads = found.leads
    both = call_body(sentinel_case(content=True, calls=1))
    follows = both is not None and sentinels.CONTENT in both and found.after
    return replace(
        gaps,
        content_calls=None if follows else leads.get("content+calls1") if both and sentinels.CONTENT in both else None,
        reasoning_calls=leads.get("reasoning+calls1") if gaps.before_reasoning is not None else None,
        start_calls=leads.get("calls1"),
        before_content_with_calls=None if follows else gap_before(both, sentinels.CONTENT),
        calls_content=_calls_to_content(found) if follows else None,
    )


def _calls_to_content(found: CallsFound) -> str:
    trail = found.trails.get("content+calls1", "")
    text = before_first_token(trail)
    close = found.calls.section.close
    return text[len(close.text) :] if close is not None and text.startswith(close.text) else text


def _share_section(blocks: BlocksFound, found: CallsFound | None) -> tuple[BlocksFound, CallsFound | None]:
    """Return blocks and calls where closings that every rendering writes before the section are taken off its opening.

    Content that is always wrapped closes there, and so does reasoning that is only ever rendered before calls.
    """
    if found is None or found.calls.section.open is None:
        return blocks, found
    opening = found.calls.section.open
    atoms = marker_atoms(opening.core)
    close = blocks.content.close[0] if blocks.content.close else None
    if close is not None and close.core and opening.core.startswith(close.core) and opening.core != close.core:
        content = replace(blocks.content, always=True)
        return replace(blocks, content=content), _with_opening(found, opening.text[len(close.text) :])
    lead = found.leads.get("calls1", "")
    beside = blocks.content.with_calls
    if beside is not None and beside.open is not None and beside.open.core and beside.close is None and lead == beside.open.text:
        content = replace(blocks.content, with_calls=replace(beside, close=opening, always=True))
        return replace(blocks, content=content), _with_opening(found, "")
    if blocks.reasoning.mode is not ReasoningMode.NONE and not blocks.reasoning.close and len(atoms) > 1:
        opened = blocks.reasoning.open[0].text if blocks.reasoning.open else None
        empty = lead + atoms[0] if lead and lead == opened else blocks.reasoning.empty_with_calls
        reasoning = replace(blocks.reasoning, close=(Marker(core=atoms[0]),), empty_with_calls=empty)
        return replace(blocks, reasoning=reasoning), _with_opening(found, opening.text[len(atoms[0]) :])
    return blocks, found


def _with_lead(blocks: BlocksFound, found: CallsFound | None) -> CallsFound | None:
    """Return the calls with the white space that stands before them where nothing, or only reasoning, does."""
    if found is None:
        return None
    close = blocks.reasoning.close[0].text if blocks.reasoning.close else ""
    behind = found.leads.get("reasoning+calls1", "")
    leads = [found.leads.get("calls1", ""), behind[len(close) :] if close and behind.startswith(close) else ""]
    lead = longest(lead for lead in leads if lead.isspace())
    return replace(found, calls=replace(found.calls, section=replace(found.calls.section, lead=lead)))


def _with_opening(found: CallsFound, opening: str) -> CallsFound:
    section = replace(found.calls.section, open=marker(opening))
    return replace(found, calls=replace(found.calls, section=section))


def _end_without_section(found: CallsFound | None, calls_end: str, content_end: str, most: int) -> tuple[CallsFound | None, str]:
    """Return the calls and their end of turn, where a closing that nothing opened is that end."""
    if found is None or calls_end.strip():
        return found, calls_end
    section, form = found.calls.section, found.calls.forms[0]
    opened = section.open is not None and section.open.core
    if section.close is not None and section.close.core and not opened:
        calls = replace(found.calls, section=replace(section, close=None))
        return replace(found, calls=calls), section.close.text
    if most == 1 and form.close is not None and form.close.core and content_end.strip():
        calls = replace(found.calls, forms=(replace(form, close=None),))
        return replace(found, calls=calls), form.close.text
    return found, calls_end


def _reasons_behind_calls(text: str | None) -> bool:
    """Return whether reasoning stands behind the call of a turn."""
    return text is not None and sentinels.REASONING in text and text.rindex(sentinels.name(0)) < text.index(sentinels.REASONING)


def _order(gaps: Gaps, found: CallsFound | None, reasons: bool) -> tuple[Block, ...]:
    blocks = [Block.CONTENT]
    if found is not None:
        blocks = [Block.CALLS, Block.CONTENT] if gaps.calls_content is not None else [Block.CONTENT, Block.CALLS]
    if reasons:
        blocks = [Block.REASONING, *blocks]
    return tuple(blocks)
