"""Where templates come from: files, model folders, GGUF headers."""

from untemplate.source.load import load_source
from untemplate.source.model import SourceKind, TemplateSource

__all__ = ["SourceKind", "TemplateSource", "load_source"]
