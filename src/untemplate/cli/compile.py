"""``untemplate compile``: sources to specs and grammars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from untemplate.cli.failures import TROUBLE, show_failure
from untemplate.cli.inputs import read_tools
from untemplate.cli.sources import SourceOptions, with_source_options
from untemplate.cli.voice import Voice, with_voice, write_result
from untemplate.errors import RequestError

if TYPE_CHECKING:
    from untemplate.golden.batch import Outcome
    from untemplate.golden.jobs import Compilation, CompileJob


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", metavar="DIR", help="Write DIR/NAME/spec.yaml, evidence.yaml and grammar.gbnf.")
@click.option("--name", help="Name of the spec; the source's own if not given.")
@with_source_options
@click.option("--tools", metavar="FILE", help="Tools of the grammar, in OpenAI's shape; two examples if not given.")
@click.option("--format", "form", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True, help="Of the spec.")
@click.option("--jobs", type=click.IntRange(min=0), default=1, show_default=True, help="Processes to use; 0: one for each core.")
@with_voice
def compile(
    sources: tuple[str, ...],
    output: str | None,
    name: str | None,
    chosen: SourceOptions,
    tools: str | None,
    form: str,
    jobs: int,
    voice: Voice,
) -> int:
    """Compile each SOURCE into a parser spec and a GBNF grammar.

    Without -o the spec of a single source goes to standard output. A source that fails does not stop the others.
    """
    if len(sources) > 1 and (output is None or name is not None):
        raise click.UsageError("several sources need `-o DIR`" if output is None else "`--name` is for a single source")
    if output is not None and Path(output).exists() and not Path(output).is_dir():
        raise RequestError("this is a file, not a folder", code="E604", where=output)
    from untemplate.golden.jobs import CompileJob, Extent

    read = read_tools(tools)
    extent = Extent.SPEC if output is None else Extent.WHOLE
    job = CompileJob(
        source="",
        name=name,
        template=chosen.template,
        vocabulary=chosen.vocabulary,
        overlays=chosen.overlays,
        tools=read,
        form=form,
        extent=extent,
    )
    made = [replace(job, source=each) for each in sources]
    started = time.perf_counter()
    outcomes = sorted(_run(made, jobs, voice), key=lambda outcome: outcome.index)
    taken: set[str] = set()
    names = [_deliver(outcome, output, taken, voice) for outcome in outcomes]
    if len(sources) > 1 and not voice.quiet:
        from untemplate.cli.summary import show_summary

        show_summary(sources, outcomes, time.perf_counter() - started)
    return TROUBLE if None in names else 0


def _run(made: Sequence[CompileJob], jobs: int, voice: Voice) -> Iterator[Outcome[Compilation]]:
    from untemplate.golden.batch import default_workers, run_batch
    from untemplate.golden.compilation import compile_one

    outcomes = run_batch(compile_one, made, workers=jobs or default_workers())
    if len(made) == 1 or voice.quiet:
        return outcomes
    from untemplate.cli.progress import with_progress

    return with_progress(outcomes, len(made), "compiling")


def _deliver(outcome: Outcome[Compilation], output: str | None, taken: set[str], voice: Voice) -> str | None:
    """Write what came of one source and return its name; ``None`` for a failure, which is shown."""
    if outcome.result is None:
        assert outcome.failure is not None
        show_failure(outcome.failure)
        return None
    result = outcome.result
    for warning in result.warnings:
        voice.warn(f"{result.source}: {warning}")
    if output is None:
        write_result(result.files[result.main])
        return result.name
    from untemplate.spec.files import write_texts

    name = _free_name(result.name, taken)
    if name != result.name:
        voice.warn(f"{result.source}: another source is called `{result.name}` too: written to `{name}`")
    folder = Path(output) / name
    write_texts({folder / file: text for file, text in result.files.items()})
    voice.say(f"{folder}: {', '.join(result.files)}; {result.verdict}")
    return name


def _free_name(name: str, taken: set[str]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}-{count}"
    taken.add(free)
    return free
