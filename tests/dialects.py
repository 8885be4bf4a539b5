"""Specs written by hand, one for each way in which models write turns, so that reading can be tested without inference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from untemplate.spec.model import (
    Arguments,
    Block,
    CallForm,
    Calls,
    CallStart,
    Content,
    ContentMode,
    ContentWithCalls,
    Encoding,
    EndOfTurn,
    Field,
    FieldName,
    Frame,
    GenerationPrompt,
    ItemList,
    JsonCall,
    JsonType,
    Marker,
    Notation,
    PairList,
    Part,
    Position,
    Prompt,
    PromptState,
    Reasoning,
    ReasoningMode,
    Section,
    Spec,
    TemplateInfo,
    Text,
    Tokens,
    Turn,
    Value,
)

RAW = Value(encoding=Encoding.RAW)
JSON = Value(encoding=Encoding.JSON)
PYTHON = Value(encoding=Encoding.PYTHON)
NOTATION = Value(encoding=Encoding.NOTATION)
NEWLINE = Marker(core="", before="\n")
THINK = Reasoning(
    mode=ReasoningMode.TAGGED, open=(Marker(core="<think>", after="\n"),), close=(Marker(core="</think>", before="\n", after="\n\n"),)
)
BARE_THINK = Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<think>"),), close=(Marker(core="</think>"),))
BLOCKS = (Block.REASONING, Block.CONTENT, Block.CALLS)


def parts(*items: str | FieldName | Part) -> tuple[Part, ...]:
    """Return texts and field names as parts of a spec."""
    found: list[Part] = []
    for item in items:
        if isinstance(item, FieldName):
            found.append(Field(field=item))
        elif isinstance(item, str):
            found.append(Text(text=item))
        else:
            found.append(item)
    return tuple(found)


def typed(string: Value, other: Value = JSON, **special: Value) -> Mapping[JsonType, Value]:
    """Return the encodings of all types."""
    return {kind: string if kind is JsonType.STRING else special.get(kind.value, other) for kind in JsonType}


def spec(
    turn: Turn, *, end: str = "<|im_end|>\n", end_calls: str | None = None, header: str = "<|im_start|>assistant\n", prompts: Any = ()
) -> Spec:
    """Return a spec with one header and one end of turn."""
    generation = prompts or (GenerationPrompt(text=header),)
    after_calls = end if end_calls is None else end_calls
    return Spec(
        template=TemplateInfo(name="test", sha256="0" * 64, source="jinja"),
        prompt=Prompt(
            generation=tuple(generation), roles={"assistant": header}, end_of_turn=EndOfTurn(content=(end,), calls=(after_calls,))
        ),
        turn=turn,
        tokens=Tokens(stops=(end.strip(),)),
    )


def thinking_prompts(header: str = "<|im_start|>assistant\n") -> tuple[GenerationPrompt, ...]:
    """Return prompts that open reasoning, or open and close it."""
    closed = "<think>\n\n</think>\n\n"
    return (
        GenerationPrompt(thinking=True, text=header + "<think>\n", prefill="<think>\n", state=PromptState.REASONING),
        GenerationPrompt(thinking=False, text=header + closed, prefill=closed, state=PromptState.AFTER_REASONING),
    )


HERMES = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=THINK,
        content=Content(with_calls=ContentWithCalls(close=NEWLINE)),
        calls=Calls(
            section=Section(separator="\n"),
            forms=(
                CallForm(
                    open=Marker(core="<tool_call>", after="\n"),
                    close=Marker(core="</tool_call>", before="\n"),
                    json=JsonCall(name=("name",), arguments=("arguments",), order=("name", "arguments")),
                ),
            ),
        ),
    ),
)

_FUNCTION_TAGS = CallForm(
    open=Marker(core="<tool_call>", after="\n"),
    close=Marker(core="</tool_call>", before="\n"),
    fields=parts("<function=", FieldName.NAME, ">\n", FieldName.ARGUMENTS, "</function>"),
    arguments=Arguments(
        encoding=Encoding.PAIRS,
        object=PairList(
            pair=parts("<parameter=", FieldName.KEY, ">\n", FieldName.VALUE, "\n</parameter>"), separator="\n", close="\n", empty=""
        ),
        values=typed(RAW),
    ),
)
FUNCTION_TAGS = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=THINK,
        content=Content(with_calls=ContentWithCalls(close=NEWLINE)),
        calls=Calls(section=Section(separator="\n"), forms=(_FUNCTION_TAGS,)),
    ),
    prompts=thinking_prompts(),
)

KEY_VALUE_TAGS = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=BARE_THINK,
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    open=Marker(core="<tool_call>"),
                    close=Marker(core="</tool_call>"),
                    fields=parts(FieldName.NAME, FieldName.ARGUMENTS),
                    arguments=Arguments(
                        encoding=Encoding.PAIRS,
                        object=PairList(
                            pair=parts("<arg_key>", FieldName.KEY, "</arg_key><arg_value>", FieldName.VALUE, "</arg_value>"), empty=""
                        ),
                        values=typed(RAW),
                    ),
                ),
            ),
        ),
    ),
    end="<|user|>",
    header="<|assistant|>",
)

JSON_ARRAY = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        calls=Calls(
            section=Section(open=Marker(core="[TOOL_CALLS]", after=" ")),
            forms=(
                CallForm(
                    open=Marker(core=""),
                    close=None,
                    json=JsonCall(name=("name",), arguments=("arguments",), id=("id",), array=True, order=("name", "arguments", "id")),
                ),
            ),
        ),
    ),
    end="</s>",
    header="",
)

NAME_ARGS = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="[THINK]"),), close=(Marker(core="[/THINK]"),)),
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    open=Marker(core="[TOOL_CALLS]"),
                    close=None,
                    fields=parts(FieldName.NAME, "[ARGS]", FieldName.ARGUMENTS),
                    arguments=Arguments(encoding=Encoding.JSON),
                ),
            ),
        ),
    ),
    end="</s>",
    header="",
)

COUNTED_IDS = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=BARE_THINK,
        calls=Calls(
            section=Section(open=Marker(core="<|tool_calls_section_begin|>"), close=Marker(core="<|tool_calls_section_end|>")),
            forms=(
                CallForm(
                    open=Marker(core="<|tool_call_begin|>"),
                    close=Marker(core="<|tool_call_end|>"),
                    fields=parts("functions.", FieldName.NAME, ":", FieldName.COUNTER, "<|tool_call_argument_begin|>", FieldName.ARGUMENTS),
                    arguments=Arguments(encoding=Encoding.JSON),
                    id_parts=(0, 4),
                ),
            ),
        ),
    ),
    header="<|im_assistant|>assistant<|im_middle|>",
    end="<|im_end|>",
)

TYPED_ATTRIBUTES = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=BARE_THINK,
        content=Content(with_calls=ContentWithCalls(close=Marker(core="", before="\n\n"))),
        calls=Calls(
            section=Section(open=Marker(core="<｜DSML｜calls>", after="\n"), close=Marker(core="</｜DSML｜calls>", before="\n")),
            forms=(
                CallForm(
                    open=Marker(core='<｜DSML｜invoke name="'),
                    close=Marker(core="</｜DSML｜invoke>", after="\n"),
                    fields=parts(FieldName.NAME, '">\n', FieldName.ARGUMENTS),
                    arguments=Arguments(
                        encoding=Encoding.PAIRS,
                        object=PairList(
                            pair=parts(
                                '<｜DSML｜parameter name="',
                                FieldName.KEY,
                                '" string="',
                                FieldName.TYPE,
                                '">',
                                FieldName.VALUE,
                                "</｜DSML｜parameter>\n",
                            ),
                        ),
                        values=typed(Value(encoding=Encoding.RAW, label="true"), Value(encoding=Encoding.JSON, label="false")),
                    ),
                ),
            ),
        ),
    ),
    header="<｜Assistant｜>",
    end="<｜end▁of▁sentence｜>",
)

_QUOTED = Value(encoding=Encoding.RAW, open='<|"|>', close='<|"|>')
CUSTOM_QUOTES = spec(
    Turn(
        blocks=(Block.REASONING, Block.CALLS, Block.CONTENT),
        reasoning=Reasoning(
            mode=ReasoningMode.TAGGED,
            open=(Marker(core="<|channel>thought", after="\n"),),
            close=(Marker(core="<channel|>", before="\n"),),
        ),
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    open=Marker(core="<|tool_call>"),
                    close=Marker(core="<tool_call|>"),
                    fields=parts("call:", FieldName.NAME, "{", FieldName.ARGUMENTS, "}"),
                    arguments=Arguments(
                        encoding=Encoding.PAIRS,
                        object=PairList(pair=parts(FieldName.KEY, ":", FieldName.VALUE), separator=",", empty=""),
                        values=typed(_QUOTED, object=NOTATION, array=NOTATION),
                        notation=Notation(
                            object=PairList(open="{", pair=parts(FieldName.KEY, ":", FieldName.VALUE), separator=",", close="}"),
                            array=ItemList(open="[", item=parts(FieldName.VALUE), separator=",", close="]"),
                            values=typed(_QUOTED),
                        ),
                    ),
                ),
            ),
        ),
    ),
    header="<|turn>model\n",
    end="<turn|>\n",
)

PYTHON_CALLS = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=THINK,
        calls=Calls(
            section=Section(open=Marker(core="<|tool_call_start|>["), close=Marker(core="]<|tool_call_end|>"), separator=", "),
            forms=(
                CallForm(
                    open=Marker(core=""),
                    close=None,
                    fields=parts(FieldName.NAME, "(", FieldName.ARGUMENTS, ")"),
                    arguments=Arguments(
                        encoding=Encoding.PAIRS,
                        object=PairList(pair=parts(FieldName.KEY, "=", FieldName.VALUE), separator=", "),
                        values=typed(PYTHON, PYTHON),
                    ),
                ),
            ),
        ),
    ),
)

_MARK = "]<]mm[>["
_XML_PAIR = parts(f"{_MARK}<", FieldName.KEY, ">", FieldName.VALUE, f"{_MARK}</", FieldName.KEY, ">")
NESTED_XML = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<mm:think>"),), close=(Marker(core="</mm:think>"),)),
        calls=Calls(
            section=Section(
                open=Marker(core=f"{_MARK}<tool_call>", after="\n"), close=Marker(core=f"{_MARK}</tool_call>", before="\n"), separator="\n"
            ),
            forms=(
                CallForm(
                    open=Marker(core=f'{_MARK}<invoke name="'),
                    close=Marker(core=f"{_MARK}</invoke>"),
                    fields=parts(FieldName.NAME, '">', FieldName.ARGUMENTS),
                    arguments=Arguments(
                        encoding=Encoding.PAIRS,
                        object=PairList(pair=_XML_PAIR),
                        values=typed(RAW, object=NOTATION, array=NOTATION),
                        notation=Notation(
                            object=PairList(pair=_XML_PAIR),
                            array=ItemList(item=parts(f"{_MARK}<item>", FieldName.VALUE, f"{_MARK}</item>")),
                            values=typed(RAW),
                        ),
                    ),
                ),
            ),
        ),
    ),
    header="]~b]ai\n",
    end="[e~[\n",
)

_TO = "to=functions."
CHANNELS = spec(
    Turn(
        frame=Frame(separator=Marker(core="<|start|>assistant"), ignored=("<|channel|>commentary to=assistant",)),
        blocks=BLOCKS,
        reasoning=Reasoning(
            mode=ReasoningMode.TAGGED, open=(Marker(core="<|channel|>analysis<|message|>"),), close=(Marker(core="<|end|>"),)
        ),
        content=Content(
            mode=ContentMode.WRAPPED,
            open=(
                Marker(core="<|channel|>final<|message|>"),
                Marker(core="<|channel|>commentary<|message|>"),
                Marker(core="<|channel|>final <|constrain|>json<|message|>"),
            ),
        ),
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    open=Marker(core="<|channel|>commentary to=functions."),
                    close=None,
                    fields=parts(FieldName.NAME, " <|constrain|>json<|message|>", FieldName.ARGUMENTS),
                    arguments=Arguments(encoding=Encoding.JSON),
                ),
                *(
                    CallForm(
                        open=Marker(core=opening),
                        close=None,
                        fields=parts(FieldName.NAME, FieldName.FREE, "<|message|>", FieldName.ARGUMENTS),
                        arguments=Arguments(encoding=Encoding.JSON),
                    )
                    for opening in (f"<|channel|>commentary {_TO}", f"<|channel|>analysis {_TO}", _TO)
                ),
            ),
        ),
    ),
    header="<|start|>assistant",
    end="<|return|>",
    end_calls="<|call|>",
)

_OPEN_CLOSE = Reasoning(
    mode=ReasoningMode.TAGGED, open=(Marker(core="<|open|>think<|sep|>"),), close=(Marker(core="<|close|>think<|sep|>"),)
)
OPEN_SEP_CLOSE = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=_OPEN_CLOSE,
        content=Content(
            mode=ContentMode.WRAPPED,
            open=(Marker(core="<|open|>response<|sep|>"),),
            close=(Marker(core="<|close|>response<|sep|>"),),
            always=True,
        ),
        calls=Calls(
            section=Section(open=Marker(core="<|open|>tools<|sep|>"), close=Marker(core="<|close|>tools<|sep|>")),
            forms=(
                CallForm(
                    open=Marker(core='<|open|>call tool="'),
                    close=Marker(core="<|close|>call<|sep|>"),
                    fields=parts(FieldName.NAME, '" index="', Field(field=FieldName.COUNTER, start=1), '"<|sep|>', FieldName.ARGUMENTS),
                    arguments=Arguments(
                        encoding=Encoding.PAIRS,
                        object=PairList(
                            pair=parts(
                                '<|open|>argument key="',
                                FieldName.KEY,
                                '" type="',
                                FieldName.TYPE,
                                '"<|sep|>',
                                FieldName.VALUE,
                                "<|close|>argument<|sep|>",
                            ),
                        ),
                        values={
                            kind: Value(encoding=Encoding.RAW if kind is JsonType.STRING else Encoding.JSON, label=kind.value)
                            for kind in JsonType
                            if kind is not JsonType.INTEGER
                        },
                    ),
                ),
            ),
        ),
    ),
    header='<|open|>message role="assistant"<|sep|>',
    end="<|close|>message<|sep|><|end_of_msg|>",
    prompts=(
        GenerationPrompt(
            text='<|open|>message role="assistant"<|sep|><|open|>think<|sep|>',
            prefill="<|open|>think<|sep|>",
            state=PromptState.REASONING,
        ),
    ),
)

WRAPPED_CONTENT = spec(
    Turn(
        blocks=BLOCKS,
        reasoning=Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<|START_THINKING|>"),), close=(Marker(core="<|END_THINKING|>"),)),
        content=Content(mode=ContentMode.WRAPPED, open=(Marker(core="<|START_RESPONSE|>"),), close=(Marker(core="<|END_RESPONSE|>"),)),
        calls=Calls(
            section=Section(open=Marker(core="<|START_ACTION|>"), close=Marker(core="<|END_ACTION|>")),
            forms=(
                CallForm(
                    open=Marker(core=""),
                    close=None,
                    json=JsonCall(
                        name=("tool_name",),
                        arguments=("parameters",),
                        id=("tool_call_id",),
                        array=True,
                        order=("tool_call_id", "tool_name", "parameters"),
                    ),
                ),
            ),
        ),
    ),
    header="<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    end="<|END_OF_TURN_TOKEN|>",
)

BARE_JSON = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    at=CallStart.START,
                    open=Marker(core=""),
                    close=None,
                    json=JsonCall(name=("name",), arguments=("parameters",), order=("name", "parameters")),
                ),
            ),
        ),
    ),
    header="<|start_header_id|>assistant<|end_header_id|>\n\n",
    end="<|eot_id|>",
)

ROLE_HEADER_CALLS = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    open=Marker(core="<|message_sep|>\n\nfunction call<|role_sep|>", after="\n"),
                    close=None,
                    json=JsonCall(name=("name",), arguments=("arguments",), order=("name", "arguments")),
                ),
            ),
        ),
    ),
    header="assistant<|role_sep|>\n",
    end="<|message_sep|>\n\n",
)

NAME_IN_TAG = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        calls=Calls(
            section=Section(),
            forms=(
                CallForm(
                    open=Marker(core="<function="),
                    close=Marker(core="</function>"),
                    fields=parts(FieldName.NAME, ">", FieldName.ARGUMENTS),
                    arguments=Arguments(encoding=Encoding.JSON),
                ),
            ),
        ),
    ),
    header="<|start_header_id|>assistant<|end_header_id|>\n\n",
    end="<|eom_id|>",
)

CODE_FENCE = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        calls=Calls(
            section=Section(open=Marker(core="Action:\n```json", after="\n"), close=Marker(core="```", before="\n")),
            forms=(
                CallForm(
                    open=Marker(core=""),
                    close=None,
                    json=JsonCall(name=("tool_name",), arguments=("parameters",), array=True, order=("tool_name", "parameters"), indent=4),
                ),
            ),
        ),
    ),
    header="<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    end="<|END_OF_TURN_TOKEN|>",
)

SEPARATE_BLOCKS = spec(
    Turn(
        frame=Frame(separator=Marker(core="<|begin|>assistant")),
        blocks=BLOCKS,
        reasoning=Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<|think|>"),), close=(Marker(core="<|end|>"),)),
        content=Content(mode=ContentMode.WRAPPED, open=(Marker(core="<|content|>"),)),
        calls=Calls(
            section=Section(open=Marker(core="<|tool_calls|>")),
            forms=(
                CallForm(
                    open=Marker(core="<|tool_call:begin|>"),
                    close=Marker(core="<|tool_call:end|>"),
                    fields=parts(FieldName.ID, "<|tool_call:name|>", FieldName.NAME, "<|tool_call:args|>", FieldName.ARGUMENTS),
                    arguments=Arguments(encoding=Encoding.JSON),
                ),
            ),
        ),
    ),
    header="<|begin|>assistant",
    end="<|end|>",
    end_calls="<|calls|>",
)

OPENAI_WRAPPER = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        calls=Calls(
            section=Section(open=Marker(core="<calls>"), close=Marker(core="</calls>")),
            forms=(
                CallForm(
                    open=Marker(core=""),
                    close=None,
                    json=JsonCall(
                        name=("function", "name"),
                        arguments=("function", "arguments"),
                        id=("id",),
                        array=True,
                        arguments_as_text=True,
                        order=("id", "type", "function"),
                        extra={"type": "function"},
                    ),
                ),
            ),
        ),
    ),
)

NAME_AS_KEY = spec(
    Turn(
        blocks=(Block.CONTENT, Block.CALLS),
        content=Content(with_calls=ContentWithCalls(position=Position.BEFORE)),
        calls=Calls(
            section=Section(),
            forms=(CallForm(open=Marker(core="<call>"), close=Marker(core="</call>"), json=JsonCall(name_is_key=True)),),
        ),
    ),
)

DIALECTS: Mapping[str, Spec] = {
    name.lower(): value for name, value in list(globals().items()) if isinstance(value, Spec) and name.isupper()
}


def tool(name: str, properties: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return an OpenAI tool dict."""
    parameters = {"type": "object", "properties": dict(properties or {}), **more}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


ANY = tool(
    "act",
    {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "maybe": {"type": ["string", "null"]},
        "object": {"type": "object"},
        "array": {"type": "array"},
    },
)
TOOLS = [ANY, tool("act_again", {"path": {"type": "string"}, "old": {"type": "string"}}), tool("ping")]
