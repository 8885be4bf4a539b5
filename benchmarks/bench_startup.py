"""Whole processes as multiples of ``python -c pass``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.figures import Figure, at_most, bare_python_seconds, process_seconds

ROOT = Path(__file__).parents[1]
AVERAGE = ROOT / "fixtures" / "hermes_json_tags.jinja"


def run() -> list[Figure]:
    """Return the start-up figures of the command line."""
    untemplate = str(Path(sys.executable).with_name("untemplate"))
    unit = bare_python_seconds()
    figures = [Figure(what="python -c pass", value=unit * 1000, unit="ms")]
    figures.append(at_most("untemplate --help", process_seconds([untemplate, "--help"]) / unit, 10))
    with tempfile.TemporaryDirectory() as folder:
        compile_it = [untemplate, "compile", str(AVERAGE), "-o", folder, "--quiet"]
        figures.append(at_most("untemplate compile of an average template", process_seconds(compile_it, best_of=3) / unit, 30))
    return figures
