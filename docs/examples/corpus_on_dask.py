"""Compile a corpus of chat templates on a cluster of Dask's: a line of JSON for each template, as it is done.

    pip install '.[dask]'
    python docs/examples/corpus_on_dask.py 'templates/*.jinja' > specs.jsonl
    python docs/examples/corpus_on_dask.py --scheduler tcp://head:8786 --cache kept 'hf:org/model@main' > specs.jsonl

Without ``--scheduler`` a cluster is made on this machine. Sources are read here; the workers need nothing but untemplate. With ``--cache``
a run that was killed goes on where it was.
"""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from distributed import Client

from untemplate.golden.cache import Cache
from untemplate.golden.corpus import compile_corpus
from untemplate.golden.jobs import CompileJob, Extent
from untemplate.golden.records import compilation_record, to_line


def compile_on(client: Client, sources: Sequence[str], cache: Cache | None) -> Iterator[dict[str, Any]]:
    """Yield what came of each source, as it is done: ``{source, name, spec, …}``, or ``{source, error}``."""
    jobs = [CompileJob(source=source, form="json", extent=Extent.SPEC) for source in sources]
    # An executor of `concurrent.futures`; twice as many jobs as there are threads keeps all of them busy.
    executor = client.get_executor(pure=False)
    ahead = 2 * max(1, sum(client.nthreads().values()))
    for outcome in compile_corpus(jobs, cache=cache, executor=executor, ahead=ahead):
        yield compilation_record(sources[outcome.index], outcome)


def find_sources(patterns: Sequence[str]) -> list[str]:
    """Return the sources that the patterns find; what is no pattern stands for itself."""
    return [each for pattern in patterns for each in (sorted(glob.glob(pattern, recursive=True)) or [pattern])]


def main(arguments: Sequence[str]) -> int:
    """Write the lines to standard output; return 1 if a source failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--scheduler", help="address of a cluster; one on this machine if not given")
    parser.add_argument("--workers", type=int, default=2, help="processes of a cluster on this machine")
    parser.add_argument("--cache", type=Path, help="folder of results")
    given = parser.parse_args(arguments)
    cache = Cache(given.cache) if given.cache else None
    failed = 0
    here = {"n_workers": given.workers, "threads_per_worker": 1, "dashboard_address": None}
    with Client(given.scheduler) if given.scheduler else Client(**here) as client:
        for record in compile_on(client, find_sources(given.sources), cache):
            sys.stdout.write(to_line(record))
            sys.stdout.flush()
            failed += "error" in record
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
