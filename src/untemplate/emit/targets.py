"""The targets of an export, by name: what each writes, what it needs, and the function that writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from untemplate.emit.export import Exported
from untemplate.lower.request import Request
from untemplate.lower.start import Start
from untemplate.spec.model import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What there is to export."""

    spec: Spec
    request: Request = field(default_factory=Request)
    start: Start = field(default_factory=Start)
    profile: str = "portable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One kind of file."""

    summary: str
    """For ``--help``, one line."""
    write: Callable[[Material], Exported]
    per_request: bool = False
    """It depends on tools, tool choice and schema."""


def _call(module: str, name: str, *arguments: Any) -> Exported:
    """Return what a function of ``emit`` exports; its module is loaded now."""
    made: Exported = getattr(import_module(f"untemplate.emit.{module}"), name)(*arguments)
    return made


def _response_template(material: Material) -> Exported:
    from untemplate.emit.response_template import Profile

    return _call("response_template", "emit_response_template", material.spec, Profile(material.profile))


TARGETS: Mapping[str, Target] = {
    "response-template": Target(
        summary="the JSON that transformers, vLLM and SGLang read from tokenizer_config.json", write=_response_template
    ),
    "llama-server": Target(
        summary="a request for llama.cpp's /completion, without the prompt",
        write=lambda material: _call("llama_server", "emit_llama_server", material.spec, material.request, material.start),
        per_request=True,
    ),
    "structural-tag": Target(
        summary="a response_format for vLLM and SGLang: xgrammar's structural tag",
        write=lambda material: _call("structural_tag", "emit_structural_tag", material.spec, material.request),
        per_request=True,
    ),
    "lark": Target(
        summary="the grammar of a turn for llguidance, free text and calls in one",
        write=lambda material: _call("llguidance", "emit_llguidance", material.spec, material.request, material.start),
        per_request=True,
    ),
    "vllm-plugin": Target(
        summary="a file for vLLM's --tool-parser-plugin and --reasoning-parser-plugin",
        write=lambda material: _call("plugins", "emit_plugin", material.spec, "vllm"),
    ),
    "sglang-plugin": Target(
        summary="a file that adds the parsers to SGLang and starts it",
        write=lambda material: _call("plugins", "emit_plugin", material.spec, "sglang"),
    ),
    "peg-json": Target(
        summary="the lowered tree as JSON, for runtimes in other languages",
        write=lambda material: _call("peg_json", "emit_peg_json", material.spec, material.request, material.start),
        per_request=True,
    ),
    "llama-arena": Target(
        summary="experimental: the tree as llama.cpp's own, for chat_parser of /completion",
        write=lambda material: _call("llama_arena", "emit_llama_arena", material.spec, material.request),
        per_request=True,
    ),
    "flags": Target(
        summary="the built-in parsers of vLLM, SGLang, mlx-lm and Ollama with an equal layout",
        write=lambda material: _call("flags", "emit_flags", material.spec),
    ),
}
"""In the order of the documentation."""
