"""Pairs of templates, a revision apart, with what the revision means for a parser."""

from __future__ import annotations

from dataclasses import dataclass

CHATML = """{#- A comment. -#}
{%- if tools %}<|im_start|>system
You may call functions: {{ tools | tojson }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}<|im_start|>assistant
BODY<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

THINK = "{% if message.reasoning_content %}<think>\n{{ message.reasoning_content }}\n</think>\n\n{% endif %}{{ message.content or '' }}"

JSON_TAGS = CHATML.replace(
    "BODY",
    THINK
    + """{% for call in message.tool_calls or [] %}{{ '\\n' if message.content or not loop.first }}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}""",
)
ARRAY = CHATML.replace(
    "BODY",
    """{{ message.content or '' }}{% if message.tool_calls %}[CALLS]["""
    """{% for call in message.tool_calls %}{{ ', ' if not loop.first }}"""
    """{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}, "id": "{{ call.id }}"}"""
    """{% endfor %}]{% endif %}""",
)
TAGS = CHATML.replace(
    "BODY",
    """{{ message.content or '' }}{% for call in message.tool_calls or [] %}{{ '\\n' if message.content or not loop.first }}<tool_call>
<function={{ call.function.name }}>
{% for key, value in call.function.arguments.items() %}<parameter={{ key }}>
{{ value if value is string else value | tojson }}
</parameter>
{% endfor %}</function>
</tool_call>{% endfor %}""",
)
COUNTED = CHATML.replace(
    "BODY",
    """{{ message.content or '' }}{% if message.tool_calls %}<|calls|>{% for call in message.tool_calls %}"""
    """<|call|>functions.{{ call.function.name }}:{{ loop.index0 }}<|args|>{{ call.function.arguments | tojson }}<|/call|>"""
    """{% endfor %}<|/calls|>{% endif %}""",
)
PLAIN = CHATML.replace("BODY", "{{ message.content }}")


@dataclass(frozen=True, slots=True)
class DriftCase:
    """One revision: text replaced in a template."""

    name: str
    base: str
    replaced: tuple[tuple[str, str], ...]
    verdict: str
    kind: str | None = None
    """Of one of the findings of that severity."""

    @property
    def revised(self) -> str:
        text = self.base
        for old, new in self.replaced:
            assert old in text, f"{self.name}: {old!r} is not in the template"
            text = text.replace(old, new)
        return text


CASES = (
    DriftCase("nothing changed", JSON_TAGS, (), "same"),
    DriftCase("comment changed only", JSON_TAGS, (("A comment.", "Another one."),), "same"),
    DriftCase("source laid out otherwise", JSON_TAGS, (("{%- for message in messages %}", "{%-  for   message in messages  %}"),), "same"),
    DriftCase("variable renamed", JSON_TAGS, (("call.", "c."), ("for call in", "for c in")), "same"),
    DriftCase("system text changed only", JSON_TAGS, (("You may call functions", "These functions are yours"),), "cosmetic", "prompt"),
    DriftCase(
        "delimiter of users renamed", JSON_TAGS, (("<|im_start|>{{ message.role }}", "<|turn|>{{ message.role }}"),), "cosmetic", "prompt"
    ),
    DriftCase("opening of a call renamed", JSON_TAGS, (("<tool_call>", "<toolcall>"),), "breaking", "call_marker"),
    DriftCase("closing of a call renamed", JSON_TAGS, (("</tool_call>", "</toolcall>"),), "breaking", "call_marker"),
    DriftCase("one character of a token changed", COUNTED, (("<|call|>", "<|call~>"),), "breaking", "call_marker"),
    DriftCase("white space inside a call moved", JSON_TAGS, (('"name": "', '"name":  "'),), "same"),
    DriftCase("line feed after an opening dropped", JSON_TAGS, (('<tool_call>\n{"', '<tool_call>{"'),), "compatible", "call_marker"),
    DriftCase(
        "separator of calls changed",
        JSON_TAGS,
        (("{{ '\\n' if message.content or not loop.first }}", "{{ '\\n\\n' if message.content or not loop.first }}"),),
        "breaking",
    ),
    DriftCase(
        "calls wrapped into an array",
        JSON_TAGS,
        (('<tool_call>\n{"name"', '<tool_call>\n[{"name"'), ("tojson }}}\n", "tojson }}}]\n")),
        "breaking",
    ),
    DriftCase("array unwrapped", ARRAY, (("[CALLS][", "[CALLS]"), ("{% endfor %}]{% endif %}", "{% endfor %}{% endif %}")), "breaking"),
    DriftCase("key of the arguments renamed", JSON_TAGS, (('"arguments"', '"parameters"'),), "breaking", "json_call"),
    DriftCase("key of the name renamed", ARRAY, (('"name"', '"tool"'),), "breaking", "json_call"),
    DriftCase(
        "id moved to the front", ARRAY, (('{"name"', '{"id": "{{ call.id }}", "name"'), (', "id": "{{ call.id }}"}', "}")), "breaking"
    ),
    DriftCase("id dropped", ARRAY, ((', "id": "{{ call.id }}"', ""),), "breaking"),
    DriftCase(
        "reasoning opened by the prompt",
        JSON_TAGS,
        (("%}<|im_start|>assistant\n{% endif %}", "%}<|im_start|>assistant\n<think>\n{% endif %}"),),
        "breaking",
        "generation_prompt",
    ),
    DriftCase("reasoning tag renamed", JSON_TAGS, (("think>", "thought>"),), "breaking", "reasoning_marker"),
    DriftCase("reasoning no longer rendered", JSON_TAGS, ((THINK, "{{ message.content or '' }}"),), "compatible"),
    DriftCase(
        "values of a call in JSON instead of raw",
        TAGS,
        (("{{ value if value is string else value | tojson }}", "{{ value | tojson }}"),),
        "breaking",
        "arguments",
    ),
    DriftCase("tag of a parameter renamed", TAGS, (("<parameter=", "<param="), ("</parameter>", "</param>")), "breaking", "arguments"),
    DriftCase("calls with tags instead of JSON", JSON_TAGS, ((JSON_TAGS, TAGS),), "breaking"),
    DriftCase("counter of ids from one", COUNTED, (("loop.index0", "loop.index"),), "compatible"),
    DriftCase("prefix of ids changed", COUNTED, (("functions.", "tools."),), "breaking"),
    DriftCase("section around calls dropped", COUNTED, (("<|calls|>", ""), ("<|/calls|>", "")), "breaking"),
    DriftCase(
        "end of turn changed",
        PLAIN,
        (("{{ message.content }}<|im_end|>\n{% else", "{{ message.content }}<|eot|>\n{% else"),),
        "breaking",
        "end_of_turn",
    ),
    DriftCase("calls added to a template without", PLAIN, ((PLAIN, JSON_TAGS),), "breaking", "turn"),
)

_VALUE = "{{ value if value is string else value | tojson }}"
RENDERED_CASES = (
    DriftCase(
        "strings of several lines in a section of their own",
        TAGS,
        (
            (
                _VALUE,
                "{{ '<![CDATA[' ~ value ~ ']]>' if value is string and '\\n' in value else value if value is string else value | tojson }}",
            ),
        ),
        "breaking",
        "turn",
    ),
    DriftCase(
        "strings escaped as in HTML", TAGS, ((_VALUE, "{{ value | e if value is string else value | tojson }}"),), "breaking", "turn"
    ),
    DriftCase(
        "booleans as words",
        TAGS,
        ((_VALUE, "{{ ('yes' if value else 'no') if value is boolean else value if value is string else value | tojson }}"),),
        "breaking",
        "turn",
    ),
    DriftCase(
        "null as a string",
        JSON_TAGS,
        (("call.function.arguments | tojson", "call.function.arguments | tojson | replace(': null', ': \"null\"')"),),
        "breaking",
        "turn",
    ),
    DriftCase(
        "no arguments as null",
        JSON_TAGS,
        (("{{ call.function.arguments | tojson }}}", "{{ call.function.arguments | tojson if call.function.arguments else 'null' }}}"),),
        "breaking",
        "turn",
    ),
    DriftCase(
        "no arguments left out",
        COUNTED,
        (
            (
                "<|args|>{{ call.function.arguments | tojson }}",
                "{% if call.function.arguments %}<|args|>{{ call.function.arguments | tojson }}{% endif %}",
            ),
        ),
        "breaking",
        "turn",
    ),
    DriftCase(
        "a rule before the third call",
        JSON_TAGS,
        (("{{ '\\n' if message.content", "{{ '\\n---\\n' if loop.index > 2 else '\\n' if message.content"),),
        "breaking",
        "turn",
    ),
    DriftCase(
        "long content in tags",
        JSON_TAGS,
        (
            (
                "{{ message.content or '' }}",
                "{{ '<long>' ~ message.content ~ '</long>' if (message.content or '') | length > 15 else message.content or '' }}",
            ),
        ),
        "breaking",
        "turn",
    ),
    DriftCase(
        "characters escaped in JSON",
        JSON_TAGS,
        (("call.function.arguments | tojson", "call.function.arguments | tojson(ensure_ascii=true)"),),
        "same",
    ),
    DriftCase(
        "JSON over several lines", JSON_TAGS, (("call.function.arguments | tojson", "call.function.arguments | tojson(indent=2)"),), "same"
    ),
    DriftCase("JSON without white space", ARRAY, (("arguments | tojson", "arguments | tojson(separators=(',', ':'))"),), "same"),
    DriftCase("ends of strings trimmed", TAGS, ((_VALUE, "{{ value | trim if value is string else value | tojson }}"),), "same"),
    DriftCase(
        "content trimmed",
        JSON_TAGS,
        (("</think>\n\n{% endif %}{{ message.content or '' }}", "</think>\n\n{% endif %}{{ (message.content or '') | trim }}"),),
        "same",
    ),
)
"""Revisions that only the rendering shows, breaking ones and harmless ones: the specs of both sides lay turns out alike."""
