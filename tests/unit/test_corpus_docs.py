"""What docs/corpus.md says, run."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ci import OLD, ROOT, clean_environment, install_command, needs_bash

PAGE = (ROOT / "docs" / "corpus.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "docs" / "examples" / "corpus_on_dask.py"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three templates, one of them broken, and a manifest of the others."""
    place = tmp_path / "work"
    (place / "templates").mkdir(parents=True)
    for name, text in (("a", OLD), ("b", "{% if %}"), ("c", OLD.replace("<tool_call>", "<call>"))):
        (place / "templates" / f"{name}.jinja").write_text(text, encoding="utf-8", newline="\n")
    (place / "golden.yaml").write_text("sources: [{source: templates/a.jinja}]\n")
    monkeypatch.chdir(place)
    return place


@needs_bash
def test_the_commands_write_a_line_for_each_source_and_go_on_behind_a_broken_one(folder: Path) -> None:
    base = clean_environment()
    environment = {
        **base,
        "PATH": f"{install_command(folder.parent / 'bin')}:{base['PATH']}",
        "UNTEMPLATE_CACHE": str(folder.parent / "kept"),
    }
    compiling, checking = blocks("sh")[0].splitlines()
    done = subprocess.run(["bash", "-c", compiling], cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 2, done.stderr
    lines = [json.loads(line) for line in (folder / "specs.jsonl").read_text().splitlines()]
    assert ["error" in line for line in lines] == [False, True, False]
    done = subprocess.run(["bash", "-c", checking], cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, json.loads(done.stdout)["state"]) == (1, "different"), "there are no goldens yet"


def test_the_example_for_any_executor_runs(folder: Path) -> None:
    (code,) = blocks("python")
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        exec(compile(code, "docs/corpus.md", "exec"), {})
    told = dict(line.split(" ", 1) for line in written.getvalue().splitlines())
    assert told["templates/b.jinja"] == "E201"
    assert re.fullmatch(r"(\d+) of \1 turns read back", told["templates/a.jinja"])


# --- Dask --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def dask() -> Any:
    """A cluster of Dask's in this process."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install 'untemplate[dask]'")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore:::distributed", "ignore:::dask", "ignore:::tornado", "ignore::ResourceWarning")
def test_a_cluster_gives_what_this_process_gives_and_a_second_run_does_nothing(folder: Path, dask: Any) -> None:
    from untemplate.golden.cache import Cache
    from untemplate.golden.corpus import compile_corpus
    from untemplate.golden.jobs import CompileJob, Extent
    from untemplate.golden.records import compilation_record

    example = runpy.run_path(str(EXAMPLE))
    sources = example["find_sources"](["templates/*.jinja", "templates/absent.jinja"])
    told = {record["source"]: record for record in example["compile_on"](dask, sources, Cache(folder / "kept"))}
    jobs = [CompileJob(source=source, form="json", extent=Extent.SPEC) for source in sources]
    assert told == {sources[each.index]: compilation_record(sources[each.index], each) for each in compile_corpus(jobs)}
    assert [source for source in sources if "error" in told[source]] == ["templates/b.jinja", "templates/absent.jinja"]
    kept = {path: path.stat().st_mtime_ns for path in (folder / "kept").rglob("*.json")}
    assert len(kept) == 3
    assert {record["source"]: record for record in example["compile_on"](dask, sources, Cache(folder / "kept"))} == told
    assert {path: path.stat().st_mtime_ns for path in (folder / "kept").rglob("*.json")} == kept


@pytest.mark.skipif(os.environ.get("UNTEMPLATE_E2E") != "full", reason="starts a cluster of processes: run `make e2e`")
@pytest.mark.e2e
def test_the_command_for_a_cluster_of_processes_runs(folder: Path) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed: pip install 'untemplate[dask]'")
    command = blocks("sh")[1].splitlines()[1]
    (folder / "docs").mkdir()
    shutil.copytree(EXAMPLE.parent, folder / "docs" / "examples")
    base = clean_environment()
    environment = {**base, "PATH": f"{Path(sys.executable).parent}:{base['PATH']}"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in (folder / "specs.jsonl").read_text().splitlines()]
    assert sorted(line["source"] for line in lines if "error" not in line) == ["templates/a.jinja", "templates/c.jinja"]
