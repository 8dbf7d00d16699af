"""One operator in the files of torchlib: its functions where the library has a place for them, and its row."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from symgen.merge.apply import merge_module
from symgen.merge.imports import add_imports
from symgen.merge.layout import format_sources, sort_imports
from symgen.merge.names import rename_free
from symgen.merge.outcome import MergeOptions
from symgen.merge.source import parse_source
from symgen.merge.splice import apply_splices
from symgen.merge.style import FileStyle, StyleHints, observe_style
from symgen.model.definition import Definition, Import, ModuleText
from symgen.pipeline.decide import Decision
from symgen.pipeline.upstream.drafts import Contents, Draft, UnfitError, opinfo_name, refused
from symgen.pipeline.upstream.fit import functions_of, normal_form
from symgen.pipeline.upstream.message import Contribution, Wording
from symgen.pipeline.upstream.torchlib_checkout import CORE, LAYOUT, ROWS, SUITE, TorchlibCheckout, is_placeholder
from symgen.pipeline.upstream.torchlib_rows import add_row
from symgen.render.torchlib_runtime import TRACING, without_runtime
from symgen.render.torchlib_upstream import WITHOUT_TYPES
from symgen.render.upstream import said_of
from symgen.sources import Sources

RUNTIME = str(LAYOUT / f"{TRACING}.py")
"""What functions call that have to know types and shapes of what they compute on the way."""
_RUNTIME_HEAD = '''# ruff: noqa: TID251 (onnx.helper is the shortest way to say what a node is)
"""Types and shapes of what functions compute on the way, known while they are traced."""

from __future__ import annotations
'''
_REGISTRY = re.compile(r"^(@torch_op\(.*?), registry=REGISTRIES\[\d+\]", re.MULTILINE)
"""The registry of a generated package; torchlib's own functions go to its default one."""
_OPERATOR = re.compile(r"\bop\.([A-Z]\w*)\(")
_MANY = "[torchlib] Add or correct {count} operators"
_NEW = Wording(
    one="[torchlib] Add {ops}",
    many=_MANY,
    lead="torchlib has no function for {op}. This adds one, for opset {opset}:",
    error="NotImplementedError",
)
_CORRECTED = Wording(
    one="[torchlib] Correct {ops}",
    many=_MANY,
    lead="torchlib's function for {op} is not right: {fault}. This is one that is, for opset {opset}:",
    error="NotImplementedError",
)


def draft_torchlib(decision: Decision, contents: Contents[TorchlibCheckout], sources: Sources) -> Draft:
    """Writes one operator into the contents of the checkout's files.

    Raises:
        UnfitError: where something of the checkout's own is in the way.
        MergeError: where a file can't be merged into at all.
    """
    translation = decision.translation
    assert translation is not None
    op, before = decision.request.op, dict(contents.changed)
    stubs = sources.catalogue.operator(op).stubs
    path = contents.checkout.file_of(op.base, is_nn=any(stub.location.path.endswith("_nn.pyi") for stub in stubs))
    with contents.kept_on_failure():
        definitions = translation.placements[0].module.definitions
        standing = frozenset(one.function for _, one in contents.checkout.registered.get(op.qualified, ()))
        written = _write(definitions, path, standing, contents)
        tests = dict(_add_row(decision, path, [one for one in written if one.exported], contents))
    fault, rest = _fault(decision) if standing else ("", decision.reason)
    contribution = Contribution(
        op=op,
        schemas=decision.match.overloads,
        summary=said_of(translation.plan),
        opset=translation.first,
        operators=_operators(written, translation.first, sources),
        refused=refused(replace(decision, reason=rest)),
        evidence=decision.evidence,
        tests=tests,
        wording=_corrected(fault) if standing else _NEW,
    )
    files = {path: after for path, after in contents.changed.items() if before.get(path) != after}
    return Draft(decision, files, (path,), tests, (ROWS,) if tests else (), contribution)


def _fault(decision: Decision) -> tuple[str, str]:
    """What is wrong with the function that is there, and the rest of what is to be said."""
    fault, _, rest = decision.reason.partition("; ")
    return fault.partition(" is not right: ")[2] or fault, rest


def _corrected(fault: str) -> Wording:
    escaped = fault.replace("{", "{{").replace("}", "}}")
    return replace(_CORRECTED, lead=_CORRECTED.lead.replace("{fault}", escaped))


def _operators(written: Sequence[Definition], opset: int, sources: Sources) -> dict[str, int]:
    """The ONNX operators that the functions call, each with the opset since which it is as it is used."""
    names = sorted({name for one in written for name in _OPERATOR.findall(one.source)})
    found = {name: sources.schemas.at(name, opset) for name in names}
    return {name: schema.since_version for name, schema in found.items() if schema is not None}


def _write(
    definitions: Sequence[Definition], path: str, standing: frozenset[str], contents: Contents[TorchlibCheckout]
) -> tuple[Definition, ...]:
    """Writes the functions into their file, each in its place, and the helpers above the first; what was written."""
    _refuse_others(definitions, standing, path)
    own = _without_runtime(definitions, contents)
    text = contents.text(path)
    fitted = tuple(_fitted(own, text))
    style = FileStyle(line_length=contents.checkout.hints.line_length or FileStyle().line_length)
    sources = dict(zip(fitted, format_sources([one.source for one in fitted], style), strict=True))
    first, *rest = (one for one in fitted if one.exported)
    block = [sources[one] for one in fitted if not one.exported] + [sources[first]]
    text = _placed(text, first.name, "\n\n".join(block), standing)
    for one in rest:
        text = _placed(text, one.name, sources[one], standing)
    wanted = {found for one in fitted for found in one.imports}
    contents.changed[path] = with_imports(text, wanted, path, contents.checkout.hints).encode()
    return fitted


def _without_runtime(definitions: Sequence[Definition], contents: Contents[TorchlibCheckout]) -> Sequence[Definition]:
    """The definitions without symgen's runtime, which has a file of its own beside the others.

    What needs no types is small, and stays with the function.
    """
    own, runtime = without_runtime(definitions, RUNTIME.removesuffix(".py").replace("/", "."))
    if {one.name for one in runtime} <= WITHOUT_TYPES:
        return definitions
    has_file = RUNTIME in contents.checkout.paths or RUNTIME in contents.changed
    outcome = merge_module(
        contents.read(RUNTIME) if has_file else None,
        ModuleText(_notice(contents.text(CORE)) + _RUNTIME_HEAD, runtime),
        path=RUNTIME,
        options=MergeOptions(custom=False, markers=False),
        hints=contents.checkout.hints,
    )
    if outcome.failures:
        raise UnfitError(str(outcome.failures[0]))
    contents.changed[RUNTIME] = sort_imports((outcome.after or b"").decode(), LAYOUT.parts[0]).encode()
    return own


def _notice(text: str) -> str:
    """The comment that a file of the library begins with."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True))
    return "".join(line for line in lines if not line.startswith("# mypy:"))


def _refuse_others(definitions: Sequence[Definition], standing: frozenset[str], path: str) -> None:
    """A function that is there is replaced by one of its name; one of another name may be in use elsewhere."""
    others = standing - {one.name for one in definitions}
    if others:
        raise UnfitError(f"{path} has it as {', '.join(sorted(others))}, which others may call")


def _fitted(definitions: Sequence[Definition], text: str) -> Iterator[Definition]:
    """The definitions as the file is to hold them: without helpers that it has, and none in the way of another."""
    there = functions_of(text)
    names: dict[str, str] = {}
    for one in definitions:
        source = _REGISTRY.sub(r"\1", rename_free(one.source, names) if names else one.source)
        if not one.exported and one.name in there:
            if normal_form(ast.parse(source).body[0]) == normal_form(there[one.name]):
                continue
            names[one.name] = f"{one.name}_helper"
            source = rename_free(source, names)
        yield replace(one, name=names.get(one.name, one.name), source=source)


def _placed(text: str, name: str, source: str, standing: frozenset[str]) -> str:
    """The text with a function in place of the one of its name, or else among its like in their order.

    Raises:
        UnfitError: where a function of that name stands there that is neither a placeholder nor to be corrected.
    """
    functions = functions_of(text)
    lines = text.splitlines(keepends=True)
    there = functions.get(name)
    if there is not None:
        if name not in standing and not is_placeholder(there):
            raise UnfitError(f"there is another {name} at line {there.lineno}")
        start = min([there.lineno, *(one.lineno for one in there.decorator_list)]) - 1
        lines[start : there.end_lineno] = [source]
        return "".join(lines)
    earlier = [one for one in functions.values() if one.name.startswith("aten_") and one.name < name]
    above = max(earlier, key=lambda one: one.name, default=None)
    if above is None:
        return text.rstrip("\n") + f"\n\n\n{source}"
    lines.insert(above.end_lineno or above.lineno, f"\n\n{source}")
    return "".join(lines)


def with_imports(text: str, wanted: Collection[Import], path: str, hints: StyleHints) -> str:
    """The text of a file with what it lacks of some imports; a name that it has is not imported again.

    They go into the statements that import from the same modules, as the linters there ask for.
    """
    known = {name for node in ast.parse(text).body for name in _bound(node)}
    source = parse_source(text.encode(), path)
    lacking = [one for one in wanted if one.bound not in known]
    return apply_splices(source.text, add_imports(source, lacking, observe_style(source, hints), is_own=True))


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module's top level binds."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (one.asname or one.name.partition(".")[0] for one in names)
        case ast.Assign(targets=targets):
            yield from (one.id for one in targets if isinstance(one, ast.Name))
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name


def _add_row(
    decision: Decision, path: str, functions: Sequence[Definition], contents: Contents[TorchlibCheckout]
) -> Iterator[tuple[str, str]]:
    """The suite, with what `-k` finds the operator's tests by; none where the table can't have a row for it.

    A row is for one function and takes all of OpInfo's samples: where overloads have functions of their own, only a
    person can tell which belong to which. What is random the suite compares by its shape alone.
    """
    info, seen = opinfo_name(decision.request.op), decision.verification
    if ROWS not in contents.checkout.paths or not info or len(functions) != 1:
        return
    text = contents.text(ROWS)
    is_free = seen is not None and bool(seen.same)
    after = add_row(text, info, PurePosixPath(path).stem, functions[0].name, is_free=is_free)
    if after != text:
        contents.changed[ROWS] = after.encode()
    if f'"{info}"' in after:
        yield SUITE, f"test_output_match_opinfo__{info.replace('.', '_')}_cpu"
