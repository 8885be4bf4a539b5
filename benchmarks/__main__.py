"""``python -m benchmarks [NAME…]``: run ``bench_NAME.py`` for each name, or all of them.

A benchmark is a module with ``run() -> list[Figure]``; see ``benchmarks.figures``.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from benchmarks.figures import show


def main(names: list[str]) -> int:
    """Run benchmarks and return 1 if a figure misses its target."""
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
