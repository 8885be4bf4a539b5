"""Whole processes as multiples of ``python -c pass``."""

from __future__ import annotations

import subprocess
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
        figures += _of_a_gguf(Path(folder) / "model.gguf", unit)
    return figures


READ_TEMPLATE = """
import resource, sys
from untemplate.source import load_source
assert load_source(sys.argv[1]).text
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _of_a_gguf(path: Path, unit: float) -> list[Figure]:
    """Return time and memory of reading the template out of a GGUF file with 150,000 tokens and as many merges."""
    _write_gguf(path)
    command = [sys.executable, "-c", READ_TEMPLATE, str(path)]
    megabytes = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [
        at_most("the template out of a large GGUF", process_seconds(command, best_of=3) / unit, 12),
        at_most("its peak of memory", megabytes, 80, unit="MB"),
    ]


def _write_gguf(path: Path) -> None:
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_chat_template(AVERAGE.read_text("utf-8"))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"token{number}" for number in range(150_000)])
    writer.add_token_merges([f"to ken{number}" for number in range(150_000)])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
