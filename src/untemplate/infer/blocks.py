"""Infers how reasoning and content are written, from the turns of the presence grid."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from untemplate.infer.evidence import Notebook
from untemplate.infer.hidden import Fence, mirror_close
from untemplate.infer.markers import marker
from untemplate.spec.model import Content, ContentMode, ContentWithCalls, Frame, Marker, Position, Reasoning, ReasoningMode
from untemplate.text.edges import common_prefix, common_suffix, marker_atoms

NOTHING = Marker(core="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """The literal text between blocks, read from turns without their header. ``None``: the turn could not be rendered."""

    before_content: tuple[str, ...] = ()
    """What precedes content in turns without reasoning or calls, in each thinking mode, as last turn and as an earlier one."""
    content_end: str | None = None
    """What follows content to the end of the turn."""
    before_reasoning: str | None = None
    reasoning_content: str | None = None
    """Between reasoning and content."""
    content_end_after_reasoning: str | None = None
    """What follows content in a turn that also holds reasoning."""
    reasoning_end: str | None = None
    """What follows reasoning in a turn of reasoning alone."""
    content_calls: str | None = None
    """Between content and what opens the calls."""
    reasoning_calls: str | None = None
    start_calls: str | None = None
    before_content_with_calls: str | None = None
    calls_content: str | None = None
    """Between calls and content, where content follows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlocksFound:
    reasoning: Reasoning
    content: Content
    frame: Frame | None


def infer_end(gaps: Gaps, calls_tail: str | None, raw_content_calls: str | None, user_end: str) -> tuple[str, str]:
    """Return what ends a turn of content and one of calls.

    A closing that also stands between content and calls closes the content; the rest of the tail ends the turn.
    """
    tail = gaps.content_end or ""
    wrapped = any(text.strip() for text in gaps.before_content) and all(text.strip() for text in gaps.before_content)
    mirrored = _mirrored_closing(gaps, tail) if wrapped else ""
    if mirrored:
        end = tail[len(mirrored) :]
    elif raw_content_calls is not None and wrapped:
        closing = common_prefix([tail, raw_content_calls], after_value=True)
        end = tail[len(closing) :]
    elif wrapped and calls_tail is not None:
        end = common_suffix([tail, calls_tail], after_value=False, before_value=False)
    elif wrapped and user_end.strip():
        end = common_suffix([tail, user_end], after_value=False, before_value=False)
    else:
        end = tail
    end = _without_prose(end)
    if calls_tail is None:
        return end, end
    if end and calls_tail.endswith(end):
        return end, end
    shared = common_suffix([tail, calls_tail], after_value=False, before_value=False)
    if not shared.strip():
        bare = calls_tail.rstrip()
        core = common_suffix([tail.rstrip(), bare], after_value=False, before_value=False)
        shared = calls_tail[len(bare) - len(core) :] if core.strip() else shared
    return end, shared


def _mirrored_closing(gaps: Gaps, tail: str) -> str:
    """Return the beginning of ``tail`` that closes what the last mark before content opened; ``""`` where it closes nothing."""
    atoms = marker_atoms(gaps.before_content[0]) if gaps.before_content else ()
    closing = mirror_close(atoms[-1]) if atoms else None
    if closing is None or not tail.lstrip().startswith(closing):
        return ""
    return tail[: tail.index(closing) + len(closing)]


_PROSE = re.compile(r"[a-z]{2,} [a-z]{2,}")


def _without_prose(end: str) -> str:
    """Return an end of turn without the words of a later system message that a template appends after every turn."""
    atoms = marker_atoms(end)
    return end[: end.index(atoms[0]) + len(atoms[0])] if _PROSE.search(end) and atoms else end


def infer_blocks(gaps: Gaps, end: str, header: str, fence: Fence | None, notebook: Notebook) -> BlocksFound:
    """Return reasoning, content and frame as the gaps show them; ``fence`` is reasoning that the gaps cannot show."""
    opening, empty = _content_opening(gaps) if fence is None else _opening_past_fence(gaps, fence)
    frame = _frame(gaps, header)
    wrapper = _wrapper_beside_reasoning(gaps, opening, end)
    if wrapper is not None:
        opening = wrapper[0]
    reasoning = _reasoning(gaps, opening, empty, frame, end) if fence is None else _fenced(gaps, fence, empty)
    content = _content(gaps, opening, empty, end, frame) if wrapper is None else _content_beside_reasoning(gaps, *wrapper, empty, frame)
    if fence is not None and fence.answer is not None and content.mode is ContentMode.PLAIN:
        content = replace(content, mode=ContentMode.WRAPPED_WITH_REASONING, open=fence.answer[:1], close=fence.answer[1:])
    if reasoning.mode is not ReasoningMode.NONE:
        notebook.note(
            "turn.reasoning",
            "content|reasoning+content",
            left=gaps.before_content[0] if gaps.before_content else "",
            right=f"{gaps.before_reasoning or ''}…{gaps.reasoning_content or gaps.reasoning_calls or ''}",
        )
    notebook.note("turn.content", "content", left=opening, right=gaps.content_end or "", note="text around content")
    return BlocksFound(reasoning=reasoning, content=content, frame=frame)


def _content_opening(gaps: Gaps) -> tuple[str, str | None]:
    """Return content's own opening and the text that stands for empty reasoning before content."""
    candidates = list(gaps.before_content)
    if not candidates:
        return "", None
    if gaps.before_reasoning is None:
        return min(candidates, key=len), None
    core = gaps.before_reasoning.strip()
    between = gaps.reasoning_content
    clean = [text for text in candidates if not (core and core in text)]
    fitting = [text for text in clean if between is None or (between.endswith(text) and text.strip() != between.strip())]
    shortest = fitting[0] if fitting else ""
    longest = candidates[0]
    empty = longest[: len(longest) - len(shortest)] if longest.endswith(shortest) else longest
    return shortest, empty if empty.strip() else None


def _opening_past_fence(gaps: Gaps, fence: Fence) -> tuple[str, str | None]:
    """Return content's opening and the empty reasoning before it, where reasoning itself is never rendered."""
    cores = [mark.core for mark in (fence.open, fence.close) if mark is not None and mark.core]
    clean = [text for text in gaps.before_content if not any(core in text for core in cores)]
    usual = gaps.before_content[0] if gaps.before_content else ""
    shortest = min(clean, key=len) if clean else ""
    if not clean and cores and cores[-1] in usual:
        end = usual.index(cores[-1]) + len(cores[-1])
        atoms = marker_atoms(usual[end:])
        own = usual.index(atoms[0], end) if atoms else len(usual)
        return usual[own:], usual[:own]
    return shortest, usual if any(core in usual for core in cores) else None


def _fenced(gaps: Gaps, fence: Fence, empty: str | None) -> Reasoning:
    return Reasoning(
        mode=ReasoningMode.TAGGED,
        open=(fence.open,) if fence.open is not None else (),
        close=(fence.close,) if fence.close is not None else (),
        empty=empty,
        empty_with_calls=_empty_beside_calls(gaps, empty),
    )


def _frame(gaps: Gaps, header: str) -> Frame | None:
    """Return the frame between blocks that are messages of their own, told by the header that stands again inside a turn."""
    core = header.strip()
    if not core:
        return None
    for text in (gaps.reasoning_content, gaps.content_calls, gaps.reasoning_calls):
        if text is not None and core in text:
            return Frame(separator=marker(header) or NOTHING)
    return None


def _reasoning(gaps: Gaps, opening: str, empty: str | None, frame: Frame | None, end: str) -> Reasoning:
    if gaps.before_reasoning is None:
        return Reasoning()
    mode = ReasoningMode.TAGGED if gaps.reasoning_content is not None or gaps.reasoning_end is not None else ReasoningMode.TOOLS_ONLY
    followers: list[str] = []
    if gaps.reasoning_content is not None:
        text = gaps.reasoning_content
        followers.append(text[: len(text) - len(opening)] if opening and text.endswith(opening) else text)
    elif gaps.reasoning_calls is not None:
        followers.append(gaps.reasoning_calls)
    elif gaps.reasoning_end is not None:
        rest = gaps.reasoning_end
        followers.append(rest[: len(rest) - len(end)] if end and rest.endswith(end) else rest)
    close = _before_frame(followers[0], frame) if followers else ""
    beside = _empty_beside_calls(gaps, empty)
    return Reasoning(mode=mode, open=_markers(gaps.before_reasoning), close=_markers(close), empty=empty, empty_with_calls=beside)


def _empty_beside_calls(gaps: Gaps, empty: str | None) -> str | None:
    """Return what stands for empty reasoning in a turn of calls alone."""
    if empty is None or gaps.start_calls is None:
        return empty
    if gaps.start_calls.startswith(empty.rstrip()):
        return empty
    size = _begins_with(gaps.start_calls, empty)
    return gaps.start_calls[:size] if size else None


def _begins_with(text: str, empty: str) -> int:
    """Return the size of the beginning of a text that is ``empty`` with other white space around it; 0 where it does not begin so."""
    core = empty.strip()
    return text.index(core) + len(core) if core and text.lstrip().startswith(core) else 0


def _before_frame(text: str, frame: Frame | None) -> str:
    """Return ``text`` up to the frame's separator, where it holds one."""
    if frame is None or frame.separator.core not in text:
        return text
    at = text.index(frame.separator.core)
    return text[: max(0, at - len(frame.separator.before))]


def _markers(text: str) -> tuple[Marker, ...]:
    found = marker(text)
    return (found,) if found is not None else ()


def _content(gaps: Gaps, opening: str, empty: str | None, end: str, frame: Frame | None) -> Content:
    tail = gaps.content_end or ""
    close = tail[: len(tail) - len(end)] if end and tail.endswith(end) else (tail if not end else "")
    wrapped = bool(opening.strip())
    if not wrapped and not opening:
        mode = ContentMode.PLAIN
    else:
        mode = ContentMode.WRAPPED if wrapped else ContentMode.PLAIN
    with_calls = _with_calls(gaps, opening, close, empty, frame)
    always = _always(gaps, opening, close, empty)
    return Content(mode=mode, open=_openings(gaps, opening, frame), close=_markers(close), always=always, with_calls=with_calls)


def _wrapper_beside_reasoning(gaps: Gaps, opening: str, end: str) -> tuple[str, str] | None:
    """Return what opens and closes content only in turns that hold reasoning, ``None`` where nothing does."""
    tail, between = gaps.content_end_after_reasoning, gaps.reasoning_content
    if opening.strip() or tail is None or between is None or tail == gaps.content_end or not tail.endswith(end):
        return None
    closing = tail[: len(tail) - len(end)]
    others = [text for text in (gaps.reasoning_calls, gaps.reasoning_end) if text is not None]
    atoms = marker_atoms(between)
    if not closing.strip() or len(atoms) < 2:
        return None
    close = common_prefix([between, *others]).rstrip() if others else between[: between.rindex(atoms[-1])]
    return between[between.rindex(atoms[-1]) :] if not close.strip() else between[len(close) :].lstrip(), closing


def _content_beside_reasoning(gaps: Gaps, opening: str, closing: str, empty: str | None, frame: Frame | None) -> Content:
    return Content(
        mode=ContentMode.WRAPPED_WITH_REASONING,
        open=_markers(opening),
        close=_markers(closing),
        with_calls=_with_calls(gaps, "", "", empty, frame),
    )


def _openings(gaps: Gaps, opening: str, frame: Frame | None) -> tuple[Marker, ...]:
    """Return content's openings: its own, and another that it has behind a framed reasoning."""
    found = _markers(opening)
    between = gaps.reasoning_content
    if frame is not None and between is not None and frame.separator.core in between:
        behind = marker(between[between.index(frame.separator.core) + len(frame.separator.core) + len(frame.separator.after) :])
        found += (behind,) if behind is not None and behind not in found else ()
    return found


def _always(gaps: Gaps, opening: str, close: str, empty: str | None) -> bool:
    """Return whether the wrapper is written around no content too."""
    return bool(opening.strip()) and gaps.start_calls is not None and gaps.start_calls == (empty or "") + opening + close


def _with_calls(gaps: Gaps, opening: str, close: str, empty: str | None, frame: Frame | None) -> ContentWithCalls | None:
    if gaps.calls_content is not None:
        return ContentWithCalls(position=Position.AFTER, open=marker(gaps.calls_content), close=None)
    if gaps.content_calls is None:
        return None
    before = gaps.before_content_with_calls or ""
    if empty:
        before = before[len(empty) if before.startswith(empty) else _begins_with(before, empty) :]
    closing = _before_frame(gaps.content_calls, frame)
    if before == opening and closing == close:
        return None
    return ContentWithCalls(open=marker(before), close=marker(closing))


def gap_before(text: str | None, mark: str) -> str | None:
    """Return what stands before a sentinel, ``None`` where it is not there."""
    return None if text is None or mark not in text else text[: text.index(mark)]


def gap_after(text: str | None, mark: str) -> str | None:
    """Return what stands after a sentinel, to the end."""
    return None if text is None or mark not in text else text[text.rindex(mark) + len(mark) :]


def gap_between(text: str | None, first: str, second: str) -> str | None:
    """Return what stands between two sentinels, ``None`` where they are not there in that order."""
    if text is None or first not in text or second not in text:
        return None
    start, stop = text.index(first) + len(first), text.index(second)
    return text[start:stop] if start <= stop else None
