"""Evidence: for every inferred field, the probe that it was read from and the diff."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One reading: ``prefix + left|right + suffix`` of the probe's two renderings, and what was concluded."""

    probe: str
    """Identifier of the probe: the cases that were compared, such as ``content|reasoning+content``."""
    prefix: str = ""
    """The end of the common prefix."""
    left: str = ""
    right: str = ""
    suffix: str = ""
    """The start of the common suffix."""
    note: str = ""


@dataclass(slots=True)
class Notebook:
    """Collects evidence while inference goes on."""

    entries: dict[str, list[Evidence]] = field(default_factory=dict)

    def note(self, path: str, probe: str, *, prefix: str = "", left: str = "", right: str = "", suffix: str = "", note: str = "") -> None:
        """Record what ``path`` of the spec was read from."""
        self.entries.setdefault(path, []).append(
            Evidence(probe=probe, prefix=prefix[-80:], left=left[:400], right=right[:400], suffix=suffix[:80], note=note)
        )

    def frozen(self) -> dict[str, tuple[Evidence, ...]]:
        """Return the evidence by field, in order of inference."""
        return {path: tuple(entries) for path, entries in self.entries.items()}
