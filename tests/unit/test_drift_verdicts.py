from __future__ import annotations

from pathlib import Path

import pytest

from tests.drift_cases import CASES, DriftCase
from untemplate.compiler import compile_source
from untemplate.drift.diff import diff
from untemplate.drift.model import Drift, Severity
from untemplate.drift.sides import side_of_spec, side_of_template
from untemplate.source import load_source
from untemplate.spec.model import Spec


def drift_of(case: DriftCase, folder: Path) -> Drift:
    sides = []
    for name, text in (("old", case.base), ("new", case.revised)):
        path = folder / f"{name}.jinja"
        path.write_text(text, encoding="utf-8", newline="\n")
        source = load_source(path)
        compiled = compile_source(source)
        sides.append(side_of_template(source, compiled.spec, compiled.evidence))
    return diff(*sides)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
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
