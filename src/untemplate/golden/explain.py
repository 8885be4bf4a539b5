"""What a changed golden means for a parser."""

from __future__ import annotations

from untemplate.drift.diff import diff
from untemplate.drift.model import Drift
from untemplate.drift.sides import side_of_spec
from untemplate.errors import UntemplateError
from untemplate.golden.folder import Difference, State
from untemplate.spec.files import spec_from_text


def find_drift(difference: Difference) -> Drift | None:
    """Return what changed between the two texts of a spec; ``None`` for another file, or where one is no spec."""
    if difference.state is not State.CHANGED or not difference.file.startswith("spec."):
        return None
    try:
        return diff(side_of_spec(spec_from_text(difference.old)), side_of_spec(spec_from_text(difference.new)))
    except UntemplateError:
        return None
