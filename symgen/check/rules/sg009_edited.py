"""SG009: a generated definition was edited."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.generated import fits, generated_definitions
from symgen.check.rules.rule import Example, Rule

CODE = "SG009"


def check(context: Context) -> Iterator[Finding]:
    """Compares the fingerprint in each marker with that of the definition below it."""
    for marker, node, text in generated_definitions(context.module):
        if not fits(marker, text):
            assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
            message = f"{node.name} was generated for {marker.key} and edited since"
            fix = "take the marker line away to keep it as yours, or write it anew with --force or --merge"
            yield context.finding(CODE, node, message, fix=fix)


RULE = Rule(
    code=CODE,
    name="generated, then edited",
    why="""\
The line `# symgen: aten::hypot 5d41402abc4b2a76` above a definition says that symgen wrote it; the digits are a
fingerprint of what was written, over the code and its comments and not over its layout. Where they don't fit any more,
somebody edited the definition, and symgen will not replace it. Take the line away to make the function yours for good,
or let `symgen new` write it anew: `--merge` keeps the edits, `--force` drops them.""",
    check=check,
    wrong=(
        Example("""# symgen: aten::deg2rad 0123456789abcdef
@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):  # <- SG009
    return _times(g, self, 0.017453292519943295)
"""),
    ),
    right=(
        Example("""@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return _times(g, self, 0.017453292519943295)
"""),
    ),
)
