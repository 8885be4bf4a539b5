"""``untemplate explain``: the probes and diff splits that a field of the spec was read from."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.inputs import refuse_spec
from untemplate.cli.sources import SourceOptions, compile_at, with_source_options
from untemplate.cli.visible import visible
from untemplate.cli.voice import Voice, print_all, with_voice, write_result
from untemplate.errors import RequestError

if TYPE_CHECKING:
    from rich.text import Text

    from untemplate.infer.evidence import Evidence
    from untemplate.spec.model import Spec


@click.command()
@click.argument("source")
@click.argument("field", required=False)
@with_source_options
@click.option(
    "--format", "form", type=click.Choice(["text", "yaml", "json"]), default="text", show_default=True, help="As data, if not as text."
)
@with_voice
def explain(source: str, field: str | None, chosen: SourceOptions, form: str, voice: Voice) -> int:
    """Show what each FIELD of SOURCE's spec was read from: the probes, and where their two renderings part.

    FIELD is a path such as `turn.reasoning`; all below it is shown too. Without one, every field is.
    """
    refuse_spec(source)
    _source, compiled = compile_at(source, chosen, verify=False)
    found = {path: entries for path, entries in compiled.evidence.items() if field is None or _is_at(path, field)}
    if field is not None and not found:
        raise _no_evidence(field, list(compiled.evidence), source)
    if form == "text":
        print_all(line for path, entries in found.items() for line in _explained(path, entries, compiled.spec))
        return 0
    from untemplate.golden.artifacts import evidence_to_data
    from untemplate.spec.files import data_to_json
    from untemplate.spec.yaml_text import dump_yaml

    data = evidence_to_data(found)
    write_result(data_to_json(data) if form == "json" else dump_yaml(data))
    return 0


def _is_at(path: str, field: str) -> bool:
    """Return whether ``path`` is ``field``, below it, or around it."""
    return path == field or path.startswith((f"{field}.", f"{field}[")) or field.startswith((f"{path}.", f"{path}["))


def _no_evidence(field: str, known: Sequence[str], source: str) -> RequestError:
    near = difflib.get_close_matches(field, known, n=1, cutoff=0.4)
    hint = f"did you mean `{near[0]}`?" if near else f"there is evidence for: {', '.join(known)}"
    return RequestError(f"nothing was noted for the field `{field}`", code="E606", where=source, hint=hint)


def _explained(path: str, entries: Sequence[Evidence], spec: Spec) -> Iterator[Text]:
    from rich.text import Text

    yield Text(path, style="bold")
    value = _value_at(spec, path)
    if value is not None:
        yield Text(f"  is {value}", style="dim")
    for entry in entries:
        yield Text(f"  probe {visible(entry.probe)}", style="cyan") + Text(f"  {visible(entry.note)}" if entry.note else "", style="dim")
        yield from _split_lines(entry)
    yield Text("")


def _split_lines(entry: Evidence) -> Iterator[Text]:
    """Yield the two sides of a diff split, each between what both share."""
    from rich.text import Text

    for sign, side, style in (("-", entry.left, "red"), ("+", entry.right, "green")):
        if side:
            shared = "dim"
            yield Text.assemble(
                (f"    {sign} ", style), (visible(entry.prefix), shared), (visible(side), f"bold {style}"), (visible(entry.suffix), shared)
            )


def _value_at(spec: Spec, path: str) -> str | None:
    """Return the value at a path of the spec on one line of YAML; ``None`` where there is no such place, or a large one."""
    from untemplate.spec.files import spec_to_data
    from untemplate.spec.yaml_text import dump_yaml

    value: Any = spec_to_data(spec)
    for step in path.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return None
        value = value[step]
    text = dump_yaml({"is": value})
    return text.removeprefix("is: ").rstrip("\n") if text.count("\n") == 1 else None
