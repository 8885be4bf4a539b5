from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.golden import cache as cache_module
from untemplate.golden import keys
from untemplate.golden.batch import Failure
from untemplate.golden.cache import Cache, default_folder
from untemplate.golden.corpus import compile_corpus
from untemplate.golden.jobs import Compilation, CompileJob, Extent
from untemplate.golden.keys import key_of
from untemplate.source import load_source

FIXTURES = Path(__file__).parents[2] / "fixtures"
RESULT = Compilation(
    source="",
    name="a",
    main="spec.yaml",
    files={"spec.yaml": "<｜\u2028\x85\n", "grammar.gbnf": ""},
    notes=("said",),
    warnings=(),
    blocks="content",
    calls="-",
    turns=3,
    read_back=2,
)
KEY = "0" * 64


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.json"))


def test_what_is_kept_is_found_as_it_was(tmp_path: Path) -> None:
    Cache(tmp_path).keep(KEY, RESULT)
    assert Cache(tmp_path).find(KEY) == RESULT
    assert Cache(tmp_path).find("1" * 64) is None
    failure = Failure(code="E201", message="no template", where="\0:3", hint="mend it")
    Cache(tmp_path).keep(KEY, failure)
    assert Cache(tmp_path).find(KEY) == failure


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"read_back", b"read_bacc"),
        lambda data: data.replace(b"result 1", b"result 2"),
        lambda data: data[data.index(b"\n") :],
        lambda data: b"\xff" * len(data),
    ],
)
def test_a_broken_entry_is_as_good_as_absent_and_is_rewritten(spoil: Callable[[bytes], bytes], tmp_path: Path) -> None:
    Cache(tmp_path).keep(KEY, RESULT)
    (path,) = entries(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    assert Cache(tmp_path).find(KEY) is None
    Cache(tmp_path).keep(KEY, RESULT)
    assert path.read_bytes() == whole


def test_an_entry_of_another_shape_is_as_good_as_absent(tmp_path: Path) -> None:
    Cache(tmp_path).keep(KEY, RESULT)
    (path,) = entries(tmp_path)
    for body in (b"[]", b"{}", b'{"failure": 3}', b'{"failure": {"x": 1}}', b"nonsense"):
        path.write_bytes(cache_module._HEAD + cache_module._hash(body) + b"\n" + body)
        assert Cache(tmp_path).find(KEY) is None, body


@pytest.mark.parametrize("code", ["E204", "E205", "E206", "E207", "E990", "E999", "E101", "E510"])
def test_a_failure_that_need_not_happen_again_is_not_kept(code: str, tmp_path: Path) -> None:
    Cache(tmp_path).keep(KEY, Failure(code=code, message="x"))
    assert Cache(tmp_path).find(KEY) is None


def test_a_folder_that_cannot_be_written_is_told_and_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    cache = Cache(tmp_path / "file" / "cache")
    cache.keep(KEY, RESULT)
    assert cache.trouble is not None
    assert cache.find(KEY) is None
    template = str(FIXTURES / "bare_json.jinja")
    assert run(["compile", template, "--cache", str(tmp_path / "file")]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("format: 1")
    assert "warning: results are not kept" in captured.err


def test_results_of_old_versions_make_room(tmp_path: Path) -> None:
    for number in range(6):
        folder = tmp_path / f"{number:016x}"
        folder.mkdir()
        os.utime(folder, (number, number))
    (tmp_path / "mine").mkdir()
    Cache(tmp_path).keep(KEY, RESULT)
    left = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert left == sorted(["mine", keys.version_stamp()[:16], *(f"{number:016x}" for number in (3, 4, 5))])


def test_the_folder_is_the_environments_or_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("UNTEMPLATE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".cache" / "untemplate"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert default_folder() == tmp_path / ".cache" / "untemplate"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "untemplate"
    monkeypatch.setenv("UNTEMPLATE_CACHE", str(tmp_path / "own"))
    assert default_folder() == tmp_path / "own"
    monkeypatch.setenv("UNTEMPLATE_CACHE", "off")
    assert default_folder() is None


# --- keys --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<s>"}))
    (folder / "tokenizer.json").write_text('{"added_tokens": []}')
    (tmp_path / "quirks.yaml").write_text("{id: a, reason: b, set: {}}")
    return folder


def key(job: CompileJob) -> str:
    return key_of(job, load_source(job.source, template=job.template, vocabulary=job.vocabulary))


def test_the_same_work_has_the_same_key_wherever_it_lies(model: Path, tmp_path: Path) -> None:
    first = key(CompileJob(source=str(model)))
    assert key(CompileJob(source=str(model))) == first
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    model.rename(moved / "model")
    assert key(CompileJob(source=str(moved / "model"))) == first


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("model/chat_template.jinja", "{{ messages }} "),
        ("model/tokenizer_config.json", '{"bos_token": "<t>"}'),
        ("model/tokenizer_config.json", '{"bos_token": "<s>", "added_tokens_decoder": {}}'),
        ("model/tokenizer.json", '{"added_tokens": [ ]}'),
        ("model/added_tokens.json", "{}"),
        ("quirks.yaml", "{id: a, reason: c, set: {}}"),
    ],
)
def test_a_file_that_counts_changes_the_key(file: str, text: str, model: Path, tmp_path: Path) -> None:
    job = CompileJob(source=str(model), overlays=(str(tmp_path / "quirks.yaml"),))
    before = key(job)
    (tmp_path / file).write_text(text)
    assert key(job) != before


def test_every_option_changes_the_key(model: Path, tmp_path: Path) -> None:
    plain = CompileJob(source=str(model))
    others = [
        replace(plain, name="other"),
        replace(plain, overlays=(str(tmp_path / "quirks.yaml"),)),
        replace(plain, tools=[]),
        replace(plain, tools=[{"type": "function", "function": {"name": "f"}}]),
        replace(plain, form="json"),
        replace(plain, extent=Extent.GOLDEN),
        replace(plain, vocabulary=str(model)),
        replace(plain, source=str(model / "chat_template.jinja")),
    ]
    assert len({key(job) for job in (plain, *others)}) == 1 + len(others)


def test_another_version_of_untemplate_has_other_keys(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(CompileJob(source=str(model)))
    monkeypatch.setattr(keys, "version_stamp", lambda: "f" * 64)
    assert key(CompileJob(source=str(model))) != before


def test_the_version_is_that_of_every_source_file_and_quirk() -> None:
    package = Path(keys.__file__).parents[1]
    named = {path.relative_to(package).as_posix() for path in keys._code_of(package)}
    assert {"compiler.py", "peg/machine.py", "infer/quirks/channel-headers.yaml"} <= named


# --- runs --------------------------------------------------------------------------------------------------------------


def test_a_result_is_compiled_once(tmp_path: Path) -> None:
    job = CompileJob(source=str(FIXTURES / "bare_json.jinja"))
    first = list(compile_corpus([job], cache=Cache(tmp_path)))
    (path,) = entries(tmp_path)
    stamp = path.stat().st_mtime_ns
    assert list(compile_corpus([job], cache=Cache(tmp_path))) == first
    assert path.stat().st_mtime_ns == stamp


def test_a_warm_run_imports_neither_the_compiler_nor_jinja(tmp_path: Path) -> None:
    script = (
        "import sys; from untemplate.cli.main import run; code = run(sys.argv[1:]);"
        "print(code, *sorted(sys.modules), sep='\\n', file=sys.stderr)"
    )
    (tmp_path / "golden.yaml").write_text(json.dumps({"sources": [{"source": str(FIXTURES / "bare_json.jinja")}]}))
    loaded = []
    for verb in ("update", "check"):
        command = [sys.executable, "-c", script, "golden", verb, str(tmp_path / "golden.yaml"), "--cache", str(tmp_path / "cache")]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "CI": ""})
        loaded.append(set(done.stderr.splitlines()))
    assert {"jinja2", "untemplate.compiler"} <= loaded[0]
    for heavy in ("jinja2", "untemplate.compiler", "untemplate.peg.machine", "rich", "deepdiff", "llguidance"):
        assert heavy not in loaded[1], heavy


def test_the_place_of_a_kept_failure_is_where_its_source_is_now(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    for folder in ("one", "two"):
        path = tmp_path / folder / "broken.jinja"
        path.parent.mkdir()
        path.write_text("{% if %}")
        (outcome,) = compile_corpus([CompileJob(source=str(path))], cache=cache)
        assert outcome.failure is not None
        assert (outcome.failure.code, outcome.failure.where) == ("E201", f"{path}:1")
    assert len(entries(tmp_path / "cache")) == 1
