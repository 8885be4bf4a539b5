"""The house rules that no compiler checks: floors, module sizes, goldens that match fixtures."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from untemplate.lower.tags import Code
from untemplate.peg.events import BUDGET

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
LONGEST_MODULE = 400


def test_an_import_only_goes_down_the_floors() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_contract_of_the_floors_is_exhaustive() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = [each for each in contracts if each["type"] == "layers"]
    assert layers["exhaustive"] is True
    named = {name.strip(" ()") for layer in layers["layers"] for name in layer.split("|")}
    package = ROOT / "src" / "untemplate"
    present = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert present - {"__init__"} == named


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src" / "untemplate")))
def test_a_module_stays_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LONGEST_MODULE, f"{lines} lines: split it by subject"


def test_every_fixture_has_a_golden_folder_and_every_golden_folder_a_fixture() -> None:
    fixtures = {path.stem for path in (ROOT / "fixtures").glob("*.jinja")}
    goldens = {path.name for path in (ROOT / "golden").iterdir() if path.is_dir()}
    assert fixtures == goldens, "run `make golden`"


def test_every_code_is_explained_and_no_other() -> None:
    code = re.compile(r"\b[EW]\d{3}\b")
    used = {found for path in SOURCES for found in re.findall(r"[\"']([EW]\d{3})[\"']", path.read_text(encoding="utf-8"))}
    told = set(code.findall((ROOT / "docs" / "codes.md").read_text(encoding="utf-8")))
    assert used == told, f"not explained: {sorted(used - told)}; not used: {sorted(told - used)}"


def test_every_diagnostic_is_explained_and_no_other() -> None:
    rows = (ROOT / "docs" / "codes.md").read_text(encoding="utf-8").partition("## Diagnostics")[2]
    told = set(re.findall(r"^\| `([a-z_]+)` \|", rows, re.MULTILINE))
    assert told == {*(code.value for code in Code), BUDGET, "prompt_mismatch", "schema_error"}


def test_the_project_names_no_place_of_one_machine() -> None:
    written = [*SOURCES, *ROOT.glob("*.toml"), *ROOT.glob("*.md"), ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "docs").rglob("*.md")]
    named = [str(path.relative_to(ROOT)) for path in written if "/work/" in path.read_text(encoding="utf-8")]
    assert not named
