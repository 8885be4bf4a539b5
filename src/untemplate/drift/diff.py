"""The difference of two compiled templates: raw units, each held against turns, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from untemplate.drift.model import Drift, Finding, Proof, Severity
from untemplate.drift.proof import Taker, find_break
from untemplate.drift.samples import SampleTurn, sample_turns
from untemplate.drift.units import Unit, compare_units, with_unit
from untemplate.drift.words import explain, naming_of
from untemplate.infer.evidence import Evidence
from untemplate.spec.model import Spec
from untemplate.text.split import DiffSplit, split

_AROUND = 40
"""Characters of a prompt that are shown on either side of where it differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One compiled template, with what is known of it beside its spec."""

    spec: Spec
    turns: tuple[SampleTurn, ...] = ()
    """Turns that the template itself rendered; those that the spec composes come on top."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompts that the template rendered, by what was asked; empty for a side that is a spec alone."""
    evidence: Mapping[str, tuple[Evidence, ...]] = field(default_factory=dict)
    """What the fields of the spec were read from; empty for a side that is a spec alone."""


def diff(old: Side, new: Side) -> Drift:
    """Return all that differs between two compiled templates, each finding with its severity and, if breaking, its proof."""
    units = compare_units(old.spec, new.spec)
    judge = _Judge.of(old, new)
    findings = [judge.finding(unit) for unit in units]
    if judge.forward is not None and not any(finding.severity is Severity.BREAKING for finding in findings):
        findings.append(_together(judge.forward))
    findings += _prompt_findings(old, new, any(finding.kind in ("prompt", "generation_prompt") for finding in findings))
    ranked = sorted(findings, key=lambda finding: -finding.severity.rank)
    return Drift(old=old.spec.template.name, new=new.spec.template.name, findings=tuple(ranked))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Settles what one unit's difference means, by reading turns that have only that difference."""

    old: Taker
    forward: Proof | None
    """A new turn that the old parser misreads or the old grammar forbids."""
    backward: Proof | None
    """The same of an old turn."""
    evidence: Mapping[str, tuple[Evidence, ...]]
    """Of the new template."""

    @classmethod
    def of(cls, old: Side, new: Side) -> _Judge:
        before, after = Taker(old.spec), Taker(new.spec)
        return cls(
            old=before,
            forward=find_break(before, after, _turns(new)),
            backward=find_break(after, before, _turns(old)),
            evidence=new.evidence,
        )

    def finding(self, unit: Unit) -> Finding:
        """Return a unit's difference with its severity."""
        proof = self._proof(unit) if unit.steers_turns else None
        severity = Severity.BREAKING if proof else _harmless(unit)
        return Finding(
            kind=naming_of(unit).kind,
            path=unit.name,
            old=unit.old,
            new=unit.new,
            severity=severity,
            explanation=explain(unit, severity, proof, reverse_broken=self.backward is not None),
            proof=proof,
            evidence=_probes(unit, self.evidence),
        )

    def _proof(self, unit: Unit) -> Proof | None:
        """Return a turn that breaks for this unit alone; where it cannot stand alone, one that breaks for all together."""
        if self.forward is None:
            return None
        alone = with_unit(self.old.spec, unit)
        turns = sample_turns(alone) if alone is not None else ()
        return find_break(self.old, Taker(alone), turns) if alone is not None and turns else self.forward


def _probes(unit: Unit, evidence: Mapping[str, tuple[Evidence, ...]]) -> tuple[str, ...]:
    """Return the probes that the nearest field around a unit was read from."""
    near = [path for path in evidence if unit.name == path or unit.name.startswith((f"{path}.", f"{path}["))]
    return tuple(dict.fromkeys(entry.probe for entry in evidence[max(near, key=len)])) if near else ()


def _turns(side: Side) -> tuple[SampleTurn, ...]:
    return tuple(sorted((*side.turns, *sample_turns(side.spec)), key=lambda turn: len(turn.text)))


def _harmless(unit: Unit) -> Severity:
    return Severity.COMPATIBLE if unit.steers_turns or unit.path[0] == "tokens" else Severity.COSMETIC


def _together(proof: Proof) -> Finding:
    return Finding(
        kind="turn",
        path="turn",
        old=None,
        new=None,
        severity=Severity.BREAKING,
        explanation="no single change breaks the old parser or grammar, all of them together do",
        proof=proof,
    )


def _prompt_findings(old: Side, new: Side, told: bool) -> list[Finding]:
    """Return the prompts that two templates write otherwise, unless a finding of the spec tells it already."""
    if told:
        return []
    changed = [name for name in old.prompts if name in new.prompts and old.prompts[name] != new.prompts[name]]
    return [_prompt_finding(name, split(old.prompts[name], new.prompts[name])) for name in changed[:1]]


def _prompt_finding(name: str, parts: DiffSplit) -> Finding:
    before, after = parts.prefix[-_AROUND:], parts.suffix[:_AROUND]
    return Finding(
        kind="prompt",
        path="prompt",
        old=before + parts.left + after,
        new=before + parts.right + after,
        severity=Severity.COSMETIC,
        explanation=f"the prompt {name} is written otherwise, no turn of the model",
    )
