"""What a scan prints: one JSON object, or text for people with the export call that goes with it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from symgen.cli.report import finite, import_of, outcome_lines, outcome_record, to_json
from symgen.config import Config
from symgen.model.scan import ExportCheck, Finding, Report, Severity

_COLORS = {Severity.ERROR: "red", Severity.WRONG: "yellow", Severity.NOTE: "cyan"}


def print_report(report: Report, config: Config) -> int:
    """Prints a report, and returns its exit status."""
    if config.json:
        click.echo(to_json(report_record(report)))
    else:
        for line in report_lines(report, config):
            click.echo(line)
    return report.exit_status


def report_record(report: Report) -> dict[str, object]:
    """A report as the JSON has it; its keys stand in the README."""
    return {
        "target": report.target,
        "exporter": report.exporter,
        "opset": report.opset,
        "nodes": report.nodes,
        "findings": [finding_record(finding) for finding in report.findings],
        "new": [outcome_record(outcome) for outcome in report.outcomes],
        "export": _export_record(report.export) if report.export else None,
    }


def finding_record(finding: Finding) -> dict[str, object]:
    """One finding as the JSON has it."""
    return {
        "kind": finding.kind,
        "severity": finding.severity,
        "op": finding.op,
        "count": finding.count,
        "module": finding.place.module,
        "path": finding.place.path,
        "line": finding.place.line,
        "inside": finding.inside,
        "since": finding.since,
        "reason": finding.reason,
        "action": finding.action,
        "falls_back": dict(finding.falls_back),
    }


def report_lines(report: Report, config: Config) -> Iterator[str]:
    """A report as people read it."""
    shown = [one for one in report.findings if not config.quiet or one.severity is not Severity.NOTE]
    for finding in shown:
        yield from finding_lines(finding, config)
    yield report.sums
    for outcome in report.outcomes:
        yield from outcome_lines(outcome, config)
    if report.export is not None:
        yield from _export_lines(report.export, config)
    if not config.quiet:
        yield from _usage_lines(report, config)


def finding_lines(finding: Finding, config: Config) -> Iterator[str]:
    """One finding, coloured; with -v the nodes that stand for it under the other values of `operator_export_type`."""
    head, *rest = finding.lines
    what = f"{click.style(finding.kind, fg=_COLORS[finding.severity], bold=True)} {click.style(finding.op, bold=True)}"
    yield head.replace(f"{finding.kind} {finding.op}", what)
    yield from rest
    if config.verbose and finding.falls_back:
        yield "  else    " + ", ".join(f"{node} under {name}" for name, node in finding.falls_back.items())


def _export_record(check: ExportCheck) -> dict[str, object]:
    return {
        "path": check.path,
        "verdict": check.verdict,
        "detail": check.detail,
        "nodes": check.nodes,
        "max_abs_err": finite(check.max_abs_err),
        "max_rel_err": finite(check.max_rel_err),
        "first_wrong": finding_record(check.first_wrong) if check.first_wrong else None,
        "reproduction": check.reproduction,
    }


def _export_lines(check: ExportCheck, config: Config) -> Iterator[str]:
    verdict = click.style(check.verdict, fg="green" if check.is_usable else "red", bold=True)
    yield f"{check.path}: {verdict}{f': {check.detail}' if check.detail else ''}"
    if check.is_usable:
        error = f"largest error {check.max_abs_err:.2g} (relative {check.max_rel_err:.2g})"
        yield f"  proof   {check.nodes} nodes; {error}"
    if check.first_wrong:
        yield from (f"  {line}" for line in finding_lines(check.first_wrong, config))
    if check.reproduction:
        yield f"  script  {check.reproduction}"


def _usage_lines(report: Report, config: Config) -> Iterator[str]:
    """The whole call: the default exporter would never call a symbolic function, and has to be given a table."""
    if report.exit_status:
        return
    call = _dynamo_call if report.exporter == "dynamo" else _torchscript_call
    folder, module = import_of(config.package)
    has_package = (config.package / "__init__.py").is_file()
    yield ""
    yield "To export it:"
    yield ""
    if has_package and folder:
        yield f"    import sys; sys.path.insert(0, {folder!r})"
    yield f"    import torch{f', {module}' if has_package else ''}"
    yield from (f"    {line}" for line in call(report, module if has_package else ""))


def _torchscript_call(report: Report, package: str) -> Iterator[str]:
    domains = dict(domain for outcome in report.outcomes for domain in outcome.custom_opsets)
    options = f", custom_opsets={json.dumps(domains)}" if domains else ""
    if report.dynamic_axes:
        axes = {name: dict(found) for name, found in report.dynamic_axes}
        options += f", input_names={list(report.input_names)}, dynamic_axes={axes}"
    yield f'torch.onnx.export(model, args, "model.onnx", dynamo=False, opset_version={report.opset}{options})'


def _dynamo_call(report: Report, package: str) -> Iterator[str]:
    options = f", custom_translation_table={package}.translation_table({report.opset})" if package else ""
    if report.target.endswith(".pt2"):  # which knows its dynamic axes
        yield f"program = torch.export.load({report.target!r})"
        yield f'torch.onnx.export(program, f="model.onnx", dynamo=True, opset_version={report.opset}{options})'
        return
    if report.dynamic_axes:
        axes = {name: dict(found) for name, found in report.dynamic_axes}
        options = f", dynamic_shapes={ {name: axes.get(name) for name in report.input_names} }{options}"
    yield f'torch.onnx.export(model, args, "model.onnx", dynamo=True, opset_version={report.opset}{options})'
