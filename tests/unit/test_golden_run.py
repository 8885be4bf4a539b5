from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.errors import TemplateError
from untemplate.golden import corpus
from untemplate.golden.explain import find_drift
from untemplate.golden.folder import Difference, State
from untemplate.golden.jobs import Compilation, CompileJob, safe_name
from untemplate.golden.run import check_goldens
from untemplate.spec.files import spec_to_yaml
from untemplate.spec.model import Prompt, Spec, TemplateInfo


def fake_compile(job: CompileJob) -> Compilation:
    """Stand in for the compiler: what it makes is made of the source's text."""
    text = Path(job.source).read_text()
    if "broken" in text:
        raise TemplateError("does not compile", code="E201", where=job.source, hint="mend it")
    warnings = ("W330 no reasoning",) if "warn" in text else ()
    return Compilation(
        source=job.source,
        name=job.name or Path(job.source).stem,
        main="spec.yaml",
        files={"spec.yaml": f"spec: {text}\n", "grammar.gbnf": f"root ::= {text}\n"},
        notes=(),
        warnings=warnings,
        blocks="content",
        calls="-",
        turns=1,
        read_back=1,
    )


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(corpus, "_compile", lambda loaded: fake_compile(loaded.job))
    monkeypatch.delenv("CI", raising=False)
    for name, text in (("a", "one"), ("b", "two")):
        (tmp_path / f"{name}.jinja").write_text(text)
    path = tmp_path / "golden.yaml"
    path.write_text("sources: [{source: '*.jinja'}]")
    return path


def tree(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_update_writes_what_check_then_finds_in_order(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["golden", "check", str(manifest)]) == 1
    assert run(["golden", "update", str(manifest)]) == 0
    assert run(["golden", "check", str(manifest)]) == 0
    assert capsys.readouterr().err.endswith("2 goldens are as they should be\n")
    golden = manifest.parent / "golden"
    assert tree(golden)["a/spec.yaml"] == "spec: one\n"


def test_check_shows_what_changed_and_writes_nothing(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["golden", "update", str(manifest)])
    before = tree(manifest.parent / "golden")
    (manifest.parent / "a.jinja").write_text("three")
    capsys.readouterr()
    assert run(["golden", "check", str(manifest)]) == 1
    out = capsys.readouterr().out
    assert "a/spec.yaml: changed\n" in out
    assert "  -spec: one\n  +spec: three\n" in out
    assert "b/" not in out
    assert tree(manifest.parent / "golden") == before


def test_update_touches_only_what_changed(manifest: Path) -> None:
    run(["golden", "update", str(manifest)])
    kept = manifest.parent / "golden" / "b" / "spec.yaml"
    stamp = kept.stat().st_mtime_ns
    (manifest.parent / "a.jinja").write_text("three")
    assert run(["golden", "update", str(manifest)]) == 0
    assert kept.stat().st_mtime_ns == stamp
    assert tree(manifest.parent / "golden")["a/spec.yaml"] == "spec: three\n"


def test_update_is_refused_in_ci(manifest: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CI", "true")
    assert run(["golden", "update", str(manifest)]) == 2
    assert "not updated in CI" in capsys.readouterr().err
    assert not (manifest.parent / "golden").exists()


def test_a_golden_without_a_source_is_found_and_removed(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["golden", "update", str(manifest)])
    (manifest.parent / "golden" / "notes").mkdir()
    (manifest.parent / "golden" / "b" / "mine.txt").write_text("keep me")
    (manifest.parent / "b.jinja").unlink()
    assert run(["golden", "check", str(manifest)]) == 1
    assert "b: no source" in capsys.readouterr().out
    assert run(["golden", "update", str(manifest)]) == 0
    assert sorted(tree(manifest.parent / "golden")) == ["a/grammar.gbnf", "a/spec.yaml", "b/mine.txt"]
    assert run(["golden", "check", str(manifest)]) == 0


def test_a_file_that_is_no_longer_made_is_a_difference(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["golden", "update", str(manifest)])
    extra = manifest.parent / "golden" / "a" / "deltas.jsonl"
    extra.write_text("x")
    assert run(["golden", "check", str(manifest)]) == 1
    assert "a/deltas.jsonl: extra" in capsys.readouterr().out
    assert run(["golden", "update", str(manifest)]) == 0
    assert not extra.exists()


def test_the_golden_of_a_source_that_does_not_compile_is_its_error_without_a_place(manifest: Path) -> None:
    (manifest.parent / "b.jinja").write_text("broken")
    assert run(["golden", "update", str(manifest)]) == 0
    text = 'code: "E201"\nmessage: "does not compile"\nhint: "mend it"\n'
    assert tree(manifest.parent / "golden" / "b") == {"error.yaml": text}
    (manifest.parent / "b.jinja").write_text("mended")
    assert [each.file for each in check_goldens(manifest).differences] == ["error.yaml", "spec.yaml", "grammar.gbnf"]


def test_a_warning_that_the_manifest_does_not_expect_fails_the_check(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (manifest.parent / "a.jinja").write_text("warn")
    run(["golden", "update", str(manifest)])
    for expected, code in (("", 0), (", warnings: [W330]", 0), (", warnings: []", 1)):
        manifest.write_text(f"sources: [{{source: '*.jinja'{expected}}}]")
        capsys.readouterr()
        assert run(["golden", "check", str(manifest)]) == code
    assert "a: a warning that the manifest does not expect: W330" in capsys.readouterr().out


def test_two_sources_of_one_name_are_an_error(manifest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (manifest.parent / "more").mkdir()
    (manifest.parent / "more" / "a.jinja").write_text("four")
    manifest.write_text("sources: [{source: '**/*.jinja'}]")
    assert run(["golden", "check", str(manifest)]) == 2
    assert "both called `a`" in capsys.readouterr().err


def test_a_name_becomes_a_folder_on_any_system() -> None:
    names = {"../../etc/passwd": "etc-passwd", "a b:c": "a-b-c", "…": "template", "Qwen3-0.6B": "Qwen3-0.6B", "..": "template"}
    assert {name: safe_name(name) for name in names} == names


def test_a_changed_spec_is_explained_by_what_it_means_for_a_parser() -> None:
    old = Spec(template=TemplateInfo(name="a", sha256="0" * 64, source="jinja"), prompt=Prompt(roles={"user": "<user>"}))
    new = replace(old, prompt=Prompt(roles={"user": "<u>"}))
    difference = Difference(name="a", file="spec.yaml", state=State.CHANGED, old=spec_to_yaml(old), new=spec_to_yaml(new))
    drift = find_drift(difference)
    assert drift is not None
    assert [(finding.path, finding.severity.value) for finding in drift.findings] == [("prompt.roles", "cosmetic")]
    assert find_drift(replace(difference, old="no spec")) is None
    assert find_drift(replace(difference, file="grammar.gbnf")) is None
