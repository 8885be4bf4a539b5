"""Reads how to write a call from the words and examples with which a template instructs the model.

Some templates never render a call: they only tell the model in the prompt how to write one. What appears in the prompt when tools are
given is searched for an example (a JSON object with a name and arguments between tags), a sentence (``<|tool_call|> followed by a JSON
list``) or a line of Python calls. Source: DESIGN.md section 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from untemplate.infer.evidence import Notebook
from untemplate.probe.prober import Prober
from untemplate.spec.model import (
    Arguments,
    CallForm,
    Calls,
    Encoding,
    Field,
    FieldName,
    JsonCall,
    JsonType,
    Marker,
    PairList,
    Section,
    Text,
    Value,
)
from untemplate.text import sentinels

_TAG = r"(?:<\|?[A-Za-z_][\w:.-]*\|?>|\[[A-Z][A-Z_]+\])"
_CLOSE = r"(?:</[A-Za-z_][\w:.-]*>|<\|?/?[A-Za-z_][\w:.-]*\|?>|\[/[A-Z][A-Z_]+\])"
_EXAMPLE = re.compile(
    rf"({_TAG})(\s*)(\[?)\s*(\{{[^<>{{}}]*(?:<[^<>\n]*>[^<>{{}}]*|\{{[^{{}}]*\}}[^<>{{}}]*)*\}})([^{{}}]{{0,80}}?)({_CLOSE})"
)
_KEY = re.compile(r"""["']?(\w+)["']?\s*:""")
_NAMES = ("name", "tool_name", "function_name", "function", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "input")
_SENTENCE = re.compile(rf"({_TAG})\s+followed by (?:a |an |the )?JSON[- ](list|array|object)", re.IGNORECASE)
_PYTHON = re.compile(r"\[\w+\(\w+=[^()\n]*\)(?:,\s*\w+\([^()\n]*\))*\]")
_FUNCTION_TAG = re.compile(r"(<function=)[\w.-]+>\{[^\n]*\}(</function>)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """How calls are to be written, and the words that say so."""

    calls: Calls
    words: str


def infer_instructed(prober: Prober, notebook: Notebook) -> Calls | None:
    """Return how the prompt tells the model to write calls, or ``None`` where it has no words for it that can be read."""
    text = told(prober)
    if text is None:
        return None
    for read in (_example, _sentence, _function_tag, _python):
        found = read(text)
        if found is not None:
            notebook.note(
                "turn.calls", "prompt with tools|prompt", right=found.words, note=f"read from the instruction ({read.__name__[1:]})"
            )
            return found.calls
    return None


def told(prober: Prober) -> str | None:
    """Return what the prompt says more when tools are given, each line up to the first word of a tool's own."""
    with_tools, without = prober.base(), prober.using(tools=None).base()
    if with_tools is None:
        return None
    lines = set((without or "").split("\n"))
    kept = [line for line in with_tools.split("\n") if line not in lines]
    return "\n".join(_OF_A_TOOL.split(line, maxsplit=1)[0] for line in kept)


_OF_A_TOOL = re.compile("|".join([*map(sentinels.name, range(4)), *(sentinels.key(call, item) for call in range(4) for item in range(2))]))


def _example(text: str) -> Instruction | None:
    """Return the layout of the first example of a call as a JSON object between tags."""
    for match in _EXAMPLE.finditer(text):
        opening, _, bracket, example, _, closing = match.groups()
        keys = list(_KEY.findall(example))
        name = next((key for key in keys if key in _NAMES), None)
        arguments = next((key for key in keys if key in _ARGUMENTS), None)
        if name is None or arguments is None or not _pair(opening, closing):
            continue
        order = tuple(key for key in dict.fromkeys(keys) if key in (name, arguments))
        json = JsonCall(name=(name,), arguments=(arguments,), order=order, array=bool(bracket))
        around = match.group(0)
        newline = "\n" if "\n" in around[len(opening) : len(opening) + 2] else ""
        return Instruction(calls=_between(opening, closing, newline, json, around), words=around)
    return None


def _pair(opening: str, closing: str) -> bool:
    """Return whether the tags belong together: ``<x>`` and ``</x>``, or a start and an end."""
    bare = re.sub(r"\W", "", opening)
    return (
        bare == re.sub(r"\W", "", closing)
        and opening != closing
        or {"start", "begin"} & set(re.findall(r"[a-z]+", opening.lower())) != set()
    )


def _between(opening: str, closing: str, newline: str, json: JsonCall, around: str) -> Calls:
    open_marker, close_marker = Marker(core=opening, after=newline), Marker(core=closing, before=newline)
    several = json.array or "..." in around or re.search(r"calls\W*$", opening) is not None
    if several:
        section = Section(open=open_marker, close=close_marker, separator="" if json.array else "\n")
        return Calls(section=section, forms=(CallForm(open=Marker(core=""), close=None, json=json),))
    return Calls(section=Section(separator="\n"), forms=(CallForm(open=open_marker, close=close_marker, json=json),))


def _sentence(text: str) -> Instruction | None:
    """Return the layout that a sentence names: a tag and a JSON list after it."""
    match = _SENTENCE.search(text)
    if match is None:
        return None
    array = match.group(2).lower() != "object"
    json = JsonCall(name=("name",), arguments=("arguments",), order=("name", "arguments"), array=array)
    marker = Marker(core=match.group(1))
    if array:
        calls = Calls(section=Section(open=marker), forms=(CallForm(open=Marker(core=""), close=None, json=json),))
    else:
        calls = Calls(section=Section(), forms=(CallForm(open=marker, close=None, json=json),))
    return Instruction(calls=calls, words=match.group(0))


def _function_tag(text: str) -> Instruction | None:
    match = _FUNCTION_TAG.search(text)
    if match is None:
        return None
    form = CallForm(
        open=Marker(core=match.group(1)),
        close=Marker(core=match.group(2)),
        fields=(Field(field=FieldName.NAME), Text(text=">"), Field(field=FieldName.ARGUMENTS)),
        arguments=Arguments(encoding=Encoding.JSON),
    )
    return Instruction(calls=Calls(section=Section(), forms=(form,)), words=match.group(0))


def _python(text: str) -> Instruction | None:
    """Return the layout of a list of Python calls."""
    match = _PYTHON.search(text)
    if match is None:
        return None
    values = {kind: Value(encoding=Encoding.PYTHON) for kind in _kinds()}
    pair = PairList(pair=(Field(field=FieldName.KEY), Text(text="="), Field(field=FieldName.VALUE)), separator=", ")
    form = CallForm(
        open=Marker(core=""),
        close=None,
        fields=(Field(field=FieldName.NAME), Text(text="("), Field(field=FieldName.ARGUMENTS), Text(text=")")),
        arguments=Arguments(encoding=Encoding.PAIRS, object=pair, values=values),
    )
    section = Section(open=Marker(core="["), close=Marker(core="]"), separator=", ")
    return Instruction(calls=Calls(section=section, forms=(form,)), words=match.group(0))


def _kinds() -> Iterator[JsonType]:
    yield from JsonType
