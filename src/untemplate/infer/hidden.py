"""Finds reasoning that a template never writes: it opens it in the prompt, or strips it from history.

Many reasoning models' templates only remove reasoning (``content.split('</think>')[-1]``). The string constants of the template's own
source are written into content, each between two sentinels: a constant after which the first sentinel is gone closes reasoning.
Source: INFERENCE.md, "Literal-driven probes".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from untemplate.infer.evidence import Notebook
from untemplate.infer.markers import marker
from untemplate.probe.cases import Case
from untemplate.probe.prober import Prober
from untemplate.spec.model import Marker
from untemplate.text import sentinels

_MARK = re.compile(r"<\|?/?[^<>\n]{1,40}>|\[/?[A-Za-z_]{2,20}\]")
_LONGEST = 48
_MOST = 24
"""How many constants are tried."""
_CUTTERS = ("split", "partition", "replace", "regex", ".find(", ".index(", "[:", ":]")
"""Without one of these a template cannot take a part of a text away."""
_CLOSING = re.compile(r"/|end|close", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """What opens and closes reasoning that is not rendered."""

    open: Marker | None
    close: Marker | None
    answer: tuple[Marker, Marker] | None = None
    """What stands around the content behind such reasoning, where the template takes that away too."""


def infer_hidden(prober: Prober, prefills: Sequence[str], constants: Iterable[str], source: str, notebook: Notebook) -> Fence | None:
    """Return the fence of reasoning that shows only in prompts or by being stripped, or ``None``.

    Args:
        prefills: the ends of generation prompts that already belong to the turn, one for each thinking mode.
        constants: the template's string constants and texts.
        source: the template's text: a closing made by mirroring an opening counts only if it stands there, or the opening says what it is.
    """
    close = _stripped(prober, constants, source, notebook)
    written = [text for text in prefills if text.strip()]
    pair = _whole_pair(written, close)
    if pair is not None:
        return replace(pair, answer=_answer(close, source))
    if close is not None:
        opened = [text for text in written if close not in text]
        whole = [text for text in written if close in text]
        if opened:
            return Fence(open=marker(opened[0]), close=_close_marker(close, whole))
        if whole and whole[0][: whole[0].index(close)].strip():
            return Fence(open=marker(whole[0][: whole[0].index(close)]), close=_close_marker(close, whole))
        mirrored = mirror_open(close)
        return Fence(open=None if mirrored is None else Marker(core=mirrored), close=Marker(core=close))
    for text in written:
        found = _MARK.match(text.strip())
        mirrored = None if found is None else mirror_close(found.group())
        if found is None or mirrored is None or _wraps_content(prober, found.group(), mirrored):
            continue
        if mirrored not in source and not _REASONING_TAG.fullmatch(found.group()):
            continue
        whole = [other for other in written if mirrored in other]
        opened = [other for other in written if mirrored not in other and found.group() in other]
        before = opened[0] if opened else text[: text.index(mirrored)]
        notebook.note("turn.reasoning", "generation", right=text, note="opened by the prompt; the closing mirrors the opening")
        return Fence(open=marker(before), close=_close_marker(mirrored, whole))
    return _instructed(source, notebook)


def _whole_pair(written: Sequence[str], stripped: str | None) -> Fence | None:
    """Return the pair of marks with nothing between them that a prompt writes, where what the template strips is another mark."""
    if stripped is None:
        return None
    for text in written:
        found = _MARK.match(text.strip())
        closing = None if found is None else mirror_close(found.group())
        if found is None or closing is None or closing not in text or stripped in text:
            continue
        blank = text[text.index(found.group()) + len(found.group()) : text.index(closing)]
        if not blank.strip():
            after, before = blank[: (len(blank) + 1) // 2], blank[(len(blank) + 1) // 2 :]
            return Fence(open=Marker(core=found.group(), after=after), close=replace(_close_marker(closing, [text]), before=before))
    return None


def _answer(stripped: str | None, source: str) -> tuple[Marker, Marker] | None:
    """Return the marks around an answer whose opening the template strips with all that is before it, ``None`` for another mark."""
    closing = None if stripped is None or _CLOSING.search(stripped) else mirror_close(stripped)
    if stripped is None or closing is None or closing not in source:
        return None
    return Marker(core=stripped, after="\n"), Marker(core=closing, before="\n")


def _wraps_content(prober: Prober, opening: str, closing: str) -> bool:
    """Return whether a turn of content stands between the two: then they are the content's own."""
    text = prober.turn(Case(content=sentinels.CONTENT))
    if text is None or sentinels.CONTENT not in text:
        return False
    before, after = text.split(sentinels.CONTENT, 1)
    return before.rstrip().endswith(opening) and after.lstrip().startswith(closing)


def _instructed(source: str, notebook: Notebook) -> Fence | None:
    """Return the pair of tags with which the template's own words tell the model to reason, or ``None``."""
    for found in _REASONING_TAG.finditer(source):
        mirrored = mirror_close(found.group())
        if mirrored is not None and mirrored in source:
            notebook.note("turn.reasoning", "source", left=found.group(), right=mirrored, note="named in the template's own text")
            return Fence(open=Marker(core=found.group()), close=Marker(core=mirrored))
    return None


_REASONING_TAG = re.compile(r"(?:<\|?|\[)[\w:]*(?:think|reason|thought)\w*(?:\|?>|\])", re.IGNORECASE)


def _close_marker(close: str, whole: Sequence[str]) -> Marker:
    """Return the closing with the white space that a prompt which holds the whole fence writes after it."""
    if not whole:
        return Marker(core=close)
    after = whole[0][whole[0].index(close) + len(close) :]
    return Marker(core=close, after=after if not after.strip() else "")


def _stripped(prober: Prober, constants: Iterable[str], source: str, notebook: Notebook) -> str | None:
    """Return the constant that, standing in content, makes the template drop what is before it: the shortest such."""
    if not any(word in source for word in _CUTTERS):
        return None
    tried: dict[str, None] = {}
    for constant in constants:
        for text in _MARK.findall(constant) if len(constant) > _LONGEST else [constant.strip()]:
            if _MARK.search(text) and len(text) <= _LONGEST:
                tried.setdefault(text)
    for close in sorted(tried, key=lambda text: (not _CLOSING.search(text), len(text)))[:_MOST]:
        if _drops(prober, close):
            notebook.note(
                "turn.reasoning.close",
                "content with a constant",
                left=f"{sentinels.REASONING}{close}{sentinels.CONTENT}",
                right=sentinels.CONTENT,
            )
            return close
    return None


def _drops(prober: Prober, constant: str) -> bool:
    case = Case(content=f"{sentinels.REASONING}{constant}{sentinels.CONTENT}")
    for follow in ("user", None):
        text = prober.turn(case, follow=follow)
        if text is not None and sentinels.CONTENT in text and sentinels.REASONING not in text:
            return True
    return False


def mirror_open(close: str) -> str | None:
    """Return the opening that belongs to a closing tag, ``None`` where it has no such form."""
    for mark in ("</", "[/", "<|/"):
        if close.startswith(mark):
            return close.replace("/", "", 1)
    for end, start in (("END", "START"), ("end", "start"), ("END", "BEGIN"), ("end", "begin")):
        if end in close and start == "START":
            return close.replace(end, start, 1)
    return None


def mirror_close(opening: str) -> str | None:
    """Return the closing that belongs to an opening tag, ``None`` where it has no such form."""
    if opening.startswith(("<|", "</", "[/")):
        return opening.replace("START", "END", 1) if "START" in opening else None
    if opening.startswith("<"):
        return "</" + opening[1:]
    return "[/" + opening[1:] if opening.startswith("[") else None
