"""Holds the markers of a spec against a vocabulary: which are one token, which the tokenizer splits."""

from __future__ import annotations

from dataclasses import replace

from untemplate.source import Vocabulary
from untemplate.spec.model import ReasoningMode, Spec, SpecWarning
from untemplate.text.edges import marker_atoms

_FENCES = (("<think>", "</think>"), ("<|think|>", "<|/think|>"), ("[THINK]", "[/THINK]"), ("<reasoning>", "</reasoning>"))


def with_vocabulary(spec: Spec, vocabulary: Vocabulary) -> Spec:
    """Return the spec with the ids and types of its markers that are one token, and a warning that names the others."""
    ids: dict[str, int] = {}
    types: dict[str, str] = {}
    split: list[str] = []
    for text in _markers(spec):
        token = vocabulary.find(text)
        if token is not None:
            ids[text], types[text] = token.id, str(token.type)
        elif vocabulary.complete:
            split.append(text)
    found = list(spec.warnings)
    if split:
        listed = ", ".join(split)
        found.append(SpecWarning(code="W360", message=f"the tokenizer writes these markers as several tokens: {listed}"))
    found += _hints(spec, vocabulary)
    return replace(spec, tokens=replace(spec.tokens, ids=ids, types=types), warnings=tuple(found))


def _markers(spec: Spec) -> tuple[str, ...]:
    """Return the preserved markers and the tags in stops, each once."""
    stops = (atom for stop in spec.tokens.stops for atom in marker_atoms(stop) or (stop,))
    return tuple(dict.fromkeys((*spec.tokens.preserved, *stops)))


def _hints(spec: Spec, vocabulary: Vocabulary) -> list[SpecWarning]:
    """Return what the vocabulary suggests where the template shows no reasoning: a pair of tokens made for it."""
    if spec.turn.reasoning.mode is not ReasoningMode.NONE:
        return []
    for opening, closing in _FENCES:
        if vocabulary.find(opening) is not None and vocabulary.find(closing) is not None:
            message = f"the vocabulary has {opening} and {closing}, of which the template knows nothing"
            return [SpecWarning(code="W361", message=f"{message}: if the model reasons between them, an overlay can say so")]
    return []
