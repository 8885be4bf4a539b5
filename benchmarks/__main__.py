"""``python -m benchmarks [--full] [NAME…]``: run ``bench_NAME.py`` for each name, or all of them.

``--full`` takes whole corpora where a sample does otherwise: minutes instead of seconds.

A benchmark is a module with ``run() -> list[Figure]``; see ``benchmarks.figures``.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from benchmarks.figures import FULL, show


def main(names: list[str]) -> int:
    """Run benchmarks and return 1 if a figure misses its target."""
    if "--full" in names:
        os.environ[FULL] = "1"  # where the processes that benchmarks start see it too
        names = [name for name in names if name != "--full"]
    present = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    missed = 0
    for name in names or present:
        if name not in present:
            print(f"no benchmark `{name}`; there are: {', '.join(present)}", file=sys.stderr)
            return 2
        print(f"\n{name}")
        missed += show(importlib.import_module(f"benchmarks.bench_{name}").run())
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
