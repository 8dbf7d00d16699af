"""What is the user's own: classes, asked for as `package.module:ClassName`, and custom operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from symgen.config import Config, NewOptions
from symgen.errors import UsageError
from symgen.introspect.autograd_classes import CLASS_NAME, load_function_class
from symgen.introspect.catalogue import Catalogue
from symgen.model.domain import Domain, parse_domain
from symgen.pipeline.class_translation import Forward, decide_translation, read_forward
from symgen.pipeline.classes import ClassRequest, decide_node
from symgen.pipeline.custom_ops import CustomRequest, decide_custom_op, is_custom_op, resolve_custom_op
from symgen.pipeline.decide import Decision
from symgen.pipeline.ready import Ready
from symgen.verify.pool import Pool

OwnRequest = ClassRequest | Forward | CustomRequest


def resolve_own(
    asked: Sequence[str],
    options: NewOptions,
    start: Path,
    catalogue: Catalogue,
    pool: Pool,
    *,
    as_function: bool = False,
) -> Mapping[str, OwnRequest]:
    """Reads the classes and custom operators among what was asked for, by what was typed.

    Args:
        asked: everything that was asked for.
        options: the domain, and where operators are declared.
        start: the folder that comes first on the module path.
        catalogue: knows the operators that the `forward` of a class calls.
        pool: imports the modules that register operators, in a child process.
        as_function: whether a node has its meaning in the model, as a function.

    Raises:
        SymgenError: where one is not there or can't be read, or where options are given that fit nothing.
    """
    domain = parse_domain(options.domain, options.version) if options.domain else None
    own = [text for text in dict.fromkeys(asked) if CLASS_NAME.fullmatch(text) or is_custom_op(text)]
    if own and options.correct:
        raise UsageError(f"{own[0]} is your own, and fix is about what torch has", hint="use symgen new")
    if domain and not own:
        raise UsageError("--domain is for custom operators and classes", hint="torch's own operators need none")
    found: dict[str, OwnRequest] = {}
    for text in own:
        if is_custom_op(text):
            found[text] = resolve_custom_op(text, domain, options, pool)
        else:
            request = ClassRequest(text, load_function_class(text, start), domain)
            found[text] = request if domain and not as_function else read_forward(request, catalogue)
    return found


def operators_lacking(own: Mapping[str, OwnRequest]) -> tuple[str, ...]:
    """The operators without a function of torch's own that the classes call, which are written with them."""
    forwards = [request for request in own.values() if isinstance(request, Forward)]
    return tuple(sorted({op.qualified for forward in forwards for op in forward.lacking}))


def decide_own(
    request: OwnRequest, decisions: Mapping[str, Decision], config: Config, options: NewOptions, pool: Pool
) -> Ready:
    """The decision for one class or custom operator; `decisions` are those for torch's operators, by name."""
    match request:
        case CustomRequest():
            return decide_custom_op(request, config, options, pool)
        case Forward(lacking=lacking):
            operators = [decisions[op.qualified] for op in lacking]
            return decide_translation(request, operators, config, options, pool)
        case ClassRequest(domain=Domain() as domain):
            return decide_node(request, domain, config, options, pool)
    raise ValueError(f"{request.asked} has neither a domain nor a translation")
