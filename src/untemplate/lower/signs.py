"""The markers of a spec, sorted by what they do in a turn: the texts that the parser's main loop looks out for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from untemplate.lower.field_calls import inner_opening
from untemplate.lower.marks import chunks, is_marker, pieces, white_after, white_before
from untemplate.spec.model import CallForm, Frame, Marker, PromptState, Section, Spec, Support, Text

_FIRST_TAG = re.compile(r"<[^<>\s]*>|\[[A-Z_]+\]")
_LABELLED = re.compile(r"(<\|[^<>\s]*>)\w+")
_SPECIAL = re.compile(r"<[^<>\s]*[|｜]>|<[|｜][^<>\s]*>")
_NAMESPACE = re.compile(r"(\w+=)\w+\.")
_LAST_TAG = re.compile(r"(<[^<>\s]*>|\[/?[A-Z_]+\])\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What opens and closes the blocks of a turn; markers without a core are left out."""

    reasoning_open: tuple[Marker, ...]
    reasoning_words: tuple[Marker, ...]
    """Those of them that are no markers: words with which a prompt begins the reasoning itself, and which history does not add."""
    reasoning_close: tuple[Marker, ...]
    content_open: tuple[Marker, ...]
    content_close: tuple[Marker, ...]
    ends: tuple[Marker, ...]
    """What ends the turn, with the layout before it."""
    unnamed_end: bool
    """The turn ends with a token that neither the template nor its source names."""
    blank_opens: tuple[str, ...]
    """White space that the template writes before content."""
    blank_closes: tuple[str, ...]
    """White space that the template writes behind content that ends the turn."""
    empty_reasoning: tuple[str, ...]
    """What stands for no reasoning."""
    frame: Frame | None
    section: Section
    forms: tuple[CallForm, ...]
    """Empty where calls are not read."""
    written_forms: tuple[CallForm, ...]
    """The same where calls are not read, too."""
    layouts: tuple[str, ...]
    """White space that the template writes between content and what follows it; dropped where all of it is there."""
    header_tail: str
    """The last tag of the assistant's header, which models repeat."""
    header_rest: Marker | None
    """The end of the assistant's header that the prompt leaves to the model; ``None`` where it writes all but white space of it."""
    header_blank: str
    """White space at the end of that header, where a prompt leaves only this to the model."""


def read_signs(spec: Spec, *, with_calls: bool) -> Signs:
    """Return the markers of a spec. ``with_calls``: calls are read."""
    turn = spec.turn
    content = turn.content
    opens = [*content.open]
    closes = [*content.close]
    reasoning = turn.reasoning
    empty = tuple(dict.fromkeys(text for text in (reasoning.empty, reasoning.empty_with_calls) if text and text.strip()))
    layouts: dict[str, None] = {}
    if content.with_calls is not None:
        opens += [content.with_calls.open] if content.with_calls.open else []
        closes += [content.with_calls.close] if content.with_calls.close else []
        if content.with_calls.close is not None and not content.with_calls.close.core.strip():
            layouts[content.with_calls.close.text] = None
    else:
        layouts.update(dict.fromkeys(marker.text for marker in content.close if not marker.core.strip()))
    if content.after_reasoning is not None:
        opens.append(content.after_reasoning)
    section = turn.calls.section if turn.calls is not None else Section()
    openings = [marker.core for marker in (*_reasoning_open(spec), *opens)]
    forms = tuple(_told_apart(form, openings) for form in turn.calls.forms) if turn.calls is not None else ()
    unseen = spec.capabilities.content_with_calls is not Support.KEPT
    if turn.calls is not None and unseen and not section.several_only and not section.separator.strip():
        layouts[section.separator] = None
    frame = turn.frame if turn.frame is not None and turn.frame.separator.core.strip() else None
    rest = _header_rest(spec)
    header_blank = rest if not rest.strip() else ""
    blanks = (marker.text for marker in opens if not marker.core.strip())
    return Signs(
        reasoning_open=_reasoning_open(spec),
        reasoning_words=tuple(each for each in _reasoning_open(spec) if not (turn.reasoning.open or is_marker(each.core))),
        reasoning_close=_reasoning_close(spec),
        content_open=_cores(opens),
        content_close=_cores(closes),
        ends=_ends(spec),
        unnamed_end=not spec.prompt.end_of_turn.content and not spec.template.special_tokens.get("eos_token"),
        blank_opens=tuple(dict.fromkeys(text for text in blanks if text)),
        blank_closes=tuple(dict.fromkeys(marker.text for marker in content.close if marker.text and not marker.core.strip())),
        empty_reasoning=empty,
        frame=frame,
        section=section,
        forms=forms if with_calls else (),
        written_forms=forms,
        layouts=tuple(layout for layout in layouts if layout),
        header_tail=_header_tail(spec),
        header_rest=Marker(core=rest.strip(), before=white_before(rest), after=white_after(rest)) if rest.strip() else None,
        header_blank=header_blank,
    )


def _cores(markers: Iterable[Marker]) -> tuple[Marker, ...]:
    return tuple(dict.fromkeys(marker for marker in markers if marker.core.strip()))


def _told_apart(form: CallForm, openings: list[str]) -> CallForm:
    """Return the form with an opening that no block of text begins with: where one does, with the words behind it."""
    first = form.fields[0] if form.fields else None
    begun = any(opening.startswith(form.open.core) for opening in openings)
    if not (form.open.core and begun and isinstance(first, Text) and first.text.strip()):
        return form
    words = form.open.core + form.open.after + first.text
    return replace(form, open=Marker(core=words.rstrip(), before=form.open.before, after=white_after(words)), fields=form.fields[1:])


def _reasoning_open(spec: Spec) -> tuple[Marker, ...]:
    """Return what opens reasoning, what only the prompt writes included."""
    found = list(_cores(spec.turn.reasoning.open))
    for prompt in spec.prompt.generation:
        text = prompt.prefill.strip()
        if prompt.state is PromptState.REASONING and text and not any(marker.core.strip() in text for marker in found):
            found.append(Marker(core=text, after=white_after(prompt.prefill)))
    return (*found, *_unlabelled(found))


def _unlabelled(markers: list[Marker]) -> tuple[Marker, ...]:
    """Return the tokens of markers that are a special token and a word, which models leave out."""
    tokens = dict.fromkeys(match.group(1) for marker in markers if (match := _LABELLED.fullmatch(marker.core)) is not None)
    return tuple(Marker(core=token) for token in tokens if not any(marker.core == token for marker in markers))


def _reasoning_close(spec: Spec) -> tuple[Marker, ...]:
    """Return what closes reasoning. A template that never renders it shows no layout; models write a close as they write the opening."""
    found = _cores(spec.turn.reasoning.close)
    if spec.capabilities.reasoning is not Support.DROPPED or not any(white_after(marker.text) for marker in _reasoning_open(spec)):
        return found
    return tuple(dict.fromkeys((*found, *(replace(marker, before="\n", after="\n\n") for marker in found if not marker.before))))


def _ends(spec: Spec) -> tuple[Marker, ...]:
    """Return what ends a turn; what a blank close of content writes belongs to the layout before it."""
    blanks = ["", *(marker.text for marker in spec.turn.content.close if not marker.core.strip())]
    ends = spec.prompt.end_of_turn
    found: dict[Marker, None] = {}
    for text in (*ends.content, *ends.calls, *spec.tokens.stops):
        core = text.strip()
        if is_marker(core):
            found.update(dict.fromkeys(Marker(core=core, before=blank + white_before(text)) for blank in blanks))
    return tuple(found)


def _header_tail(spec: Spec) -> str:
    for prompt in spec.prompt.generation:
        if match := _LAST_TAG.search(prompt.header):
            return match.group(1)
    return ""


def _header_rest(spec: Spec) -> str:
    """Return what history writes of the assistant's header and the shortest generation prompt does not."""
    header = spec.prompt.roles.get("assistant", "")
    written = [prompt.header for prompt in spec.prompt.generation if header.startswith(prompt.header)] if spec.prompt.generation else [""]
    return header[min(map(len, written), default=len(header)) :]


def first_tag(marker: Marker) -> str:
    """Return the tag that a longer marker begins with, which models write twice; ``""`` where there is none."""
    match = _FIRST_TAG.match(marker.core)
    return match.group() if match is not None and match.group() != marker.core else ""


def form_openings(signs: Signs) -> list[tuple[str, ...]]:
    """Return the ways in which a call may begin, as chunks: its section, itself, what stands behind its own marker."""
    found: dict[tuple[str, ...], None] = {}
    section = chunks(signs.section.open.core) if signs.section.open is not None else ()
    for form in signs.forms:
        opening, inner = chunks(form.open.core), inner_opening(form)
        alone = not section or is_marker("".join(opening))
        for each, counts in ((section, True), (opening, alone), (inner, is_marker("".join(inner)))):
            if each and counts:
                found[each] = None
    return list(found)


def without_namespace(opening: tuple[str, ...]) -> tuple[str, ...]:
    """Return the opening of a call less the namespace that it ends with, such as ``functions.``, which models leave out.

    ``()`` where it has none.
    """
    match = _NAMESPACE.fullmatch(opening[-1]) if opening else None
    return () if match is None else (*opening[:-1], match.group(1))


def has_bare_calls(signs: Signs) -> bool:
    """Return whether calls are written without any marker."""
    section = signs.section.open is not None and bool(signs.section.open.core.strip())
    return any(not (section or form.open.core.strip() or is_marker("".join(inner_opening(form)))) for form in signs.forms)


def closing_tokens(signs: Signs) -> tuple[str, ...]:
    """Return the special tokens that close reasoning, a section of calls or a call, and not the turn."""
    closes = [*signs.reasoning_close, *([signs.section.close] if signs.forms else []), *(form.close for form in signs.forms)]
    ends = {end.core for end in signs.ends}
    cores = (marker.core for marker in closes if marker is not None)
    return tuple(dict.fromkeys(core for core in cores if _SPECIAL.fullmatch(core) and core not in ends))


def boundary_texts(signs: Signs) -> tuple[tuple[str, ...], ...]:
    """Return the texts that structure behind a call may begin with, as chunks."""
    closes = [signs.section.close] if signs.section.close is not None else []
    frame = [signs.frame.separator] if signs.frame is not None else []
    openings = [marker for marker in (*signs.reasoning_open, *signs.content_open) if is_marker(marker.core)]
    found = [*form_openings(signs), *(chunks(marker.core) for marker in (*closes, *openings, *frame, *signs.ends))]
    return tuple(text for text in dict.fromkeys(found) if text)


def marker_texts(signs: Signs) -> tuple[str, ...]:
    """Return every text that is written around blocks and calls: what a turn that was cut may end within."""
    markers = [*signs.reasoning_open, *signs.reasoning_close, *signs.content_open, *signs.content_close, *signs.ends]
    texts = [marker.core for marker in markers]
    texts += [marker.core for marker in (signs.section.open, signs.section.close) if marker is not None] if signs.forms else []
    texts += [signs.frame.separator.core] if signs.frame is not None else []
    for form in signs.forms:
        texts.append(form.open.core)
        inner = form.fields[0].text if form.fields and isinstance(form.fields[0], Text) else ""
        texts += [form.open.text + inner, inner if is_marker(inner) else ""]
        texts += [form.close.core] if form.close is not None else []
    return tuple(dict.fromkeys(text for text in map(str.strip, texts) if text))


def call_openings(signs: Signs) -> tuple[str, ...]:
    """Return the texts that open calls and their sections, where prose does not hold them by chance."""
    markers = [form.open for form in signs.forms] + ([signs.section.open] if signs.section.open is not None and signs.forms else [])
    return tuple(dict.fromkeys(marker.core for marker in markers if is_marker(marker.core)))


def first_token(text: str) -> str:
    """Return the special token that a marker begins with, which no prose holds; the whole marker where it begins with none."""
    token = _SPECIAL.match(text)
    return token.group() if token is not None else text


def begun_tokens(signs: Signs) -> tuple[str, ...]:
    """Return the special tokens that longer markers begin with: what they stand in is never text."""
    found = ((first_token(text), text) for text in marker_texts(signs))
    return tuple(dict.fromkeys(token for token, text in found if token != text))


def stops_of(markers: Iterable[Marker], layouts: Iterable[str]) -> list[str]:
    """Return the texts at which free text may end for one of these markers, the layout before it included."""
    found: list[str] = []
    for marker in markers:
        first = chunks(marker.core)[0]
        for start in dict.fromkeys((first, pieces(first)[0])):
            found += [marker.before + start, start, *(layout + start for layout in layouts)]
    return list(dict.fromkeys(found))
