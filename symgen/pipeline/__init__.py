"""The stages in a row: what the commands run."""

from symgen.pipeline.audit import audit
from symgen.pipeline.new import new
from symgen.pipeline.verify import verify

__all__ = ["audit", "new", "verify"]
