"""Strings that a careless format loses: quotes, escapes, markers, white space at the ends, text that looks like JSON."""

from __future__ import annotations

from collections.abc import Iterator

from untemplate.spec.model import CallForm, Spec, Text, Turn

PLAIN = ("Paris", "two words", "a longer sentence, with a comma.", "Grüße aus Köln", "東京の天気", "мир", "👩‍🚀 lifts off 🎉", "x")

HOSTILE = (
    'He said "yes" and left',
    "it's the cat's",
    "\"both\" and 'both'",
    "first line\nsecond line",
    "one\n\nthree\n\n\nsix",
    "tab\there",
    "C:\\new\\table\\x41",
    'a \\"quoted\\" backslash \\\\',
    "ends in a backslash\\",
    "<b>bold</b> & <i>more</i> &amp; &lt;",
    "a < b > c << d >> e",
    "{curly} [square] (round)",
    "key: value, other: [1, 2]",
    '```json\n{"a": 1}\n```',
    "{{ jinja }} {% if x %} {# no #}",
    "50% of $5 #1 @home ~/x",
    "line\u2028separator",
    "def f(x):\n    return {'a': x}\n",
    "https://example.org/a?b=c&d=%20#e",
    "zero\u200bwidth and e\u0301",
)

WHITE = ("  padded  ", " leading", "trailing ", "\nnewline first", "newline last\n", "\n\nboth\n\n", "    indented\n      more")

LIKE_JSON = (
    "10",
    "-3.5",
    "1e5",
    "true",
    "false",
    "null",
    "{}",
    "[]",
    '{"a": 1}',
    "[1, 2]",
    '"quoted"',
    "True",
    "None",
    "'single'",
    "007",
    "",
)


def marker_texts(spec: Spec) -> tuple[str, ...]:
    """Return the literal texts with which the spec marks blocks, calls and values, each once; none that ends a turn."""
    texts = [*_block_markers(spec.turn), *(text for form in _forms(spec.turn) for text in _form_texts(form))]
    cores = dict.fromkeys(text.strip() for text in (*texts, *spec.tokens.preserved, *spec.tokens.triggers))
    ends = [end.strip() for end in (*spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls, *spec.tokens.stops)]
    return tuple(core for core in cores if core and not any(end and (end in core or core in end) for end in ends))


def _forms(turn: Turn) -> tuple[CallForm, ...]:
    return turn.calls.forms if turn.calls is not None else ()


def _block_markers(turn: Turn) -> Iterator[str]:
    beside = turn.content.with_calls
    single = [beside.open, beside.close] if beside is not None else []
    if turn.calls is not None:
        single += [turn.calls.section.open, turn.calls.section.close]
    for marker in (*turn.reasoning.open, *turn.reasoning.close, *turn.content.open, *turn.content.close, *single):
        if marker is not None:
            yield marker.core


def _form_texts(form: CallForm) -> Iterator[str]:
    yield form.open.core
    yield form.close.core if form.close is not None else ""
    pairs = form.arguments.object if form.arguments is not None else None
    for part in (*form.fields, *(pairs.pair if pairs is not None else ())):
        if isinstance(part, Text):
            yield part.text
    if pairs is not None:
        yield from (pairs.open, pairs.close)


def prose_strings(spec: Spec) -> tuple[str, ...]:
    """Return sentences that name the template's own markers without meaning them."""
    return tuple(f"the mark {core} is only named here" for core in marker_texts(spec))
