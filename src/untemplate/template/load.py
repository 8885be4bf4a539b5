"""From a source to a template."""

from __future__ import annotations

from untemplate.source.model import SourceKind, TemplateSource
from untemplate.template.helpers import Clock, frozen_clock
from untemplate.template.limits import Limits
from untemplate.template.template import Template


def load_template(source: TemplateSource, *, clock: Clock = frozen_clock, limits: Limits | None = None) -> Template:
    """Return the chosen template of a source, with the source's special tokens. Its errors name the source's path."""
    path = "standard input" if source.path == "-" else source.path
    place = path if source.kind is SourceKind.JINJA else f"{path}[{source.chosen}]"
    return Template(source.text, source.name, source.special_tokens, place=place, clock=clock, limits=limits)
