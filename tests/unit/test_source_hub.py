from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from untemplate.cli.main import run
from untemplate.errors import SourceError
from untemplate.source import SourceKind, load_source, name_source
from untemplate.source.hub import HubPlace, fetch_hub, parse_hub

FIXTURES = Path(__file__).parents[2] / "fixtures"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
UNTEMPLATE = [sys.executable, "-m", "untemplate"]
needs_hub = pytest.mark.skipif(
    find_spec("huggingface_hub") is None, reason="huggingface_hub is not installed: pip install 'untemplate[hub]'"
)


# --- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("hf:org/model", HubPlace(repo="org/model", revision=None, file=None)),
        ("hf:gpt2@main", HubPlace(repo="gpt2", revision="main", file=None)),
        ("hf:org/Model-1.5_b@refs/pr/3", HubPlace(repo="org/Model-1.5_b", revision="refs/pr/3", file=None)),
        (f"hf:org/model@{COMMIT}:sub/a.jinja", HubPlace(repo="org/model", revision=COMMIT, file="sub/a.jinja")),
        ("hf:org/model:a.gguf", HubPlace(repo="org/model", revision=None, file="a.gguf")),
    ],
)
def test_a_place_on_the_hub_is_a_repository_a_revision_and_a_file(source: str, place: HubPlace) -> None:
    assert parse_hub(source) == place


@pytest.mark.parametrize(
    "source", ["hf:", "hf:a/b/c", "hf:/a", "hf:a/..", "hf:org/model@", "hf:org/model@x:../y", "hf:org/model:", "hf:a b"]
)
def test_another_shape_is_an_error(source: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_hub(source)
    assert (caught.value.code, caught.value.where) == ("E120", source)


def test_a_source_on_the_hub_is_called_as_its_repository_or_as_its_file() -> None:
    names = {"hf:org/model@v1": "model", "hf:org/model:tokenizer_config.json": "model", "hf:org/model@v1:sub/small.jinja": "small"}
    assert {source: name_source(source) for source in names} == names


# --- a hub that answers at once ----------------------------------------------------------------------------------------


class GatedRepoError(Exception):
    """Named as the hub's own."""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a stand-in for the package was asked for; it gives a model's folder."""
    snapshot = tmp_path / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "chat_template.jinja").write_bytes((FIXTURES / "bare_json.jinja").read_bytes())
    (snapshot / "tokenizer_config.json").write_text('{"eos_token": "<|im_end|>"}')
    calls: list[dict[str, Any]] = []
    bars: list[bool] = []

    def snapshot_download(repo: str, **options: Any) -> str:
        calls.append({"repo": repo, **options, "silent": bars == [False]})
        if repo == "org/closed":
            raise GatedRepoError("401 Client Error. (Request ID: x)\n\nAccess to model org/closed is restricted.\nMore.")
        return str(snapshot)

    def hf_hub_download(repo: str, file: str, **options: Any) -> str:
        calls.append({"repo": repo, "file": file, **options})
        return str(snapshot / file)

    package, utils = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.utils")
    package.__dict__.update(snapshot_download=snapshot_download, hf_hub_download=hf_hub_download)
    utils.__dict__.update(
        are_progress_bars_disabled=lambda: False,
        disable_progress_bars=lambda: bars.append(False),
        enable_progress_bars=bars.clear,
    )
    monkeypatch.setitem(sys.modules, "huggingface_hub", package)
    monkeypatch.setitem(sys.modules, "huggingface_hub.utils", utils)
    return calls


def test_only_what_tells_of_template_and_tokens_is_fetched(asked: list[dict[str, Any]]) -> None:
    source = load_source("hf:org/model@v1")
    assert (source.name, source.kind, source.path) == ("model", SourceKind.FOLDER, "hf:org/model@v1")
    assert source.special_tokens == {"eos_token": "<|im_end|>"}
    (call,) = asked
    assert (call["repo"], call["revision"], call["silent"]) == ("org/model", "v1", True)
    assert "tokenizer_config.json" in call["allow_patterns"]
    assert not any(pattern.startswith("*") or "safetensors" in pattern for pattern in call["allow_patterns"])


def test_one_file_of_a_repository_is_a_source(asked: list[dict[str, Any]]) -> None:
    source = load_source("hf:org/model@v1:chat_template.jinja")
    assert (source.name, source.kind) == ("model", SourceKind.JINJA)
    assert asked == [{"repo": "org/model", "file": "chat_template.jinja", "revision": "v1"}]


def test_what_the_hub_refuses_is_an_error_with_a_way_out(asked: list[dict[str, Any]]) -> None:
    with pytest.raises(SourceError) as caught:
        load_source("hf:org/closed@v1")
    assert caught.value.code == "E122"
    assert caught.value.message == "the hub does not give it: Access to model org/closed is restricted"
    assert "HF_TOKEN" in str(caught.value.hint)


def test_the_tokens_of_a_model_on_the_hub_serve_another_template(asked: list[dict[str, Any]]) -> None:
    source = load_source(FIXTURES / "bare_json.jinja", vocabulary="hf:org/model@v1")
    assert source.special_tokens == {"eos_token": "<|im_end|>"}
    assert source.notes == ("Special tokens and vocabulary are those of model.",)


def test_a_spec_is_the_same_whether_from_the_hub_or_from_a_folder_of_that_name(
    asked: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "model"
    (tmp_path / "snapshots" / COMMIT).rename(folder)
    (tmp_path / "snapshots" / COMMIT).symlink_to(folder)
    written = []
    for source in ("hf:org/model@v1", str(folder)):
        assert run(["compile", source, "--quiet"]) == 0
        written.append(capsys.readouterr().out)
    assert written[0] == written[1]


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SourceError) as caught:
        fetch_hub("hf:org/model")
    assert caught.value.code == "E121"
    assert run(["compile", "hf:org/model"]) == 2
    assert "pip install 'untemplate[hub]'" in capsys.readouterr().err


def test_a_golden_whose_source_cannot_be_had_is_neither_compared_nor_written(
    asked: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI", raising=False)
    manifest = tmp_path / "golden.yaml"
    manifest.write_text("sources: [{source: 'hf:org/model@v1'}, {source: 'hf:org/closed@v1'}]")
    assert run(["golden", "update", str(manifest), "--quiet"]) == 2
    assert [path.name for path in (tmp_path / "golden").iterdir()] == ["model"]
    capsys.readouterr()
    assert run(["golden", "check", str(manifest)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "closed: not compared: the hub does not give it: Access to model org/closed is restricted\n"
    assert "1 of 2 goldens are as they should be" in captured.err
    assert "E122" in captured.err
    assert run(["golden", "check", str(manifest), "--format", "jsonl", "--quiet"]) == 2
    states = [json.loads(line)["state"] for line in capsys.readouterr().out.splitlines()]
    assert states == ["same", "trouble"]
    manifest.write_text("sources: [{source: 'hf:org/model@v1'}]")
    assert run(["golden", "check", str(manifest)]) == 0


# --- the real package --------------------------------------------------------------------------------------------------


@pytest.fixture
def hub_home(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine without a network whose hub's cache holds one model."""
    repository = tmp_path / "home" / "hub" / "models--org--model"
    snapshot = repository / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (repository / "blobs").mkdir()
    for number, (name, text) in enumerate(
        {
            "chat_template.jinja": (FIXTURES / "hermes_json_tags.jinja").read_text(encoding="utf-8"),
            "tokenizer_config.json": json.dumps({"eos_token": "<|im_end|>"}),
        }.items()
    ):
        (repository / "blobs" / str(number)).write_text(text, encoding="utf-8")
        (snapshot / name).symlink_to(Path("../../blobs") / str(number))
    for revision in ("main", "v1"):
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / revision).write_text(COMMIT)
    return {**os.environ, "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "UNTEMPLATE_CACHE": "off"}


@needs_hub
@pytest.mark.parametrize("source", ["hf:org/model", "hf:org/model@v1", f"hf:org/model@{COMMIT}", "hf:org/model@v1:chat_template.jinja"])
def test_what_the_hubs_cache_holds_needs_no_network(source: str, hub_home: dict[str, str]) -> None:
    done = subprocess.run([*UNTEMPLATE, "compile", source, "--quiet"], capture_output=True, text=True, check=False, env=hub_home)
    assert (done.returncode, done.stderr) == (0, "")
    assert 'name: "model"' in done.stdout


@needs_hub
@pytest.mark.parametrize("source", ["hf:org/absent", "hf:org/model@v2", "hf:org/model@v1:absent.jinja"])
def test_what_it_does_not_hold_is_an_error_and_no_traceback(source: str, hub_home: dict[str, str]) -> None:
    done = subprocess.run([*UNTEMPLATE, "compile", source], capture_output=True, text=True, check=False, env=hub_home)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: E122 the hub does not give it: ")
    assert source in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr


@needs_hub
def test_a_manifest_takes_sources_of_the_hub(hub_home: dict[str, str], tmp_path: Path) -> None:
    manifest = tmp_path / "golden.yaml"
    manifest.write_text(f"sources: [{{source: 'hf:org/model@{COMMIT}'}}]")
    for verb in ("update", "check"):
        command = [*UNTEMPLATE, "golden", verb, str(manifest)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**hub_home, "CI": ""})
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "golden" / "model" / "spec.yaml").is_file()
