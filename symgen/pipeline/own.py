"""What is the user's own: classes, asked for as `package.module:ClassName`, and custom operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from symgen.config import Config, NewOptions
from symgen.errors import UsageError
from symgen.introspect.autograd_classes import CLASS_NAME, load_function_class
from symgen.model.domain import parse_domain
from symgen.pipeline.classes import ClassRequest, decide_class
from symgen.pipeline.custom_ops import CustomRequest, decide_custom_op, is_custom_op, resolve_custom_op
from symgen.pipeline.ready import Ready
from symgen.verify.pool import Pool

OwnRequest = ClassRequest | CustomRequest


def resolve_own(asked: Sequence[str], options: NewOptions, start: Path, pool: Pool) -> Mapping[str, OwnRequest]:
    """Reads the classes and custom operators among what was asked for, by what was typed.

    Args:
        asked: everything that was asked for.
        options: the domain, and where operators are declared.
        start: the folder that comes first on the module path.
        pool: imports the modules that register operators, in a child process.

    Raises:
        SymgenError: where one is not there or can't be read, or where options are given that fit nothing.
    """
    domain = parse_domain(options.domain, options.version) if options.domain else None
    own = [text for text in dict.fromkeys(asked) if CLASS_NAME.fullmatch(text) or is_custom_op(text)]
    if own and options.correct:
        raise UsageError(f"{own[0]} is your own, and fix is about what torch has", hint="use symgen new")
    if domain and not own:
        raise UsageError("--domain is for custom operators and classes", hint="torch's own operators need none")
    return {
        text: resolve_custom_op(text, domain, options, pool)
        if is_custom_op(text)
        else ClassRequest(text, load_function_class(text, start), domain)
        for text in own
    }


def decide_own(request: OwnRequest, config: Config, options: NewOptions, pool: Pool) -> Ready:
    """The decision for one class or custom operator."""
    if isinstance(request, CustomRequest):
        return decide_custom_op(request, config, options, pool)
    return decide_class(request, config, options, pool)
