"""Sources on the Hugging Face hub: ``hf:REPO@REVISION`` or ``hf:REPO@REVISION:FILE``.

``huggingface_hub`` fetches them into its own cache, with its own settings: ``HF_HOME``, ``HF_TOKEN``, ``HF_ENDPOINT``, ``HF_HUB_OFFLINE``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from untemplate.errors import SourceError

PREFIX = "hf:"
_SHAPE = re.compile(r"hf:(?P<repo>[\w-][\w.-]*(?:/[\w-][\w.-]*)?)(?:@(?P<revision>[^\s:@]+))?(?::(?P<file>[^\s:]+))?")
_WANTED = (
    "chat_template.jinja",
    "additional_chat_templates/*.jinja",
    "chat_template.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "added_tokens.json",
)
"""All that a model's folder says of its template and tokens; no weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubPlace:
    """A model's repository on the hub, or one file in it."""

    repo: str
    revision: str | None
    """A commit, tag or branch; ``None``: the repository's main branch."""
    file: str | None

    @property
    def name(self) -> str:
        """What the repository is called, without its owner."""
        return self.repo.rpartition("/")[2]


def is_hub(source: str) -> bool:
    """Return whether a source stands on the hub."""
    return source.startswith(PREFIX)


def parse_hub(source: str) -> HubPlace:
    """Return the place that ``hf:REPO[@REVISION][:FILE]`` names.

    Raises:
        SourceError: E120 when it has another shape.
    """
    found = _SHAPE.fullmatch(source)
    if found is None or ".." in PurePosixPath(found["file"] or "").parts:
        hint = "Give hf:OWNER/NAME@REVISION, or hf:OWNER/NAME@REVISION:FILE for one file."
        raise SourceError("this names no place on the hub", code="E120", where=source, hint=hint)
    return HubPlace(repo=found["repo"], revision=found["revision"], file=found["file"])


def fetch_hub(source: str) -> Path:
    """Return the local folder, or file, of a source on the hub; what is not in the hub's cache is fetched.

    Raises:
        SourceError: E120 for another shape, E121 without ``huggingface_hub``, E122 when the hub does not give it.
    """
    place = parse_hub(source)
    try:
        import huggingface_hub  # an extra; and slow to import
    except ImportError as error:
        message = "sources on the hub need the package huggingface_hub"
        raise SourceError(message, code="E121", where=source, hint="pip install 'untemplate[hub]'") from error
    try:
        if place.file is not None:
            return Path(_silently(lambda: huggingface_hub.hf_hub_download(place.repo, place.file, revision=place.revision)))
        return Path(_silently(lambda: huggingface_hub.snapshot_download(place.repo, revision=place.revision, allow_patterns=list(_WANTED))))
    except Exception as error:  # its errors, and those of the HTTP library below it, have no common root
        raise SourceError(f"the hub does not give it: {_said(error)}", code="E122", where=source, hint=_hint(error)) from error


def _silently(fetch: Callable[[], str]) -> str:
    """Return what ``fetch`` does without the hub's own progress bars."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    if are_progress_bars_disabled():
        return fetch()
    disable_progress_bars()
    try:
        return fetch()
    finally:
        enable_progress_bars()


def _said(error: Exception) -> str:
    """Return the sentence of an error that says most: requests' ids and addresses come before it or after.

    ``Got:`` stands before what another error said, whose message it then is.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if "Request ID" not in line), type(error).__name__)
    return told.removeprefix("Got: ").partition(". ")[0].removesuffix(".")


_HINTS = (
    ("GatedRepoError", "Ask for access on the model's page, and set HF_TOKEN."),
    ("RepositoryNotFoundError", "Check the name; a private repository needs HF_TOKEN."),
    ("RevisionNotFoundError", "Check what follows the @: a commit, tag or branch."),
    ("RemoteEntryNotFoundError", "Check the file's name."),
    ("HFValidationError", "Give hf:OWNER/NAME@REVISION."),
)


def _hint(error: Exception) -> str:
    """Return what to do; classes are told by name, because they move between releases."""
    kinds = {each.__name__ for each in type(error).__mro__}
    known = next((hint for kind, hint in _HINTS if kind in kinds), None)
    return known or "Check the network; offline (HF_HUB_OFFLINE=1), fetch it first where there is one: `hf download`."
