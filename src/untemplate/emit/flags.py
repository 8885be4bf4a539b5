"""The parsers that runtimes have built in for a layout: their names on the command line, only where the layout is equal."""

from __future__ import annotations

from collections.abc import Mapping

from untemplate.emit.export import Exported
from untemplate.emit.layout_key import call_key, reasoning_key
from untemplate.spec.model import PromptState, Spec

_TOOL = {
    "vllm": "--enable-auto-tool-choice --tool-call-parser {}",
    "sglang": "--tool-call-parser {}",
    "mlx-lm": '"tool_parser_type": "{}" in tokenizer_config.json',
    "ollama": "PARSER {} in the Modelfile",
}
_REASONING = {"vllm": "--reasoning-parser {}", "sglang": "--reasoning-parser {}"}
RUNTIMES = ("vllm", "sglang", "mlx-lm", "ollama")
"""vLLM 0.33, SGLang 0.5.23, mlx-lm 0.32, Ollama's ``model/parsers`` of 2026."""

Names = Mapping[str, str]

CALLS: Mapping[str, Names] = {
    "<tool_call>{name,arguments}</tool_call>": {"vllm": "hermes", "sglang": "qwen25", "mlx-lm": "json_tools", "ollama": "qwen3"},
    "<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>": {
        "vllm": "qwen3_coder",
        "sglang": "qwen3_coder",
        "mlx-lm": "qwen3_coder",
        "ollama": "qwen3-coder",
    },
    "<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>": {
        "vllm": "glm47",
        "sglang": "glm47",
        "mlx-lm": "glm47",
        "ollama": "glm-4.7",
    },
    "[TOOL_CALLS]NAME[ARGS]{}": {"vllm": "mistral", "sglang": "mistral", "mlx-lm": "mistral", "ollama": "ministral"},
    "[TOOL_CALLS][{name,arguments}]": {"vllm": "mistral", "sglang": "mistral"},
    "[TOOL_CALLS][{name,arguments,id}]": {"vllm": "mistral", "sglang": "mistral"},
    '<|tool_call>call:NAME{KEY:<|"|>VALUE<|"|>(notation)}<tool_call|>': {"vllm": "gemma4", "sglang": "gemma4", "mlx-lm": "gemma4"},
    "<start_function_call>call:NAME{KEY:<escape>VALUE<escape>(notation)}<end_function_call>": {
        "vllm": "functiongemma",
        "mlx-lm": "function_gemma",
        "ollama": "functiongemma",
    },
    "{name,parameters}": {"vllm": "llama3_json", "sglang": "llama3"},
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:COUNTER<|tool_call_argument_begin|>{}<|tool_call_end|>"
    "<|tool_calls_section_end|>": {"vllm": "kimi_k2", "sglang": "kimi_k2", "mlx-lm": "kimi_k2"},
    "to=functions.NAME<|channel|>commentaryjson<|message|>{}": {"vllm": "openai", "sglang": "gpt-oss", "ollama": "harmony"},
    "<function_calls>NAME(KEY=VALUE)</function_calls>": {"vllm": "olmo3", "ollama": "olmo3"},
    "<|tool_call_start|>[NAME(KEY=VALUE(python))]<|tool_call_end|>": {
        "vllm": "lfm2",
        "sglang": "lfm2",
        "mlx-lm": "pythonic",
        "ollama": "lfm2",
    },
    "[NAME(KEY=VALUE)]": {"vllm": "pythonic", "sglang": "pythonic"},
    "[NAME(KEY=VALUE(python))]": {"vllm": "pythonic", "sglang": "pythonic"},
    "<tool_calls>[{name,arguments}]</tool_calls>": {"vllm": "jamba"},
    "<|tool_call|>[{name,arguments}]": {"vllm": "granite"},
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME```json{}```<｜tool▁call▁end｜><｜tool▁calls▁end｜>": {
        "vllm": "deepseek_v3",
        "sglang": "deepseekv3",
    },
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>": {
        "vllm": "deepseek_v31",
        "sglang": "deepseekv31",
        "ollama": "deepseek3",
    },
    '<｜DSML｜function_calls><｜DSML｜invokename="NAME"><｜DSML｜parametername="KEY"string="TYPE">VALUE</｜DSML｜parameter>'
    "</｜DSML｜invoke></｜DSML｜function_calls>": {"vllm": "deepseek_v32", "sglang": "deepseekv32"},
    '<｜DSML｜tool_calls><｜DSML｜invokename="NAME"><｜DSML｜parametername="KEY"string="TYPE">VALUE</｜DSML｜parameter>'
    "</｜DSML｜invoke></｜DSML｜tool_calls>": {"vllm": "deepseek_v4", "sglang": "deepseekv4"},
    '<minimax:tool_call><invokename="NAME"><parametername="KEY">VALUE</parameter></invoke></minimax:tool_call>': {
        "vllm": "minimax_m2",
        "sglang": "minimax-m2",
        "mlx-lm": "minimax_m2",
    },
    "<|START_ACTION|>[{tool_name,parameters,tool_call_id}]<|END_ACTION|>": {"vllm": "cohere_command3"},
    '<functionname="NAME"><paramname="KEY">VALUE</param>(python)</function>': {
        "vllm": "minicpm5",
        "sglang": "minicpm5",
        "mlx-lm": "minicpm5",
    },
    "<|tools_prefix|>[{NAME}]<|tools_suffix|>": {"vllm": "apertus", "sglang": "apertus2509"},
    "<|function_call|>{name,arguments}": {"vllm": "gigachat3", "sglang": "gigachat3"},
    "<seed:tool_call><function=NAME><parameter=KEY>VALUE</parameter>(python)</function></seed:tool_call>": {"vllm": "seed_oss"},
    "<longcat_tool_call>{name,arguments}</longcat_tool_call>": {"vllm": "longcat"},
    "functools[{name,arguments}]": {"vllm": "phi4_mini_json"},
    "<|action_start|><|plugin|>{name,parameters}<|action_end|>": {"vllm": "internlm", "sglang": "interns1"},
}
"""By layout, white space left out: what reads it. Read off the parsers themselves."""

REASONING: Mapping[tuple[str, bool], Names] = {
    ("<think>…</think>", False): {"vllm": "qwen3", "sglang": "qwen3"},
    ("<think>…</think>", True): {"vllm": "deepseek_r1", "sglang": "deepseek-r1"},
    ("<|channel>thought…<channel|>", False): {"vllm": "gemma4", "sglang": "gemma4"},
    ("<|channel|>analysis<|message|>…<|end|>", False): {"vllm": "openai_gptoss", "sglang": "gpt-oss"},
    ("[THINK]…[/THINK]", False): {"vllm": "mistral", "sglang": "mistral"},
    ("<|START_THINKING|>…<|END_THINKING|>", False): {"vllm": "cohere_command3"},
    ("<seed:think>…</seed:think>", False): {"vllm": "seed_oss"},
    ("<mm:think>…</mm:think>", False): {"vllm": "minimax_m3", "sglang": "minimax-m3"},
}
"""By markers and whether every prompt opens reasoning."""


def emit_flags(spec: Spec) -> Exported:
    """Return the names of built-in parsers with the reason, one a line; where no parser has this layout, that is said."""
    calls, reasoning = call_key(spec), reasoning_key(spec)
    opened = bool(spec.prompt.generation) and all(entry.state is PromptState.REASONING for entry in spec.prompt.generation)
    lines: list[str] = []
    for runtime in RUNTIMES:
        name = CALLS.get(calls or "", {}).get(runtime)
        if name is not None:
            lines.append(f"{runtime}: {_TOOL[runtime].format(name)}  # calls are written {calls}")
        name = REASONING.get((reasoning or "", opened), {}).get(runtime) if runtime in _REASONING else None
        if name is not None:
            where = ", opened by the prompt" if opened else ""
            lines.append(f"{runtime}: {_REASONING[runtime].format(name)}  # reasoning is written {reasoning}{where}")
    notes = ["compared without white space; every name is of the version that it was read from"]
    if calls is not None and calls not in CALLS:
        lines.append(f"# no built-in parser is known for calls written {calls}")
    if reasoning is not None and (reasoning, opened) not in REASONING:
        lines.append(f"# no built-in parser is known for reasoning written {reasoning}")
    return Exported(text="".join(f"{line}\n" for line in lines) or "# nothing to parse: content only\n", notes=tuple(notes))
