"""`verify`: the round trips of functions that stand in a package already, symgen's or anybody's."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symgen.check.findings import Finding
from symgen.check.workspace import load_module
from symgen.config import Config, Target, VerifyOptions
from symgen.errors import ParseError, UnknownNameError, UsageError
from symgen.introspect.torchlib_functions import parse_torch_ops
from symgen.lower.lowering import LOWEST_OPSET
from symgen.model.location import Location
from symgen.model.names import parse_op_name
from symgen.model.result import Outcome, Status, Strategy
from symgen.model.run import Listener, Run, Step, ignore_steps
from symgen.pipeline.decide import failure_sentence, refusal_sentences
from symgen.pipeline.exporters import exporter_of
from symgen.sources import Sources, load_sources, match_in
from symgen.verify.pool import start_pool
from symgen.verify.session import Progress, verify_many
from symgen.verify.task import KNOWS_COMPLEX, Verification, VerifyTask


@dataclass(frozen=True)
class Standing:
    """An operator's functions as they stand: the files that register it, by opset."""

    op: str
    files: Mapping[int, Path]


def verify(targets: Sequence[str], config: Config, options: VerifyOptions, listener: Listener = ignore_steps) -> Run:
    """Verifies operators of the package, those of single files, or without targets the whole package.

    Raises:
        SymgenError: where a target can't be read, or registers nothing of that name.
        InterruptedVerification: on Ctrl-C.
    """
    exporter_of(config)
    with start_pool(os.cpu_count() or 1) as pool:
        sources = load_sources(config)
        standing = find_standing(targets, config)
        tasks = [_task(one, sources, config, options) for one in standing]

        def tell(progress: Progress) -> None:
            listener(Step(progress.last, progress.done, progress.total, progress.samples, progress.failures))

        seen = verify_many(tasks, pool=pool, progress=tell)
    return Run(tuple(_outcome(*pair, sources) for pair in zip(standing, seen, strict=True)))


def find_standing(targets: Sequence[str], config: Config) -> tuple[Standing, ...]:
    """What the targets name: operators that the package registers, or files and folders with all that they register.

    Raises:
        UsageError: where there is no package, a path registers nothing, or a target names neither.
        UnknownNameError: where the package does not register an operator.
    """
    registered = _registered if config.target is Target.TORCHSCRIPT else _registered_for_torchlib
    paths = [Path(target) for target in targets if _is_path(target)]
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no {path}", hint="name a file with symbolic functions, or its folder")
    named = [parse_op_name(target) for target in targets if not _is_path(target)]
    for op_name in named:
        if op_name.overload:
            raise UsageError(f"{op_name}: a function is verified for all overloads", hint=f"name {op_name.qualified}")
    names = [op_name.qualified for op_name in named]
    found = dict[str, dict[int, Path]]()
    for path in paths:
        in_path = registered(sorted(path.glob("*.py")) if path.is_dir() else [path])
        if not in_path:
            raise UsageError(f"{path} registers no operator", hint="name a file with symbolic functions, or its folder")
        for op, files in in_path.items():
            found[op] = {**found.get(op, {}), **files}
    if names or not targets:
        if not config.package.is_dir():
            raise UsageError(
                f"there is no package {config.package}", hint="symgen new makes it, --package names another"
            )
        in_package = registered(sorted(config.package.glob("*.py")))
        for name in names:
            if name not in in_package:
                raise UnknownNameError(f"{config.package} registers no {name}", nearest=sorted(in_package)[:3])
        found |= {op: in_package[op] for op in names or in_package}
    return tuple(Standing(op, found[op]) for op in sorted(found))


def _is_path(target: str) -> bool:
    return "::" not in target and (os.sep in target or target.endswith(".py") or Path(target).exists())


def _registered(paths: Sequence[Path]) -> dict[str, dict[int, Path]]:
    """Each operator with the file that registers it at each opset."""
    found: dict[str, dict[int, Path]] = {}
    for path in paths:
        module = load_module(str(path))
        if isinstance(module, Finding):
            raise ParseError(module.message, location=module.location)
        for registration in module.registrations:
            for opset in registration.opsets or (LOWEST_OPSET,):
                found.setdefault(registration.op, {})[opset] = path
    return found


def _registered_for_torchlib(paths: Sequence[Path]) -> dict[str, dict[int, Path]]:
    """The same for files of the torchlib target."""
    found: dict[str, dict[int, Path]] = {}
    for path in paths:
        try:
            functions = tuple(parse_torch_ops(path.read_text("utf-8")))
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            raise ParseError(f"can't be read: {error}", location=Location(str(path))) from error
        for function in functions:
            found.setdefault(function.op.qualified, {})[function.since or Target.TORCHLIB.opsets.start] = path
    return found


def place_of(outcome: Outcome) -> Location:
    """The line that registers the operator of an outcome, in the first of its files."""
    for path in outcome.files:
        module = load_module(path)
        for registration in () if isinstance(module, Finding) else module.registrations:
            if registration.op == outcome.op:
                return Location(path, registration.node.lineno)
    return Location(outcome.files[0])


def _task(standing: Standing, sources: Sources, config: Config, options: VerifyOptions) -> VerifyTask:
    op = parse_op_name(standing.op)
    served = config.target.opsets
    opsets = tuple(range(max(min(standing.files), config.opset or served.start), served.stop))
    modules = tuple((opset, _importing(path)) for opset, path in sorted(standing.files.items()))
    overloads = sources.catalogue.overloads_reaching(op)
    return VerifyTask(op.qualified, overloads, modules, opsets, options.full, target=config.target)


def _importing(path: Path) -> str:
    """A text that imports the file as a module of its package, or by itself where it stands in none.

    For the torchlib target it has the module's registries.
    """
    folder, name = path.resolve().parent, path.stem
    if (folder / "__init__.py").is_file():
        folder, name = folder.parent, f"{folder.name}.{name}"
    lines = (
        "import importlib, sys",
        f"sys.path.insert(0, {str(folder)!r})",
        f"REGISTRIES = getattr(importlib.import_module({name!r}), 'REGISTRIES', {{}})",
        *([f"# {KNOWS_COMPLEX} stands there."] if KNOWS_COMPLEX in path.read_text("utf-8") else []),
    )
    return "".join(f"{line}\n" for line in lines)


def _outcome(standing: Standing, seen: Verification, sources: Sources) -> Outcome:
    evidence = seen.evidence
    refused = "; ".join(refusal_sentences(evidence.refused))
    if not evidence.is_proof:
        status, reason = Status.FAILED, failure_sentence(evidence)
    else:
        status, reason = Status.PARTIAL if refused else Status.VERIFIED, refused
    plans = match_in(sources, parse_op_name(standing.op)).plans
    return Outcome(
        asked=standing.op,
        op=standing.op,
        status=status,
        strategy=plans[0].strategy if plans else Strategy.NONE,
        opset=min(standing.files),
        files=tuple(dict.fromkeys(str(path) for _, path in sorted(standing.files.items()))),
        reason=reason,
        evidence=evidence,
    )
