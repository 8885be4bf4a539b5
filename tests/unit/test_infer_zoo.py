"""Dialects that no fixture shows: each is inferred, rebuilt, and reads back what it renders."""

from __future__ import annotations

import json
from typing import Any

import pytest

from untemplate.infer.recompose import recompose
from untemplate.infer.spec import infer_spec
from untemplate.parser import build_parser
from untemplate.template import Template
from untemplate.verify.verify import verify_at_length

HEAD = (
    "{%- for m in messages %}{%- if m.role != 'assistant' %}{{ '<|' ~ m.role ~ '|>' ~ m.content ~ '<|end|>' }}"
    "{%- else %}{{ '<|assistant|>' }}{%- if m.content %}{{ m.content }}{% endif %}"
)
TAIL = "{{ '<|end|>' }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
EACH = "{% for c in m.tool_calls or [] %}"
JSON_ARGUMENTS = "(c.function.arguments | tojson)"
PYTHON_CALL = (
    "{{ c.function.name ~ '(' }}{% for k, v in c.function.arguments.items() %}{{ k ~ '=' ~ (v | tojson) }}"
    "{{ ', ' if not loop.last }}{% endfor %}{{ ')' }}{{ '\\n' if not loop.last }}"
)
PAIRS = "{% for k, v in c.function.arguments.items() %}"

ZOO = {
    "an object around the list of calls": "{% if m.tool_calls %}{{ '{\"calls\": [' }}"
    + EACH
    + "{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}{{ ', ' if not loop.last }}{% endfor %}"
    + "{{ ']}' }}{% endif %}",
    "three levels of tags": "{% if m.tool_calls %}{{ '<｜calls｜>' }}"
    + EACH
    + "{{ '<｜call｜>function<｜sep｜><x:invoke name=\"' ~ c.function.name ~ '\">' }}"
    + PAIRS
    + "{{ '<x:parameter name=\"' ~ k ~ '\">' ~ (v if v is string else v | tojson) ~ '</x:parameter>' }}{% endfor %}"
    + "{{ '</x:invoke><｜call_end｜>' }}{% endfor %}{{ '<｜calls_end｜>' }}{% endif %}",
    "python calls, one a line": "{% if m.tool_calls %}{{ '<function_calls>' }}"
    + EACH
    + PYTHON_CALL
    + "{% endfor %}{{ '</function_calls>' }}{% endif %}",
    "python calls in a fence": "{% if m.tool_calls %}{{ '\\n```tool_code\\n' }}"
    + EACH
    + PYTHON_CALL
    + "{% endfor %}{{ '\\n```' }}{% endif %}",
    "two markers before each call": EACH
    + "{{ '<|action|><|plugin|>\\n' ~ ({'name': c.function.name, 'parameters': c.function.arguments} | tojson) }}"
    + "{{ '<|action_end|>\\n' }}{% endfor %}",
    "a list over several lines": "{% if m.tool_calls %}{{ '\\n<tool_calls>[\\n' }}"
    + EACH
    + "{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson }}{{ ',\\n' if not loop.last }}{% endfor %}"
    + "{{ '\\n]</tool_calls>' }}{% endif %}",
    "python's own notation": EACH + "{{ '<tool>' ~ {'name': c.function.name, 'arguments': c.function.arguments} ~ '</tool>' }}{% endfor %}",
    "a line for each argument": EACH
    + "{{ '@call ' ~ c.function.name ~ '\\n' }}"
    + PAIRS
    + "{{ '- ' ~ k ~ ': ' ~ (v | tojson) ~ '\\n' }}{% endfor %}{{ '@end' }}{{ '\\n' if not loop.last }}{% endfor %}",
    "guards around strings that need them": EACH
    + "{{ '<fn name=\"' ~ c.function.name ~ '\">' }}"
    + PAIRS
    + "{{ '<p name=\"' ~ k ~ '\">' }}{% if v is string and ('<' in v or '\\n' in v) %}{{ '<![CDATA[' ~ v ~ ']]>' }}"
    + "{% else %}{{ v if v is string else v | tojson }}{% endif %}{{ '</p>' }}{% endfor %}{{ '</fn>' }}{% endfor %}",
    "arguments as attributes": EACH
    + "{{ '<use tool=\"' ~ c.function.name ~ '\" id=\"' ~ c.id ~ '\"' }}"
    + PAIRS
    + "{{ ' ' ~ k ~ '=' ~ (v | tojson) }}{% endfor %}{{ '/>' }}{% endfor %}",
    "arguments before the name": EACH + "{{ '<call>' ~ " + JSON_ARGUMENTS + " ~ '<to>' ~ c.function.name ~ '</call>' }}{% endfor %}",
    "words for markers": EACH + "{{ '\\nAction: ' ~ c.function.name ~ '\\nAction Input: ' ~ " + JSON_ARGUMENTS + " }}{% endfor %}",
    "an id in brackets": "{% if m.tool_calls %}{{ '[CALLS]' }}"
    + EACH
    + "{{ '(' ~ c.id ~ ') ' ~ c.function.name ~ ' => ' ~ "
    + JSON_ARGUMENTS
    + " ~ ';' }}{% endfor %}{{ '[/CALLS]' }}{% endif %}",
}

ZOO |= {
    "an id of nine characters between marks": EACH
    + "{%- if c.id | length != 9 or not c.id.isalnum() %}{{ raise_exception('ids have nine letters or digits') }}{% endif %}"
    + "{{ '[CALL]' ~ c.function.name ~ '[ID]' ~ c.id ~ '[WITH]' ~ "
    + JSON_ARGUMENTS
    + " }}{% endfor %}",
    "one special token before every tag": "{% if m.tool_calls %}{{ '<|ns|><calls>\n' }}"
    + EACH
    + "{{ '<|ns|><invoke name=\"' ~ c.function.name ~ '\">' }}"
    + PAIRS
    + "{{ '<|ns|><' ~ k ~ '>' ~ (v if v is string else v | tojson) ~ '<|ns|></' ~ k ~ '>' }}{% endfor %}"
    + "{{ '<|ns|></invoke>\n' }}{% endfor %}{{ '<|ns|></calls>' }}{% endif %}",
}

ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"a": "x y", "b": 7, "c": True, "d": None, "e": [1, "z"], "f": {"k": "v", "n": {"m": 1.5}}},
    {},
    {"a": 'it\'s "q"\n<b> \\ end'},
)
NAMES = ("get_it", "put.it")
PROPERTIES = {"a": "string", "b": "integer", "c": "boolean", "d": "null", "e": "array", "f": "object"}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Does it.",
            "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in PROPERTIES.items()}},
        },
    }
    for name in NAMES
]
TURNS = ((0,), (1,), (2,), (0, 2), (1, 0, 2))


@pytest.mark.parametrize("dialect", ZOO)
def test_an_unseen_dialect_is_rebuilt_from_its_spec(dialect: str) -> None:
    found = infer_spec(Template(HEAD + ZOO[dialect] + TAIL, dialect))
    assert found.spec.turn.calls is not None
    assert recompose(found.spec, found.found) == ()


@pytest.mark.parametrize("dialect", ZOO)
def test_an_unseen_dialect_is_read_and_written_at_length(dialect: str) -> None:
    inferred = infer_spec(Template(HEAD + ZOO[dialect] + TAIL, dialect))
    report = verify_at_length(inferred.spec, inferred.found, budget=100)
    assert [(each.kind, each.difference) for each in report.mismatches] == []
    assert report.grammar_checked > 70


@pytest.mark.parametrize("dialect", ZOO)
@pytest.mark.parametrize("content", ["", "Hello there."])
def test_an_unseen_dialect_reads_back_what_it_renders(dialect: str, content: str) -> None:
    template = Template(HEAD + ZOO[dialect] + TAIL, dialect)
    parser = build_parser(infer_spec(template).spec, tools=TOOLS)
    user = {"role": "user", "content": "u"}
    base = template.render([user], tools=TOOLS, add_generation_prompt=True)
    for turn in TURNS:
        calls = [
            {"id": f"abcdefgh{place}", "type": "function", "function": {"name": NAMES[place % 2], "arguments": ARGUMENTS[which]}}
            for place, which in enumerate(turn)
        ]
        whole = template.render([user, {"role": "assistant", "content": content, "tool_calls": calls}], tools=TOOLS)
        message = parser.parse(whole[len(base) :])
        read = [(call.name, json.loads(call.arguments)) for call in message.tool_calls]
        assert read == [(call["function"]["name"], call["function"]["arguments"]) for call in calls]  # type: ignore[index]
        assert (message.content or "").strip() == content
