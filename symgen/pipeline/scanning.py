"""`scan`: what stands between a model and ONNX; what is missing is written, and the export tried, where asked."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from symgen.config import HIGHEST_OPSET, Config, NewOptions, ScanOptions, Target
from symgen.errors import SymgenError
from symgen.files import Change, read_file, write_files
from symgen.model.names import parse_op_name
from symgen.model.result import Outcome, SampleResult, Verdict
from symgen.model.run import Listener, Step, ignore_steps
from symgen.model.scan import ExportCheck, Finding, Kind, Report, Severity
from symgen.pipeline.custom_ops import is_custom_op
from symgen.pipeline.new import new
from symgen.pipeline.scan_findings import judge
from symgen.pipeline.scan_targets import package_folder, resolve_target
from symgen.render.reproductions import Reproduction, render_reproduction
from symgen.sources import Sources, load_sources
from symgen.verify.exported_plan import EXPORTED
from symgen.verify.messages import Failed, Message
from symgen.verify.pool import Pool, start_pool
from symgen.verify.scan_jobs import ExportJob, ScanJob, ScanSeen, ScanStep, TargetSpec, Unusable, WrongOp

_PATIENCE = 6
"""A job on the user's own code may be silent for six times the limit of a sample."""
_DEPENDENCIES = ("torch", "onnx", "onnxruntime")


class UnusableModelError(SymgenError):
    """The model can't be loaded, or fails on its inputs before anything of ONNX comes in."""


def scan(text: str, config: Config, options: ScanOptions, listener: Listener = ignore_steps) -> Report:
    """Scans a model; with `options.new` writes what is missing, with `options.export` exports it after that.

    Raises:
        SymgenError: where the target, the configuration or an installed package is not usable.
    """
    target = resolve_target(text, config, options)
    opset = config.opset or HIGHEST_OPSET
    sources = load_sources(config)

    def look() -> Report:
        with start_pool(1, options.timeout / _PATIENCE) as pool:
            return scan_target(replace(target, package=package_folder(config)), opset, sources, pool, listener)

    report = look()
    if options.new:
        report = _with_missing_written(report, look, target, config, options, listener)
    if options.export:
        report = _exported(report, target, options.export, config, options, listener)
    return report


def _with_missing_written(
    report: Report,
    look: Callable[[], Report],
    target: TargetSpec,
    config: Config,
    options: ScanOptions,
    listener: Listener,
) -> Report:
    """Has what is missing written, and looks again: behind it there may be more."""
    while outcomes := _write_missing(report, target, config, options, listener):
        report = replace(report, outcomes=(*report.outcomes, *outcomes))
        known = {(finding.kind, finding.op) for finding in report.findings}
        more = [finding for finding in look().findings if (finding.kind, finding.op) not in known]
        report = replace(report, findings=(*report.findings, *more))
        if not more:
            break
    return report


def _exported(
    report: Report, target: TargetSpec, path: Path, config: Config, options: ScanOptions, listener: Listener
) -> Report:
    """Exports the model; with `--new`, functions of torch's own that turn out to be wrong are corrected on the way."""
    while True:
        with start_pool(1, options.timeout / _PATIENCE) as pool:
            check = export_target(replace(target, package=package_folder(config)), report, path, pool, listener)
        report = replace(report, export=check)
        op = check.first_wrong.new if check.first_wrong else ""
        if not options.new or not op or op in {outcome.asked for outcome in report.outcomes}:
            return report
        corrected = new([op], config, NewOptions(correct=True), listener).outcomes
        report = replace(report, outcomes=(*report.outcomes, *corrected))
        if not any(outcome.files for outcome in corrected):
            return report


def scan_target(target: TargetSpec, opset: int, sources: Sources, pool: Pool, listener: Listener) -> Report:
    """Scans a model in a child process.

    Raises:
        UnusableModelError: where the model can't be used.
    """
    telling = Telling(listener)
    answer = pool.ask(ScanJob(target, opset), telling)
    seen = settled(target.text, answer, telling)
    return report_on(target.text, opset, seen, sources)


def report_on(name: str, opset: int, seen: ScanSeen, sources: Sources) -> Report:
    """What was seen, judged."""
    findings = judge(seen, opset, sources)
    return Report(name, opset, seen.nodes, findings, seen.exporter, seen.input_names, seen.dynamic_axes)


def export_target(target: TargetSpec, report: Report, path: Path, pool: Pool, listener: Listener) -> ExportCheck:
    """Exports a model in a child process, and writes a script that shows the first wrong operator by itself.

    Raises:
        UnusableModelError: where the model can't be used.
        MergeError: where the script can't be written.
    """
    telling = Telling(listener)
    domains = tuple(sorted({domain for outcome in report.outcomes for domain in outcome.custom_opsets}))
    answer = pool.ask(ExportJob(target, report.opset, str(path), domains), telling)
    if isinstance(answer, Unusable):
        raise UnusableModelError(f"{target.text}: {answer.reason}")
    if isinstance(answer, Failed):
        return ExportCheck(str(path), Verdict.CRASH.value, f"{telling.doing}: {answer.error}")
    check = ExportCheck(str(path), answer.verdict, answer.detail, answer.nodes, answer.max_abs_err, answer.max_rel_err)
    wrong = answer.first_wrong
    if wrong is None:
        return check
    script = _reproduction(wrong, target, report.opset, path) if wrong.sample else ""
    return replace(check, first_wrong=_wrong_finding(wrong, target.exporter), reproduction=script)


def _wrong_finding(wrong: WrongOp, exporter: Target) -> Finding:
    """The first operator that differs, as a finding."""
    reason = f"it is the first whose result differs: {wrong.verdict}: {wrong.detail}"
    if wrong.sample is None:
        reason += "; by itself it is right, so that it is the model around it which the exporter gets wrong"
        return Finding(Kind.WRONG_RESULT, Severity.WRONG, wrong.op, 1, wrong.place, reason)
    new_op = wrong.op if wrong.op.startswith("aten::") else ""
    command = f"symgen fix {wrong.op}{' --target torchlib' if exporter is Target.TORCHLIB else ''}"
    action = f"{command} writes a corrected function, where symgen has one"
    return Finding(Kind.WRONG_RESULT, Severity.WRONG, wrong.op, 1, wrong.place, reason, action, new=new_op)


def _reproduction(wrong: WrongOp, target: TargetSpec, opset: int, model: Path) -> str:
    """Writes the script beside the model; gives its path."""
    assert wrong.sample is not None
    op = parse_op_name(wrong.op)
    mode = EXPORTED if target.exporter is Target.TORCHLIB else "traced"
    dtypes = "/".join(wrong.sample.dtypes)
    result = SampleResult(str(wrong.sample), dtypes, opset, mode, Verdict(wrong.verdict), wrong.detail)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _DEPENDENCIES)
    package = Path(target.package).name if target.package else ""
    text = render_reproduction(Reproduction(op, wrong.sample, result, versions, package))
    path = model.with_name(f"{model.stem}_{op.base}.py")
    write_files([Change(read_file(path), text.encode())])
    return str(path)


def _write_missing(
    report: Report, target: TargetSpec, config: Config, options: ScanOptions, listener: Listener
) -> tuple[Outcome, ...]:
    """Has everything written that can be; what is the user's own becomes nodes of a domain.

    A custom operator's is its namespace where none is given; a Function becomes a node only where one is.
    """
    asked = {outcome.asked for outcome in report.outcomes}
    wanted = [one.new for one in report.problems if one.new and one.new not in asked]
    wanted = list(dict.fromkeys(wanted))
    outcomes: list[Outcome] = []
    if ops := [op for op in wanted if not _is_own(op)]:
        outcomes += new(ops, config, NewOptions(), listener).outcomes
    imports = tuple(dict.fromkeys([*options.imports, *([target.module] if target.module else [])]))
    for op in filter(_is_own, wanted):
        domain = options.domain or (op.partition("::")[0] if is_custom_op(op) else "")
        if domain:
            choices = NewOptions(domain=domain, version=options.version, imports=imports, edit=options.edit)
            outcomes += new([op], config, choices, listener).outcomes
    return tuple(outcomes)


def _is_own(op: str) -> bool:
    """Whether it is the user's own: a custom operator, or a Function as `module:Class`."""
    return "::" not in op or is_custom_op(op)


def settled(name: str, answer: ScanSeen | Unusable | Failed, telling: Telling) -> ScanSeen:
    """What was seen, even where the process ended on the way.

    Raises:
        UnusableModelError: where the model can't be used, or the process ended before the exporter came in.
    """
    if isinstance(answer, ScanSeen):
        return answer
    if isinstance(answer, Unusable):
        raise UnusableModelError(f"{name}: {answer.reason}")
    if telling.partial is not None:
        return replace(telling.partial, failure=f"{telling.doing}: {answer.error}")
    raise UnusableModelError(f"{name}: {telling.doing}: {answer.error}")


class Telling:
    """Passes a child's steps on to a listener, and keeps what was seen before a step that may end the process."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self.doing = "starting"
        self.partial: ScanSeen | None = None

    def __call__(self, message: Message) -> None:
        """Takes a message."""
        if isinstance(message, ScanStep):
            self.doing = message.doing
            self._listener(Step(message.doing, message.done, message.total))
        elif isinstance(message, ScanSeen):
            self.partial = message
