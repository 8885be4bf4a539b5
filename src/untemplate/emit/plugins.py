"""Plugins as Python files: our own session behind the parser interfaces of vLLM and SGLang, with the spec inside."""

from __future__ import annotations

from importlib.resources import files

from untemplate.emit.export import Exported
from untemplate.spec.files import spec_to_json
from untemplate.spec.model import Spec

_NOTE = "the package `untemplate` must be installed where the server runs"


def emit_plugin(spec: Spec, runtime: str) -> Exported:
    """Return a plugin for ``vllm`` or ``sglang`` as the text of a Python file, which holds the spec."""
    text = files("untemplate.emit").joinpath("plugin_texts", f"{runtime}.py.txt").read_text(encoding="utf-8")
    name = spec.template.name.replace("\\", "/").replace('"', "'")
    text = text.replace("@NAME@", name).replace("@SPEC@", _raw(spec_to_json(spec)))
    return Exported(text=text, notes=(_NOTE,))


def _raw(text: str) -> str:
    """Return JSON as it stands in a raw string with three single quotes: without any, and escapes as JSON has them."""
    return text.replace("'", "\\u0027")
