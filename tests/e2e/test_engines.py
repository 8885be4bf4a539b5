"""Every grammar loads in llguidance and llama.cpp; ``test_engines_xgrammar.py`` is about xgrammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import untemplate
from benchmarks.bench_schema import tools as many_tools
from tests.e2e.model_corpora import corpus, spec_or_refusal
from tests.e2e.model_requests import FULL, NAMES, REQUESTS, Asked, fixture, may_be_asked
from tests.e2e.model_server import ModelServer
from untemplate.emit.engine import read_back

_ASKED = {asked.name: asked for asked in REQUESTS}
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]')
_RULE = re.compile(r"[a-z][a-z0-9-]*(?: +\S.*)?")


def _grammars(spec: untemplate.Spec, names: Iterator[str]) -> Iterator[tuple[Asked, str]]:
    for name in names:
        if may_be_asked(spec, _ASKED[name]):
            yield _ASKED[name], _ASKED[name].parser(spec).grammar().text


def _names(*kinds: str) -> Iterator[str]:
    """Return the requests of these kinds, with thinking; where everything is asked for, without thinking too."""
    return (name for name in _ASKED if (not kinds or name.split(" ")[0] in kinds) and (FULL or " " not in name))


def unportable(grammar: str) -> list[str]:
    """Return what stands in a grammar that not all readers of GBNF take."""
    plain = _TEXT.sub('""', grammar)
    found = [line for line in re.split(r"\n(?=\S)", plain.strip()) if re.fullmatch(r"[a-z][a-z0-9-]* ::= .+", line, re.DOTALL) is None]
    found += [part for part in (r"\.", "<", r"(::=|[(|])\s*[|)]", r"\|\s*$", r"[*+?}][*+?{]") if re.search(part, plain)]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_grammar_of_a_fixture_loads_in_llguidance_and_llama(name: str, server: ModelServer) -> None:
    for asked, grammar in _grammars(fixture(name), _names()):
        read_back(grammar)
        assert server.refuses(grammar) == "", asked.name
        assert unportable(grammar) == [], asked.name


@pytest.mark.parametrize("template", corpus(), ids=lambda path: path.stem[:60])
def test_the_grammars_of_public_templates_load_in_llguidance_and_llama(template: Path, server: ModelServer) -> None:
    spec = spec_or_refusal(template)
    if isinstance(spec, str):
        pytest.skip(f"no spec: {spec}")
    for asked, grammar in _grammars(spec, _names("auto", "required", "schema")):
        read_back(grammar)
        assert server.refuses(grammar) == "", asked.name
        assert unportable(grammar) == [], asked.name


def test_the_grammar_of_128_tools_with_20_parameters_is_small_and_loads_in_llama(server: ModelServer) -> None:
    grammar = untemplate.build_parser(fixture("hermes_json_tags"), tools=many_tools()).grammar().text
    assert len(grammar.encode()) < 1_500_000
    assert server.refuses(grammar) == ""


@pytest.mark.parametrize("grammar", ['root ::= "a', "root ::= other\n", 'root ::= ("a"'])
def test_llama_refuses_what_is_no_grammar(grammar: str, server: ModelServer) -> None:
    assert server.refuses(grammar)


@pytest.mark.parametrize(
    "grammar", ["root ::= .", 'root ::= | "a"', "root ::= <think>", 'root ::= ("a" | )', 'Root ::= "a"', 'root ::= "a"*{2}']
)
def test_what_only_some_engines_read_is_not_portable(grammar: str) -> None:
    assert unportable(grammar)
