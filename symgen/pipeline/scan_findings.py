"""Judges what a scan has seen: what each thing means for an export, and what symgen would do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from symgen.config import HIGHEST_OPSET, Target
from symgen.coverage import CoverageRow, list_coverage, lowest_opset
from symgen.errors import SymgenError
from symgen.lower.torchlib import TORCHLIB
from symgen.model.autograd import LOCALS
from symgen.model.names import OpName
from symgen.model.scan import Finding, Kind, Place, Severity
from symgen.pipeline.custom_ops import TORCH_NAMESPACES
from symgen.sources import Sources, match_in
from symgen.verify.scan_jobs import Baked, DroppedWrite, ForeignNode, FunctionUse, OpUse, Refusal, ScanSeen, StateWrite

_TRY_OPSET = re.compile(r"Please try opset version (?P<opset>\d+)")
_CONTROL = frozenset({"prim::If", "prim::Loop"})
_CONTROL_NAMESPACES = frozenset({"prim", "cond", "while_loop", "map_impl", "scan"})
"""TorchScript's branches and loops, and those of an exported program, which have no namespace."""
_ATEN_DOMAIN = "aten"
_ORDER = {Severity.ERROR: 0, Severity.WRONG: 1, Severity.NOTE: 2}
_TRANSLATED = frozenset({"aten", "quantized"})
"""The namespaces that symgen has translations for."""


def judge(seen: ScanSeen, opset: int, sources: Sources) -> tuple[Finding, ...]:
    """The findings, those that stop an export first, each kind in the order of first use."""
    judges = _Judge(seen, opset, sources)
    return tuple(sorted(judges.findings(), key=lambda finding: _ORDER[finding.severity]))


class _Judge:
    """Judges one scan."""

    def __init__(self, seen: ScanSeen, opset: int, sources: Sources) -> None:
        self._seen = seen
        self._opset = opset
        self._sources = sources
        self._is_dynamo = seen.exporter == "dynamo"

    def findings(self) -> Iterator[Finding]:
        """Every finding, kind by kind."""
        for function in self._seen.functions:
            yield from self._function(function)
        for use in self._seen.uses:
            yield from self._use(use)
        for refusal in self._seen.refusals:
            yield self._refusal(refusal)
        if self._seen.failure:
            reason = f"the exporter fails: {self._seen.failure}"
            yield Finding(Kind.EXPORTER, Severity.ERROR, "torch.onnx.export", 1, Place(), reason)
        yield from map(_write, self._seen.writes)
        yield from map(_state, self._seen.state)
        for baked in self._seen.baked:
            yield self._baked(baked)
        yield from map(_foreign, self._seen.foreign)

    def _use(self, use: OpUse) -> Iterator[Finding]:
        """An operator that nothing serves at the opset."""
        namespace = use.op.partition("::")[0]
        severity = Severity.ERROR
        if not use.met:
            # What the exporter got past without asking for it stands in a branch that is not taken, or was taken out.
            if not use.has_result or (self._seen.complete and not use.branch):
                return
            severity = Severity.NOTE if self._seen.complete else Severity.ERROR
        if namespace in _CONTROL_NAMESPACES:
            reason = f"ONNX has nothing for {use.op}"
            yield Finding(Kind.CONTROL_FLOW, severity, use.op, use.count, use.place, reason)
            return
        row = self._row(use.op)
        kind = Kind.LATER_OPSET if use.since is not None else Kind.MISSING
        if namespace not in TORCH_NAMESPACES:
            kind = Kind.CUSTOM_OP
        yield Finding(
            kind=kind,
            severity=severity,
            op=use.op,
            count=use.count,
            place=use.place,
            reason=self._reason(use),
            action=self._action(use.op, use.since, row, namespace not in TORCH_NAMESPACES),
            since=use.since,
            inside=use.inside,
            falls_back=self._falls_back(use.op),
            new=self._new(use.op, row),
        )

    def _reason(self, use: OpUse) -> str:
        if self._is_dynamo:
            return "the dynamo exporter has no translation"
        if use.since is not None:
            reason = f"torch has a symbolic function from opset {use.since} on only"
        else:
            reason = "no symbolic function"
        if use.traced != use.op:
            reason += f" (in place: {use.traced})"
        is_passed_by = not use.met and self._seen.complete
        return reason + ("; in a branch that this export doesn't take" if is_passed_by else "")

    def _action(self, op: str, since: int | None, row: CoverageRow | None, is_custom: bool) -> str:
        """What symgen would do, or the user can."""
        later = f"or export at opset {since} or later" if since is not None and since <= HIGHEST_OPSET else ""
        if self._is_dynamo:
            return self._action_for_dynamo(op, is_custom)
        if is_custom:
            return f"symgen new {op} --import MODULE --domain DOMAIN makes it one node of your own"
        if row is None or row.symgen is None:
            why = f"symgen has no translation of its own{f': {row.reason}' if row and row.reason else ''}"
            return "; ".join(filter(None, [why, later]))
        if row.symgen > self._opset:
            return "; ".join(filter(None, [f"symgen new {op} writes it for opset {row.symgen} and later", later]))
        return "; ".join(filter(None, [f"symgen new {op} writes it, by {row.strategy}", later]))

    def _action_for_dynamo(self, op: str, is_custom: bool) -> str:
        """The same for the dynamo exporter, which takes functions in a table."""
        if is_custom:
            return "a function of your own in the custom_translation_table of the export"
        first, reason = self._first_for_dynamo(op)
        if first is None:
            return f"symgen has no translation of its own: {reason}"
        later = f" for opset {first} and later" if first > self._opset else ""
        return f"symgen new {op} --target torchlib writes it{later}"

    def _first_for_dynamo(self, op: str) -> tuple[int | None, str]:
        """The first opset at which symgen has a function for the dynamo exporter, or why there is none."""
        namespace, _, base = op.partition("::")
        if namespace != _ATEN_DOMAIN:
            return None, "the operator is none of ATen's"
        try:
            match = match_in(self._sources, OpName(namespace, base))
        except SymgenError as error:
            return None, str(error)
        if not match.plans:
            return None, match.no_plan.reason
        return lowest_opset(match.plans[0], self._sources, Target.TORCHLIB.opsets, TORCHLIB)

    def _refusal(self, refusal: Refusal) -> Finding:
        """A symbolic function that raised."""
        if refusal.op in _CONTROL:
            return Finding(
                Kind.CONTROL_FLOW, Severity.ERROR, refusal.op, refusal.count, refusal.place, refusal.message,
                action="make the branch or the loop one that ONNX can say, or trace it",
            )  # fmt: skip
        place = refusal.place
        if "::" not in refusal.op:
            same = [one for one in self._seen.functions if one.name.rpartition(":")[2] == refusal.op]
            place = same[0].place if same else place
            return Finding(
                Kind.PYTHON_OP, Severity.ERROR, same[0].name if same else refusal.op, refusal.count, place,
                f"its symbolic raises: {refusal.message}",
            )  # fmt: skip
        wanted = _TRY_OPSET.search(refusal.message)
        since = int(wanted["opset"]) if wanted else None
        row = self._row(refusal.op)
        return Finding(
            kind=Kind.REFUSED if since is None else Kind.LATER_OPSET,
            severity=Severity.ERROR,
            op=refusal.op,
            count=refusal.count,
            place=place,
            reason=f"the {'translation' if self._is_dynamo else 'symbolic function'} says: {refusal.message}",
            action=self._action(refusal.op, since, row, refusal.op.partition("::")[0] not in TORCH_NAMESPACES),
            since=since,
            falls_back=self._falls_back(refusal.op),
            new=self._new(refusal.op, row),
        )

    def _function(self, function: FunctionUse) -> Iterator[Finding]:
        def finding(kind: Kind, severity: Severity, reason: str, action: str, new: str = "") -> Finding:
            return Finding(kind, severity, function.name, function.count, function.place, reason, action, new=new)

        typed = function.name.replace(f".{LOCALS}", "")  # which a shell takes for a redirection
        own = f"symgen new {typed} --domain DOMAIN makes it one node of your own"
        match function.fate:
            case "fails":
                reason = f"the exporter cannot look into it: {function.detail}"
                advice = (
                    f"tensors that it captures have to become arguments; {own}, where every argument can be carried"
                )
                yield finding(Kind.PYTHON_OP, Severity.ERROR, reason, advice, function.name)
            case "constant":
                reason = "its forward leaves the trace (through NumPy, or a number), so that it exports as one constant"
                yield finding(Kind.BAKED, Severity.WRONG, reason, own, function.name)
            case "inlined" if not any(use.inside == function.name and use.met for use in self._seen.uses):
                reason = "the exporter inlines it already"
                yield finding(Kind.PYTHON_OP, Severity.NOTE, reason, "nothing is to be done")

    def _baked(self, baked: Baked) -> Finding:
        """A constant is wrong where what it was made of can change."""
        if not baked.from_shape:
            reason, severity = f"{baked.how} takes a value out of the trace, which stays as it was then", Severity.WRONG
        elif self._seen.dynamic_axes:
            reason, severity = f"{baked.how} takes a size out of the trace, which stays as it was then", Severity.WRONG
        else:
            reason = f"{baked.how} takes a size out of the trace, which is right as long as no axis is dynamic"
            severity = Severity.NOTE
        action = "compute it with operators of torch instead" if severity is Severity.WRONG else "nothing is to be done"
        return Finding(Kind.BAKED, severity, baked.how, baked.count, baked.place, reason, action)

    def _row(self, op: str) -> CoverageRow | None:
        """What symgen knows of one of torch's operators."""
        namespace, _, base = op.partition("::")
        if namespace not in _TRANSLATED:
            return None
        try:
            return list_coverage(self._sources, [OpName(namespace, base)])[0]
        except SymgenError:
            return None  # of TorchScript's own: lists, dictionaries, strings

    def _new(self, op: str, row: CoverageRow | None) -> str:
        if self._is_dynamo:
            first, _ = self._first_for_dynamo(op)
            return op if first is not None and first <= self._opset else ""
        if op.partition("::")[0] not in TORCH_NAMESPACES:
            return op
        return op if row is not None and row.symgen is not None and row.symgen <= self._opset else ""

    def _falls_back(self, op: str) -> Mapping[str, str]:
        """The node that stands for it under the other values of `operator_export_type`."""
        if self._is_dynamo:
            return {}
        namespace, _, base = op.partition("::")
        domain = "org.pytorch.aten" if namespace == _ATEN_DOMAIN else namespace
        return {"ONNX_ATEN_FALLBACK": "org.pytorch.aten::ATen", "ONNX_FALLTHROUGH": f"{domain}::{base}"}


def _write(write: DroppedWrite) -> Finding:
    if write.forgets:
        return _forgetful(write)
    read = f", read at {write.reader.source}" if write.reader.source else ", given as a result"
    if write.through:
        how = f"it goes through {write.through}, and the exporter follows writes through slices and selections only"
    else:
        how = "what shares its memory was taken before, and keeps the old values in the exported model"
    reason = f"the write is dropped without a word{read}: {how}"
    action = "assign to the tensor itself (x[...] = y), or compute a new one, as with torch.where"
    return Finding(Kind.DROPPED_WRITE, Severity.WRONG, write.op, write.count, write.place, reason, action)


def _forgetful(write: DroppedWrite) -> Finding:
    """A write of which the exporter forgets a part."""
    merges = "the exporter makes one subscript of all that a write goes through"
    if write.forgets == "order":
        reason = f"{merges}, and can't of slices that are not in the order of the axes: it fails, or drops the write"
    else:
        reason = f"{merges}, and forgets the {write.forgets} here, so that other elements are written"
    action = "say it as one subscript without the slices (x[i, j] = y), or compute a new tensor, as with torch.where"
    return Finding(Kind.DROPPED_WRITE, Severity.WRONG, write.op, write.count, write.place, reason, action)


def _state(write: StateWrite) -> Finding:
    reason = "the model writes into it, and an ONNX model keeps nothing from one call to the next"
    action = "give it as an input and as a result, where later calls need what was written"
    return Finding(Kind.DROPPED_WRITE, Severity.NOTE, write.name, write.count, write.place, reason, action)


def _foreign(node: ForeignNode) -> Finding:
    if node.name.startswith("aten::"):
        reason, severity = "a symbolic function falls back to an ATen node, which no runtime has", Severity.WRONG
    else:
        reason, severity = "a node of a domain that isn't ONNX's, which needs kernels in the runtime", Severity.NOTE
    return Finding(Kind.OTHER_DOMAIN, severity, node.name, node.count, node.place, reason)
