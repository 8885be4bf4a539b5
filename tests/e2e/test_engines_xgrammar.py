"""Every grammar loads in xgrammar, which reads a GBNF of its own, and compiles there; what it matches is what we wrote.

Optional: ``pip install xgrammar`` brings torch; ``pip install --no-deps xgrammar apache-tvm-ffi pydantic numpy`` will do.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import untemplate
from tests.e2e.model_corpora import corpus, spec_or_refusal
from tests.e2e.model_requests import FULL, NAMES, REQUESTS, fixture, may_be_asked
from tests.e2e.torch_stub import import_xgrammar

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # without torch, one of its packages says that it is slower
    xgrammar = import_xgrammar()

pytestmark = pytest.mark.skipif(xgrammar is None, reason="xgrammar is not installed (it is no part of the test extra)")

GOLDEN = sorted((Path(__file__).parents[2] / "golden").rglob("*.gbnf"))
END = 256


def refusal(grammar: str) -> str:
    """Return why xgrammar refuses a grammar; ``""`` when it takes it."""
    try:
        xgrammar.Grammar.from_ebnf(grammar)
    except (RuntimeError, ValueError) as problem:
        return str(problem).strip().splitlines()[-1]
    return ""


def compiled(grammar: str) -> object:
    """Return a grammar, compiled for a vocabulary of bytes."""
    vocabulary = xgrammar.TokenizerInfo(
        [*(bytes([byte]) for byte in range(END)), b"<end>"], vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[END]
    )
    return xgrammar.GrammarCompiler(vocabulary).compile_grammar(grammar)


def refusals(spec: untemplate.Spec, kinds: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the requests whose grammar xgrammar refuses, with the reason."""
    found = {}
    for asked in REQUESTS:
        kind, _, rest = asked.name.partition(" ")
        if (kinds and kind not in kinds) or (rest and not FULL) or not may_be_asked(spec, asked):
            continue
        if problem := refusal(asked.parser(spec).grammar().text):
            found[asked.name] = problem
    return found


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_every_golden_grammar_loads_and_compiles(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert refusal(text) == ""
    compiled(text)


@pytest.mark.parametrize("name", NAMES)
def test_every_grammar_of_a_fixture_loads(name: str) -> None:
    assert refusals(fixture(name)) == {}


@pytest.mark.parametrize("template", corpus(), ids=lambda path: path.stem[:60])
def test_the_grammars_of_public_templates_load(template: Path) -> None:
    spec = spec_or_refusal(template)
    if isinstance(spec, str):
        pytest.skip(f"no spec: {spec}")
    assert refusals(spec, ("auto", "required", "schema")) == {}


@pytest.mark.parametrize("grammar", ['root ::= "a', "root ::= other\n", 'root ::= ("a"'])
def test_what_is_no_grammar_is_refused(grammar: str) -> None:
    assert refusal(grammar)


def test_a_compiled_grammar_takes_the_call_that_a_template_writes_and_no_prose() -> None:
    tools = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]
    parser = untemplate.build_parser(fixture("hermes_json_tags"), tools=tools, tool_choice="required")
    grammar = compiled(parser.grammar().text)
    for text, right in (('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>', True), ("Hello.", False)):
        matcher = xgrammar.GrammarMatcher(grammar)
        assert bool(matcher.accept_string(text) and matcher.accept_token(END)) is right
