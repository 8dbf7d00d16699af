"""Writes `symgen/match/promotion_rules.tsv` from the decorators of the installed torch's `_refs`, read as text.

Run it after a torch upgrade: `python tools/promotion_rules.py`. A test compares the table with the installed torch.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

TABLE = Path(__file__).parent.parent / "symgen" / "match" / "promotion_rules.tsv"
_PREFIX_OF_FILE = {
    "__init__.py": "",
    "nn/functional/__init__.py": "",
    "special/__init__.py": "special_",
    "linalg/__init__.py": "linalg_",
}
_FACTORIES = {"_make_elementwise_unary_reference": 1, "_make_elementwise_binary_reference": 2}


def rules(root: Path) -> dict[str, tuple[tuple[int, ...], str]]:
    """Each operator with the positions of the arguments that promote together, and the kind."""
    found: dict[str, tuple[tuple[int, ...], str]] = {}
    for name, prefix in _PREFIX_OF_FILE.items():
        for function in ast.parse((root / name).read_text(encoding="utf-8")).body:
            if isinstance(function, ast.FunctionDef):
                for rule in _rules_of(function):
                    found.setdefault(prefix + function.name, rule)
    return dict(sorted(found.items()))


def _rules_of(function: ast.FunctionDef) -> Iterator[tuple[tuple[int, ...], str]]:
    names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Name):
            continue
        keywords = {keyword.arg: keyword.value for keyword in decorator.keywords}
        kind = keywords.get("type_promotion_kind", decorator.args[0] if decorator.args else None)
        if not isinstance(kind, ast.Attribute):
            continue
        if decorator.func.id in _FACTORIES:
            yield tuple(range(_FACTORIES[decorator.func.id])), kind.attr
        elif decorator.func.id == "elementwise_type_promotion_wrapper":
            promoting = ast.literal_eval(keywords["type_promoting_args"])
            yield tuple(names.index(name) for name in promoting if name in names), kind.attr


def main() -> None:
    """Rewrites the table."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    lines = ["operator\tpositions\tkind"]
    for name, (positions, kind) in rules(Path(spec.origin).parent / "_refs").items():
        lines.append(f"{name}\t{','.join(map(str, positions))}\t{kind}")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
