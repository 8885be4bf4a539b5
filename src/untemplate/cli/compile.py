"""``untemplate compile``: sources to specs and grammars."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from untemplate.cli.caching import tell_trouble, with_cache
from untemplate.cli.failures import TROUBLE, show_failure
from untemplate.cli.inputs import SPECS, read_tools, refuse_spec
from untemplate.cli.sources import SourceOptions, with_source_options
from untemplate.cli.voice import Voice, with_voice, write_result
from untemplate.errors import RequestError

if TYPE_CHECKING:
    from untemplate.golden.batch import Outcome
    from untemplate.golden.cache import Cache
    from untemplate.golden.jobs import Compilation, CompileJob


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("-o", "--output", metavar="DIR", help="Write DIR/NAME/spec.yaml, evidence.yaml and grammar.gbnf.")
@click.option("--name", help="Name of the spec; the source's own if not given.")
@with_source_options
@click.option("--tools", metavar="FILE", help="Tools of the grammar, in OpenAI's shape; two examples if not given.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "json", "jsonl"]),
    default="yaml",
    show_default=True,
    help="Of the spec; jsonl: a line of JSON on standard output for each source, as it is done.",
)
@click.option("--jobs", type=click.IntRange(min=0), default=1, show_default=True, help="Processes to use; 0: one for each core.")
@with_cache
@with_voice
def compile(
    sources: tuple[str, ...],
    output: str | None,
    name: str | None,
    chosen: SourceOptions,
    tools: str | None,
    form: str,
    jobs: int,
    cache: Cache | None,
    voice: Voice,
) -> int:
    """Compile each SOURCE into a parser spec and a GBNF grammar.

    Without -o the spec of a single source goes to standard output. A source that fails does not stop the others, and a run that is
    killed goes on where it was.
    """
    if len(sources) > 1 and ((output is None and form != "jsonl") or name is not None):
        raise click.UsageError("several sources need `-o DIR`" if name is None else "`--name` is for a single source")
    if output is not None and Path(output).exists() and not Path(output).is_dir():
        raise RequestError(
            "this is a file, not a folder", code="E604", where=output, hint="give a folder, or a name that is free: it is made"
        )
    for each in sources:
        refuse_spec(each)
    from untemplate.golden.batch import in_order
    from untemplate.golden.jobs import CompileJob, Extent

    job = CompileJob(
        source="",
        name=name,
        template=chosen.template,
        vocabulary=chosen.vocabulary,
        overlays=chosen.overlays,
        tools=read_tools(tools),
        form="yaml" if form == "yaml" or (form == "jsonl" and output is not None) else "json",
        extent=Extent.SPEC if output is None else Extent.WHOLE,
    )
    # Of many, the table says how many warnings there are.
    each_voice = replace(voice, quiet=voice.quiet or (len(sources) > 1 and not voice.verbose))
    started = time.perf_counter()
    taken: set[str] = set()
    told: list[Outcome[Compilation]] = []
    for outcome in in_order(_run([replace(job, source=each) for each in sources], jobs, cache, voice)):
        _deliver(sources[outcome.index], outcome, _Delivery(output, form == "jsonl", voice.quiet), taken, each_voice)
        told.append(_without_files(outcome))
    tell_trouble(cache, voice)
    if len(sources) > 1 and not voice.quiet:
        from untemplate.cli.summary import show_summary

        show_summary(sources, told, time.perf_counter() - started)
    return TROUBLE if any(outcome.result is None for outcome in told) else 0


def _run(made: Sequence[CompileJob], jobs: int, cache: Cache | None, voice: Voice) -> Iterator[Outcome[Compilation]]:
    from untemplate.golden.batch import default_workers
    from untemplate.golden.corpus import compile_corpus

    outcomes = compile_corpus(made, cache=cache, workers=min(jobs or default_workers(), len(made)))
    if len(made) == 1 or voice.quiet:
        return outcomes
    from untemplate.cli.progress import with_progress

    return with_progress(outcomes, len(made), "compiling")


@dataclass(frozen=True, slots=True)
class _Delivery:
    """Where results go."""

    output: str | None
    lines: bool
    quiet: bool
    """Nothing is said, not even of a folder that is not called what its source is."""


def _deliver(source: str, outcome: Outcome[Compilation], where: _Delivery, taken: set[str], voice: Voice) -> None:
    """Write what came of one source; a failure is shown."""
    result = outcome.result
    if result is None:
        assert outcome.failure is not None
        show_failure(outcome.failure)
    else:
        for warning in result.warnings:
            voice.warn(f"{source}: {warning}")
    folder = None
    if result is not None and where.output is not None:
        folder = _write_files(result, where.output, where, taken, voice)
    elif result is not None and not where.lines:
        write_result(result.files[result.main])
    if where.lines:
        from untemplate.golden.records import compilation_record, to_line

        write_result(to_line(compilation_record(source, outcome, folder=folder)))


def _write_files(result: Compilation, output: str, where: _Delivery, taken: set[str], voice: Voice) -> str:
    from untemplate.spec.files import write_texts

    name = _free_name(result.name, taken)
    if name != result.name:
        replace(voice, quiet=where.quiet).warn(f"{result.source}: another source is called `{result.name}` too: written to `{name}`")
    folder = Path(output) / name
    write_texts({folder / file: text for file, text in result.files.items()})
    for stale in SPECS if result.main in SPECS else ():
        if stale not in result.files:
            (folder / stale).unlink(missing_ok=True)
    voice.say(f"{folder}: {', '.join(result.files)}; {result.verdict}")
    return str(folder)


def _without_files(outcome: Outcome[Compilation]) -> Outcome[Compilation]:
    """Return an outcome that holds no texts: of many sources only what the summary tells is remembered."""
    return outcome if outcome.result is None else replace(outcome, result=replace(outcome.result, files={}))


def _free_name(name: str, taken: set[str]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}-{count}"
    taken.add(free)
    return free
