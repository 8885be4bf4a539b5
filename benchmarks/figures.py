"""What a benchmark returns, how it is shown, and how processes are timed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

FULL = "UNTEMPLATE_BENCH_FULL"


def is_full() -> bool:
    """Return whether whole corpora are wanted."""
    return bool(os.environ.get(FULL))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number beside its target."""

    what: str
    value: float
    unit: str
    target: str = ""
    """In words: ``at most 10``."""
    met: bool | None = None
    """``None``: there is no target."""
    note: str = ""


def at_most(what: str, value: float, bound: float, unit: str = "x", note: str = "") -> Figure:
    """Return a figure that is good when it is small."""
    return Figure(what=what, value=value, unit=unit, target=f"at most {bound:g}", met=value <= bound, note=note)


def at_least(what: str, value: float, bound: float, unit: str = "x", note: str = "") -> Figure:
    """Return a figure that is good when it is large."""
    return Figure(what=what, value=value, unit=unit, target=f"at least {bound:g}", met=value >= bound, note=note)


def show(figures: Sequence[Figure]) -> int:
    """Print figures as a table and return how many miss their target."""
    for each in figures:
        verdict = {True: "ok", False: "MISSED", None: ""}[each.met]
        print(f"  {each.what:<52} {each.value:>10.3g} {each.unit:<5} {each.target:<16} {verdict:<7} {each.note}".rstrip())
    return sum(each.met is False for each in figures)


def process_seconds(command: Sequence[str], *, best_of: int = 7) -> float:
    """Return the shortest time that a process took, start and end included.

    Raises:
        RuntimeError: when the process fails; a fast failure is no good figure.
    """
    times = []
    for _ in range(best_of):
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, text=True)
        times.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[-400:]}")
    return min(times)


def bare_python_seconds(best_of: int = 15) -> float:
    """Return the shortest time of ``python -c pass``: the unit of the start-up figures."""
    return process_seconds([sys.executable, "-c", "pass"], best_of=best_of)
