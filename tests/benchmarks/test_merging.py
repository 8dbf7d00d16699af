"""What merging costs beside libcst itself, and how the cost grows."""

from __future__ import annotations

import resource
import string
from itertools import islice, product

import libcst
import pytest

from merging import merge, operator
from symgen.model.definition import Definition
from timing import ratio

pytestmark = pytest.mark.benchmark

BODY = "".join(f'    step{i} = g.op("Add", scale, g.op("Constant", value_t=torch.tensor({i}.5)))\n' for i in range(6))


def operators(count: int) -> list[Definition]:
    names = islice(product(string.ascii_lowercase, repeat=3), 0, None, 7)
    return [operator(f"op_{''.join(letters)}", "input", "other", body=BODY) for letters in islice(names, count)]


def cpu_seconds() -> float:
    """The time that this process and its children have computed: what else runs here does not count."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def seconds_of_parse_and_write(content: bytes) -> float:
    start = cpu_seconds()
    module = libcst.parse_module(content)
    assert module.bytes == content
    return cpu_seconds() - start


def seconds_of_merge(before: bytes | None, wanted: list[Definition]) -> float:
    start = cpu_seconds()
    outcome = merge(before, *wanted)
    assert not outcome.failures
    return cpu_seconds() - start


def test_merging_300_functions_costs_little_more_than_a_parse_and_a_write() -> None:
    wanted = operators(300)
    result = merge(None, *wanted).after
    half = merge(None, *wanted[::2]).after
    assert result is not None
    assert half is not None

    def baseline() -> float:
        return seconds_of_parse_and_write(result)

    shares = {
        "into a new file": ratio(lambda: seconds_of_merge(None, wanted), baseline, rounds=3),
        "into a file that has half of them": ratio(lambda: seconds_of_merge(half, wanted), baseline, rounds=3),
        "into a file that has all of them": ratio(lambda: seconds_of_merge(result, wanted), baseline, rounds=3),
    }
    for what, share in shares.items():
        print(f"300 functions {what}: {share:.2f} x one libcst parse and write of the result")
    assert max(shares.values()) <= 1.5


def test_the_cost_grows_with_the_file_and_not_faster() -> None:
    one = [operator("hypot", "input", "other")]
    small, large = (merge(None, *operators(size)).after for size in (100, 400))
    growth = ratio(lambda: seconds_of_merge(large, one), lambda: seconds_of_merge(small, one), rounds=3)
    print(f"one function into 400 functions: {growth:.2f} x into 100")
    assert growth <= 4 * 1.5
