from __future__ import annotations

from pathlib import Path

import pytest

from tests.drift_cases import CASES, RENDERED_CASES, DriftCase
from untemplate.compiler import compile_source
from untemplate.drift.diff import diff
from untemplate.drift.model import Drift, Origin, Severity
from untemplate.drift.sides import side_of_spec, side_of_template
from untemplate.source import load_source
from untemplate.spec.model import Spec

FIXTURES = Path(__file__).parents[2] / "fixtures"


def drift_of(case: DriftCase, folder: Path) -> Drift:
    sides = []
    for name, text in (("old", case.base), ("new", case.revised)):
        path = folder / f"{name}.jinja"
        path.write_text(text, encoding="utf-8", newline="\n")
        source = load_source(path)
        compiled = compile_source(source)
        sides.append(side_of_template(source, compiled.spec, compiled.found, compiled.evidence))
    return diff(*sides)


@pytest.mark.parametrize("case", [*CASES, *RENDERED_CASES], ids=lambda case: case.name)
def test_a_revision_is_judged_rightly_and_a_break_is_proved(case: DriftCase, tmp_path: Path) -> None:
    drift = drift_of(case, tmp_path)
    told = [(finding.severity.value, finding.kind, finding.path, finding.old, finding.new) for finding in drift.findings]
    assert (drift.verdict or "same") == case.verdict, told
    if case.kind is not None:
        assert case.kind in {finding.kind for finding in drift.findings if finding.severity == case.verdict}, told
    for finding in drift.findings:
        assert (finding.proof is not None) == (finding.severity is Severity.BREAKING)
        if finding.proof is not None:
            assert finding.proof.turn
            assert finding.proof.expected != finding.proof.got


@pytest.mark.parametrize("case", [case for case in RENDERED_CASES if case.verdict == "breaking"], ids=lambda case: case.name)
def test_what_only_rendering_shows_is_told_by_a_rendered_turn_and_not_by_the_specs(case: DriftCase, tmp_path: Path) -> None:
    (finding,) = [finding for finding in drift_of(case, tmp_path).findings if finding.severity is Severity.BREAKING]
    assert finding.proof is not None
    assert finding.proof.origin is Origin.RENDERED
    old, new = (compile_text(tmp_path / f"{side}.jinja", text) for side, text in (("old", case.base), ("new", case.revised)))
    assert diff(side_of_spec(old), side_of_spec(new)).verdict is not Severity.BREAKING


def test_a_proof_is_the_templates_own_turn_where_there_is_a_template(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.name == "tag of a parameter renamed"]
    old, new = (compile_text(tmp_path / f"{side}.jinja", text) for side, text in (("old", case.base), ("new", case.revised)))
    for drift, origin in ((drift_of(case, tmp_path), Origin.RENDERED), (diff(side_of_spec(old), side_of_spec(new)), Origin.COMPOSED)):
        assert {finding.proof.origin for finding in drift.findings if finding.proof} == {origin}


def test_a_spec_is_held_against_the_turns_of_a_template(tmp_path: Path) -> None:
    (case,) = [case for case in RENDERED_CASES if case.name == "booleans as words"]
    old = compile_text(tmp_path / "old.jinja", case.base)
    path = tmp_path / "new.jinja"
    path.write_text(case.revised, encoding="utf-8", newline="\n")
    compiled = compile_source(load_source(path))
    drift = diff(side_of_spec(old), side_of_template(load_source(path), compiled.spec, compiled.found, compiled.evidence))
    assert drift.verdict is Severity.BREAKING
    assert '"exact":"yes"' in str(drift.findings[0].proof).replace("\\", "")


def test_what_a_template_leaves_out_of_the_history_its_spec_composes(tmp_path: Path) -> None:
    """Reasoning stands in the prompt alone: that its tag is renamed no rendered turn shows."""
    text = (FIXTURES / "reasoning_stripped_from_history.jinja").read_text(encoding="utf-8")
    drift = drift_of(DriftCase("tag renamed", text, (("think>", "thought>"),), "breaking"), tmp_path)
    assert drift.verdict is Severity.BREAKING
    assert {finding.proof.origin for finding in drift.findings if finding.proof} == {Origin.COMPOSED}


def test_specs_alone_give_the_verdict_too_but_for_the_prompts(tmp_path: Path) -> None:
    for name, verdict in (("opening of a call renamed", Severity.BREAKING), ("system text changed only", None)):
        (case,) = [case for case in CASES if case.name == name]
        old, new = (compile_text(tmp_path / f"{side}.jinja", text) for side, text in (("old", case.base), ("new", case.revised)))
        assert diff(side_of_spec(old), side_of_spec(new)).verdict is verdict


def test_the_worst_finding_comes_first(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.name == "opening of a call renamed"]
    ranks = [finding.severity.rank for finding in drift_of(case, tmp_path).findings]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) > 1


def test_a_finding_names_the_probes_that_show_it(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.name == "reasoning tag renamed"]
    found = {finding.path: finding.evidence for finding in drift_of(case, tmp_path).findings}
    assert found["turn.reasoning.open"] == ("content|reasoning+content",)


def compile_text(path: Path, text: str) -> Spec:
    path.write_text(text, encoding="utf-8", newline="\n")
    return compile_source(load_source(path)).spec
