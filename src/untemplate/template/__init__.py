"""Rendering as Hugging Face does it, in a sandbox with limits on time, memory and output."""

from untemplate.template.conversation import Rendered, render_conversation
from untemplate.template.helpers import FROZEN, Clock
from untemplate.template.limits import Limits
from untemplate.template.load import load_template
from untemplate.template.normalize import Prepared, prepare, prepare_messages
from untemplate.template.template import Template

__all__ = [
    "FROZEN",
    "Clock",
    "Limits",
    "Prepared",
    "Rendered",
    "Template",
    "load_template",
    "prepare",
    "prepare_messages",
    "render_conversation",
]
