"""SG014: a class's `symbolic` disagrees with its `forward`."""

from __future__ import annotations

from collections.abc import Iterator

from symgen.check.context import Context
from symgen.check.findings import Finding
from symgen.check.reading.classes import AutogradClass, autograd_classes
from symgen.check.rules.rule import Example, Rule
from symgen.check.wording import counted

CODE = "SG014"


def check(context: Context) -> Iterator[Finding]:
    """Compares the two methods of each autograd function, as far as their text tells."""
    for found in autograd_classes(context.module.body, context.module.imports):
        yield from _parameters(context, found)
        yield from _outputs(context, found)


def _parameters(context: Context, found: AutogradClass) -> Iterator[Finding]:
    forward, symbolic = found.forward, found.symbolic
    wanted = ", ".join(forward.parameters)
    too_few = not symbolic.takes_rest and len(symbolic.parameters) < len(forward.parameters)
    if too_few or (symbolic.required > len(forward.parameters) > 0 and not forward.takes_rest):
        written = ", ".join(symbolic.parameters)
        message = f"symbolic of {found.name} takes ({written}), forward takes ({wanted})"
    elif symbolic.parameters != forward.parameters and sorted(symbolic.parameters) == sorted(forward.parameters):
        message = f"symbolic of {found.name} takes forward's arguments in another order; forward has ({wanted})"
    else:
        return
    yield context.finding(CODE, symbolic.node, message, fix=f"let symbolic take (g, {wanted})")


def _outputs(context: Context, found: AutogradClass) -> Iterator[Finding]:
    counts = {count for _, count in found.forward.outputs}
    if not found.forward.complete or len(counts) != 1:
        return
    wanted = counts.pop()
    for statement, given in found.symbolic.outputs:
        if given != wanted:
            message = f"symbolic of {found.name} yields {counted(given, 'output')}, forward returns {wanted}"
            fix = f"return {counted(wanted, 'output')}" + (f", as with outputs={wanted}" if wanted > 1 else "")
            yield context.finding(CODE, statement, message, fix=fix)


RULE = Rule(
    code=CODE,
    name="symbolic disagrees with forward",
    why="""\
The exporter calls the `symbolic` of an autograd function with what `apply` was given, by position, and expects one
value for each result of `forward`. Another number of parameters or results stops the export with a page of IR; another
order exports a wrong model. Compared is what the text of both methods shows; what they compute is not.""",
    check=check,
    wrong=(
        Example(
            """import torch


class TopRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, keep):
        index = torch.argsort(scores.norm(dim=1), descending=True)[:keep]
        return scores[index], index

    @staticmethod
    def symbolic(g, scores, keep):
        return g.op("rowlib::TopRows", scores, keep_i=keep)  # <- SG014 forward returns two


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def symbolic(g, x):  # <- SG014 factor is missing
        return g.op("rowlib::Scaled", x)
""",
            whole=True,
            file_name="rows.py",
        ),
    ),
    right=(
        Example(
            """import torch


class TopRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, keep):
        index = torch.argsort(scores.norm(dim=1), descending=True)[:keep]
        return scores[index], index

    @staticmethod
    def symbolic(g, scores, keep):
        rows, index = g.op("rowlib::TopRows", scores, keep_i=keep, outputs=2)
        return rows, index
""",
            whole=True,
            file_name="rows.py",
        ),
    ),
)
