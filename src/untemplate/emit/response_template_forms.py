"""What one call looks like: the pattern of its head with name and id, where its arguments begin, and what closes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from untemplate.emit.response_template_anchors import Delimiter, Pattern, either, loose, quote, quote_class
from untemplate.spec.model import CallForm, Field, FieldName, JsonCall, Part, Text

_GROUP = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallHead:
    """How a call begins, up to its arguments (or, where the call is one JSON value, up to that)."""

    delimiter: Delimiter
    marked: bool
    """It begins with a marker of its own, which prose does not hold by chance."""
    has_name: bool
    has_id: bool

    @property
    def start(self) -> str:
        """A pattern for it without groups, to look ahead for."""
        pieces = [piece.source if isinstance(piece, Pattern) else quote(piece[0]) for piece in self.delimiter]
        return _GROUP.sub("(?:", "".join(pieces))


def ungrouped(pattern: str) -> str:
    """Return a pattern whose groups have no names."""
    return _GROUP.sub("(?:", pattern)


def json_head(form: CallForm) -> CallHead:
    """Return the head of a call that is a JSON value: its marker, or a look at the keys it begins with."""
    assert form.json is not None
    if form.open.core:
        return CallHead(delimiter=((form.open.core,),), marked=True, has_name=False, has_id=False)
    return CallHead(delimiter=(Pattern(f"(?={_first_keys(form.json)})"),), marked=False, has_name=False, has_id=False)


def _first_keys(layout: JsonCall) -> str:
    """Return a pattern for the beginning of the JSON that is a call."""
    mark = "'" if layout.python else '"'
    start = r"\[\s*" if layout.array else ""
    if layout.name_is_key:
        return rf"{start}\{{\s*{mark}[^{mark}]+{mark}\s*:\s*\{{"
    first = layout.order[0] if layout.order else layout.name[0]
    found = rf"{start}\{{\s*{mark}{quote(first)}{mark}\s*:"
    if (first,) == layout.name and len(layout.order) > 1:
        found += rf"\s*{mark}[^{mark}]*{mark}\s*,\s*{mark}{quote(layout.order[1])}{mark}\s*:"
    return found


def adjacent_head(form: CallForm) -> CallHead | None:
    """Return the head of a JSON call up to its arguments, where calls stand side by side; ``None`` where more than a name is before them.

    A look at what the next call begins with cannot tell its beginning from its end there.
    """
    layout = form.json
    assert layout is not None
    if layout.array or layout.python or len(layout.order) != 2 or layout.order != (*layout.name, *layout.arguments):
        return None
    name, arguments = (quote(key) for key in layout.order)
    pattern = Pattern(rf'\{{\s*"{name}"\s*:\s*"(?P<name>[^"\\]+)"\s*,\s*"{arguments}"\s*:\s*')
    return CallHead(delimiter=(pattern,), marked=False, has_name=True, has_id=False)


def key_head(form: CallForm) -> CallHead:
    """Return the head of a JSON call whose key is the tool's name: ``{"name": ``."""
    pattern = Pattern(r'\{\s*"(?P<name>[^"\\]+)"\s*:\s*')
    opening: Delimiter = ((form.open.core,), Pattern(r"\s*"), pattern) if form.open.core else (pattern,)
    return CallHead(delimiter=opening, marked=bool(form.open.core), has_name=True, has_id=False)


def python_head(form: CallForm) -> CallHead | None:
    """Return the head of a call that is a Python dict of name and arguments, in this order; ``None`` where it has more."""
    layout = form.json
    assert layout is not None
    if layout.order != (*layout.name, *layout.arguments) or len(layout.order) != 2:
        return None
    name, arguments = (quote(key) for key in layout.order)
    pattern = Pattern(rf"\s*\{{\s*'{name}'\s*:\s*'(?P<name>[^'\\]+)'\s*,\s*'{arguments}'\s*:\s*\{{")
    return CallHead(delimiter=((form.open.core,), pattern), marked=bool(form.open.core), has_name=True, has_id=False)


def field_head(forms: Sequence[CallForm], begins: str) -> CallHead:
    """Return the head of a call of fields, in any of these forms. ``begins``: characters that the arguments may begin with."""
    first = forms[0]
    sources = [_split(form, begins) for form in forms]
    if len(forms) == 1 or any("(?P<id>" in "".join(source) or not source[1] for source in sources):
        source = "".join(sources[0])
    else:
        source = either(*(each[0] for each in sources)) + sources[0][1] + either(*(each[2] for each in sources))
    marked = bool(first.open.core.strip()) or _text_first(first)
    return CallHead(delimiter=(Pattern(source),), marked=marked, has_name="(?P<name>" in source, has_id="(?P<id>" in source)


def _text_first(form: CallForm) -> bool:
    return bool(form.fields) and isinstance(form.fields[0], Text) and len(form.fields[0].text.strip()) > 1


def _split(form: CallForm, begins: str) -> tuple[str, str, str]:
    """Return the patterns before the name, of the name, and between it and the arguments."""
    parts = _before_arguments(form)
    first, last = form.id_parts or (-1, -1)
    pieces = [loose(form.open.core) + (r"\s*" if form.open.after else "")]
    seen: set[FieldName] = set()
    named: int | None = None
    for index, part in enumerate(parts):
        if index == first:
            pieces.append("(?P<id>")
        if _is(part, FieldName.NAME) and named is None:
            named = len(pieces)
        pieces.append(_part(parts, index, part, seen, begins))
        if index == min(last, len(parts)) - 1 and first >= 0:
            pieces.append(")")
    if named is None:
        return "".join(pieces), "", ""
    return "".join(pieces[:named]), pieces[named], "".join(pieces[named + 1 :])


def _before_arguments(form: CallForm) -> tuple[Part, ...]:
    place = next((index for index, part in enumerate(form.fields) if _is(part, FieldName.ARGUMENTS)), len(form.fields))
    return form.fields[:place]


def trailing_text(form: CallForm) -> str:
    """Return the text of a call behind its arguments, without the close."""
    place = next((index for index, part in enumerate(form.fields) if _is(part, FieldName.ARGUMENTS)), len(form.fields))
    return "".join(part.text for part in form.fields[place + 1 :] if isinstance(part, Text))


def late_id(form: CallForm) -> bool:
    """Return whether the id stands behind the arguments."""
    place = next((index for index, part in enumerate(form.fields) if _is(part, FieldName.ARGUMENTS)), len(form.fields))
    return any(_is(part, FieldName.ID) for part in form.fields[place + 1 :])


def _is(part: Part, name: FieldName) -> bool:
    return isinstance(part, Field) and part.field is name


def _part(parts: tuple[Part, ...], index: int, part: Part, seen: set[FieldName], begins: str) -> str:
    match part:
        case Text(text=text):
            last = index == len(parts) - 1
            return loose(text.rstrip() if last else text)
        case Field(field=FieldName.COUNTER):
            return r"\d+"
        case Field(field=(FieldName.NAME | FieldName.ID) as name):
            if name in seen:
                return f"(?P={name.value})"
            seen.add(name)
            return f"(?P<{name.value}>{_run(parts, index, begins)})"
        case _:
            return r"[^\n]*?"


def _run(parts: tuple[Part, ...], index: int, begins: str) -> str:
    """Return a pattern for a name or an id, up to the text that follows it."""
    following = "".join(part.text for part in parts[index + 1 :] if isinstance(part, Text)).strip()
    stops = following[:1] or begins
    return f"[^\\s{quote_class(stop for stop in stops + '<' if not stop.isalnum())}]+"
