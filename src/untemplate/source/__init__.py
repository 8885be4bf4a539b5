"""Where templates come from: files, model folders, GGUF headers."""

from untemplate.source.load import load_source, name_source
from untemplate.source.model import SourceKind, TemplateSource
from untemplate.source.vocabulary import Token, TokenType, Vocabulary

__all__ = ["SourceKind", "TemplateSource", "Token", "TokenType", "Vocabulary", "load_source", "name_source"]
