"""The settings: `[tool.symgen]` of the nearest pyproject.toml, under what the command line says."""

from __future__ import annotations

import enum
import keyword
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from symgen.errors import ParseError, UsageError
from symgen.model.location import Location

if TYPE_CHECKING:
    import tomllib

LOWEST_OPSET, HIGHEST_OPSET = 9, 20
"""The opsets that the TorchScript exporter's symbolic functions serve."""
LOWEST_TORCHLIB_OPSET, HIGHEST_TORCHLIB_OPSET = 18, 24
"""Those that the dynamo exporter is asked for: it builds models of 18, and ONNX Runtime runs what it makes up to 24.

At 25, the last that the exporter reaches, the runtime runs no function bodies of 24 any more; see
`introspect/newer_operators.tsv`.
"""
_TAKEN = frozenset({*sys.stdlib_module_names, "numpy", "onnx", "onnxruntime", "onnxscript", "symgen", "torch"})
"""What no package can be called: exports and tests import these."""
_HEADER = re.compile(r"\s*\[\s*tool\s*\.\s*symgen\s*\]")
_TOML_POSITION = re.compile(r"\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")


class Target(enum.StrEnum):
    """Which exporter the code is for; the values are part of the command-line contract."""

    TORCHSCRIPT = "torchscript"
    TORCHLIB = "torchlib"

    @property
    def opsets(self) -> range:
        """The opsets that its functions serve."""
        if self is Target.TORCHSCRIPT:
            return range(LOWEST_OPSET, HIGHEST_OPSET + 1)
        return range(LOWEST_TORCHLIB_OPSET, HIGHEST_TORCHLIB_OPSET + 1)

    @property
    def package(self) -> Path:
        """The folder of the functions where none is named."""
        return Path("symbolics" if self is Target.TORCHSCRIPT else "torchlib_ops")


class Color(enum.StrEnum):
    """When output is coloured: `auto` on a terminal only."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class Config:
    """What a run works with; each field is a key of `[tool.symgen]` (with `-` for `_`) and most are an option."""

    opset: int | None = None
    """The lowest opset wanted, None for the lowest at which the code is right."""
    target: Target = Target.TORCHSCRIPT
    package: Path = Path("symbolics")
    tests: Path = Path("tests")
    templates: Path | None = None
    """A folder whose templates come before symgen's own."""
    decompositions: Path | None = None
    """A folder with the user's own decompositions."""
    select: tuple[str, ...] = ()
    """The codes of `check`, or beginnings of codes, that are reported; empty for all."""
    ignore: tuple[str, ...] = ()
    """The codes of `check` that are not reported, whatever `select` says."""
    dry_run: bool = False
    """Write nothing; show what would change."""
    no_verify: bool = False
    force: bool = False
    """Replace what a person edited, and write where torch's own function is right already."""
    as_function: bool = False
    """Make each operator one node, which calls a local function of the model."""
    json: bool = False
    verbose: int = 0
    quiet: bool = False
    color: Color = Color.AUTO


@dataclass(frozen=True)
class NewOptions:
    """What this call of `new` or `fix` is to do; how and where stands in the Config."""

    merge: bool = False
    """Merge a person's edits with the new text, three ways."""
    remove: bool = False
    """Take the operators' functions and tests out again."""
    correct: bool = False
    """`fix`: only operators that torch has already are written."""
    every: bool = False
    """`--all`: every operator that the exporter lacks (for `fix`: gets wrong), beside those that are named."""
    family: str = ""
    """Like `every`, for the operators of one family of decompositions."""
    domain: str = ""
    """The domain in which a custom operator, or a class, becomes one node."""
    version: int = 1
    """Of the domain."""
    pyi: Path | None = None
    """A stub file that declares custom operators."""
    imports: tuple[str, ...] = ()
    """Modules that register custom operators when they are imported."""
    edit: bool = True
    """Whether a class's own file may be changed; else its function goes into the package."""
    ort_library: Path | None = None
    """A library of ONNX Runtime with the kernels of the domain, for the numbers."""


@dataclass(frozen=True)
class ScanOptions:
    """What a call of `scan` works on, and what it does beside telling."""

    inputs: tuple[str, ...] = ()
    """The example inputs as typed: `float32[1,3,224,224]`."""
    inputs_path: Path | None = None
    """A file with them."""
    trust: bool = False
    """Whether pickles may be run."""
    new: bool = False
    """Write what is missing into the package."""
    export: Path | None = None
    """Export the model into this file, with the package loaded, and compare."""
    imports: tuple[str, ...] = ()
    """Modules to import first."""
    domain: str = ""
    """For the nodes of what is the user's own; by default one of its own name."""
    version: int = 1
    edit: bool = True
    timeout: float = 120.0
    """Seconds that a step of the model's may take in silence."""


@dataclass(frozen=True)
class MatchOptions:
    """What `match` shows beside the static verdicts."""

    verify: bool = False
    accuracy: bool = False


@dataclass(frozen=True)
class VerifyOptions:
    """How much `verify` runs."""

    full: bool = False
    """Every sample at every opset in every mode, in place of the planned selection."""


def load_config(start: Path, overrides: Mapping[str, object]) -> Config:
    """Reads `[tool.symgen]` of the nearest pyproject.toml at or above `start`.

    Paths in the file, and the default ones where it has the table, are relative to the file's folder. `overrides` are
    the command line's values by field name; those that are None don't count. The file's `package` is that of the
    file's `target` and doesn't count for another.

    Raises:
        UsageError: for an unknown key, a value of the wrong type or out of range, or a missing folder, with file and
            line.
        ParseError: where the file is not TOML or can't be read.
    """
    path = next((p for folder in (start, *start.parents) if (p := folder / "pyproject.toml").is_file()), None)
    written = _load_table(path) if path else {}
    given = {name: value for name, value in overrides.items() if value is not None}
    if "target" in given and given["target"] != written.get("target", Config.target):
        written.pop("package", None)
    if "package" in given:
        _check_package(given["package"])
    values = {**written, **given}
    target, color = Target(str(values.get("target", Config.target))), Color(str(values.get("color", Config.color)))
    values = {"package": target.package, "tests": Config.tests, **values, "target": target, "color": color}
    if path and written:
        ours = [name for name in _PATHS if name in values and name not in given]
        values |= {name: _below(path.parent, start, values[name]) for name in ours}
    config = Config(**values)  # type: ignore[arg-type]  # each value has passed its reader, or click's
    _check_opset(config.opset, target)
    return config


def _check_package(package: object) -> None:
    """Refuses a package of the command line that can't be imported."""
    try:
        _package(str(package))
    except ValueError as error:
        raise UsageError(f"--package must be {error}, not {str(package)!r}") from None


def _check_opset(opset: int | None, target: Target) -> None:
    """Refuses an opset that the exporter has no functions for."""
    if opset is not None and opset not in target.opsets:
        hint = f"the exporter's functions serve {target.opsets[0]} to {target.opsets[-1]}"
        raise UsageError(f"opset {opset} is out of range", hint=hint)


def parse_table(text: str, path: str) -> dict[str, object]:
    """The fields that `[tool.symgen]` in this text sets; empty where there is no such table.

    Raises:
        UsageError: for an unknown key or a value of the wrong type, with file and line.
        ParseError: where the text is not TOML.
    """
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(error, path) from error
    tool = document.get("tool", {})
    table = tool.get("symgen", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UsageError("tool.symgen is not a table", location=Location(path, _line_of(text, "symgen")))
    return {_field_of(key, text, path): _read(key, value, text, path) for key, value in table.items()}


def _load_table(path: Path) -> dict[str, object]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ParseError(f"cannot be read: {error}", location=Location(str(path))) from error
    table = parse_table(text, str(path))
    for key in _READ_FOLDERS:
        if key in table:
            _check_folder(path.parent / str(table[key]), key, Location(str(path), _line_of(text, key)))
    return table


def _check_folder(folder: Path, key: str, location: Location) -> None:
    """Refuses a folder that symgen is to read and that isn't there."""
    if folder.is_dir():
        return
    beside = [one.name for one in folder.parent.glob("*/")] if folder.parent.is_dir() else []
    hint = _nearest(folder.name, beside) or "make it, or take the key out"
    raise UsageError(f"{key} names {str(folder)!r}, which is no folder", location=location, hint=hint)


def _nearest(word: str, words: Iterable[str]) -> str:
    """A question that offers the closest of some words; empty where none is close."""
    import difflib

    nearest = difflib.get_close_matches(word, sorted(words), n=1, cutoff=0.5)
    return f"did you mean {nearest[0]}?" if nearest else ""


def _below(folder: Path, start: Path, value: object) -> Path:
    """`value` of a file in `folder`, as a short path as seen from `start`."""
    path = folder / str(value)
    return path.relative_to(start) if path.is_relative_to(start) else path


def _field_of(key: str, text: str, path: str) -> str:
    name = key.replace("-", "_")
    if name in _READERS:
        return name
    keys = sorted(field.replace("_", "-") for field in _READERS)
    hint = _nearest(key, keys) or f"the keys are {', '.join(keys)}"
    raise UsageError(f"unknown key {key!r} in [tool.symgen]", location=Location(path, _line_of(text, key)), hint=hint)


def _read(key: str, value: object, text: str, path: str) -> object:
    try:
        return _READERS[key.replace("-", "_")](value)
    except ValueError as error:
        location = Location(path, _line_of(text, key))
        raise UsageError(f"{key} must be {error}, not {value!r}", location=location) from None


def _line_of(text: str, key: str) -> int:
    """The line that sets the key, in `[tool.symgen]` or beside the name symgen; 0 where it can't be told."""
    assignment = re.compile(rf"(?<![\w-]){re.escape(key)}[\"']?\s*=")
    header = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            header = line
        elif assignment.search(line) and (_HEADER.match(header) or "symgen" in line):
            return number
    return 0


def _syntax_error(error: tomllib.TOMLDecodeError, path: str) -> ParseError:
    message = str(error)
    position = _TOML_POSITION.search(message)
    line, column = (int(position[name] or 0) for name in ("line", "column")) if position else (0, 0)
    return ParseError(f"is not TOML: {_TOML_POSITION.sub('', message)}", location=Location(path, line, column))


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("a whole number")
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value:
        raise ValueError("a path")
    return Path(value)


def _package(value: object) -> Path:
    path = _path(value)
    if not is_module_name(path.name):
        raise ValueError("a folder that can be imported (its name an identifier, and no keyword)")
    if path.name in _TAKEN:
        raise ValueError(f"a folder of another name: its tests would import it in place of the module {path.name}")
    return path


def is_module_name(name: str) -> bool:
    """Whether an import statement takes it."""
    return name.isidentifier() and not keyword.iskeyword(name)


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError("a list of strings")
    return tuple(value)


def _choice(kind: type[enum.StrEnum]) -> Callable[[object], enum.StrEnum]:
    def read(value: object) -> enum.StrEnum:
        if value not in tuple(kind):
            raise ValueError(f"one of {', '.join(kind)}")
        return kind(str(value))

    return read


_READERS: Mapping[str, Callable[[object], object]] = {
    "opset": _integer,
    "target": _choice(Target),
    "package": _package,
    "tests": _path,
    "templates": _path,
    "decompositions": _path,
    "select": _words,
    "ignore": _words,
    "dry_run": _truth,
    "no_verify": _truth,
    "force": _truth,
    "as_function": _truth,
    "json": _truth,
    "verbose": _integer,
    "quiet": _truth,
    "color": _choice(Color),
}
_PATHS = tuple(name for name, read in _READERS.items() if read in {_path, _package})
_READ_FOLDERS = ("templates", "decompositions")
"""Those that have to be there."""
