"""From what was typed to where a model comes from: files are looked into, and nothing of the user's is run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from symgen.config import Config, ScanOptions, Target
from symgen.errors import ParseError, UsageError
from symgen.introspect.archives import FileKind, ModelFile, read_model_file
from symgen.introspect.modules import find_module
from symgen.model.inputs import parse_inputs
from symgen.model.location import Location
from symgen.verify.scan_jobs import TargetSpec

_IN_MODULE = re.compile(
    r"(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", re.ASCII
)
_ONLY = {FileKind.PROGRAM: Target.TORCHLIB, FileKind.TORCHSCRIPT: Target.TORCHSCRIPT}
"""The exporter that takes a kind of file, where only one does."""
_HINT = "a target is a TorchScript .pt, an exported .pt2, or package.module:NAME"


def resolve_target(text: str, config: Config, options: ScanOptions) -> TargetSpec:
    """Where a model and its inputs come from.

    Raises:
        UsageError: where the text is no target, or the options don't fit it.
        UnknownNameError: where there is no such module.
        ParseError: where a file can't be read, holds no model, or holds a pickle with code that isn't trusted.
    """
    package = package_folder(config)
    inputs = parse_inputs(options.inputs)
    if inputs and options.inputs_path:
        raise UsageError("--input and --inputs are given both", hint="give one of them")
    inputs_path = _inputs_file(options)
    common = TargetSpec(
        text,
        exporter=config.target,
        inputs=inputs,
        inputs_path=inputs_path,
        trust=options.trust,
        package=package,
        imports=options.imports,
    )
    path = Path(text)
    match = _in_module(text)
    if match is not None:
        find_module(match["module"], Path.cwd())
        return replace(common, module=match["module"], name=match["name"])
    if not path.is_file():
        raise UsageError(f"{text!r} is neither a file nor package.module:NAME", hint=_HINT)
    file = read_model_file(path)
    _check(file, options)
    if file.kind is FileKind.PICKLE and not file.code:
        reason = "is a state_dict, or other tensors: weights without a model"
        hint = "say package.module:NAME for a function that makes the model and loads them"
        raise ParseError(reason, location=Location(str(path)), hint=hint)
    is_program, is_pickle = file.kind is FileKind.PROGRAM, file.kind is FileKind.PICKLE
    return replace(common, path=str(path), is_program=is_program, is_pickle=is_pickle)


def exporter_for(text: str, wanted: str | None) -> Target | None:
    """Which exporter a target goes through: what was asked for, or the only one that takes such a file.

    Raises:
        UsageError: where the one that was asked for doesn't take it.
        ParseError: where a file can't be read, or holds no model.
    """
    asked = Target(wanted) if wanted else None
    if _in_module(text) or not Path(text).is_file():
        return asked
    only = _ONLY.get(read_model_file(Path(text)).kind)
    if only is None or asked in (None, only):
        return only or asked
    if only is Target.TORCHLIB:
        hint = "scan package.module:NAME, or a TorchScript .pt"
        raise UsageError("a .pt2 goes through the dynamo exporter only, which calls no symbolic function", hint=hint)
    hint = "scan package.module:NAME, or a .pt2 of torch.export.save"
    raise UsageError("TorchScript goes through the TorchScript exporter only, which has no table", hint=hint)


def _in_module(text: str) -> re.Match[str] | None:
    """`package.module:NAME`, where there is no file of that name."""
    return None if Path(text).exists() else _IN_MODULE.fullmatch(text)


def package_folder(config: Config) -> str:
    """The folder of the package of functions, empty where there is none."""
    return str(config.package) if (config.package / "__init__.py").is_file() else ""


def _check(file: ModelFile, options: ScanOptions) -> None:
    """Refuses what can't be scanned, before anything is loaded."""
    if not file.code or options.trust:
        return
    shown = ", ".join(file.code[:3]) + (", ..." if len(file.code) > 3 else "")
    raise ParseError(
        f"is a pickle that calls {shown}: loading it runs whatever code it holds",
        location=Location(str(file.path)),
        hint="say --trust if you know where it comes from, or save it with torch.jit.save",
    )


def _inputs_file(options: ScanOptions) -> str:
    """The file with inputs; one with code in it is refused as a model would be."""
    if options.inputs_path is None:
        return ""
    _check(read_model_file(options.inputs_path), options)
    return str(options.inputs_path)
