"""What is the user's own: classes, asked for as `package.module:ClassName`, and custom operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from symgen.config import Config, NewOptions
from symgen.errors import UsageError
from symgen.introspect.autograd_classes import CLASS_NAME, load_function_class
from symgen.model.domain import parse_domain
from symgen.pipeline.classes import ClassRequest, decide_class
from symgen.pipeline.ready import Ready
from symgen.verify.pool import Pool

OwnRequest = ClassRequest


def resolve_own(asked: Sequence[str], options: NewOptions, start: Path) -> Mapping[str, OwnRequest]:
    """Reads the classes and custom operators among what was asked for, by what was typed.

    Args:
        asked: everything that was asked for.
        options: the domain, and where operators are declared.
        start: the folder that comes first on the module path.

    Raises:
        SymgenError: where one is not there or can't be read, or where options are given that fit nothing.
    """
    domain = parse_domain(options.domain, options.version) if options.domain else None
    classes = [text for text in dict.fromkeys(asked) if CLASS_NAME.fullmatch(text)]
    if classes and options.correct:
        raise UsageError(f"{classes[0]} is a class, and fix is about what torch has", hint="use symgen new")
    if domain and not classes:
        raise UsageError("--domain is for custom operators and classes", hint="torch's own operators need none")
    return {text: ClassRequest(text, load_function_class(text, start), domain) for text in classes}


def decide_own(request: OwnRequest, config: Config, options: NewOptions, pool: Pool) -> Ready:
    """The decision for one class or custom operator."""
    return decide_class(request, config, options, pool)
