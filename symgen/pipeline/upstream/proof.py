"""Runs a checkout's own functions and suite over what is installed, in child processes and from a copy."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from symgen.config import LOWEST_OPSET, Target
from symgen.introspect.torch_install import find_torch
from symgen.model.result import Evidence
from symgen.pipeline.decide import failure_sentence, only_fails_aloud
from symgen.pipeline.upstream.checkout import Checkout
from symgen.pipeline.upstream.drafts import Draft
from symgen.pipeline.upstream.git import Git
from symgen.pipeline.upstream.options import InCheckout
from symgen.pipeline.upstream.suite import RUNTIME_TESTS
from symgen.verify.pool import Pool, PoolError, start_pool
from symgen.verify.session import verify_many
from symgen.verify.task import VerifyTask

_LIMIT = 600.0
"""Seconds that the tests of the suite may take."""
_ERROR = re.compile(r"[\w.]*(Error|Exception|Failure)\b")
_SUITE = """
import json, sys, unittest
sys.path.append({package!r})
from symgen.verify.overlay import install_overlay
install_overlay({folder!r})
sys.path.insert(0, {tests!r})
loader = unittest.TestLoader()
loader.testNamePatterns = {patterns!r}
found = loader.loadTestsFromName({module!r})
if loader.errors:
    sys.exit(loader.errors[0].strip())
result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(found)
broken = [(str(test), text) for test, text in (*result.errors, *result.failures)]
skipped = [(str(test), text) for test, text in result.skipped]
print("\\n" + json.dumps({{"run": result.testsRun, "broken": broken, "skipped": skipped}}))
"""


@dataclass(frozen=True)
class _Suite:
    """What the tests of the suite showed."""

    run: int
    broken: Sequence[tuple[str, str]]
    skipped: Sequence[tuple[str, str]]
    note: str = ""
    """Why none could be run."""


@dataclass(frozen=True)
class Stand:
    """Which files of a project are laid out, and how its suite is run."""

    paths: tuple[str, ...]
    """The folders that are laid over the installed packages, and those of the tests."""
    suite: str
    """The file with the tests."""
    folder: str
    """Where its imports start from."""
    module: str
    pattern: str
    """What finds a test by `{name}`."""
    opsets: range
    target: Target
    exporter: str
    """What it is that may not run here."""


def prove(drafts: Sequence[Draft], checkout: Checkout, git: Git, last: str) -> Mapping[str, InCheckout]:
    """What each operator shows when `torch.onnx` is the checkout's as of the commit `last`; by operator."""
    stand = Stand(
        paths=("torch/onnx", "test/onnx"),
        suite=RUNTIME_TESTS,
        folder=str(PurePosixPath(RUNTIME_TESTS).parent),
        module=PurePosixPath(RUNTIME_TESTS).stem,
        pattern="*.{name}",
        opsets=range(LOWEST_OPSET, checkout.opsets[-1] + 1),
        target=Target.TORCHSCRIPT,
        exporter="torch/onnx",
    )
    return prove_on(stand, drafts, checkout.version, git, last)


def prove_on(stand: Stand, drafts: Sequence[Draft], version: str, git: Git, last: str) -> Mapping[str, InCheckout]:
    """What each operator shows when the files of a stand are those of the commit `last`; by operator."""
    with tempfile.TemporaryDirectory(prefix="symgen-") as place:
        folder = Path(place)
        _lay_out(git, last, folder, stand)
        try:
            with start_pool(os.cpu_count() or 1, overlay=folder) as pool:
                seen = _seen(drafts, stand, folder, pool)
        except PoolError as error:
            note = (
                f"the checkout's {stand.exporter} does not run on torch {find_torch().version}, "
                f"the versions are too far apart: {error}"
            )
            seen = [_result(note=note) for _ in drafts]
    ops = (draft.decision.request.op.qualified for draft in drafts)
    return {op: replace(one, version=version) for op, one in zip(ops, seen, strict=True)}


def _lay_out(git: Git, last: str, folder: Path, stand: Stand) -> None:
    """The files of a commit that the stand needs, in a folder."""
    present = [path for path in stand.paths if git.asks("cat-file", "-e", f"{last}:{path}") is not None]
    content = git.run("archive", "--format=tar", last, *present)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")


def _seen(drafts: Sequence[Draft], stand: Stand, folder: Path, pool: Pool) -> list[InCheckout]:
    tasks = [_task(draft, stand) for draft in drafts]
    verified = verify_many(tasks, pool=pool)
    return [
        _together(draft, seen.evidence.samples, _failure(seen.evidence), stand, folder)
        for draft, seen in zip(drafts, verified, strict=True)
    ]


def _failure(evidence: Evidence) -> str:
    """What is wrong with a verification by the rule by which a function is written at all; empty where nothing is."""
    is_right = evidence.is_proof or (evidence.samples and only_fails_aloud(evidence))
    return "" if is_right else failure_sentence(evidence)


def _task(draft: Draft, stand: Stand) -> VerifyTask:
    decision = draft.decision
    opsets = tuple(opset for opset in stand.opsets if opset >= draft.contribution.opset)
    return VerifyTask(decision.request.op.qualified, decision.match.overloads, opsets=opsets, target=stand.target)


def _together(draft: Draft, samples: int, failure: str, stand: Stand, folder: Path) -> InCheckout:
    name = draft.tests.get(stand.suite)
    if name is None or failure:
        return _result(samples=samples, failure=failure)
    suite = _run_suite(stand, folder, name)
    passed = suite.run - len(suite.broken) - len(suite.skipped)
    if suite.broken:
        test, text = suite.broken[0]
        failure = f"{test} fails: {_reason(text)}"
    elif not passed and not suite.note:
        suite = _Suite(
            0, (), (), f"no test {name} was run: {suite.skipped[0][1] if suite.skipped else 'none was found'}"
        )
    return _result(samples=samples, tests=max(passed, 0), failure=failure, note=suite.note)


def _reason(text: str) -> str:
    """The line of a traceback that says what was wrong, of a message with several its first; the last where none is."""
    lines = text.strip().splitlines()
    return next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1])


def _run_suite(stand: Stand, folder: Path, name: str) -> _Suite:
    tests = folder / stand.folder
    program = _SUITE.format(
        package=str(Path(__file__).resolve().parents[3]),
        folder=str(folder),
        tests=str(tests),
        patterns=[stand.pattern.format(name=name)],
        module=stand.module,
    )
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", program],
            cwd=tests,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            check=False,
            # Else the last line of what a test says is how to run it again.
            env={**os.environ, "PYTORCH_PRINT_REPRO_ON_FAILURE": "0"},
        )
        answer = json.loads(done.stdout.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        return _Suite(0, (), (), f"{name} did not end within {_LIMIT:g} s")
    except (IndexError, ValueError):
        said = done.stderr.strip().splitlines() or ["no reason given"]
        return _Suite(0, (), (), f"{stand.suite} can't be run here: {said[-1]}")
    return _Suite(**answer)


def _result(*, samples: int = 0, tests: int = 0, failure: str = "", note: str = "") -> InCheckout:
    return InCheckout(find_torch().version, "", samples, tests, failure, note)
