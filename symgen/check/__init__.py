"""The pre-commit hook: symbolic files against what torch and ONNX declare, read statically, without importing torch.

from symgen.check import CheckSettings, check_paths

for finding in check_paths(["symbolics"], CheckSettings(ignore=("SG010",))):
    print(finding.location, finding.code, finding.message)
"""

from __future__ import annotations

from symgen.check.engine import check_source
from symgen.check.findings import Edit, Finding
from symgen.check.runner import check_paths
from symgen.check.settings import CheckSettings

__all__ = ["CheckSettings", "Edit", "Finding", "check_paths", "check_source"]
