"""``untemplate inspect``: what was found, for a person to see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.inputs import looks_like_spec, read_spec
from untemplate.cli.sources import SourceOptions, compile_at, with_source_options
from untemplate.cli.visible import visible
from untemplate.cli.voice import Voice, print_all, with_voice, write_result

if TYPE_CHECKING:
    from rich.console import RenderableType

    from untemplate.spec.model import Spec


@click.command()
@click.argument("source", metavar="SOURCE|SPEC")
@with_source_options
@click.option(
    "--format", "form", type=click.Choice(["text", "yaml", "json"]), default="text", show_default=True, help="yaml and json: as data."
)
@with_voice
def inspect(source: str, chosen: SourceOptions, form: str, voice: Voice) -> int:
    """Show what was found in a template: an annotated turn, markers, calls, prompts, capabilities, warnings."""
    spec = read_spec(source) if looks_like_spec(source) else compile_at(source, chosen)[1].spec
    if form == "text":
        print_all(list(_report(spec, verbose=voice.verbose)))
        return 0
    from untemplate.spec.files import data_to_json
    from untemplate.spec.yaml_text import dump_yaml

    data = _as_data(spec)
    write_result(data_to_json(data) if form == "json" else dump_yaml(data))
    return 0


def _as_data(spec: Spec) -> dict[str, Any]:
    from untemplate.cli.sketch import sketch_turn
    from untemplate.spec.files import spec_to_data

    turn = [{"is": piece.kind, "text": piece.text} for piece in sketch_turn(spec)]
    return {"turn": turn, "spec": spec_to_data(spec, complete=True)}


def _report(spec: Spec, *, verbose: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    from untemplate.cli import tables
    from untemplate.cli.pieces import group_rows
    from untemplate.cli.sketch import sketch_turn

    info = spec.template
    yield Text(visible(info.name), style="bold") + Text(f"  {info.source}, sha256 {info.sha256[:12]}", style="dim")
    yield from _titled("A turn", tables.turn_table(group_rows(sketch_turn(spec))))
    yield from _titled("Markers", tables.markers_table(spec))
    yield from _titled("Calls", tables.calls_table(spec), "the template shows none")
    yield from _titled("Generation prompts", tables.prompts_table(spec))
    yield from _titled("Switches", tables.switches_table(spec), "none was found")
    yield from _titled("Tokens", tables.tokens_table(spec))
    yield from _titled("What conversations it takes", tables.capabilities_table(spec, verbose=verbose))
    yield from _said(spec)


def _titled(title: str, table: RenderableType | None, otherwise: str = "") -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"\n{title}", style="bold underline")
    yield Padding(Text(otherwise, style="dim") if table is None else table, (0, 0, 0, 2), expand=False)


def _said(spec: Spec) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text("")
    for quirk in spec.quirks:
        yield Text(visible(f"quirk {quirk.id}: {quirk.reason}"), style="cyan")
    for ambiguity in spec.ambiguities:
        yield Text(visible(f"ambiguous: {', '.join(ambiguity.fields)}: {ambiguity.because}"), style="yellow")
    for warning in spec.warnings:
        yield Text(visible(f"warning {warning.code}: {warning.message}"), style="yellow")
    checked = spec.verification
    if checked is None:
        yield Text("not verified", style="dim")
        return
    whole = checked.read_back == checked.turns
    yield Text(f"{checked.read_back} of {checked.turns} rendered turns read back", style="green" if whole else "red")
    for skipped in checked.skipped:
        yield Text(visible(f"  {skipped.turns} not tried: {skipped.because}"), style="dim")
