"""``python -m benchmarks.runtimes_table [FILE]``: what of each fixture's dialect fits into each target, as the table of a page.

Without FILE the table goes to standard output; with it, it replaces the one in the file, between the two comments. A test holds
``docs/runtimes.md`` to it.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

from untemplate.compiler import compile_template
from untemplate.emit.export import Exported, Fit
from untemplate.emit.layout_key import call_key
from untemplate.emit.targets import TARGETS, Material
from untemplate.errors import UntemplateError
from untemplate.golden.example_tools import EXAMPLE_TOOLS
from untemplate.parser import build_parser
from untemplate.spec.model import Spec

FIXTURES = Path(__file__).parents[1] / "fixtures"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"
COLUMNS = (
    ("response-template", "portable"),
    ("response-template", "transformers"),
    ("llama-server", ""),
    ("structural-tag", ""),
    ("lark", ""),
    ("vllm-plugin", ""),
    ("sglang-plugin", ""),
    ("peg-json", ""),
    ("llama-arena", ""),
    ("flags", ""),
)


@cache
def spec_of(path: Path) -> Spec:
    return compile_template(path)


def exported(spec: Spec, target: str, profile: str) -> Exported | UntemplateError:
    """Return what a target makes of a spec, with the example tools where it is made for one request; or why it makes nothing."""
    parser = build_parser(spec, tools=EXAMPLE_TOOLS if spec.turn.calls is not None else None)
    material = Material(spec=spec, request=parser.request, start=parser.start, profile=profile or "portable")
    try:
        return TARGETS[target].write(material)
    except UntemplateError as problem:
        return problem


def cell(target: str, made: Exported | UntemplateError) -> str:
    """Return one cell: exact, lossy with the fields, or impossible; for flags, whether all runtimes have a parser."""
    if isinstance(made, UntemplateError):
        return "impossible"
    if target == "flags":
        names = {line.split(":")[0] for line in made.text.splitlines() if not line.startswith("#")}
        return ", ".join(name for name in ("vllm", "sglang", "mlx-lm", "ollama") if name in names) or "–"
    if made.fit is Fit.LOSSY:
        return "lossy: " + ", ".join(dict.fromkeys(loss.field for loss in made.losses))
    if target == "structural-tag":
        return "exact, grammar" if '"type": "grammar"' in json.dumps(json.loads(made.text)) else "exact"
    return "exact"


def table() -> str:
    """Return the table and, below it, what is lost and why."""
    columns = [(target, profile) for target, profile in COLUMNS if target in TARGETS]
    heads = [f"{target} {profile}".strip() for target, profile in columns]
    lines = [f"| fixture | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    reasons: list[str] = []
    for path in sorted(FIXTURES.glob("*.jinja")):
        spec = spec_of(path)
        made = [exported(spec, target, profile) for target, profile in columns]
        cells = [cell(target, each) for (target, _), each in zip(columns, made, strict=True)]
        lines.append(f"| {path.stem} | {' | '.join(cells)} |")
        for head, each in zip(heads, made, strict=True):
            if isinstance(each, UntemplateError):
                reasons.append(f"* {path.stem}, {head}: impossible: {each}")
            else:
                reasons += [f"* {path.stem}, {head}: {loss}" for loss in each.losses]
    keys = [f"* {path.stem}: `{call_key(spec_of(path))}`" for path in sorted(FIXTURES.glob("*.jinja")) if call_key(spec_of(path))]
    parts = ["\n".join(lines), "What is lost:", "\n".join(reasons) or "* nothing", "How the fixtures write calls, white space left out:"]
    return "\n\n".join([*parts, "\n".join(keys)]) + "\n"


def replaced(page: str, made: str) -> str:
    """Return a page with the table between its comments replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write the table; return the exit code."""
    if not arguments:
        print(table(), end="")
        return 0
    path = Path(arguments[0])
    path.write_text(replaced(path.read_text(encoding="utf-8"), table()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
