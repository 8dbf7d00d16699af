from ._shared import *

__all__ = ["helper", "hypot"]
