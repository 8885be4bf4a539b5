"""Two runs on two machines give the same bytes: other hash seeds, time zones, locales, folders and numbers of processes."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.ci import NEW, OLD, clean_environment
from untemplate.spec.files import read_text

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = ("hermes_json_tags", "reasoning_prompt_opened", "custom_quoted_objects", "nested_xml_values", "channels_with_headers")
MACHINES = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C", "LANG": "C", "COLUMNS": "200"},
    {"PYTHONHASHSEED": "12345", "TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.ISO-8859-9", "LANG": "tr_TR.ISO-8859-9", "COLUMNS": "40"},
    {"PYTHONHASHSEED": "99", "TZ": "America/St_Johns", "LC_ALL": "", "LANG": "ja_JP.eucJP", "PYTHONUTF8": "0", "TERM": "xterm-256color"},
)


def everything(place: Path, machine: dict[str, str], jobs: str) -> dict[str, bytes]:
    """Return all that commands write on a machine, by what wrote it; sources lie in its own folder."""
    (place / "elsewhere").mkdir(parents=True)
    for name in NAMES:
        (place / f"{name}.jinja").write_bytes((FIXTURES / f"{name}.jinja").read_bytes())
    (place / "old.jinja").write_text(OLD, encoding="utf-8", newline="\n")
    (place / "new.jinja").write_text(NEW, encoding="utf-8", newline="\n")
    (place / "golden.yaml").write_text("sources: [{source: '*.jinja'}]\n")
    written: dict[str, bytes] = {}

    def run(what: str, *arguments: str, folder: Path) -> None:
        base = {name: text for name, text in clean_environment().items() if name not in ("LANG", "LC_ALL")}
        command = [sys.executable, "-m", "untemplate", *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, env={**base, **machine})
        assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
        written[what] = done.stdout

    # From another folder each time: paths in arguments are absolute on one machine and relative on the other.
    run("golden", "golden", "update", str(place / "golden.yaml"), "--jobs", jobs, "--quiet", folder=place / "elsewhere")
    for form in ("text", "json", "sarif", "github"):
        run(f"diff {form}", "diff", "old.jinja", "new.jinja", "--format", form, folder=place)
    run("verify", "verify", "hermes_json_tags.jinja", "--budget", "40", "--format", "json", folder=place)
    run("inspect", "inspect", "hermes_json_tags.jinja", folder=place)
    run("export", "export", "golden/hermes_json_tags", "--to", "peg-json", folder=place)
    files = {str(path.relative_to(place)): path.read_bytes() for path in sorted((place / "golden").rglob("*")) if path.is_file()}
    return {**written, **files}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    places = [tmp_path_factory.mktemp("machine") / name for name in ("here", "a folder with ümläuts", "c")]
    with ThreadPoolExecutor(min(len(MACHINES), os.cpu_count() or 1)) as pool:
        return list(pool.map(everything, places, MACHINES, ("1", "2", "1")))


def test_every_machine_writes_the_same_bytes(runs: list[dict[str, bytes]]) -> None:
    first, *others = runs
    for other in others:
        assert other.keys() == first.keys()
        assert [name for name in first if other[name] != first[name]] == []


def test_what_was_compared_is_everything_and_as_the_goldens_of_this_repository(runs: list[dict[str, bytes]]) -> None:
    for name in NAMES:
        for file in ("spec.yaml", "evidence.yaml", "grammar.gbnf", "deltas.jsonl"):
            assert runs[0][f"golden/{name}/{file}"].decode() == read_text(FIXTURES.parent / "golden" / name / file)
    assert b"breaking" in runs[0]["diff text"]
    assert all(runs[0][what] for what in ("diff json", "diff sarif", "diff github", "verify", "inspect", "export"))
