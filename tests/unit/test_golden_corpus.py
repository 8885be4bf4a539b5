from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from untemplate.cli.main import run
from untemplate.golden.batch import Outcome, in_order, run_batch
from untemplate.golden.cache import Cache
from untemplate.golden.corpus import compile_corpus
from untemplate.golden.jobs import CompileJob, Extent

FIXTURES = Path(__file__).parents[2] / "fixtures"
SOME = [str(path) for path in sorted(FIXTURES.glob("*.jinja"))[:8]]
UNTEMPLATE = [sys.executable, "-m", "untemplate"]


def square(number: int) -> int:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


# --- batches -----------------------------------------------------------------------------------------------------------


def test_jobs_are_taken_as_there_is_room_for_them() -> None:
    taken = []

    def jobs() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        for count, _ in enumerate(run_batch(square_but_not_13, jobs(), executor=pool, ahead=5), start=1):
            assert len(taken) <= count + 5
    assert len(taken) == 100


def square_but_not_13(number: int) -> int:
    return number * number


def test_what_is_known_already_is_not_done_again() -> None:
    known: list[int | Outcome[int]] = [Outcome(index=0, result=7), 2, Outcome(index=2, result=8), 3]
    for workers in (1, 2):
        assert [each.result for each in in_order(run_batch(square, known, workers=workers))] == [7, 4, 8, 9]
    all_known: list[int | Outcome[int]] = [Outcome(index=number, result=number) for number in range(1000)]
    assert [each.result for each in run_batch(square, all_known, workers=2)] == list(range(1000))


def test_a_pool_of_the_callers_that_breaks_fails_what_is_left_and_no_more() -> None:
    with ProcessPoolExecutor(1) as pool:
        done = sorted(run_batch(square, [2, 13, 3, 4, 5], executor=pool, ahead=1), key=lambda each: each.index)
    assert [each.result or each.failure.code for each in done if each.failure or each.result] == [4, "E990", "E990", "E990", "E990"]


def test_a_pool_of_our_own_that_breaks_is_replaced() -> None:
    jobs = [*range(1, 13), 13, *range(14, 40), 13, *range(40, 50)]
    done = list(in_order(run_batch(square, jobs, workers=2)))
    assert [job for job, each in zip(jobs, done, strict=True) if each.failure] == [13, 13]
    assert all(each.result == job * job for job, each in zip(jobs, done, strict=True) if each.failure is None)


class Refusing(Executor):
    """An executor with troubles of its own."""

    def submit(self, fn, /, *args, **kwargs):
        future: Future[object] = Future()
        future.set_exception(TimeoutError("the cluster is gone"))
        return future


def test_what_an_executor_raises_of_its_own_is_a_failure() -> None:
    done = list(run_batch(square, [1, 2], executor=Refusing()))
    told = [(each.failure.code, each.failure.message) for each in done if each.failure]
    assert told == [("E990", "the executor failed: TimeoutError: the cluster is gone")] * 2


def test_outcomes_come_in_order_as_soon_as_they_can() -> None:
    early = iter([Outcome(index=1, result="b"), Outcome(index=0, result="a"), Outcome(index=2, result="c")])
    ordered = in_order(early)
    assert next(ordered).result == "a"
    assert [each.result for each in early] == ["c"], "the third was not waited for"


# --- corpora -----------------------------------------------------------------------------------------------------------


def test_any_executor_and_any_number_of_processes_give_the_same(tmp_path: Path) -> None:
    jobs = [CompileJob(source=each, extent=Extent.SPEC) for each in (*SOME[:3], str(tmp_path / "absent"))]
    plain = list(compile_corpus(jobs))
    assert [each.failure.code if each.failure else None for each in plain] == [None, None, None, "E101"]
    assert list(in_order(compile_corpus(jobs, workers=2))) == plain
    with ThreadPoolExecutor(2) as pool:
        assert list(in_order(compile_corpus(jobs, executor=pool))) == plain


def test_lines_of_json_come_in_order_and_a_bad_source_is_one_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jinja"
    bad.write_text("{% if %}")
    given = [SOME[0], str(bad), SOME[1]]
    for jobs in ("1", "2"):
        assert run(["compile", *given, "--format", "jsonl", "--jobs", jobs, "--quiet"]) == 2
        first, second, third = lines(capsys.readouterr().out)
        assert [each["source"] for each in (first, second, third)] == given
        assert first["spec"]["format"] == 1
        assert first["spec"]["template"]["name"] == first["name"]
        assert second["error"]["code"] == "E201"
        assert "error" not in third


def test_lines_of_json_beside_files_name_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["compile", SOME[0], "--format", "jsonl", "-o", str(out), "--quiet"]) == 0
    (line,) = lines(capsys.readouterr().out)
    assert "spec" not in line
    assert sorted(path.name for path in Path(line["folder"]).iterdir()) == sorted(line["files"])


def test_a_check_tells_of_each_golden_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    manifest = tmp_path / "golden.yaml"
    manifest.write_text(json.dumps({"sources": [{"source": each} for each in SOME[:2]]}))
    assert run(["golden", "update", str(manifest), "--quiet"]) == 0
    names = [Path(each).stem for each in SOME[:2]]
    (tmp_path / "golden" / names[1] / "spec.yaml").write_text("spoiled")
    (tmp_path / "golden" / "zzz").mkdir()
    (tmp_path / "golden" / "zzz" / "spec.yaml").write_text("alone")
    capsys.readouterr()
    assert run(["golden", "check", str(manifest), "--quiet", "--format", "jsonl"]) == 1
    same, different, orphan = lines(capsys.readouterr().out)
    assert same == {"name": names[0], "source": SOME[0], "state": "same"}
    assert (different["state"], different["differences"]) == ("different", [{"file": "spec.yaml", "state": "changed"}])
    assert orphan == {"name": "zzz", "state": "orphan"}


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("github", "::error file={folder}/{name}/spec.yaml,title=golden-changed {name}::spec.yaml is not what the source compiles to now"),
        ("junit", 'name="{name}: golden-changed"'),
        ("markdown", "### error: `{name}` (golden-changed)"),
        ("sarif", '"ruleId": "golden-changed"'),
    ],
)
def test_a_check_reports_to_other_programs(
    form: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    manifest = tmp_path / "golden.yaml"
    manifest.write_text(json.dumps({"sources": [{"source": SOME[0]}]}))
    run(["golden", "update", str(manifest), "--quiet", "--cache", str(tmp_path / "cache")])
    name = Path(SOME[0]).stem
    (tmp_path / "golden" / name / "spec.yaml").write_text("spoiled")
    capsys.readouterr()
    assert run(["golden", "check", str(manifest), "--quiet", "--format", form, "--cache", str(tmp_path / "cache")]) == 1
    assert said.format(folder=tmp_path / "golden", name=name) in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["compile", "check"])
def test_a_run_that_was_killed_goes_on_where_it_was(verb: str, tmp_path: Path) -> None:
    """The first run is killed with all its processes as soon as two results have come; the second does not compile those again."""
    manifest = tmp_path / "golden.yaml"
    manifest.write_text(json.dumps({"sources": [{"source": each} for each in SOME]}))
    what = ["compile", *SOME] if verb == "compile" else ["golden", "check", str(manifest)]
    command = [*UNTEMPLATE, *what, "--format", "jsonl", "--jobs", "2", "--quiet", "--cache", str(tmp_path / "cache")]
    usual = 0 if verb == "compile" else 1  # there are no goldens to compare with
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert first.stdout is not None
    told = [first.stdout.readline(), first.stdout.readline()]
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert first.returncode == -signal.SIGKILL
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.json")}
    assert 2 <= len(kept) < len(SOME)
    second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert second.returncode == usual, second.stderr
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "what was kept is not made again"
    assert len(list((tmp_path / "cache").rglob("*.json"))) == len(SOME)
    assert second.stdout.splitlines(keepends=True)[:2] == told
    whole = subprocess.run([*command[:-2], "--no-cache"], capture_output=True, text=True, check=False)
    assert (whole.returncode, second.stdout) == (usual, whole.stdout)


def test_a_cache_is_filled_as_results_come(tmp_path: Path) -> None:
    running = compile_corpus([CompileJob(source=each, extent=Extent.SPEC) for each in SOME[:3]], cache=Cache(tmp_path))
    for count in (1, 2, 3):
        next(running)
        assert len(list(tmp_path.rglob("*.json"))) == count
