"""SG000: a file that is not Python."""

from __future__ import annotations

from collections.abc import Iterable

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.rules.rule import Example, Rule

CODE = "SG000"


def check(context: Context) -> Iterable[Finding]:
    """Nothing: a file that was read is Python; the reading itself reports one that is not."""
    return ()


RULE = Rule(
    code=CODE,
    name="not a Python file",
    why="""\
The file has a syntax error, or its bytes are not text in the encoding that it declares (UTF-8 where it declares none).
Nothing else can be said of it; the other files are checked all the same.""",
    check=check,
    wrong=(
        Example(
            """def hypot(g, self, other)  # <- SG000 the colon is missing
    return g.op("Add", self, other)
""",
            whole=True,
        ),
    ),
    right=(
        Example(
            """def hypot(g, self, other):
    return g.op("Add", self, other)
""",
            whole=True,
        ),
    ),
)
